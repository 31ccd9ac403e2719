"""Memory of a build: one heap for all threads, Arrow without pandas, freed memory returned."""

from __future__ import annotations

import subprocess
import sys

ONE_HEAP = """
import sys
from venus_toolkit.cli.data import build
assert "pyarrow" not in sys.modules
from venus_toolkit.core.memory import keep_one_heap
keep_one_heap()
import pyarrow as pa
print(pa.default_memory_pool().backend_name)
"""
WITHOUT_PANDAS = """
import sys
from venus_toolkit.core.memory import keep_one_heap
keep_one_heap()
import pyarrow as pa, pyarrow.parquet, pyarrow.dataset
table = pa.table({"a": pa.array(["x", "y"])})
assert "pandas" not in sys.modules
import pandas
assert table.to_pandas().a.tolist() == ["x", "y"]
assert pa.Table.from_pandas(pandas.DataFrame({"a": [1, 2]})).to_pylist() == [{"a": 1}, {"a": 2}]
assert pa.array(pandas.Series([1, 2])).to_pylist() == [1, 2]
print("both")
"""
GIVEN_BACK = """
import sys
from venus_toolkit.core.memory import give_back, keep_one_heap
keep_one_heap()
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
kept = [bytes(10_000) for _ in range(10_000)]  # 100 MB, and what keeps the top of the heap
top = [bytes(100) for _ in range(100)]
most = resident()
del kept
give_back()
print(most - resident() > 80_000_000)
"""


def printed(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_arrow_shares_the_heap() -> None:
    assert printed(ONE_HEAP) == "system\n"


def test_arrow_imports_pandas_only_on_use() -> None:
    assert printed(WITHOUT_PANDAS) == "both\n"


def test_free_heap_memory_is_returned() -> None:
    assert printed(GIVEN_BACK) == "True\n"
