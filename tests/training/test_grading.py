"""The batch reward: many answers at once, each for itself, measured beside its original."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bench.rewards import added
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
FAILS = Posed("fails", solutions={"cpp": ("int main() { return 1; }", summing(80))})


class Recording:
    """A sandbox that notes what is run, and fails for programs with certain words in them."""

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
    return Recording(inside)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return write_posed(tmp_path_factory.mktemp("release"), SUM, MADE, COUNTED, FAILS)


@pytest.fixture
def grader(release: Any, sandbox: Any) -> Iterator[Grader]:
    with Grader(release, sandbox, QUICK) as made:
        yield made


def parts(graded: AnswerOutcome) -> tuple[float, float, float]:
    assert graded.reward, graded
    return graded.reward.form, graded.reward.correctness, graded.reward.efficiency


# ------------------------------------------------------------------ who does the work


def test_nobody_waits_for_ever_for_an_engine_that_ended() -> None:
    """Threads take on nothing once the interpreter is about to end.

    Others may still wait for what they asked.
    """
    ended = RuntimeError("cannot schedule new futures after interpreter shutdown")

    class Ending:
        jobs = 1

        def measuring(self, work: Any, items: Iterator[Any], share_cores: bool) -> Iterator[None]:
            work(next(items), None)
            next(items), next(items)  # taken, and never begun
            raise ended
            yield

    engine: Any = Ending()
    workers = WorkQueue(engine, share_cores=True)
    asked = [workers.submit(lambda _: "done") for _ in range(4)]
    assert asked[0].result(10) == "done"
    assert [each.exception(10) for each in asked[1:]] == [ended] * 3
    workers.close()
    assert workers.submit(lambda _: "late").exception(10) is ended


# ------------------------------------------------------------------ what answers are worth


def test_languages_are_mixed_and_nobody_disturbs_the_others(grader: Grader, sandbox: Any) -> None:
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
    assert [each.verdict for each in graded] == [
        "accepted", "accepted", "lost", "compile_error", "runtime_error", "no_code", "time_limit", "accepted",
        "accepted",
    ]  # fmt: skip
    assert graded[2].reward is None, "lesson 29: a failure of the sandbox is no wrong answer"
    for good in (graded[0], graded[1]):
        form, correctness, efficiency = parts(good)
        assert (form, correctness) == (1.0, 0.5)
        assert efficiency >= 0  # by how much, two repeats on a busy machine do not always tell
    for bad in (graded[3], graded[4], graded[6]):
        assert parts(bad) == (1.0, -1.0, 0.0)
    assert parts(graded[5]) == (-1.0, -1.0, 0.0)
    assert graded[7].reward == graded[0].reward, "the same code is tried once"


def test_the_original_is_measured_in_the_same_batch_and_takes_turns(
    grader: Grader, sandbox: Any
) -> None:
    grader.grade([answer(SUM, FORMULA), answer(SUM, STEPS)])
    turns = [source for source in sandbox.sessions if source in (LOOP, FORMULA, STEPS)]
    # Judged, then measured twice, each time in an order that is drawn.
    assert [sorted(turns[n : n + 3]) for n in (3, 6)] == [sorted([LOOP, FORMULA, STEPS])] * 2
    assert len(turns) == 9


def test_a_program_that_ends_the_sandbox_while_it_is_measured_harms_no_other(
    grader: Grader, sandbox: Any
) -> None:
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
def test_instructions_decide_where_cpu_time_agrees(release: Any, inside: Sandbox) -> None:
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
    """Eight texts of one program: as it is, with comments, empty lines and other names."""
    comments = [f"// {'words ' * n}\n{code}" for n in range(1, 4)]
    return [code, *comments, "\n\n" + code, *(code.replace(word, f"{word}_{n}") for n in range(3))]


@needs_emulator
def test_what_a_journal_knows_is_not_run_again(release: Any, sandbox: Any, tmp_path: Path) -> None:
    options = RewardOptions(
        measure=MeasureOptions(repeats=2), figure="instructions", fresh=0, journal=str(tmp_path)
    )
    answers, found, sessions = (
        [answer(COUNTED, summing(20), "cpp"), answer(COUNTED, WRONG, "cpp")],
        [],
        [],
    )
    for _ in range(2):
        with Grader(release, sandbox, options) as grader:
            found.append(grader.grade(answers))
        sessions.append(len(sandbox.sessions))
    assert found[0] == found[1]
    assert sessions[0] == sessions[1], "neither judged nor measured nor counted"
    with Grader(release, sandbox, options), pytest.raises(StoreError):
        Grader(release, sandbox, options)


@needs_emulator
@pytest.mark.serial
def test_eight_copies_of_one_program_are_rewarded_alike_by_their_count(
    release: Any, inside: Sandbox
) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=3), figure="instructions", fresh=4)
    with Grader(release, inside, options) as grader:
        graded = grader.grade(
            [answer(COUNTED, code, "cpp") for code in copies_of(summing(40), "mixed")]
        )
    assert {each.figure for each in graded} == {"instructions"}
    scores = [each.reward.score for each in graded if each.reward]
    assert len(scores) == 8
    assert len(set(scores)) == 1, "their spread is 0, so all advantages are"
    assert scores[0] > 0.45, "it saves a third"


@pytest.mark.serial
def test_eight_copies_of_one_program_are_rewarded_alike_by_their_time(
    release: Any, inside: Sandbox
) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=3), figure="cpu", fresh=4)

    def distinct() -> int:
        with Grader(release, inside, options) as grader:
            graded = grader.grade(
                [answer(COUNTED, code, "cpp") for code in copies_of(summing(40), "mixed")]
            )
        return len({each.reward and each.reward.score for each in graded})

    assert any(distinct() == 1 for _ in range(3)), "chance parts them once in twenty times"


@needs_emulator
def test_cpu_time_decides_where_the_original_fails_or_another_objective_is_asked_for(
    release: Any, inside: Sandbox
) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=2), figure="instructions", fresh=4)
    mended = TaskAnswer(reference(FAILS, "cpp"), answer(FAILS, summing(60), "cpp").text)
    with Grader(release, inside, options) as grader:
        upgrade, small = grader.grade([mended, answer(COUNTED, summing(50), "cpp", "memory")])
    assert (upgrade.before, upgrade.figure) == (False, "cpu_ns")
    assert upgrade.reason == "by CPU time: the original fails, so nothing was counted"
    assert (small.figure, small.reason) == ("peak_bytes", "")


def test_instructions_decide_nothing_without_a_counter_or_for_other_objectives(
    release: Any, inside: Sandbox
) -> None:
    with pytest.raises(UsageError, match="there is no reward by instructions"):
        RewardOptions(figure="instructions", counter="off")

    class Elsewhere(Recording):
        counts = False

    with pytest.raises(UsageError, match="the sandbox local does not count instructions"):
        Grader(release, Elsewhere(inside), RewardOptions(figure="instructions"))  # type: ignore[arg-type]


@pytest.mark.serial
def test_what_is_closed_is_not_waited_for(release: Any, sandbox: Any) -> None:
    grader = Grader(release, sandbox, QUICK)
    grader.submit([answer(SUM, f"# {n}\n{LOOP}") for n in range(200)])
    start = time.monotonic()
    grader.close()
    assert time.monotonic() - start < 30
    (late,) = grader.grade([answer(SUM, FORMULA)])
    assert late.reward is None


@pytest.mark.parametrize("more", [[], [f"# late\n{FORMULA}"]])
def test_what_passes_and_cannot_be_measured_any_more_is_lost(
    release: Any, sandbox: Any, eventually: Any, more: list[str]
) -> None:
    """Its cost is not known: a reward without efficiency would be one for code that saves nothing."""
    grader = Grader(release, sandbox, QUICK)
    grader.submit([answer(SUM, FORMULA)])
    (group,) = grader._open.values()
    assert eventually(lambda: all(each.done() for each in group._judged.values()))
    grader.close()
    graded = grader.grade([answer(SUM, code) for code in (FORMULA, *more)])
    assert [each.reward for each in graded] == [None] * (1 + len(more))
    assert "executor was closed" in graded[0].reason


@pytest.mark.serial  # it reads a clock
def test_the_original_again_is_worth_nothing_and_a_dearer_program_less(
    release: Any, inside: Sandbox
) -> None:
    slower = LOOP.replace("s += i", "s += i" + "; str(i)" * 5)
    with Grader(
        release, inside, RewardOptions(measure=MeasureOptions(repeats=5), figure="cpu")
    ) as grader:
        same, worse = grader.grade([answer(SUM, LOOP + "\n"), answer(SUM, slower)])
    assert parts(same) == (1.0, 0.5, 0.0)
    assert parts(worse)[2] < -0.2


def test_a_program_that_passes_where_the_original_fails_is_an_upgrade(
    inside: Sandbox, tmp_path: Path
) -> None:
    broken = Posed("broken", solutions={"python": ("print(1)\n", LOOP)})
    with Grader(write_posed(tmp_path, broken), inside, QUICK) as grader:
        good, bad = grader.grade([answer(broken, FORMULA), answer(broken, "print(2)")])
    assert parts(good)[:2] == (1.0, 1.0)
    assert parts(good)[2] > 0.7, "what fails takes the limits as its cost"
    assert parts(bad) == (1.0, -0.5, 0.0)


def test_a_derived_set_has_all_four_values_of_the_correctness_reward(
    inside: Sandbox, tmp_path: Path
) -> None:
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
    found = Counter(
        (row["state"], *(parts(each)[1] for each in graded[2 * n : 2 * n + 2]))
        for n, row in enumerate(rows)
    )
    assert found == {("new", 1.0, -0.5): 4, ("failing", 1.0, -0.5): 4, ("passing", 0.5, -1.0): 4}
    # Whether the formula is apart from the loop is up to the machine.
    assert all(parts(each)[2] >= 0 for each in graded[::2])


# An integral is over time. With two repeats its standard error was half of it where the machine's
# speed changed.
@pytest.mark.parametrize(
    "objective", ["memory", pytest.param("integral", marks=pytest.mark.serial)]
)
def test_each_objective_has_its_cost(release: Any, inside: Sandbox, objective: str) -> None:
    hungry = "x = bytearray(64 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\n" + LOOP
    with Grader(release, inside, RewardOptions(measure=MeasureOptions(repeats=5))) as grader:
        (found,) = grader.grade([answer(SUM, hungry, objective=objective)])
    assert parts(found)[2] < -0.5


def test_the_weight_of_efficiency_grows_where_it_is_to(release: Any, inside: Sandbox) -> None:
    options = RewardOptions(measure=MeasureOptions(repeats=1), final_efficiency=0.5)
    with Grader(release, inside, options) as grader:
        for progress, weight in ((0.0, 0.3), (0.5, 0.4), (1.0, 0.5)):
            (found,) = grader.grade([answer(SUM, FORMULA)], progress)
            assert found.reward
            assert found.reward.score == pytest.approx(
                0.2 + 0.25 + weight * found.reward.efficiency
            )


# ------------------------------------------------------------------ as answers come


def test_answers_are_judged_while_others_are_still_awaited(
    grader: Grader, sandbox: Any, eventually: Any
) -> None:
    grader.submit([answer(SUM, FORMULA)])
    assert eventually(lambda: FORMULA in sandbox.sessions), "judging did not begin by itself"
    before = sandbox.sessions.count(FORMULA)
    grade = grader.grade([answer(SUM, FORMULA), answer(SUM, STEPS)])
    assert sandbox.sessions.count(FORMULA) - before <= 1 + 2, "it was judged again"
    assert all(each.reward for each in grade)


def test_a_complete_group_is_measured_before_anybody_asks(
    grader: Grader, sandbox: Any, eventually: Any
) -> None:
    grader.submit([answer(SUM, FORMULA)], complete=True)
    assert eventually(lambda: sandbox.sessions.count(FORMULA) == 1 + 2)
    assert grader.grade([answer(SUM, FORMULA)])[0].reward
    assert sandbox.sessions.count(FORMULA) == 1 + 2


# ------------------------------------------------------------------ tests that nobody has seen


def test_programs_are_measured_on_fresh_tests_and_judged_on_all(grader: Grader) -> None:
    made = grader.tasks.find(reference(MADE), LocalWorker(grader.sandbox, Cores(0, 0)))
    assert made.kind == FRESH
    assert len(made.measured_on) == 4
    public = {test.stdin for test in MADE.tests}
    assert not public & {test.stdin for test in made.measured_on}
    assert {test.stdin for test in made.task.tests} == public | {
        test.stdin for test in made.measured_on
    }
    for test in made.measured_on:
        n = int(test.stdin)
        assert test.stdout == f"{n * (n + 1) // 2}\n"


def test_without_a_generator_those_in_the_statement_are_left_out() -> None:
    shown, other = Posed().tests[:2]
    statement = f"For example\n\n    {shown.stdin}\nhas the sum {shown.stdout}"
    assert is_shown(shown, statement)
    assert not is_shown(other, statement)
    assert unseen_tests([shown, other], [], statement) == ((other,), HIDDEN)
    assert unseen_tests([shown], [], statement) == ((shown,), NONE)


def test_an_example_is_found_however_it_is_spaced() -> None:
    (test,) = (each for each in Posed().tests[:1])
    spaced = test.__class__("e", "[2,7,11,15]\n9\n", "[0,1]\n")
    assert is_shown(spaced, "Input: nums = [2, 7, 11, 15], target = 9\nOutput: [0, 1]")
    assert not is_shown(spaced, "Input: nums = [2, 7, 11, 15], target = 99\nOutput: [0, 1]")


# ------------------------------------------------------------------ bad input


def test_a_sandbox_that_is_lost_stops_the_training_with_a_sentence(
    grader: Grader, sandbox: Any
) -> None:
    sandbox.failing = ("",)
    few = [answer(SUM, FORMULA + f"# {n}\n") for n in range(3)]
    assert [each.reward for each in grader.grade(few)] == [None] * 3, "a few say nothing"
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
def test_another_release_is_refused(grader: Grader, change: dict[str, str], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        grader.grade([TaskAnswer(reference(SUM, **change), "```python\nprint(1)\n```")])


def test_an_evaluator_that_does_not_compile_is_no_verdict(inside: Sandbox, tmp_path: Path) -> None:
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
def test_options_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        RewardOptions(**change)


@pytest.mark.serial
def test_bounds_of_a_batch(release: Any, inside: Sandbox) -> None:
    """Many answers to a few prompts.

    All rewarded, in a time that only says that nothing waits for nothing.
    """
    start = time.monotonic()
    with Grader(release, inside, RewardOptions(measure=MeasureOptions(repeats=1))) as grader:
        answers = [
            answer(SUM, f"# {n}\n{FORMULA}", objective=each)
            for n in range(8)
            for each in ("time", "memory")
        ]
        graded = grader.grade(answers)
    assert all(each.reward for each in graded)
    assert time.monotonic() - start < 60


def test_the_bench_of_rewards_runs(tmp_path: Path) -> None:
    found = added(tmp_path, "python", answers=4, tests=2, group=2, rounds=1)
    assert 0 < found.ratio < 20, (
        "only that nothing waits for ever: figures come from `python -m bench`"
    )
