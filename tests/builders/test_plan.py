"""Plans: files, flags that override them, and messages about invalid ones."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.build import Build
from venus_toolkit.builders.plan import FOLDER, BuildPlan, make_plan, read_plan
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.builders.stages.build_context import BuildContext
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, to_plain
from venus_toolkit.core.store import Store


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.toml")))
def test_bundled_plans_are_read(name: str) -> None:
    assert read_plan(name, lang=("cpp",)).lang == ("cpp",)


def test_defaults_match_the_paper() -> None:
    assert read_plan("default").min_solutions == 16
    assert read_plan("default").tests == 100
    assert read_plan("bundled").min_solutions == 4
    assert read_plan("demo").problems


def test_precedence_of_flags_file_and_defaults(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('tests = 7\nrepeats = 9\nproblems = ["a", "b"]\nlimit_wall_s = 2\n')
    plan = read_plan(str(file), tests=3, repeats=None, lang=("go",))
    assert (plan.tests, plan.repeats, plan.problems, plan.lang) == (3, 9, ("a", "b"), ("go",))
    assert plan.seed == BuildPlan().seed


def test_plan_limits_win_over_the_problems() -> None:
    own = Limits(wall_ns=8 * NS_PER_S, cpu_ns=2 * NS_PER_S, memory_bytes=64 * MIB)
    assert make_plan().limits(own) == own
    wall = make_plan(limit_wall_s=1.5).limits(own)
    assert (wall.wall_ns, wall.memory_bytes) == (1_500_000_000, 64 * MIB)
    assert wall.cpu_ns >= wall.wall_ns, (
        "a plan that gives wall time alone is not cut short by the problem's CPU time"
    )
    both = make_plan(
        limit_wall_s=4, limit_cpu_s=0.5, limit_memory_mib=256, limit_output_mib=1
    ).limits(own)
    assert (both.cpu_ns, both.memory_bytes, both.output_bytes) == (NS_PER_S // 2, 256 * MIB, MIB)


def test_languages_by_any_name(tmp_path: Path) -> None:
    plan = read_plan(
        "bundled",
        lang=("python3", "C++"),
        time_factor={"golang": 2.0},
        quality={"languages": ["node", "js"]},
    )
    build = Build(plan, tmp_path, load_languages())
    assert (build.plan.lang, build.plan.time_factor) == (("python", "cpp"), {"go": 2.0})
    assert build.plan.quality.languages == ("javascript",)


@pytest.mark.parametrize(
    "key", [{"lang": ("cobol",)}, {"time_factor": {"cobol": 2.0}}, {"quality": {"languages": ["cobol"]}}]
)  # fmt: skip
def test_unknown_language_is_refused(tmp_path: Path, key: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="unknown language 'cobol'"):
        Build(read_plan("bundled", **key), tmp_path, load_languages())


def test_time_factor_of_a_language(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text("limit_wall_s = 4\nlimit_cpu_s = 1\n[time_factor]\npython = 2.5\nruby = 3\n")
    plan, own = read_plan(str(file)), Limits()
    factors = {"": 1.0, "cpp": 1.0, "python": 2.5, "ruby": 3}
    for language, factor in factors.items():
        limits = plan.limits(own, language)
        assert (limits.wall_ns, limits.cpu_ns) == (factor * 4 * NS_PER_S, factor * NS_PER_S)
        assert limits.memory_bytes == own.memory_bytes
    with closing(Store(tmp_path / "out")) as store:
        context = BuildContext(plan, store, load_languages(), lambda *_: None)
        suite = context.suite(new_problem("p", "text", source="x"), (), "python")
    assert suite.rules.limits.cpu_ns == 2.5 * NS_PER_S
    assert to_plain(plan)["time_factor"] == {"python": 2.5, "ruby": 3}, (
        "it is in the facts of the release"
    )


@pytest.mark.parametrize("factor", [0, -1, True, "2", float("nan"), float("inf"), None], ids=str)
def test_time_factor_must_be_positive(factor: Any) -> None:
    error = refusal(time_factor={"python": factor})
    assert error.what == "time_factor.python must be a number greater than 0"


def refusal(**values: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        make_plan(**values)
    assert caught.value.exit_code == 2
    assert caught.value.why
    assert caught.value.fix
    return caught.value


@pytest.mark.parametrize("name", ["nothing", "nothing.toml", "folder/nothing"])
def test_unknown_plan(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_plan(name)
    assert caught.value.what == f"the plan {name} cannot be read"
    assert "No such file" in caught.value.why
    assert caught.value.fix == "give a TOML file or one of: benchmark, bundled, default, demo"


@pytest.mark.parametrize("content", [b"tests = \n", b"\xff\xfe", b"tests 3"])
def test_file_without_a_plan(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read"):
        read_plan(str(file))


def test_unknown_keys_are_named() -> None:
    error = refusal(test=3, limits_wall_s=1)
    assert error.what == "the plan has unknown keys: limits_wall_s, test"
    assert "limit_wall_s" in error.why
    assert error.fix == "did you mean limit_wall_s? see docs/build.md"


@pytest.mark.parametrize(
    "key",
    [
        "tests", "min_solutions", "jobs",
        "limit_wall_s", "limit_cpu_s", "limit_memory_mib", "limit_output_mib",
        "large_input_bytes",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [0, -1])
def test_counts_must_be_positive(key: str, value: int) -> None:
    error = refusal(**{key: value})
    assert error.what == f"{key} must be greater than 0"
    assert error.why == f"got {value}"
    assert "venus build --help" in error.fix


@pytest.mark.parametrize(
    "values",
    [
        {"rank": "fastest"},
        {"aggregate": "mean"},
        {"test_fraction": 0},
        {"test_fraction": 1.01},
        {"test_fraction": -0.5},
        {"large_inputs": "leave-out"},
        {"min_separation": 1.5},
    ],
)
def test_invalid_values(values: dict[str, Any]) -> None:
    error = refusal(**values)
    assert str(next(iter(values.values()))) in str(error)


@pytest.mark.parametrize(
    "values",
    [
        {"tests": "many"}, {"repeats": 1.5}, {"seed": "x"}, {"problems": "pair-sums"}, {"problems": [1]},
        {"limit_wall_s": "2"}, {"limit_wall_s": float("nan")}, {"limit_wall_s": float("inf")},
        {"limit_cpu_s": float("nan")}, {"source": 3}, {"test_fraction": "half"}, {"min_solutions": True},
        {"sandbox": 1},
    ],
    ids=str,
)  # fmt: skip
def test_values_of_the_wrong_type(values: dict[str, Any]) -> None:
    """A TOML file may hold values of these types."""
    assert next(iter(values)) in str(refusal(**values))
