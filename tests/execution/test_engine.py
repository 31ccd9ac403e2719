"""The local engine: the cores of programs and supervisors, and invalid options."""

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
    if failure := why_not_isolated():
        pytest.skip(f"programs cannot be isolated: {failure}")
    with open_sandbox("local") as place:
        yield place


@pytest.fixture(autouse=True)
def _claims_of_its_own(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    """Use separate claims, since other tests measure at the same time."""
    monkeypatch.setattr(cores_module, "CLAIM", mark)


@pytest.mark.parametrize(
    ("cores", "unmeasured_cores"),
    [([0], {0}), ([0, 1], {0}), ([2, 3, 5, 7], {2}), ([0, 1, 2], {0})],
)
def test_other_work_avoids_cores_of_programs(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, cores: list[int], unmeasured_cores: set[int]
) -> None:
    monkeypatch.setattr(local, "usable_cores", lambda: cores)
    engine = LocalEngine(sandbox)
    assert engine.unmeasured_cores() == unmeasured_cores
    used: set[Cores] = {
        pair for _, pair in engine.measuring(lambda _, worker: worker.cores, range(20))
    }
    assert len(cores) == 1 or not {pair.program for pair in used} & unmeasured_cores


def test_server_workers_use_no_local_cores(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers of a server use none of this machine's processors."""
    monkeypatch.setattr(sandbox, "workers", 64, raising=False)
    engine = open_engine(EngineOptions(), WorkerEnvironment(sandbox, (), {}))
    assert engine.jobs == 64
    assert engine.unmeasured_cores() == os.sched_getaffinity(0)
    barrier = threading.Barrier(64, timeout=60)
    for share in (True, False):
        waited = list(engine.measuring(lambda *_: barrier.wait(), range(64), share))
        assert len(waited) == 64, "all at the same time"
    second = open_engine(EngineOptions(part=(1, 4)), WorkerEnvironment(sandbox, (), {}))
    assert second.jobs == 16


def test_the_last_core_measures_first(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "usable_cores", lambda: [0, 1, 2, 3])
    ((_, only),) = LocalEngine(sandbox, jobs=1).measuring(lambda _, worker: worker.cores, [None])
    assert (only.program, only.sampler) == (3, 0)
    assert only.spin_ns


def test_processes_measure_on_different_cores(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """Two processes of a user measure one program each; a killed process releases its core."""
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
        for process in (first, second):
            process.kill()
            process.wait()
        assert another()[1] == "3 3\n"
        # With fewer jobs than cores, a build also avoids the claimed core; sharing ignores claims.
        monkeypatch.setattr(local, "usable_cores", lambda: [0, 1, 2, 3])
        engine = LocalEngine(sandbox, jobs=1)
        for share_cores, core in ((False, 2), (True, 0)):
            ((_, used),) = engine.measuring(
                lambda _, worker: worker.cores.program, [None], share_cores
            )
            assert used == core


# The hardware threads of each core: one, two with adjacent numbers, or two with distant numbers.
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
        return next(frozenset(group) for group in threads if core in group)

    workers = worker_cores(range(count), pairs=True, siblings=siblings)
    assert [(worker.program, worker.sampler) for worker in workers] == expected


@pytest.mark.parametrize("count", range(2, 65))
def test_sampled_programs_per_core_are_limited(count: int) -> None:
    workers = worker_cores(range(count), pairs=True, siblings=lambda core: frozenset([core]))
    assert max(Counter(worker.sampler for worker in workers).values()) <= SAMPLED
    assert (
        len(workers)
        == len({worker.program for worker in workers})
        == count - -(-count // (1 + SAMPLED))
    )
    assert not {worker.program for worker in workers} & {worker.sampler for worker in workers}


def test_threads_are_read_as_the_kernel_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in (
        {"3": {3}, "0-1": {0, 1}, "0,4": {0, 4}, "0-1,8-9": {0, 1, 8, 9}}
    ).items():
        monkeypatch.setattr(cores_module, "read_lines", lambda _, text=text: [text])
        assert threads_of(min(expected)) == expected
    monkeypatch.setattr(cores_module, "read_lines", lambda _: [])
    assert threads_of(5) == {5}


def test_programs_on_a_node_have_their_own_cores() -> None:
    node = NodeState(info=Any, actor=Any, machine=Any, cores=(0, 1, 2, 3), max_workers=4)  # type: ignore[arg-type]
    node.leases += node.free(pairs=True)[:2]
    assert [lease.program for lease in node.leases] == [3, 2]
    # A third program can be measured; judging avoids the cores of programs and supervisors.
    assert [lease.program for lease in node.free(pairs=True)] == [1]
    assert [lease.program for lease in node.free(pairs=False)] == [1]
    node.leases[:] = [Cores(0, 0)]
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


def test_local_worker_runs_in_the_calling_thread(sandbox: Sandbox) -> None:
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
    """A worker whose first machine is lost."""

    def __init__(self) -> None:
        self.machines = [Machine("first", {}), Machine("second", {})]

    def machine(self) -> Machine:
        return self.machines.pop(0)

    def on(self, machine: Machine) -> Moving:
        return self


def test_lost_machine_type_restarts_measuring() -> None:
    tried: list[str] = []

    def measure(_: Worker, machine: Machine) -> str:
        tried.append(machine.fingerprint)
        if machine.fingerprint == "first":
            raise MachineLostError
        return machine.fingerprint

    assert work_on_one_machine(Moving(), measure) == "second"  # type: ignore[arg-type]
    assert tried == ["first", "second"]


def test_exception_starts_no_further_work() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        time.sleep(0.01)
        if item == 0:
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(local.spread(work, range(100), 1, lambda: 50))
    assert begun[:1] == [0]
    assert len(begun) <= 2, "one may have started before the caller noticed"
    time.sleep(0.05)
    assert len(begun) <= 2


def test_an_interrupt_at_any_line_ends_the_work() -> None:
    argv = [sys.executable, "-m", "tests.interrupted"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 50


def test_pickled_progress_callback_calls_nothing() -> None:
    calls: list[int] = []
    callback = ProgressCallback(lambda: calls.append(1))
    callback()
    pickle.loads(pickle.dumps(callback))()
    assert (calls, callback.calls) == ([1], 1)


def test_missing_ray_has_a_fix(
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


def test_usual_priority_applies_to_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    priorities: dict[int, int] = {}
    monkeypatch.setattr(os, "getpriority", lambda which, who: 15)
    monkeypatch.setattr(os, "setpriority", lambda which, who, nice: priorities.update({who: nice}))
    node = RayNode("another version", b"", 1)
    assert "has version" in node.report().reason
    assert {threading.get_native_id(): 0}.items() <= priorities.items()
    assert set(priorities.values()) == {0}


def test_node_with_low_priority_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "getpriority", lambda which, who: 15)
    monkeypatch.setattr(os, "setpriority", refuse)
    assert (
        "(nice 15): start it with RAY_worker_niceness=0 ray start"
        in RayNode("1", b"", 1).report().reason
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "dask"}, "unknown engine 'dask': expected one of local, ray"),
        ({"address": "here:6379"}, "--ray-address is not used: the engine is local"),
        ({"name": "ray", "address": "ray://here:10001"}, "cannot be used: that is a Ray Client"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        EngineOptions(**options)


def test_a_core_samples_three_programs() -> None:
    """This test has literal numbers, since those above use the product's constants."""
    for count, programs in ((2, 1), (3, 2), (4, 3), (5, 3), (8, 6)):
        workers = worker_cores(range(count), pairs=True, siblings=lambda core: frozenset([core]))
        assert len(workers) == programs
        assert max(Counter(worker.sampler for worker in workers).values()) <= 3
