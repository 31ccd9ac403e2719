"""The local engine: which core does what; and options that make no sense."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.execution.engine import (
    EngineOptions,
    Machine,
    MachineLostError,
    ProgressCallback,
    Worker,
    WorkerEnvironment,
    describe_machine,
)
from venus_toolkit.execution.engine import local_engine as local
from venus_toolkit.execution.engine import on_one_machine as work_on_one_machine
from venus_toolkit.execution.engine.executor import open_engine
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.engine.node_pool import NodeState
from venus_toolkit.execution.engine.ray_cluster import RayNode
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox import cores as cores_module
from venus_toolkit.execution.sandbox.cores import SAMPLED, threads_of, worker_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if problem := why_not_isolated():
        pytest.skip(f"programs cannot be isolated: {problem}")
    with open_sandbox("local") as place:
        yield place


@pytest.fixture(autouse=True)
def _claims_of_its_own(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    """Other tests measure at the same time."""
    monkeypatch.setattr(cores_module, "CLAIM", mark)


@pytest.mark.parametrize(
    ("cores", "unmeasured_cores"),
    [([0], {0}), ([0, 1], {0}), ([2, 3, 5, 7], {2}), ([0, 1, 2], {0})],
)
def test_other_work_stays_off_the_cores_of_programs(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, cores: list[int], unmeasured_cores: set[int]
) -> None:
    monkeypatch.setattr(local, "usable_cores", lambda: cores)
    there = LocalEngine(sandbox)
    assert there.unmeasured_cores() == unmeasured_cores
    used: set[Cores] = {
        given for _, given in there.measuring(lambda _, worker: worker.cores, range(20))
    }
    assert len(cores) == 1 or not {given.program for given in used} & unmeasured_cores


def test_a_server_has_workers_of_its_own_and_takes_no_core_from_here(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker 63 is no processor of this machine, which other work could be kept to."""
    monkeypatch.setattr(sandbox, "workers", 64, raising=False)
    there = open_engine(EngineOptions(), WorkerEnvironment(sandbox, (), {}))
    assert there.jobs == 64
    assert there.unmeasured_cores() == os.sched_getaffinity(0)
    barrier = threading.Barrier(64, timeout=60)
    for share in (True, False):
        waited = list(there.measuring(lambda *_: barrier.wait(), range(64), share))
        assert len(waited) == 64, "all at the same time"
    second = open_engine(EngineOptions(part=(1, 4)), WorkerEnvironment(sandbox, (), {}))
    assert second.jobs == 16


def test_the_last_core_measures_first(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "usable_cores", lambda: [0, 1, 2, 3])
    ((_, only),) = LocalEngine(sandbox, jobs=1).measuring(lambda _, worker: worker.cores, [None])
    assert (only.program, only.sampler) == (3, 0)
    assert only.spin_ns


def test_no_two_processes_measure_on_one_core_while_there_are_others(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """Two of a user's, say, each with one program at a time.

    One that was killed has none any more.
    """
    ask = f"from venus_toolkit.execution.sandbox import cores\ncores.CLAIM = {mark!r}\n"
    ask += "cores.usable_cores = lambda: [0, 1, 2, 3]\n"
    ask += "print(cores.quiet_cores().program, cores.quiet_cores().program, flush=True)\ninput()\n"

    def another() -> tuple[subprocess.Popen[str], str]:
        process = stack.enter_context(
            subprocess.Popen([sys.executable, "-c", ask], text=True, **pipes)
        )
        stack.callback(process.kill)
        assert process.stdout
        return process, process.stdout.readline()

    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with ExitStack() as stack:
        (first, its), (second, others) = another(), another()
        assert (its, others) == ("3 3\n", "2 2\n")
        for each in (first, second):
            each.kill()
            each.wait()
        assert another()[1] == "3 3\n"
        # A build with fewer jobs than cores keeps off that one as well; where it shares cores,
        # nobody owns any.
        monkeypatch.setattr(local, "usable_cores", lambda: [0, 1, 2, 3])
        engine = LocalEngine(sandbox, jobs=1)
        for share_cores, core in ((False, 2), (True, 0)):
            ((_, used),) = engine.measuring(
                lambda _, worker: worker.cores.program, [None], share_cores
            )
            assert used == core


# Threads of one core by core: alone, numbered side by side, or as most machines number them.
ALONE, SIDE, FAR = (
    [[n] for n in range(64)],
    [[n, n + 1] for n in range(0, 8, 2)],
    [[n, n + 4] for n in range(4)],
)


@pytest.mark.parametrize(
    ("count", "threads", "expected"),
    [
        (1, ALONE, [(0, 0)]),
        (2, ALONE, [(1, 0)]),
        (3, ALONE, [(2, 0), (1, 0)]),
        (4, ALONE, [(3, 0), (2, 0), (1, 0)]),
        (8, ALONE, [(7, 0), (6, 1), (5, 0), (4, 1), (3, 0), (2, 1)]),
        (2, SIDE, [(1, 0)]),
        (8, SIDE, [(7, 0), (5, 1), (3, 0)]),
        (8, FAR, [(7, 0), (6, 4), (5, 0)]),
    ],
)
def test_supervisors_share_cores_and_programs_do_not(
    count: int, threads: list[list[int]], expected: list[tuple[int, int]]
) -> None:
    def siblings(core: int) -> frozenset[int]:
        return next(frozenset(each) for each in threads if core in each)

    found = worker_cores(range(count), pairs=True, siblings=siblings)
    assert [(each.program, each.sampler) for each in found] == expected


@pytest.mark.parametrize("count", range(2, 65))
def test_no_supervisor_samples_more_programs_than_its_core_can(count: int) -> None:
    found = worker_cores(range(count), pairs=True, siblings=lambda core: frozenset([core]))
    assert max(Counter(each.sampler for each in found).values()) <= SAMPLED
    assert len(found) == len({each.program for each in found}) == count - -(-count // (1 + SAMPLED))
    assert not {each.program for each in found} & {each.sampler for each in found}


def test_threads_are_read_as_the_kernel_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in (
        {"3": {3}, "0-1": {0, 1}, "0,4": {0, 4}, "0-1,8-9": {0, 1, 8, 9}}
    ).items():
        monkeypatch.setattr(cores_module, "read_lines", lambda _, text=text: [text])
        assert threads_of(min(expected)) == expected
    monkeypatch.setattr(cores_module, "read_lines", lambda _: [])
    assert threads_of(5) == {5}


def test_a_node_gives_no_program_the_core_of_another_or_of_a_supervisor() -> None:
    node = NodeState(info=Any, actor=Any, machine=Any, cores=(0, 1, 2, 3), most=4)  # type: ignore[arg-type]
    node.taken += node.free(pairs=True)[:2]
    assert [each.program for each in node.taken] == [3, 2]
    # A third can be measured beside them; what is judged gets neither a program's core nor a
    # supervisor's.
    assert [each.program for each in node.free(pairs=True)] == [1]
    assert [each.program for each in node.free(pairs=False)] == [1]
    node.taken[:] = [Cores(0, 0)]
    assert node.free(pairs=True) == []


def test_no_two_programs_are_measured_on_one_core(sandbox: Sandbox) -> None:
    running: Counter[int | None] = Counter()
    most: Counter[int | None] = Counter()

    def work(_: int, worker: Worker) -> None:
        running[worker.cores.program] += 1
        most[worker.cores.program] = max(most[worker.cores.program], running[worker.cores.program])
        time.sleep(0.01)
        running[worker.cores.program] -= 1

    for _ in LocalEngine(sandbox, jobs=5, cores=[0, 1]).measuring(
        work, range(20), share_cores=True
    ):
        pass
    assert most == {0: 1, 1: 1}


def test_work_is_done_at_once_and_here(sandbox: Sandbox) -> None:
    worker = LocalEngine(sandbox).worker()
    place, cores, text = worker.at("a problem").run(
        lambda place, cores, text: (place, cores, text), "x"
    )
    assert (place, cores, text) == (sandbox, worker.cores, "x")


def test_a_label_makes_another_type_of_machine(sandbox: Sandbox) -> None:
    here = describe_machine(sandbox)
    assert here == describe_machine(sandbox)
    assert here.fingerprint != describe_machine(sandbox, "other disks").fingerprint


class Moving:
    """A worker whose first machine is gone when it is worked on."""

    def __init__(self) -> None:
        self.machines = [Machine("first", {}), Machine("second", {})]

    def machine(self) -> Machine:
        return self.machines.pop(0)

    def on(self, machine: Machine) -> Moving:
        return self


def test_figures_are_all_taken_again_where_a_type_of_machine_is_gone() -> None:
    tried: list[str] = []

    def measure(_: Worker, machine: Machine) -> str:
        tried.append(machine.fingerprint)
        if machine.fingerprint == "first":
            raise MachineLostError
        return machine.fingerprint

    assert work_on_one_machine(Moving(), measure) == "second"  # type: ignore[arg-type]
    assert tried == ["first", "second"]


def test_after_an_exception_nothing_more_is_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.01)
        if item == 0:
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(local.spread(work, range(100), 1, lambda: 50))
    assert begun[:1] == [0]
    assert len(begun) <= 2, "one may have begun before the caller knew"
    time.sleep(0.05)
    assert len(begun) <= 2


def test_an_interrupt_at_any_line_ends_the_work() -> None:
    argv = [sys.executable, "-m", "tests.interrupted"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 50


def test_nobody_is_told_elsewhere() -> None:
    told: list[int] = []
    callback = ProgressCallback(lambda: told.append(1))
    callback()
    pickle.loads(pickle.dumps(callback))()
    assert (told, callback.told) == ([1], 1)


def test_without_ray_the_message_says_what_to_type(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ("build", "--lang", "python", "--problem", "coin-ways", "--engine", "ray")
    done = cli(*words, "--out", tmp_path)
    assert done.exit_code == 3
    assert done.stderr.splitlines()[-2:] == [
        "venus: the extra ray is not installed: missing: ray",
        "  type: pip install 'venus-toolkit[ray]'",
    ]


def test_a_low_priority_is_taken_back_for_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[int, int] = {}
    monkeypatch.setattr(os, "getpriority", lambda which, who: 15)
    monkeypatch.setattr(os, "setpriority", lambda which, who, nice: given.update({who: nice}))
    node = RayNode("another version", b"", 1)
    assert "has version" in node.report().problem
    assert {threading.get_native_id(): 0}.items() <= given.items()
    assert set(given.values()) == {0}


def test_a_node_that_has_to_run_programs_at_a_low_priority_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "getpriority", lambda which, who: 15)
    monkeypatch.setattr(os, "setpriority", refuse)
    assert (
        "(nice 15): start it with RAY_worker_niceness=0 ray start"
        in RayNode("1", b"", 1).report().problem
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "dask"}, "unknown engine 'dask': known are local, ray"),
        ({"address": "here:6379"}, "--ray-address is not used: the engine is local"),
        ({"name": "ray", "address": "ray://here:10001"}, "cannot be used: that is a Ray Client"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        EngineOptions(**options)


def test_a_core_samples_three_programs() -> None:
    """In numbers: the tests above take theirs from the product."""
    for count, programs in ((2, 1), (3, 2), (4, 3), (5, 3), (8, 6)):
        found = worker_cores(range(count), pairs=True, siblings=lambda core: frozenset([core]))
        assert len(found) == programs
        assert max(Counter(each.sampler for each in found).values()) <= 3
