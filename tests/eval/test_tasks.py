"""Tasks of a release: their list, their contents, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.eval.conftest import FAST, MIDDLE, SLOW, TESTS, Posed
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Judgement, Verdict
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.tasks import choose, list_tasks, load, spread_out
from venus_toolkit.eval.eval_options import EvalOptions, Prices
from venus_toolkit.eval.scoring.score import EvalSample, SampleOutcome, TaskScorer
from venus_toolkit.execution.engine.work import Judged
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.models.client import Completion
from venus_toolkit.signatures import Function, Kind, Signature, Type, render_runner

LANGUAGES = load_languages()
WriteRelease = Callable[..., Release]


def test_task_is_complete(tmp_path: Path, write_release: WriteRelease) -> None:
    release = write_release(
        tmp_path, [Posed("one"), Posed("two", difficulty="Hard", tags=("a", "b"))]
    )
    heads = list_tasks(release, [LANGUAGES["python"]], "test")
    assert [(head.name, head.difficulty, head.tags) for head in heads] == [
        ("python/one", "Easy", ("math",)),
        ("python/two", "Hard", ("a", "b")),
    ]
    task = load(heads[1])
    assert task.tests == TESTS
    assert [reference.code for reference in task.references] == [FAST, MIDDLE, SLOW]
    assert task.references[1].published["relative_time"] == 2.0
    assert task.limits.cpu_ns == 2 * 10**9
    assert task.program("print(1)").source == "print(1)"


def test_every_language_draws_the_same_problems(
    tmp_path: Path, write_release: WriteRelease
) -> None:
    release = write_release(tmp_path, [Posed(f"p{n}") for n in range(9)], ("python", "cpp"))
    heads = list_tasks(release, [LANGUAGES["python"], LANGUAGES["cpp"]], "test")
    three, five = choose(heads, 3, 1), choose(heads, 5, 1)
    assert len(three) == 6
    assert {head.title for head in three[:3]} == {head.title for head in three[3:]}
    assert {head.title for head in three} < {head.title for head in five}
    assert {head.title for head in choose(heads, 3, 2)} != {head.title for head in three}
    assert choose(heads, None, 1) == heads


def test_references_are_spread_over_their_cost(tmp_path: Path, write_release: WriteRelease) -> None:
    release = write_release(tmp_path, [Posed("many", [f"print({n})\n" for n in range(9)])])
    references = load(list_tasks(release, [LANGUAGES["python"]], "test")[0]).references
    assert [reference.code for reference in spread_out(references, 3, "relative_time")] == [
        f"print({n})\n" for n in (0, 4, 8)
    ]
    assert len(spread_out(references, 1, "relative_time")) == 1
    assert spread_out(references, None, "relative_time") == references


def test_missing_parts_of_a_release(tmp_path: Path, write_release: WriteRelease) -> None:
    release = write_release(tmp_path, [Posed("one")])
    with pytest.raises(ReleaseError, match="has no config cpp"):
        list_tasks(release, [LANGUAGES["cpp"]], "test")
    with pytest.raises(ReleaseError, match="has no split train"):
        list_tasks(release, [LANGUAGES["python"]], "train")
    empty = write_release(tmp_path / "empty", [])
    with pytest.raises((ReleaseError, UsageError)):
        list_tasks(empty, [LANGUAGES["python"]], "test")


def test_corrupt_file(tmp_path: Path, write_release: WriteRelease) -> None:
    release = write_release(tmp_path, [Posed("one")])
    (file,) = release.files("python", "test")
    file.write_bytes(b"PAR1 no")
    with pytest.raises(ReleaseError, match="cannot be read"):
        list_tasks(release, [LANGUAGES["python"]], "test")


@pytest.mark.parametrize(
    "wrong",
    [{"objective": "speed"}, {"references": "old"}, {"rank": "best"}, {"ties": "x"}, {"form": "x"}, {"samples": 0},
     {"tasks": 0}, {"max_references": 0}],
)  # fmt: skip
def test_options_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        EvalOptions("m", "data", ("python",), **wrong)  # type: ignore[arg-type]


def test_prices() -> None:
    assert Prices(2.0, 10.0).cost(500_000, 100_000) == 2.0
    assert Prices(2.0, None).cost(1, 1) is None
    assert Prices(2.0, 10.0).cost(None, 1) is None


def test_functions_in_one_runner_have_separate_verdicts() -> None:
    """Their programs differ in a second file, not in the text of the runner."""
    python = LANGUAGES["python"]
    runner = render_runner(Signature((Function("one", (), Type(Kind.INT)),)), python)
    codes = (
        "class Solution:\n    def one(self): return 1",
        "class Solution:\n    def one(self): return 2",
    )
    programs = [program_of(python, code, runner=runner) for code in (*codes, codes[0])]
    assert programs[0].source == programs[1].source
    ran: list[bytes] = []

    def judge(_worker: Any, _suite: Any, program: Any) -> Judged:
        ran.append(program.files[0].content)
        return Judged(
            Judgement(Verdict.ACCEPTED if b"return 1" in ran[-1] else Verdict.WRONG_ANSWER)
        )

    executor = SimpleNamespace(
        judge=judge, judging=lambda work, todo: [(item, work(item, None)) for item in todo]
    )
    scorer = TaskScorer(cast("Any", executor), cast("Any", None), cast("Any", None))
    samples = [
        EvalSample(n, Completion("a"), SampleOutcome.PASSED, program=program)
        for n, program in enumerate(programs)
    ]
    ((_, judged),) = scorer.judge_all(
        [(cast("Any", SimpleNamespace(suite=None, name="one")), samples)]
    )
    assert [program.outcome for program in judged] == [
        SampleOutcome.PASSED,
        SampleOutcome.FAILED,
        SampleOutcome.PASSED,
    ]
    assert len(ran) == 2
