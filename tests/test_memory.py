"""One heap for all threads: it is asked for before anything else could have another."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from venus_toolkit.cli import build
assert "pyarrow" not in sys.modules
from venus_toolkit.core.memory import keep_one_heap
keep_one_heap()
import pyarrow as pa
print(pa.default_memory_pool().backend_name)
"""


def test_arrow_has_no_heap_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout == "system\n"
