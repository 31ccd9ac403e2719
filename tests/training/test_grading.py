"""The batch reward: answers are judged independently and measured with their original."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bench.rewards import reward_overhead
from tests.building import needs_isolation, thought
from tests.forged_count import needs_emulator, summing
from tests.training.posed import (
    CPP_FORMULA,
    CPP_LOOP,
    FORMULA,
    GENERATOR,
    LANGUAGES,
    LOOP,
    STEPS,
    WRONG,
    Posed,
    answer,
    reference,
    write_posed,
)
from venus_toolkit.builders.derive.derive_options import make_derive_options
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.core.errors import SandboxError, StoreError, UsageError
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.engine.local_engine import LocalWorker
from venus_toolkit.execution.engine.work_queue import WorkQueue
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.training.reward.grading import AnswerOutcome, Grader, TaskAnswer
from venus_toolkit.training.reward.grpo_reward import columns_of, metrics_of
from venus_toolkit.training.reward.reward_tasks import (
    FRESH,
    HIDDEN,
    NONE,
    is_shown,
    read_reference,
    unseen_tests,
)
from venus_toolkit.training.reward.rewards import RewardOptions

pytestmark = [*needs_isolation]
QUICK = RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu", fresh=4)
SUM = Posed(solutions={"python": (LOOP, STEPS, FORMULA), "cpp": (CPP_LOOP, CPP_FORMULA)})
MADE = Posed("made", generator=GENERATOR)
COUNTED = Posed("counted", solutions={"cpp": (summing(60), summing(80))})
FAILING = Posed("fails", solutions={"cpp": ("int main() { return 1; }", summing(80))})


class RecordingSandbox:
    """Records the sessions of a sandbox, and fails for programs that contain given words."""

    def __init__(self, inside: Sandbox) -> None:
        self.inside = inside
        self.failing: tuple[str, ...] = ()
        self.failing_when_measured = "nothing"
        self.sessions: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        if any(word in program.source for word in self.failing):
            raise SandboxError("the sandbox stopped", "no space left", "type: venus doctor")
        return self.inside.compile(program, cores)

    def session(self, compiled: Compiled, *rest: Any) -> Any:
        source = compiled.program.source.strip() + "\n"
        if self.failing_when_measured in source and source in self.sessions:
            raise SandboxError("the sandbox stopped", "no space left", "type: venus doctor")
        self.sessions.append(source)
        return self.inside.session(compiled, *rest)


@pytest.fixture(scope="module")
def inside() -> Iterator[Sandbox]:
    with open_sandbox("local") as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(inside: Sandbox) -> Any:
    return RecordingSandbox(inside)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return write_posed(tmp_path_factory.mktemp("release"), SUM, MADE, COUNTED, FAILING)


@pytest.fixture
def grader(release: Any, sandbox: Any) -> Iterator[Grader]:
    with Grader(release, sandbox, QUICK) as opened:
        yield opened


def parts(graded: AnswerOutcome) -> tuple[float, float, float]:
    assert graded.reward, graded
    return graded.reward.form, graded.reward.correctness, graded.reward.efficiency


# ------------------------------------------------------------------ workers


def test_stopped_engine_fails_pending_work() -> None:
    """At interpreter shutdown threads accept no work, but callers may still wait for results."""
    ended = RuntimeError("cannot schedule new futures after interpreter shutdown")

    class EndingEngine:
        jobs = 1

        def measuring(self, work: Any, items: Iterator[Any], share_cores: bool) -> Iterator[None]:
            work(next(items), None)
            next(items), next(items)  # accepted but never started
            raise ended
            yield

    engine: Any = EndingEngine()
    workers = WorkQueue(engine, share_cores=True)
    asked = [workers.submit(lambda _: "done") for _ in range(4)]
    assert asked[0].result(10) == "done"
    assert [future.exception(10) for future in asked[1:]] == [ended] * 3
    workers.close()
    assert workers.submit(lambda _: "late").exception(10) is ended


# ------------------------------------------------------------------ rewards


def test_mixed_batch_isolates_answers(grader: Grader, sandbox: Any) -> None:
    sandbox.failing = ("lose me",)
    answers = [
        answer(SUM, FORMULA),
        answer(SUM, CPP_FORMULA, "cpp"),
        answer(SUM, "# lose me\n" + FORMULA),
        answer(SUM, "print(1"),
        answer(SUM, "int main() { return 1; }", "cpp"),
        TaskAnswer(reference(SUM), "I do not know."),
        answer(SUM, "while True: pass"),
        answer(SUM, FORMULA),
        answer(SUM, f"# \ud835\n{FORMULA}"),
    ]
    graded = grader.grade(answers)
    assert [outcome.verdict for outcome in graded] == [
        "accepted", "accepted", "lost", "compile_error", "runtime_error", "no_code", "time_limit", "accepted",
        "accepted",
    ]  # fmt: skip
    assert graded[2].reward is None, "lesson 29: a sandbox failure is not a wrong answer"
    for good in (graded[0], graded[1]):
        form, correctness, efficiency = parts(good)
        assert (form, correctness) == (1.0, 0.5)
        assert efficiency >= 0  # on a busy machine, two repeats may not show the gain
    for bad in (graded[3], graded[4], graded[6]):
        assert parts(bad) == (1.0, -1.0, 0.0)
    assert parts(graded[5]) == (-1.0, -1.0, 0.0)
    assert graded[7].reward == graded[0].reward, "the same code runs only once"


def test_original_is_interleaved_with_the_answers(grader: Grader, sandbox: Any) -> None:
    grader.grade([answer(SUM, FORMULA), answer(SUM, STEPS)])
    turns = [source for source in sandbox.sessions if source in (LOOP, FORMULA, STEPS)]
    # Judged, then measured in two rounds, each in random order.
    assert [sorted(turns[n : n + 3]) for n in (3, 6)] == [sorted([LOOP, FORMULA, STEPS])] * 2
    assert len(turns) == 9


def test_sandbox_failure_in_measuring_costs_one_answer(grader: Grader, sandbox: Any) -> None:
    sandbox.failing_when_measured = "# deadly"
    good, deadly, other = grader.grade(
        [answer(SUM, code) for code in (FORMULA, f"# deadly\n{FORMULA}", STEPS)]
    )
    assert good.reward
    assert other.reward
    assert deadly.reward is None
    assert deadly.reason.startswith("the sandbox failed 2 times: the sandbox stopped")


@needs_emulator
@pytest.mark.serial
def test_instructions_count_if_cpu_time_agrees(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=3), figure="instructions", fresh=4)
    codes = [summing(60), summing(38), summing(42, forged_by=20)]
    with Grader(release, inside, options) as grader:
        graded = grader.grade([answer(COUNTED, code, "cpp") for code in codes])
    copy, saves, forges = graded
    assert (copy.reason, parts(copy)[2]) == ("it is the original", 0.0)
    assert (saves.figure, saves.reason) == ("instructions", "")
    assert parts(saves)[2] == pytest.approx(0.35, abs=0.03), (
        "tanh of the share of the instructions that it saves"
    )
    assert forges.figure == "cpu_ns"
    assert forges.reason.startswith("by CPU time: CPU time contradicts the count")
    assert parts(forges)[2] < 0.5, "and 0.74 by its count"
    assert metrics_of(graded, counted=True)["reward/by_instructions"] == 0.5
    assert columns_of(graded)["figure"] == ["", "instructions", "cpu_ns"]


def copies_of(code: str, word: str) -> list[str]:
    """Return eight variants of a program: unchanged, with comments, empty lines or other names."""
    comments = [f"// {'words ' * n}\n{code}" for n in range(1, 4)]
    return [code, *comments, "\n\n" + code, *(code.replace(word, f"{word}_{n}") for n in range(3))]


@needs_emulator
def test_journal_avoids_repeated_runs(release: Any, sandbox: Any, tmp_path: Path) -> None:
    options = RewardOptions(
        measure=MeasureOptions(repeats=2), figure="instructions", fresh=0, journal=str(tmp_path)
    )
    answers, outcomes, sessions = (
        [answer(COUNTED, summing(20), "cpp"), answer(COUNTED, WRONG, "cpp")],
        [],
        [],
    )
    for _ in range(2):
        with Grader(release, sandbox, options) as grader:
            outcomes.append(grader.grade(answers))
        sessions.append(len(sandbox.sessions))
    assert outcomes[0] == outcomes[1]
    assert sessions[0] == sessions[1], "neither judged nor measured nor counted"
    with Grader(release, sandbox, options), pytest.raises(StoreError):
        Grader(release, sandbox, options)


@needs_emulator
@pytest.mark.serial
def test_copies_tie_by_instructions(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=3), figure="instructions", fresh=4)
    with Grader(release, inside, options) as grader:
        graded = grader.grade(
            [answer(COUNTED, code, "cpp") for code in copies_of(summing(40), "mixed")]
        )
    assert {outcome.figure for outcome in graded} == {"instructions"}
    scores = [outcome.reward.score for outcome in graded if outcome.reward]
    assert len(scores) == 8
    assert len(set(scores)) == 1, "equal rewards, so all advantages are 0"
    assert scores[0] > 0.45, "it saves a third"


@pytest.mark.serial
def test_copies_tie_by_cpu_time(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=3), figure="cpu", fresh=4)

    def distinct() -> int:
        with Grader(release, inside, options) as grader:
            graded = grader.grade(
                [answer(COUNTED, code, "cpp") for code in copies_of(summing(40), "mixed")]
            )
        return len({outcome.reward and outcome.reward.score for outcome in graded})

    assert any(distinct() == 1 for _ in range(3)), "chance separates them in 5 % of the trials"


@needs_emulator
def test_cpu_time_replaces_instructions(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=2), figure="instructions", fresh=4)
    fix = TaskAnswer(reference(FAILING, "cpp"), answer(FAILING, summing(60), "cpp").text)
    with Grader(release, inside, options) as grader:
        upgrade, small = grader.grade([fix, answer(COUNTED, summing(50), "cpp", "memory")])
    assert (upgrade.before, upgrade.figure) == (False, "cpu_ns")
    assert upgrade.reason == "by CPU time: the original fails, so nothing was counted"
    assert (small.figure, small.reason) == ("peak_bytes", "")


def test_instructions_need_a_counter(release: Any, inside: Sandbox) -> None:
    with pytest.raises(UsageError, match="rewards by instructions need a counter"):
        RewardOptions(figure="instructions", counter="off")

    class UncountedSandbox(RecordingSandbox):
        counts = False

    with pytest.raises(UsageError, match="the sandbox local does not count instructions"):
        Grader(release, UncountedSandbox(inside), RewardOptions(figure="instructions"))  # type: ignore[arg-type]


@pytest.mark.serial
def test_close_discards_pending_answers(release: Any, sandbox: Any) -> None:
    grader = Grader(release, sandbox, QUICK)
    grader.submit([answer(SUM, f"# {n}\n{LOOP}") for n in range(200)])
    start = time.monotonic()
    grader.close()
    assert time.monotonic() - start < 30
    (late,) = grader.grade([answer(SUM, FORMULA)])
    assert late.reward is None


@pytest.mark.parametrize("more", [[], [f"# late\n{FORMULA}"]])
def test_passing_answer_without_measurement_is_lost(
    release: Any, sandbox: Any, eventually: Any, more: list[str]
) -> None:
    """Its cost is unknown: an efficiency of 0 would claim that the code saves nothing."""
    grader = Grader(release, sandbox, QUICK)
    grader.submit([answer(SUM, FORMULA)])
    (group,) = grader._open.values()
    assert eventually(lambda: all(future.done() for future in group._judged.values()))
    grader.close()
    graded = grader.grade([answer(SUM, code) for code in (FORMULA, *more)])
    assert [outcome.reward for outcome in graded] == [None] * (1 + len(more))
    assert "executor was closed" in graded[0].reason


@pytest.mark.serial  # measures CPU time
def test_copy_gains_nothing_and_slower_code_loses(release: Any, inside: Sandbox) -> None:
    slower = LOOP.replace("s += i", "s += i" + "; str(i)" * 5)
    with Grader(
        release, inside, RewardOptions(measure=MeasureOptions(repeats=5), figure="cpu")
    ) as grader:
        same, worse = grader.grade([answer(SUM, LOOP + "\n"), answer(SUM, slower)])
    assert parts(same) == (1.0, 0.5, 0.0)
    assert parts(worse)[2] < -0.2


def test_fixing_a_failing_original_is_an_upgrade(inside: Sandbox, tmp_path: Path) -> None:
    broken = Posed("broken", solutions={"python": ("print(1)\n", LOOP)})
    with Grader(write_posed(tmp_path, broken), inside, QUICK) as grader:
        good, bad = grader.grade([answer(broken, FORMULA), answer(broken, "print(2)")])
    assert parts(good)[:2] == (1.0, 1.0)
    assert parts(good)[2] > 0.7, "the limits are the cost of a failing original"
    assert parts(bad) == (1.0, -0.5, 0.0)


def test_derived_set_covers_all_correctness_rewards(inside: Sandbox, tmp_path: Path) -> None:
    problems = [
        Posed(f"sum{number}", solutions={"python": (LOOP, FORMULA, WRONG)}) for number in range(4)
    ]
    write_posed(tmp_path, *problems)
    options = make_derive_options(
        states="new=1,failing=1,passing=1", per_problem=3, objectives=("time",)
    )
    derive(KINDS["grpo"], tmp_path, [LANGUAGES["python"]], options)
    release = open_release(tmp_path)
    rows = [
        row
        for file in release.files("python-grpo", "time")
        for row in pq.read_table(file).to_pylist()
    ]
    with Grader(release, inside, QUICK) as grader:
        graded = grader.grade(
            [
                TaskAnswer(read_reference(row), thought("Think.", code, LANGUAGES["python"]))
                for row in rows
                for code in (FORMULA, "print(2)")
            ]
        )
    counts = Counter(
        (row["state"], *(parts(outcome)[1] for outcome in graded[2 * n : 2 * n + 2]))
        for n, row in enumerate(rows)
    )
    assert counts == {("new", 1.0, -0.5): 4, ("failing", 1.0, -0.5): 4, ("passing", 0.5, -1.0): 4}
    # Noise decides whether the formula ties with the loop.
    assert all(parts(outcome)[2] >= 0 for outcome in graded[::2])


# The integral depends on time: with two repeats, its standard error reached half of its value on a
# machine with changing speed.
@pytest.mark.parametrize(
    "objective", ["memory", pytest.param("integral", marks=pytest.mark.serial)]
)
def test_each_objective_uses_its_own_cost(release: Any, inside: Sandbox, objective: str) -> None:
    hungry = "x = bytearray(64 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\n" + LOOP
    with Grader(release, inside, RewardOptions(measure=MeasureOptions(repeats=5))) as grader:
        (outcome,) = grader.grade([answer(SUM, hungry, objective=objective)])
    assert parts(outcome)[2] < -0.5


def test_weight_of_efficiency_grows_over_the_training(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=1), final_efficiency=0.5)
    with Grader(release, inside, options) as grader:
        for progress, weight in ((0.0, 0.3), (0.5, 0.4), (1.0, 0.5)):
            (outcome,) = grader.grade([answer(SUM, FORMULA)], progress)
            assert outcome.reward
            assert outcome.reward.score == pytest.approx(
                0.2 + 0.25 + weight * outcome.reward.efficiency
            )


# ------------------------------------------------------------------ streaming


def test_submitted_answers_are_judged_early(grader: Grader, sandbox: Any, eventually: Any) -> None:
    grader.submit([answer(SUM, FORMULA)])
    assert eventually(lambda: FORMULA in sandbox.sessions), "judging did not start by itself"
    before = sandbox.sessions.count(FORMULA)
    grade = grader.grade([answer(SUM, FORMULA), answer(SUM, STEPS)])
    assert sandbox.sessions.count(FORMULA) - before <= 1 + 2, "it was judged again"
    assert all(outcome.reward for outcome in grade)


def test_complete_group_is_measured_early(grader: Grader, sandbox: Any, eventually: Any) -> None:
    grader.submit([answer(SUM, FORMULA)], complete=True)
    assert eventually(lambda: sandbox.sessions.count(FORMULA) == 1 + 2)
    assert grader.grade([answer(SUM, FORMULA)])[0].reward
    assert sandbox.sessions.count(FORMULA) == 1 + 2


# ------------------------------------------------------------------ held-out tests


def test_held_out_tests_are_judged_and_measured(grader: Grader) -> None:
    task = grader.tasks.find(reference(MADE), LocalWorker(grader.sandbox, Cores(0, 0)))
    assert task.kind == FRESH
    assert len(task.measured_on) == 4
    public = {test.stdin for test in MADE.tests}
    assert not public & {test.stdin for test in task.measured_on}
    assert {test.stdin for test in task.task.tests} == public | {
        test.stdin for test in task.measured_on
    }
    for test in task.measured_on:
        n = int(test.stdin)
        assert test.stdout == f"{n * (n + 1) // 2}\n"


def test_shown_tests_are_not_measured() -> None:
    shown, other = Posed().tests[:2]
    statement = f"For example\n\n    {shown.stdin}\nhas the sum {shown.stdout}"
    assert is_shown(shown, statement)
    assert not is_shown(other, statement)
    assert unseen_tests([shown, other], [], statement) == ((other,), HIDDEN)
    assert unseen_tests([shown], [], statement) == ((shown,), NONE)


def test_white_space_does_not_hide_an_example() -> None:
    (test,) = (case for case in Posed().tests[:1])
    spaced = test.__class__("e", "[2,7,11,15]\n9\n", "[0,1]\n")
    assert is_shown(spaced, "Input: nums = [2, 7, 11, 15], target = 9\nOutput: [0, 1]")
    assert not is_shown(spaced, "Input: nums = [2, 7, 11, 15], target = 99\nOutput: [0, 1]")


# ------------------------------------------------------------------ bad input


def test_repeated_sandbox_failures_stop_the_training(grader: Grader, sandbox: Any) -> None:
    sandbox.failing = ("",)
    few = [answer(SUM, FORMULA + f"# {n}\n") for n in range(3)]
    assert [outcome.reward for outcome in grader.grade(few)] == [None] * 3, (
        "three failures are too few to stop"
    )
    many = [answer(SUM, FORMULA + f"# {n}\n") for n in range(9)]
    with pytest.raises(
        SandboxError,
        match=r"failed for 12 of the latest 12 answers(.|\n)*no space left(.|\n)*checkpoint",
    ):
        grader.grade(many)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"tests_sha256": "0" * 64}, "is not the release that"),
        ({"original_solution_id": "x"}, "is not the release that"),
        ({"title": "x"}, "has no problem x"),
        ({"split": "x"}, "x"),
        ({"config": "cobol"}, "no language is called 'cobol'"),
    ],
)
def test_reference_to_another_release_is_refused(
    grader: Grader, change: dict[str, str], word: str
) -> None:
    with pytest.raises(UsageError, match=word):
        grader.grade([TaskAnswer(reference(SUM, **change), "```python\nprint(1)\n```")])


def test_broken_evaluator_is_not_a_verdict(inside: Sandbox, tmp_path: Path) -> None:
    more = {
        "comparison": '{"kind": "evaluator", "absolute": 0, "relative": 0}',
        "test_case_evaluator": "def (",
    }
    odd = Posed("odd", more=more)
    with (
        Grader(write_posed(tmp_path, odd), inside, QUICK) as grader,
        pytest.raises(UsageError, match="evaluator"),
    ):
        grader.grade([answer(odd, FORMULA)])


@pytest.mark.parametrize(
    "change", [{"figure": "x"}, {"jobs": 0}, {"keep": 0}, {"lost": 2.0}, {"part": (1, 1)}]
)
def test_invalid_options_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        RewardOptions(**change)


@pytest.mark.serial
def test_batch_finishes_in_time(release: Any, inside: Sandbox) -> None:
    """The generous time limit only detects a deadlock."""
    start = time.monotonic()
    with Grader(release, inside, RewardOptions(measure=MeasureOptions(repeats=1))) as grader:
        answers = [
            answer(SUM, f"# {n}\n{FORMULA}", objective=objective)
            for n in range(8)
            for objective in ("time", "memory")
        ]
        graded = grader.grade(answers)
    assert all(objective.reward for objective in graded)
    assert time.monotonic() - start < 60


def test_rewards_bench_runs(tmp_path: Path) -> None:
    result = reward_overhead(tmp_path, "python", answers=4, tests=2, group=2, rounds=1)
    assert 0 < result.ratio < 20, "a loose bound: figures come from `python -m bench`"
