"""Rewards over the nodes of a simulated cluster equal those on one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.rack import Rack, RackHand, engine_over
from tests.training.posed import (
    CPP_FORMULA,
    CPP_LOOP,
    FORMULA,
    GENERATOR,
    LANGUAGES,
    LOOP,
    STEPS,
    Posed,
    answer,
    write_posed,
)
from venus_toolkit.core.errors import MachineError, SandboxError, UsageError
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.engine import WorkerEnvironment
from venus_toolkit.execution.engine.node import NodeInfo
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Compiled
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.reward.grading import AnswerOutcome, Grader
from venus_toolkit.training.reward.rewards import RewardOptions

pytestmark = [*needs_isolation]
QUICK = RewardOptions(measure=MeasureOptions(repeats=1), figure="cpu", fresh=4)
SUM = Posed(solutions={"python": (LOOP, STEPS, FORMULA), "cpp": (CPP_LOOP, CPP_FORMULA)})
MADE = Posed("made", solutions={"python": (f"# made\n{LOOP}", STEPS, FORMULA)}, generator=GENERATOR)
BROKEN = Posed("broken", solutions={"python": ("print(1)\n", LOOP)})
ANSWERS = [
    answer(SUM, FORMULA),
    answer(SUM, STEPS),
    answer(SUM, f"\n{LOOP}"),
    answer(SUM, "print(1)"),
    answer(SUM, "print("),
    answer(SUM, CPP_FORMULA, "cpp"),
    answer(SUM, "int main() { return 1; }", "cpp"),
    answer(MADE, FORMULA),
    answer(MADE, FORMULA.replace("n + 1", "n + 1 - (n not in (500001, 550002, 600003, 650004))")),
    answer(BROKEN, FORMULA),
    answer(BROKEN, "print(2)"),
]
VERDICTS = (
    "accepted",
    "accepted",
    "accepted",
    "wrong_answer",
    "compile_error",
    "accepted",
    "runtime_error",
    "accepted",
    "wrong_answer",
    "accepted",
    "wrong_answer",
)
BETTER = (0, 5, 7, 9)


class RecordingRack(Rack):
    """A rack that records its actors."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.actors: list[RackHand] = []

    def start(self, node: NodeInfo) -> RackHand:
        self.actors.append(super().start(node))
        return self.actors[-1]


@pytest.fixture(scope="module")
def site() -> Iterator[WorkerEnvironment]:
    used = (LANGUAGES["python"], LANGUAGES["cpp"])
    with open_sandbox("local", used) as sandbox:
        yield WorkerEnvironment(
            sandbox, used, {language.id: sandbox.toolchain(language).version for language in used}
        )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return write_posed(tmp_path_factory.mktemp("release"), SUM, MADE, BROKEN)


@pytest.fixture
def over(release: Release, site: WorkerEnvironment) -> Iterator[Callable[[Rack], Grader]]:
    """Return a function that opens a grader over a rack; closes all graders after the test."""
    opened: list[Grader] = []

    def make(rack: Rack) -> Grader:
        opened.append(Grader(release, site.sandbox, QUICK, LANGUAGES, engine_over(rack, site)))
        return opened[-1]

    yield make
    for grader in opened:
        grader.close()


def require_verdicts(graded: list[AnswerOutcome]) -> None:
    assert tuple(outcome.verdict for outcome in graded) == VERDICTS, "\n".join(
        outcome.reason for outcome in graded
    )
    for number, outcome in enumerate(graded):
        assert outcome.reward
        assert (outcome.reward.efficiency > 0.2) == (number in BETTER)
    assert [outcome.before for outcome in graded] == [True] * 9 + [False] * 2
    assert {outcome.kind for outcome in graded[7:9]} == {"fresh"}


def test_cluster_matches_local_rewards(
    over: Callable[[Rack], Grader], release: Release, site: WorkerEnvironment
) -> None:
    with Grader(release, site.sandbox, QUICK, LANGUAGES) as here:
        require_verdicts(here.grade(ANSWERS))
    rack = Rack(site, {"a": "", "b": ""})
    require_verdicts(over(rack).grade(ANSWERS))
    assert set(rack.served) == {"a", "b"}


def test_lost_node_costs_no_answer(over: Callable[[Rack], Grader], site: WorkerEnvironment) -> None:
    def lose(node: NodeInfo) -> None:
        if node.name == "a" and rack.served["a"] >= 4:
            rack.pull("a")

    rack = Rack(site, {"a": "", "b": ""}, lose)
    require_verdicts(over(rack).grade(ANSWERS))
    assert [node.name for node in rack.up] == ["b"]


def recorded_sessions(sandbox: Any) -> set[str]:
    """Return a set that collects the sources of all programs with a session."""
    sources: set[str] = set()
    session = sandbox.session

    def recorded(compiled: Compiled, *rest: Any, **named: Any) -> Any:
        sources.add(compiled.program.source)
        return session(compiled, *rest, **named)

    sandbox.session = recorded
    return sources


def test_a_problem_stays_on_one_machine_type(
    over: Callable[[Rack], Grader], site: WorkerEnvironment
) -> None:
    rack = RecordingRack(site, {"a": "one", "b": "other"})
    grader = over(rack)
    engine: Any = grader.executor.engine
    take, subjects = engine.node_pool.take, []

    def record_take(pairs: bool, about: str, only: Any) -> Any:
        subjects.append(about)
        return take(pairs, about, only)

    engine.node_pool.take = record_take
    used = [recorded_sessions(actor._node._sandbox) for actor in rack.actors]
    require_verdicts(grader.grade(ANSWERS))
    assert set(subjects) == {"sum", "made", "broken"}, "all work names its problem"
    assert all(used), "both types have work"
    originals = {LOOP, f"# made\n{LOOP}", CPP_LOOP}
    assert originals <= used[0] | used[1]
    assert not used[0] & used[1] & originals, "an original runs only where its answers are measured"


def test_failed_part_is_measured_one_by_one(
    over: Callable[[Rack], Grader], site: WorkerEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from venus_toolkit.execution.engine import work

    original = work.measure_interleaved

    def fail(sandbox: Any, compiled: Any, *rest: Any, **options: Any) -> Any:
        if any("# deadly" in result.program.source for result in compiled):
            raise SandboxError("the sandbox stopped", "no space left")
        return original(sandbox, compiled, *rest, **options)

    monkeypatch.setattr(work, "measure_interleaved", fail)
    good, deadly = over(Rack(site, {"a": ""})).grade(
        [answer(SUM, FORMULA), answer(SUM, f"# deadly\n{FORMULA}")]
    )
    assert good.reward
    assert deadly.reward is None
    assert deadly.reason == "the sandbox failed 2 times: the sandbox stopped: no space left"


def test_cluster_without_nodes_stops_the_training(
    over: Callable[[Rack], Grader], site: WorkerEnvironment
) -> None:
    rack = Rack(site, {"a": ""})
    grader = over(rack)
    rack.pull("a")
    with pytest.raises(MachineError, match="no node of the cluster is left"):
        grader.grade(ANSWERS[:1])


def test_unknown_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown engine 'slurm'"):
        RewardOptions(engine="slurm")
    with pytest.raises(UsageError, match="add --engine ray"):
        RewardOptions(ray_address="auto")
