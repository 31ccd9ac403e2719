"""Shared fixtures: bounded waiting, finding processes by name, the command line, builds of small sources.

A program that a test must find again gives itself a unique name (prctl(PR_SET_NAME)). Its children
inherit the name, and /proc shows it even if they are in other namespaces.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.dataset.columns import FLOOR

if TYPE_CHECKING:
    import click

    from venus_toolkit.builders.plan import BuildPlan
    from venus_toolkit.dataset.card.distribution_charts import Picture

_serial = itertools.count()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="every corpus program, more draws, more kills"
    )
    parser.addoption(
        "--thorough-marked",
        action="store_true",
        help="tests marked thorough in full, and a few more draws of hypothesis",
    )
    parser.addoption(
        "--solutions", type=int, help="how many solutions the build has that is killed"
    )
    parser.addoption(
        "--write-golden", action="store_true", help="tests/golden: write the digests anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    # Container images often set it; then every worker and process would compile its modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    from hypothesis import settings  # pytest rewrites its assertions, which takes seconds

    config.addinivalue_line(
        "markers", "isolation: needs a sandbox that isolates programs from this machine"
    )
    config.addinivalue_line(
        "markers", "here: is about sandboxes of this machine, not those of a server"
    )
    examples = {"--thorough": 200, "--thorough-marked": 50}
    asked = next((number for name, number in examples.items() if config.getoption(name)), 15)
    settings.register_profile("drawn", max_examples=asked, deadline=None)
    settings.load_profile("drawn")
    # A shell starts background jobs with SIGINT ignored: a test that interrupts itself would hang.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _prefer_plain_python(config)


# trylast: pytest itself reorders tests by their fixtures, and the slow tests have fixtures that no
# other test uses.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the cases that only `--thorough` runs, and move tests that take a minute to the front.

    At the end, one worker would run such a test while the others are idle.
    """
    if not config.getoption("--thorough"):
        rest = [item for item in items if item.get_closest_marker("only_thorough")]
        if rest:
            config.hook.pytest_deselected(items=rest)
            items[:] = [item for item in items if not item.get_closest_marker("only_thorough")]
    items.sort(
        key=lambda item: (
            not (item.get_closest_marker("thorough") and item.get_closest_marker("slow"))
        )
    )


def _prefer_plain_python(config: pytest.Config) -> None:
    """Run Python programs with the system's interpreter, if there is one, whatever PATH has first.

    An interpreter of a version manager also loads the user's packages and takes several times as
    long to start, and the tests start thousands.
    """
    plain = Path("/usr/bin/python3")
    if plain.exists() and shutil.which("python3") != str(plain):
        folder = tempfile.TemporaryDirectory(prefix="venus-python-")
        config.add_cleanup(folder.cleanup)
        (Path(folder.name) / "python3").symlink_to(plain)
        os.environ["PATH"] = os.pathsep.join((folder.name, os.environ["PATH"]))


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether a test runs in full instead of on a sample, as in `nox -s thorough-test` and `.ci/run`."""
    marked = (
        request.config.getoption("--thorough-marked")
        and request.node.get_closest_marker("thorough") is not None
    )
    return bool(marked or request.config.getoption("--thorough"))


@pytest.fixture
def mark() -> str:
    """A process name that is unique on this machine; at most 15 characters."""
    return f"vt{os.getpid() % 10**7:x}x{next(_serial):x}"


def _called(name: str) -> list[int]:
    """Return the ids of the processes called `name`, including zombies."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if (folder / "comm").read_text().strip() == name:
                found.append(int(folder.name))
        except OSError:
            continue  # the process ended during the search
    return found


@pytest.fixture(scope="session")
def called() -> Callable[[str], list[int]]:
    """Returns the ids of all processes with a given name."""
    return _called


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], object]], bool]:
    """Waits until a condition holds; returns False if it does not within 20 seconds."""

    def wait(condition: Callable[[], object], seconds: float = 20) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    return wait


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a test an empty user cache, except for compiled programs, which all tests share."""
    shared, own = cache_folder("compiled"), tmp_path / "own-cache"
    shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    own.mkdir()
    (own / "compiled").symlink_to(shared)
    monkeypatch.setenv("VENUS_CACHE", str(own))


_drawn: dict[str, bytes] = {}


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws each picture of a card once and reuses it for equal facts.

    test_dataset_card.py checks that drawing is deterministic.
    """
    from venus_toolkit.dataset.card.distribution_charts import Picture

    draw = Picture.draw

    def remembered(self: Picture) -> bytes:
        if self.facts not in _drawn:
            _drawn[self.facts] = draw(self)
        return _drawn[self.facts]

    monkeypatch.setattr(Picture, "draw", remembered)


# ------------------------------------------------------------------ the command line in this process


class Result(NamedTuple):
    """The exit code and output of a command."""

    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def cli(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Runs `venus` or another command in this process, in the current working folder."""
    from venus_toolkit.cli import main, venus

    def run(*words: object, command: click.Command = venus) -> Result:
        monkeypatch.setattr(sys, "argv", ["venus", *map(str, words)])
        exit_code = 0
        try:
            main(command)
        except SystemExit as stop:
            exit_code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return Result(exit_code, *capsys.readouterr())

    return run


# ------------------------------------------------------------------ a source that builds in seconds

_GENERATOR = """\
import random
def generate(seed, size):
    rng = random.Random(f"{seed} {size}")
    top = {"small": 9, "boundary": 1, "random": 100, "large": 400}[size]
    return " ".join(str(rng.randint(0, top) + seed) for _ in range(COUNT)) + "\\n"
"""
# Slow solutions take the whole CPU limit on every test; the wall limit leaves room for a busy
# machine.
_TOML = (
    'title = "{}"\nlicense = "CC0-1.0"\n[limits]\ncpu_s = 0.25\nwall_s = 30.0\nmemory_mib = 256\n'
)
_PY_ADD = "a, b = map(int, input().split())\n"
_CPP_ADD = (
    '#include <cstdio>\nint main() {\n  long long a, b;\n  std::scanf("%lld %lld", &a, &b);\n'
)
_CPP_DIVISORS = '#include <cstdio>\nint main() {\n  int n;\n  std::scanf("%d", &n);\n  n += 1;\n'
_TINY = {
    "add-two/problem.toml": _TOML.format("Add two"),
    "add-two/statement.md": "Print the sum of two integers.\n",
    "add-two/generator.py": _GENERATOR.replace("COUNT", "2"),
    "add-two/solutions/python/plus.py": _PY_ADD + "print(a + b)\n",
    "add-two/solutions/python/one_by_one.py": _PY_ADD
    + "while b > 0: a, b = a + 1, b - 1\nprint(a)\n",
    "add-two/solutions/python/wrong_minus.py": _PY_ADD + "print(a - b - 1)\n",
    "add-two/solutions/python/slow_count.py": _PY_ADD
    + "n = 0\nwhile n < 10**10: n += 1\nprint(a + b)\n",
    "add-two/solutions/cpp/plus.cpp": _CPP_ADD + '  std::printf("%lld\\n", a + b);\n}\n',
    "add-two/solutions/cpp/minus.cpp": _CPP_ADD + '  std::printf("%lld\\n", a - (-b));\n}\n',
    "add-two/solutions/cpp/wrong_or.cpp": _CPP_ADD + '  std::printf("%lld\\n", (a | b) + 1);\n}\n',
    "add-two/solutions/cpp/slow_count.cpp": _CPP_ADD
    + (
        '  for (volatile long n = 0; n < 100000000000; n = n + 1) {}\n  std::printf("%lld\\n", a '
        "+ b);\n}\n"
    ),
    "divisors/problem.toml": _TOML.format("Divisors") + '[compare]\nkind = "evaluator"\n',
    "divisors/statement.md": "Print the divisors of n + 1 in any order.\n",
    "divisors/generator.py": _GENERATOR.replace("COUNT", "1"),
    "divisors/evaluator.py": "def evaluate(expected, actual):\n"
    "    return sorted(map(int, expected.split())) == sorted(map(int, actual.split()))\n",
    "divisors/solutions/python/up.py": "n = int(input()) + 1\nprint(*[d for d in range(1, n + 1) if n % d == 0])\n",
    "divisors/solutions/python/down.py": "n = int(input()) + 1\nprint(*[d for d in range(n, 0, -1) if n % d == 0])\n",
    "divisors/solutions/python/wrong_without_one.py": "n = int(input()) + 1\n"
    "print(*[d for d in range(2, n + 1) if n % d == 0])\n",
    "divisors/solutions/cpp/up.cpp": _CPP_DIVISORS
    + '  for (int d = 1; d <= n; ++d) if (n % d == 0) std::printf("%d\\n", d);\n}\n',
    "divisors/solutions/cpp/down.cpp": _CPP_DIVISORS
    + '  for (int d = n; d > 0; --d) if (n % d == 0) std::printf("%d\\n", d);\n}\n',
    "square/problem.toml": _TOML.format("Square").replace("license", 'style = "function"\nlicense'),
    "square/statement.md": "Return the square of an integer.\n",
    "square/generator.py": _GENERATOR.replace("COUNT", "1"),
    "square/starter/python.py": "class Solution:\n    def square(self, n: int) -> int:\n        pass\n",
    "square/runners/python.py": "import json, sys\n\n# ==Code Submission==\n\n"
    "print(json.dumps(Solution().square(json.loads(sys.stdin.readline()))))\n",
    "square/runners/cpp.cpp": "#include <cstdio>\n\n// ==Code Submission==\n\nint main() {\n  long long n;\n"
    '  std::scanf("%lld", &n);\n  std::printf("%lld\\n", Solution().square(n));\n}\n',
    "square/solutions/python/times.py": "class Solution:\n    def square(self, n):\n        return n * n\n",
    "square/solutions/python/power.py": "class Solution:\n    def square(self, n):\n        return n ** 2\n",
    "square/solutions/cpp/times.cpp": "struct Solution {\n  long long square(long long n) { return n * n; }\n};\n",
    "square/solutions/cpp/sum.cpp": "struct Solution {\n  long long square(long long n) {\n    long long s = 0;\n"
    "    for (long long i = 0; i < n; ++i) s += n;\n    return s;\n  }\n};\n",
}


def _write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


@pytest.fixture(scope="session")
def write_tree() -> Callable[[Path, Mapping[str, str | bytes]], Path]:
    """Writes files by their paths below a folder; returns the folder."""
    return _write_tree


# ------------------------------------------------------------------ builds of small sources

_TWICE: dict[str, str | bytes] = {
    "problem.toml": 'title = "Twice"\n[limits]\ncpu_s = 2\n',
    "statement.md": "Print 2n.\n",
    "generator.py": "def generate(seed, size):\n"
    "    return f\"{seed + 1000 * ['small', 'boundary', 'random', 'large'].index(size)}\\n\"\n",
    "solutions/python/times.py": "print(int(input()) * 2)\n",
    "solutions/python/plus.py": "n = int(input())\nprint(n + n)\n",
    "solutions/python/shift.py": "print(int(input()) << 1)\n",
}
TIMED = ("slow_auc", "accepted_spread")  # keys of a row's test_quality that differ between builds
_MEASURED = {
    "time", "memory", "integral", "wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "integral_error_byte_ns",
    "relative_time", "wall_spread", "cpu_spread", "integral_spread", "relative_spread", "rank", "percentile", "noise",
    "wall_se", "cpu_se", "integral_se", "relative_se", "tie_group", "rank_lowest", "rank_highest",
    "net_wall_ns", "net_cpu_ns", "net_peak_bytes", "joint_time", "joint_se",
}  # fmt: skip


class Workshop:
    """A source folder, an output folder, and methods to build and to read the results.

    Attributes:
        twice: The files of a small problem: Python only, three accepted solutions.
        measured: The columns of a solution that differ between builds.
    """

    twice = _TWICE
    measured = _MEASURED

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "source"
        self.out = folder / "out"
        self.done: subprocess.CompletedProcess[str] | None = None

    def small(self) -> Workshop:
        """Write problems in Python and C++: one on stdin, one with an evaluator, one function.

        Each has two accepted solutions per language; add-two also has a wrong and a slow one, and
        divisors a wrong one in Python.
        """
        _write_tree(self.source, _TINY)
        return self

    def problem(
        self, name: str = "twice", changes: Mapping[str, str | bytes | None] | None = None
    ) -> Path:
        """Write the small problem with changes and return its folder; None removes a file."""
        told: dict[str, str | bytes | None] = {
            **_TWICE,
            "statement.md": f"Print 2n. This is the problem {name}.\n",
        }
        files = {
            path: text for path, text in {**told, **(changes or {})}.items() if text is not None
        }
        return _write_tree(self.source / name, files)

    def plan(self, **values: Any) -> BuildPlan:
        """Return the plan of a small build of the source."""
        from venus_toolkit.builders.plan import make_plan

        plan = {
            "lang": ("python",),
            "tests": 4,
            "repeats": 1,
            "min_solutions": 1,
            "source": str(self.source),
            **values,
        }
        # The small problems share their solutions.
        plan.setdefault("curation", {"across_problems": "none"})
        # Each mutant must be compiled and judged, so only tests of test quality ask for some. Each
        # candidate is an input that must be generated and run.
        plan["quality"] = {"mutants": 0, "held_out": 0, **plan.get("quality", {})}
        # The statements specify almost nothing, and few problems have a generator.
        believed = {"min_confidence": 0.25}
        plan["generation"] = {
            "candidates": 60,
            "efficiency_tests": 0,
            **believed,
            **plan.get("generation", {}),
        }
        return make_plan(**plan)

    def build(self, **values: Any) -> dict[str, Any]:
        """Build in this process and return the manifest.

        Reference programs are short, and the card has no pictures.
        """
        from tests.brief import brief_references, no_pictures
        from venus_toolkit.builders.build import Build
        from venus_toolkit.core.language import load_languages

        with brief_references(), no_pictures():
            return Build(self.plan(**values), self.out, load_languages()).run()

    def argv(self, *words: str, module: str = "tests.brief") -> list[str]:
        """Return the command line of a build in a separate process.

        `module` is tests.brief (fast), or venus_toolkit for the unchanged command.
        """
        folders = ["--source", str(self.source), "--out", str(self.out)]
        return [sys.executable, "-m", module, "build", *folders, *words]

    def environment(self, temporary: Path | None = None) -> dict[str, str]:
        """Return the environment of such a process; `temporary` replaces its temporary folder."""
        root = str(Path(__file__).resolve().parent.parent)
        return {
            **os.environ,
            "PYTHONPATH": root,
            **({"TMPDIR": str(temporary)} if temporary else {}),
        }

    def build_apart(
        self, *words: str, module: str = "tests.brief", temporary: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Build in a separate process, and return it after its end."""
        argv, environment = self.argv(*words, module=module), self.environment(temporary)
        return subprocess.run(argv, capture_output=True, text=True, env=environment, timeout=600)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the finished build."""
        manifest: dict[str, Any] = json.loads((self.out / "manifest.json").read_text())
        return manifest

    @property
    def dropped(self) -> list[dict[str, Any]]:
        """The rows of dropped.jsonl."""
        return [json.loads(line) for line in (self.out / "dropped.jsonl").read_text().splitlines()]

    def rows(self, language: str = "python") -> dict[str, dict[str, Any]]:
        """Return the rows of both splits by title, each with its split and all its tests."""
        import pyarrow.parquet as pq

        from venus_toolkit.dataset.test_cases import all_cases

        return {
            row["title"]: {
                **row,
                "split": part,
                "test_cases": json.dumps(all_cases(file, row), ensure_ascii=False),
            }
            for part in ("train", "test")
            for file in sorted((self.out / "data" / language).glob(f"{part}-*.parquet"))
            for row in pq.read_table(file).to_pylist()
        }

    def solutions(
        self, title: str = "twice", language: str = "python"
    ) -> dict[str, dict[str, Any]]:
        """Return the solutions of a row by file name."""
        return {
            each["solution_id"].split("/")[-1]: each
            for each in self.rows(language)[title]["solutions"]
        }

    def outcome(self) -> dict[str, Any]:
        """Return all results of the build except measurements and timestamps."""
        manifest = self.manifest
        rows = {name: self.rows(name) for name in manifest["configs"]}
        for row in (row for table in rows.values() for row in table.values()):
            row["solutions"] = [
                {k: v for k, v in s.items() if k not in _MEASURED} for s in row["solutions"]
            ]
            for name in (*FLOOR, "separation", "tie_groups", "net_range"):
                del row[name]
            quality = json.loads(row["test_quality"])
            row["test_quality"] = {k: v for k, v in quality.items() if k not in TIMED}
        about = ("splits", "fingerprint", "verdicts", "unexpected")
        return {
            "rows": rows,
            "dropped": sorted(map(str, self.dropped)),
            "configs": {
                name: {key: config[key] for key in about}
                for name, config in manifest["configs"].items()
            },
            **{key: manifest[key] for key in ("toolkit", "plan", "tests", "lacking", "sandbox")},
        }


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    """An empty source and output folder in a temporary folder."""
    return Workshop(tmp_path)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder shared by all workers of this test run."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def built(shared_folder: Path) -> Workshop:
    """The small source, built once in Python and C++, with 8 tests and 2 repeats; read-only."""
    from tests.building import SMALL, run_once

    shop = Workshop(shared_folder / "built")
    words = ("--lang", "python", "--lang", "c++", *SMALL, "--json")
    shop.done = run_once(
        shop.folder, lambda: shop.small().build_apart(*words, module="venus_toolkit")
    )
    assert shop.done.returncode == 0, shop.done.stderr
    return shop
