"""What `import venus_toolkit` offers: its names, its results, and the words of its refusals."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import venus_toolkit as venus
from tests.building import needs_cpp
from venus_toolkit.core.errors import LanguageError, ReleaseError, UsageError
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.execution.doctor import why_not_isolated

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}")

ADDS = "import sys\nprint(sum(map(int, sys.stdin.read().split())) + len(sys.argv) - 1)\n"
PARAMETERS = {
    "run": "source language args stdin expected tests files env repeats limits sandbox",
    "compare": "sources language args stdin expected tests files env repeats by limits sandbox",
    "build": "languages out plan progress settings",
    "load": "where config split streaming",
}
RESULT = "source language verdict reason measurement runs rank ratio within"


def test_the_public_names_are_stable() -> None:
    assert sorted(venus.__all__) == ["Comparison", "Result", "__version__", "build", "compare", "load", "run"]
    for name, parameters in PARAMETERS.items():
        assert list(inspect.signature(getattr(venus, name)).parameters) == parameters.split()
    assert list(venus.Result.__dataclass_fields__) == RESULT.split()
    with pytest.raises(AttributeError, match="no attribute 'measure'"):
        _ = venus.measure


def test_importing_it_is_quick_and_brings_nothing_heavy() -> None:
    code = "import sys, venus_toolkit; print([name for name in sys.modules if name in ('numpy', 'pyarrow', 'pandas')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_isolation
def test_one_program(tmp_path: Path) -> None:
    found = venus.run(ADDS, "python", stdin="1 2\n", expected="5\n", args=["a", "b"], repeats=1)
    assert (found.verdict, found.reason, found.stdout, found.language) == ("accepted", "", "5\n", "python")
    assert None not in (found.cpu_ns, found.wall_ns, found.peak_bytes, found.integral_byte_ns)
    assert found.to_pandas().loc[0, "cpu_ns"] == found.cpu_ns
    file = tmp_path / "adds.py"
    file.write_text("import os\nprint(open('x.txt').read(), os.environ['MODE'])\n")
    again = venus.run(file, files={"x.txt": "1"}, env={"MODE": "<fast>"}, repeats=0)
    assert (again.stdout, again.measurement, again.cpu_ns) == ("1 <fast>\n", None, None)
    many = venus.run(ADDS, "python", tests=[("1 2", "3"), ("1", "2"), ("5", None)], repeats=1)
    assert (many.verdict, len(many.runs)) == ("wrong_answer", 3)
    limits = Limits().changed(wall_ns=NS_PER_S, memory_bytes=64 * MIB)
    assert venus.run("x = bytearray(1 << 30)\n", "python", limits=limits, repeats=1).verdict == "memory_limit"


@needs_isolation
@needs_cpp
def test_several_programs(tmp_path: Path) -> None:
    (tmp_path / "quick.cpp").write_text('#include <cstdio>\nint main() { std::puts("4999950000"); }\n')
    (tmp_path / "<slow>.py").write_text("print(sum(range(100000)))\n")
    (tmp_path / "wrong.py").write_text("print(1)\n")
    found = venus.compare(
        tmp_path / "wrong.py", tmp_path / "<slow>.py", tmp_path / "quick.cpp", expected="4999950000\n", repeats=2
    )
    assert [Path(each.source).name for each in found] == ["quick.cpp", "<slow>.py", "wrong.py"]
    assert (found[0].rank, found[0].ratio, found[2].rank, found[2].verdict) == (1, 1.0, None, "wrong_answer")
    assert list(found.to_pandas()["language"]) == ["cpp", "python", "python"]
    shown = found._repr_html_()
    assert "&lt;slow&gt;.py" in shown
    assert "<slow>" not in shown


@needs_isolation
def test_a_dataset_is_built_and_loaded(shop: Any) -> None:
    shop.problem()
    told: list[str] = []
    small = {"tests": 2, "repeats": 1, "min_solutions": 1, "quality": {"mutants": 0}}
    release = venus.build(
        "py", shop.out, source=str(shop.source), progress=lambda stage, *_: told.append(stage), **small
    )
    assert release.languages == ("python",)
    assert "measure python" in told
    (part,) = venus.load(shop.out, "solutions")
    rows = venus.load(shop.out, "solutions", split=part)
    assert {row["language"] for row in rows} == {"python"}
    assert next(iter(venus.load(shop.out, split=part, streaming=True)))["title"] == "twice"
    with pytest.raises(ReleaseError, match="has no config nothing"):
        venus.load(shop.out, "nothing")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the language of the program is not known"):
        venus.run("print(1)\n")
    with pytest.raises(UsageError, match=r"cannot read the program .*none\.py"):
        venus.run(tmp_path / "none.py")
    with pytest.raises(LanguageError, match="unknown language 'cobol'"):
        venus.run("x\n", "cobol")
    with pytest.raises(UsageError, match="programs are not ranked by 'colour'"):
        venus.compare("a.py", by="colour")
    with pytest.raises(LanguageError, match="unknown language 'cobol'"):
        venus.build("cobol", tmp_path / "out")
