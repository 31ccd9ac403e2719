"""The Python API: its names, its results, and its error messages."""

from __future__ import annotations

import inspect
import io
import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest

import venus_toolkit as venus
from tests.brief import brief_references
from tests.building import needs_cpp
from tests.eval.conftest import Posed, write_small_completions, write_small_release
from venus_toolkit.api import notebook
from venus_toolkit.api.datasets import _write_table
from venus_toolkit.cli import venus as venus_command
from venus_toolkit.core.errors import LanguageError, ReleaseError, SourceError, UsageError
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.execution.machine.doctor import why_not_isolated

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)

ROOT = Path(__file__).resolve().parents[2]
ADDS = "import sys\nprint(sum(map(int, sys.stdin.read().split())) + len(sys.argv) - 1)\n"
PARAMETERS = {
    "run": "source lang args stdin expected tests files env repeats limits sandbox trace",
    "compare": "sources lang args stdin expected tests files env repeats by limits sandbox",
    "build": "lang out plan source progress settings",
    "load": "where config split streaming",
    "evaluate": (
        "model data lang out suite samples tasks iterations repeats base_url sandbox seed "
        "progress options"
    ),
    "optimize": (
        "file tests model out lang iterations objective repeats base_url limits sandbox seed "
        "progress options"
    ),
}
NAMES = (
    "Comparison Evaluated HubError LanguageError Limits Optimized ReleaseError Result SandboxError "
    "SourceError StoreError ToolchainError UsageError VenusError __version__ build compare evaluate "
    "load optimize run"
)
RESULT = "source language verdict reason measurement runs rank ratio within difference"


def test_the_public_names_are_stable() -> None:
    assert sorted(venus.__all__) == dir(venus) == NAMES.split()
    assert [name for name in dir(venus) if not hasattr(venus, name)] == []
    for name, parameters in PARAMETERS.items():
        assert list(inspect.signature(getattr(venus, name)).parameters) == parameters.split()
    assert list(venus.Result.__dataclass_fields__) == RESULT.split()
    assert list(venus.Evaluated.__dataclass_fields__) == ["out", "manifest"]
    assert list(venus.Optimized.__dataclass_fields__) == ["out", "manifest"]
    # Type checkers read the names from the stub.
    stub = Path(venus.__file__).with_suffix(".pyi").read_text()
    assert [name for name in NAMES.split() if not re.search(rf"\b{name}\b", stub)] == []
    with pytest.raises(AttributeError, match="no attribute 'measure'"):
        _ = venus.measure


def test_import_loads_no_heavy_package() -> None:
    code = (
        "import sys, venus_toolkit; print([name for name in sys.modules if name in ('numpy', "
        "'pyarrow', 'pandas')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_isolation
def test_one_program(tmp_path: Path) -> None:
    result = venus.run(ADDS, "python", stdin="1 2\n", expected="5\n", args=["a", "b"], repeats=1)
    assert (result.verdict, result.reason, result.stdout, result.language) == (
        "accepted",
        "",
        "5\n",
        "python",
    )
    assert None not in (result.cpu_ns, result.wall_ns, result.peak_bytes, result.integral_byte_ns)
    assert (
        result.to_pandas().loc[0, "cpu_ns"]
        == result.to_arrow()["cpu_ns"][0].as_py()
        == result.cpu_ns
    )
    assert "<svg" not in result._repr_html_()
    file = tmp_path / "adds.py"
    file.write_text("import os\nprint(open('x.txt').read(), os.environ['MODE'])\n")
    judged_only = venus.run(file, files={"x.txt": "1"}, env={"MODE": "<fast>"}, repeats=0)
    assert (judged_only.stdout, judged_only.measurement, judged_only.cpu_ns) == (
        "1 <fast>\n",
        None,
        None,
    )
    several = venus.run(ADDS, "python", tests=[("1 2", "3"), ("1", "2"), ("5", None)], repeats=1)
    assert (several.verdict, len(several.runs)) == ("wrong_answer", 3)
    heads = re.findall("<th>(.*?)</th>", several._repr_html_())
    assert (heads[:2], heads[-1]) == (["program", "verdict"], "reason")
    limits = Limits().changed(wall_ns=NS_PER_S, memory_bytes=64 * MIB)
    assert (
        venus.run("x = bytearray(1 << 30)\n", "python", limits=limits, repeats=1).verdict
        == "memory_limit"
    )


@needs_isolation
def test_notebook_draws_memory_samples() -> None:
    result = venus.run("x = bytearray(64 << 20)\n", "python", repeats=1, trace=True)
    html = result._repr_html_()
    figure = ElementTree.fromstring(html[html.index("<figure") :])
    points = str(figure[0][0].get("points")).split()
    assert 5 < len(points) <= 151
    assert all(
        0 <= float(x) <= 300 and 0 <= float(y) <= 60
        for x, y in (point.split(",") for point in points)
    )
    peak = re.search(r"([\d.]+) MiB at its peak", str(figure[1].text))
    assert peak
    assert 64 < float(peak[1]) < 90


@pytest.mark.serial  # next to other tests, two programs may tie
@needs_isolation
@needs_cpp
def test_several_programs(tmp_path: Path) -> None:
    (tmp_path / "quick.cpp").write_text(
        '#include <cstdio>\nint main() { std::puts("4999950000"); }\n'
    )
    (tmp_path / "<slow>.py").write_text("print(sum(range(100000)))\n")
    (tmp_path / "wrong.py").write_text("print(1)\n")
    comparison = venus.compare(
        tmp_path / "wrong.py",
        tmp_path / "<slow>.py",
        tmp_path / "quick.cpp",
        expected="4999950000\n",
        repeats=2,
    )
    assert [Path(result.source).name for result in comparison] == [
        "quick.cpp",
        "<slow>.py",
        "wrong.py",
    ]
    assert (comparison[0].rank, comparison[0].ratio, comparison[2].rank, comparison[2].verdict) == (
        1,
        1.0,
        None,
        "wrong_answer",
    )
    assert list(comparison.to_pandas()["language"]) == ["cpp", "python", "python"]
    assert comparison.to_arrow()["rank"].to_pylist() == [1, 2, None]
    html = comparison._repr_html_()
    assert "&lt;slow&gt;.py" in html
    assert "<slow>" not in html


@needs_isolation
def test_a_dataset_is_built_and_loaded(shop: Any) -> None:
    shop.problem()
    stages: list[str] = []
    small = {"tests": 2, "repeats": 1, "min_solutions": 1, "quality": {"mutants": 0}}
    release = venus.build(
        "py",
        shop.out,
        source=str(shop.source),
        progress=lambda stage, *_: stages.append(stage),
        **small,
    )
    assert release.languages == ("python",)
    assert "measure python" in stages
    (part,) = venus.load(shop.out, "solutions")
    rows = venus.load(shop.out, "solutions", split=part)
    assert {row["language"] for row in rows} == {"python"}
    assert next(iter(venus.load(shop.out, split=part, streaming=True)))["title"] == "twice"
    assert {name: len(table) for name, table in venus.load(shop.out, "python3").items()} == {
        name: len(table) for name, table in venus.load(shop.out, "python").items()
    }
    with pytest.raises(ReleaseError, match="has no config nothing"):
        venus.load(shop.out, "nothing")
    with pytest.raises(ReleaseError, match=f"no split {part}s: (?s:.*)did you mean"):
        venus.load(shop.out, "solutions", split=f"{part}s")
    assert len(venus.load(shop.out, "solutions", split=f"{part}[:1]+{part}")) == len(rows) + 1


SLOW = "n = int(input())\ns = 0\nfor i in range(n + 1):\n    s += i\nprint(s)\n"
FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"


@needs_isolation
@pytest.mark.serial
def test_a_model_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = write_small_release(tmp_path / "release", [Posed("a"), Posed("b")]).folder
    completions = write_small_completions(
        tmp_path / "answers.jsonl", {"a": [FAST], "b": ["print(0)\n"]}
    )
    model = f"replay:{completions}"
    with brief_references():
        evaluation = venus.evaluate(
            model, release, "py", tmp_path / "out", repeats=1, max_references=2, progress=True
        )
        repeated = venus.evaluate(
            f"replay:{completions}",
            release,
            ["python"],
            tmp_path / "out",
            repeats=1,
            max_references=2,
        )
    assert (evaluation.partial, evaluation.scores["pass_at_1"][0]) == (False, 0.5)
    assert dict(repeated.manifest["scores"][0]) == evaluation.scores
    frame = evaluation.to_pandas()
    assert (len(frame), evaluation.to_arrow().num_rows, sorted(frame["passed"])) == (
        2,
        2,
        [False, True],
    )
    assert "<td>50.0 [" in evaluation._repr_html_()
    assert re.search(r"\r\w+: 1 of \d", capsys.readouterr().err)


@needs_isolation
@pytest.mark.serial
def test_a_program_is_improved(tmp_path: Path) -> None:
    file = tmp_path / "sums.py"
    file.write_text(SLOW)
    (tmp_path / "answers.jsonl").write_text(
        json.dumps({"title": "sums", "iteration": 1, "code": FAST}) + "\n"
    )
    tests = [(f"{n}\n", None) for n in (10, 20, 2_000_000, 3_000_000)]
    progress: list[tuple[str, int, int]] = []
    with brief_references():
        optimisation = venus.optimize(
            file,
            tests,
            f"replay:{tmp_path / 'answers.jsonl'}",
            iterations=1,
            progress=lambda *update: progress.append(update),
        )
    assert (optimisation.improved, optimisation.partial, optimisation.code) == (
        True,
        False,
        FAST.strip(),
    )
    assert optimisation.out == tmp_path / "sums.py.venus"
    assert (
        list(optimisation.to_pandas()["decision"])
        == optimisation.to_arrow()["decision"].to_pylist()
        == ["started", "accepted"]
    )
    assert "<td>accepted</td>" in optimisation._repr_html_()
    assert progress[-1] == ("optimize", 1, 1)


@pytest.mark.parametrize(("function", "command"), [("evaluate", "eval"), ("optimize", "optimize")])
def test_every_option_has_a_keyword(function: str, command: str) -> None:
    click_command = venus_command.get_command(click.Context(venus_command), command)
    assert click_command
    options = [option for option in click_command.params if isinstance(option, click.Option)]
    flags = {
        flag.removeprefix("--")
        for option in options
        for flag in option.opts
        if flag.startswith("--")
    }
    names = {flag.replace("-", "_") for flag in flags - {"json", "verbose", "quiet", "trust"}}
    own = set(inspect.signature(getattr(venus, function)).parameters)
    call = getattr(venus, function)
    arguments = {"tests": [], "file": "none.py"} if function == "optimize" else {}
    # Repeated options are mappings in Python, and limits are one object.
    repeated = {"engine_arg": "engine_args", "header": "headers", "param": "params"}
    names -= own | {"limit_wall_s", "limit_memory_mib", *repeated}
    names |= {*repeated.values()}
    for name in sorted(names):
        with pytest.raises(UsageError, match=r"\(\) has no option nonsense"):
            call(model="replay:none", **arguments, **{name: "x", "nonsense": 1})


def test_progress_redraws_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    callback = notebook.progress_callback(True)
    for stage, done in (("judge", 1), ("judge", 2), ("measure", 1)):
        callback(stage, done, 2)
    assert capsys.readouterr().err == "\rjudge: 1 of 2\rjudge: 2 of 2\n\rmeasure: 1 of 2"
    notebook.progress_callback(False)("judge", 1, 2)
    assert capsys.readouterr().err == ""


@needs_isolation
def test_the_notebook_runs() -> None:
    cells = json.loads((ROOT / "examples/efficiency.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 3
    for text in code:
        exec(text, names)
    assert names["ranking"][0].source.endswith("formula.py")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the language of the program is not known"):
        venus.run("print(1)\n")
    with pytest.raises(UsageError, match=r"cannot read the program .*none\.py"):
        venus.run(tmp_path / "none.py")
    with pytest.raises(LanguageError, match="unknown language 'cobol'"):
        venus.run("x\n", "cobol")
    with pytest.raises(UsageError, match="unknown by 'colour': expected one of wall, cpu"):
        venus.compare("a.py", by="colour")
    with pytest.raises(
        UsageError, match=r"evaluate\(\) has no option sample: .*\n.*did you mean samples"
    ):
        venus.evaluate("m", sample=3)
    with pytest.raises(UsageError, match="did you mean price_"):
        venus.evaluate("m", prices=(1, 2))
    with pytest.raises(
        UsageError, match="no data to evaluate on: data is missing\nadd it, or suite=NAME"
    ):
        venus.evaluate("human:best", lang="cpp")
    with pytest.raises(UsageError, match="there is no suite nothing"):
        venus.evaluate("human:best", suite="nothing")
    with pytest.raises(UsageError, match=r"optimize\(\) has no option splitt"):
        venus.optimize("a.py", [], "replay:x", splitt="test")
    with pytest.raises(LanguageError, match="unknown language 'cobol'"):
        venus.build("cobol", tmp_path / "out")


PAIRS = [("1\n", None)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: venus.run(ADDS, "python", tests={"1": "2"}), "tests must be text, a path or a list of ("),
        (lambda: venus.run(ADDS, "python", tests=["12"]), "tests must be text, a path or a list of ("),
        (lambda: venus.run(ADDS, "python", tests=[("1", "2", "3")]), "tests must be text, a path or a list of ("),
        (lambda: venus.run(ADDS, "python", tests="no/folder"), "cannot read the tests in no/folder"),
        (lambda: venus.run(ADDS, "python", tests=[]), "there is no test: tests is empty"),
        (lambda: venus.run(ADDS, "python", tests=PAIRS, stdin="1"), "stdin and expected cannot be combined with tests"),
        (lambda: venus.run(ADDS, "python", repeats=-1), "repeats must be at least 0: got -1\ntype: help(venus_"),
        (lambda: venus.run(ADDS, "python", repeats=1.5), "repeats must be a whole number: got 1.5"),
        (lambda: venus.run(ADDS, "python", repeats=True), "repeats must be a whole number: got True"),
        (lambda: venus.run(ADDS, "python", args=[1]), "args must be a list of texts: got [1]"),
        (lambda: venus.run(ADDS, "python", args="-v"), "args must be a list of texts: got '-v'"),
        (lambda: venus.run(ADDS, "python", stdin=b""), "stdin must be text: got b''"),
        (lambda: venus.run(ADDS, "python", stdin=io.StringIO()), "stdin must be text: got <_io.StringIO"),
        (lambda: venus.run(ADDS, "python", expected=3), "expected must be text: got 3"),
        (lambda: venus.run(ADDS, "python", env={"A": 1}), "env must be a mapping from text to text: got {'A': 1}"),
        (lambda: venus.run(ADDS, "python", files={"a": 1}), "files must be a mapping from text to bytes or text"),
        (lambda: venus.run(ADDS, "python", limits=10), "limits must be a Limits: got 10"),
        (lambda: venus.run(ADDS, "python", stdin="\ud800"), "stdin cannot be written as UTF-8: '\\ud800' at 0"),
        (lambda: venus.run(ADDS, "python", expected="\ud800"), "expected cannot be written as UTF-8"),
        (lambda: venus.run(ADDS, "python", tests=[("", "a\ud800")]), "tests[0][1] cannot be written as UTF-8"),
        (lambda: venus.run(ADDS, "python", files={"a": "\ud800"}), "files['a'] cannot be written as UTF-8"),
        (lambda: venus.run(ADDS + "\ud800", "python"), "source cannot be written as UTF-8"),
        (lambda: venus.run("a\0.py"), "cannot read the program"),
        (lambda: venus.run(ADDS, "python", env={"": "x"}), "'' is not an environment variable"),
        (lambda: venus.run(ADDS, "python", env={"A=B": "x"}), "'A=B' is not an environment variable"),
        (lambda: venus.run(ADDS, "python", env={"A": "\0"}), "'A' is not an environment variable"),
        (lambda: venus.run(ADDS, "python", args=["\ud800"]), "'\\ud800' is not an argument"),
        (lambda: venus.run(ADDS, "python", args=["a\0"]), "'a\\x00' is not an argument"),
        (lambda: venus.run(ADDS, "python", tests="a" * 300), "too long"),
        (lambda: venus.build("cpp", plan="a\0"), "cannot be read: embedded null"),
        (lambda: venus.run(ADDS), "name it: lang='python'"),
        (lambda: venus.run(ADDS, "python", limits=Limits(wall_ns=-1)), "limits.wall_ns must be greater than 0: got -1"),
        (lambda: venus.run(ADDS, "python", limits=Limits(cpu_ns=0.5)), "limits.cpu_ns must be a whole number: got 0.5"),
        (lambda: venus.compare(["a.py", "b.py"]), "sources[0] must be text or a path: got ['a.py', 'b.py']"),
        (lambda: venus.compare(), "there is nothing to compare"),
        (lambda: venus.build(3), "lang must be text or a list of texts: got 3"),
        (lambda: venus.build("cpp", source=3), "source must be text, a path, a DataFrame or a Dataset: got 3"),
        (lambda: venus.build("cpp", plan="demmo"), "did you mean demo? give a TOML file or one of"),
        (lambda: venus.build("cpp", repeat=3), "did you mean repeats? see docs/build.md"),
        (lambda: venus.build("cpp", complexity=True), "type: counter='auto'"),
        (lambda: venus.build("cpp", progress=1), "progress must be true or false or a function: got 1"),
        (lambda: venus.load(3), "where must be text or a path: got 3"),
        (lambda: venus.evaluate("human:best", samples=0), "samples must be at least 1: got 0"),
        (lambda: venus.evaluate("human:best", data=3), "data must be text or a path: got 3"),
        (lambda: venus.evaluate("human:best", price_prompt="x"), "price_prompt must be a number: got 'x'"),
        (lambda: venus.evaluate("human:best", suite="foldr"), "did you mean folder? name one of these"),
        (lambda: venus.evaluate("human:best", languages=3), "languages must be text or a path: got 3"),
        (lambda: venus.optimize("a.py", {}, "m"), "tests must be text, a path or a list of ("),
        (lambda: venus.optimize("a.py", PAIRS, "m", private_tests=["1"]), "private_tests must be text, a path or a"),
        (lambda: venus.optimize("a.py", PAIRS, "m", base_url="h", timeout="x"), "timeout_s must be a number: got 'x'"),
        (lambda: venus.optimize("a.py", PAIRS, "m", base_url="h"), "type: base_url='http://h'"),
        (lambda: venus.optimize("a.py", PAIRS, "m", rank="wal"), "unknown rank 'wal': expected one of "),
        (lambda: venus.optimize(__file__, PAIRS, "m", mode="histroy"), "did you mean history? see docs/optimize.md"),
    ],
)  # fmt: skip
def test_arguments_are_checked_with_keywords_in_errors(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert message in str(caught.value)
    assert "--" not in re.sub("venus [a-z]+ --help", "", str(caught.value))


def test_equal_tables_share_one_file(tmp_path: Path) -> None:
    import datasets
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as parquet

    columns = {"id": [2, 2], "prompt": ["Add two numbers.", "Add two numbers."], "code": ["a", "b"]}
    files = {
        name: _write_table(table, tmp_path)
        for name, table in {
            "pandas": pd.DataFrame(columns, index=[4, 7]),
            "Polars": pl.DataFrame(columns),
            "Arrow": pa.table(columns),
            "datasets": datasets.Dataset.from_dict(columns),
        }.items()
    }
    for file in files.values():
        assert parquet.read_table(file).to_pydict() == columns
    modified = files["pandas"].stat().st_mtime_ns
    assert _write_table(pd.DataFrame(columns, index=[4, 7]), tmp_path) == files["pandas"]
    assert files["pandas"].stat().st_mtime_ns == modified
    with pytest.raises(SourceError, match="column code"):
        _write_table(pd.DataFrame({"code": ["x", 1]}), tmp_path)
    categories = pl.DataFrame(columns).with_columns(pl.col("prompt", "code").cast(pl.Categorical))
    assert parquet.read_table(_write_table(categories, tmp_path)).to_pydict() == columns
    twice = pd.concat([pd.DataFrame(columns)] * 2, axis=1)
    with pytest.raises(SourceError, match="Duplicate column names") as caught:
        _write_table(twice, tmp_path)
    assert "a unique name" in caught.value.fix


@needs_isolation
def test_a_large_table_is_not_held_in_memory(tmp_path: Path) -> None:
    class Large:
        def to_parquet(self, path: str) -> None:
            with open(path, "wb") as file:
                file.truncate(64 * MIB)

    tracemalloc.start()
    try:
        written = _write_table(Large(), tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()
    assert written.stat().st_size == 64 * MIB


def test_a_data_frame_is_built(tmp_path: Path) -> None:
    import pandas as pd

    sums = [
        "print(sum(map(int, input().split())))",
        "a, b = map(int, input().split())\nprint(a + b)",
    ]
    frame = pd.DataFrame({"problem": "Given two integers, print their sum.", "code": sums})
    frame["tests"] = [[{"input": f"{n} {n}", "output": f"{2 * n}"} for n in range(10)]] * 2
    small = {"min_solutions": 1, "repeats": 1, "quality": {"mutants": 0}}
    release = venus.build("python", tmp_path / "out", source=frame, **small)
    (split,) = venus.load(release.folder, "solutions")
    rows = venus.load(release.folder, "solutions", split=split)
    assert [(row["language"], row["status"]) for row in rows] == [("python", "accepted")] * 2
    manifest = (release.folder / "manifest.json").read_bytes()
    again = venus.build("python", tmp_path / "out", source=frame.copy(), **small)
    assert (again.folder / "manifest.json").read_bytes() == manifest


def test_old_names_still_work_and_warn() -> None:
    with (
        pytest.warns(DeprecationWarning, match="language= is now called lang="),
        pytest.raises(LanguageError, match="unknown language 'cobol'"),
    ):
        venus.run("x\n", language="cobol")
    with (
        pytest.warns(DeprecationWarning, match="languages= is now called lang="),
        pytest.raises(LanguageError, match="unknown language 'cobol'"),
    ):
        venus.build(languages="cobol")
