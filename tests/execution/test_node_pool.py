"""Work over the nodes of a cluster, without Ray: machine types, and lost, new or unfit nodes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.rack import SAME, STEADY, Rack, RackHand, engine_over, outfit_of, steady
from venus_toolkit.core.errors import MachineError, SandboxError, SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.execution.engine import Machine, MachineLostError, Worker, WorkerEnvironment
from venus_toolkit.execution.engine import executor as executor_module
from venus_toolkit.execution.engine.node import LostError, NodeInfo
from venus_toolkit.execution.engine.node_pool import Patience
from venus_toolkit.execution.engine.ray_engine import LOSSES, RayEngine
from venus_toolkit.execution.engine.serialization import CallSerializer, deserialize
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

pytestmark = needs_isolation
Shop = Any  # tests/conftest.py: Workshop
TESTS = tuple(TestCase(str(number), f"{number}\n", f"{2 * number}\n") for number in range(3))


@pytest.fixture(scope="module")
def site() -> Iterator[WorkerEnvironment]:
    python = load_languages()["python"]
    with open_sandbox("local", [python]) as sandbox:
        yield WorkerEnvironment(sandbox, (python,), {"python": sandbox.toolchain(python).version})


@pytest.fixture
def over(site: WorkerEnvironment) -> Iterator[Callable[..., RayEngine]]:
    """Returns a function that opens an engine over a rack, and closes it at the end."""
    opened: list[RayEngine] = []

    def make(rack: Rack, **values: Any) -> RayEngine:
        opened.append(engine_over(rack, site, **values))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


def output_of(
    sandbox: Sandbox, cores: Cores, program: Program, tests: tuple[TestCase, ...]
) -> list[str]:
    from venus_toolkit.core.records import Limits

    with sandbox.session(sandbox.compile(program), Limits(), cores) as session:
        return [run.stdout.decode() for run in session.run([test.stdin.encode() for test in tests])]


def name_of(sandbox: Sandbox, cores: Cores, name: str) -> str:
    return name


def fail(sandbox: Sandbox, cores: Cores, error: Exception) -> None:
    raise error


# ------------------------------------------------------------------ serialization


def test_deserialized_language_is_the_nodes_own(site: WorkerEnvironment) -> None:
    stored: list[Any] = []
    serializer = CallSerializer(lambda value: stored.append(value) or len(stored))
    program = Program(site.languages[0], "print(1)")
    own_language = load_languages()["python"]
    for _ in range(2):
        sent = serializer.serialize(output_of, (program, TESTS), {})
        call = deserialize(sent.body, {"python": own_language}, [TESTS])
        assert call.work is output_of
        assert call.args[0].language is own_language
        assert call.args[1] is TESTS
    assert stored == [TESTS], "tests are stored once, however often they are sent"
    assert len(sent.body) < 1000


def test_serialized_program_keeps_its_commands() -> None:
    go, cpp = load_languages()["go"], load_languages()["cpp"]
    with_file = go.with_commands(
        (*go.compile_argv, "solution.go"), go.run_argv, tuple(go.environment.items())
    )
    for language in (with_file, cpp.of_standard("gnu++17"), cpp.called_with(["7"], {"A": "b"})):
        serializer = CallSerializer(lambda value: value)
        for _ in range(2):
            sent = serializer.serialize(output_of, (Program(language, ""), TESTS), {})
            (there, _) = deserialize(sent.body, load_languages(), [TESTS]).args
            copy = there.language
            assert copy is deserialize(sent.body, load_languages(), [TESTS]).args[0].language
            assert (copy.compile_argv, copy.run_argv) == (
                language.compile_argv,
                language.run_argv,
            )
            assert copy.environment == language.environment
    assert with_file.is_prepared_for("package main")
    assert with_file.usual is go


def test_only_module_level_functions_serialize() -> None:
    with pytest.raises((AttributeError, TypeError, ValueError)):
        CallSerializer(lambda value: value).serialize(lambda sandbox, cores: None, (), {})


# ------------------------------------------------------------------ work


def test_programs_run_on_nodes(site: WorkerEnvironment, over: Callable[..., RayEngine]) -> None:
    rack = Rack(site, {"a": "", "b": ""})
    program = Program(site.languages[0], "print(2 * int(input()))")
    work = lambda number, worker: worker.at(str(number)).run(output_of, program, TESTS)  # noqa: E731
    results = dict(over(rack).judging(work, range(20)))
    assert results == {number: [test.stdout for test in TESTS] for number in range(20)}
    assert set(rack.served) == {"a", "b"}
    assert sum(rack.served.values()) == 20


@pytest.mark.parametrize(
    "error", [SandboxError("no", "because"), SourceError("what", "why", "fix")]
)
def test_errors_on_nodes_are_raised_locally(
    site: WorkerEnvironment, over: Callable[..., RayEngine], error: SandboxError
) -> None:
    with pytest.raises(type(error)) as caught:
        over(Rack(site, {"a": ""})).worker().run(fail, error)
    assert str(caught.value) == str(error)


def test_problem_stays_on_one_machine_type(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    engine = over(Rack(site, {"a": "", "b": "other", "c": ""}))
    machines: dict[str, set[str]] = {}

    def work(number: int, worker: Worker) -> None:
        about = f"problem {number % 4}"
        machines.setdefault(about, set()).add(worker.at(about).machine().fingerprint)
        worker.at(about).run(name_of, "")

    for _ in engine.judging(work, range(40)):
        pass
    assert all(len(types) == 1 for types in machines.values())
    assert len(set.union(*machines.values())) == 2, "both types have work"


def test_earlier_machine_type_is_preferred(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    engine = over(Rack(site, {"a": "", "b": "other"}))
    preferred = next(
        name
        for name, machine in engine.node_pool.machines().items()
        if machine.facts.get("label") == "other"
    )
    for number in range(6):
        engine.prefer(str(number), preferred)
    assert {engine.worker().at(str(number)).machine().fingerprint for number in range(6)} == {
        preferred
    }


# ------------------------------------------------------------------ lost, new and unfit nodes


def test_lost_work_is_repeated_once(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    def lose(node: NodeInfo) -> None:
        time.sleep(0.02)
        if node.name == "a" and rack.served["a"] >= 3:
            rack.pull("a")

    rack = Rack(site, {"a": "", "b": ""}, lose)
    results = list(
        over(rack).judging(
            lambda item, worker: worker.at(item).run(name_of, item), map(str, range(30))
        )
    )
    assert sorted(results) == sorted((str(number), str(number)) for number in range(30))
    assert sum(rack.served.values()) > 30, "lost work was repeated"


def test_lost_machine_type_is_an_error(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    rack = Rack(site, {"a": "", "b": "other"})
    engine = over(rack)
    worker = engine.worker().at("problem")
    machine = worker.machine()
    rack.pull("b" if machine.facts.get("label") else "a")
    with pytest.raises(MachineLostError):
        worker.on(machine).run(name_of, "")
    assert worker.machine() != machine, "the worker takes another type"
    with pytest.raises(MachineLostError):
        worker.on(Machine("never seen", {})).machine()


def test_new_node_is_added(
    site: WorkerEnvironment, over: Callable[..., RayEngine], eventually: Callable[..., bool]
) -> None:
    rack = Rack(site, {"a": ""})
    engine = over(rack)
    before = engine.jobs
    rack.push("b")
    assert eventually(lambda: engine.jobs > before)


def test_waiting_for_a_node_ends(site: WorkerEnvironment, over: Callable[..., RayEngine]) -> None:
    rack = Rack(site, {"a": ""})
    engine = over(rack)
    rack.pull("a")
    threading.Timer(0.3, rack.push, ("b",)).start()
    for number in range(100):  # until the loss is noticed and the new node has started
        assert engine.worker().run(name_of, str(number)) == str(number)
    rack.pull("b")
    with pytest.raises(
        MachineError,
        match=r"no node of the cluster is left: there has been no node for 1 s\nfinished",
    ):
        engine.worker().run(name_of, "")


def test_work_that_kills_nodes_fails(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    lost = iter(range(100))

    def lose(node: NodeInfo) -> None:
        rack.pull(node.name)
        rack.push(f"n{next(lost)}")

    rack = Rack(site, {"a": ""}, lose)
    with pytest.raises(SandboxError, match=f"{LOSSES} nodes were lost with this work"):
        over(rack, patience=Patience(30, 20, 0.02)).worker().run(name_of, "")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"versions": {"python": "Python 2.7.18"}},
            "python is Python 3.*, the engine has Python 2.7.18",
        ),
        (
            {"supervisor": "venus-supervisor 0"},
            "venus-supervisor is .*, the engine has venus-supervisor 0",
        ),
        ({"sandbox": "no-such"}, "unknown sandbox 'no-such'"),
    ],
)
def test_an_unfit_node_is_named(
    site: WorkerEnvironment, over: Callable[..., RayEngine], changes: Any, words: str
) -> None:
    rack = Rack(site, {"worker-7": ""})
    rack.requirements = outfit_of(site, **changes)
    with pytest.raises(MachineError, match=f"1 of 1 nodes cannot do the work: worker-7: .*{words}"):
        over(rack)


def test_node_without_isolation_has_a_fix(
    site: WorkerEnvironment, over: Callable[..., RayEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    from venus_toolkit.execution.sandbox import bubblewrap

    def refuse() -> None:
        raise SandboxError(
            "bubblewrap is not installed",
            "bwrap not found in PATH",
            "type: apt-get install bubblewrap",
        )

    monkeypatch.setattr(bubblewrap, "require_isolation", refuse)
    with pytest.raises(
        MachineError, match=r"worker: bubblewrap is not installed.*type: apt-get install bubblewrap"
    ):
        over(Rack(site, {"worker": ""}))


def test_a_node_without_the_toolkit_is_named(
    site: WorkerEnvironment, over: Callable[..., RayEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: RackHand) -> None:
        raise LostError("ModuleNotFoundError: No module named 'venus_toolkit'")

    monkeypatch.setattr(RackHand, "report", refuse)
    with pytest.raises(
        MachineError, match="bare: ModuleNotFoundError: No module named 'venus_toolkit'"
    ):
        over(Rack(site, {"bare": ""}))


def test_version_is_checked_before_unpickling(
    site: WorkerEnvironment, over: Callable[..., RayEngine]
) -> None:
    rack = Rack(site, {"old": ""})
    rack.version, rack.requirements = "0.0.1", b"nothing that could be read"
    with pytest.raises(
        MachineError, match=r"old: it has version .* of the toolkit, the engine has 0.0.1"
    ):
        over(rack)


def test_a_cluster_without_nodes(site: WorkerEnvironment, over: Callable[..., RayEngine]) -> None:
    with pytest.raises(MachineError, match="the cluster cannot do the work: it has no node"):
        over(Rack(site, {}))


# ------------------------------------------------------------------ whole builds


def build_over(
    shop: Shop,
    rack_of: Callable[[WorkerEnvironment], Rack],
    monkeypatch: pytest.MonkeyPatch,
    **plan: Any,
) -> Rack:
    """Build over a rack, and return the rack."""
    racks: list[Rack] = []

    def open_over(_: object, site: WorkerEnvironment) -> RayEngine:
        racks.append(rack_of(site))
        return engine_over(racks[-1], site)

    with monkeypatch.context() as patch:
        patch.setattr(executor_module, "open_engine", open_over)
        shop.build(**plan)
    return racks[0]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The result of the small source, built on this machine."""
    from tests.conftest import Workshop

    shop = steady(Workshop(tmp_path_factory.mktemp("quiet")))
    shop.build(**STEADY)
    return shop.outcome()


def test_build_with_a_lost_node_equals_local_build(
    shop: Shop, quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rack_of(site: WorkerEnvironment) -> Rack:
        def lose(node: NodeInfo) -> None:
            if node.name == "a" and rack.served["a"] >= 10:
                rack.pull("a")

        rack = Rack(site, {"a": "", "b": ""}, lose)
        return rack

    rack = build_over(steady(shop), rack_of, monkeypatch, **STEADY)
    outcome = shop.outcome()
    assert {name: outcome[name] for name in SAME} == {name: quiet[name] for name in SAME}
    assert "a" not in {node.name for node in rack.up}


def test_figures_stay_comparable_after_losing_a_type(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    def rack_of(site: WorkerEnvironment) -> Rack:
        def lose(node: NodeInfo) -> None:
            if measured and node.name == measured[0]:
                rack.pull(node.name)

        rack = Rack(site, {"a": "", "b": "other"}, lose)
        return rack

    from venus_toolkit.builders.stages import results

    original = results.measure_all

    def watch(shop_: Any, cases: Any, judgements: Any, language: str) -> Any:
        figures_of = original(shop_, cases, judgements, language)
        if not measured:  # its machine is lost after the first language
            kinds = {figures.machine for figures in figures_of.values() if figures.machine}
            labels = shop_.executor.engine.node_pool.machines()
            measured.append("b" if labels[sorted(kinds)[0]].facts.get("label") else "a")
        return figures_of

    monkeypatch.setattr(results, "measure_all", watch)
    monkeypatch.setattr("venus_toolkit.builders.build.measure_all", watch)
    build_over(steady(shop), rack_of, monkeypatch, **STEADY)
    configs = shop.manifest["configs"]
    assert len(measured) == 1
    types = {name for config in configs.values() for name in config["measured_on"]}
    # all figures are from the remaining type, including those measured before the loss
    (fingerprint,) = types
    assert shop.manifest["machines"][fingerprint].get("label") == (
        "other" if measured == ["a"] else None
    )


def test_manifest_has_machine_types(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    build_over(
        steady(shop), lambda site: Rack(site, {"a": "", "b": "other"}), monkeypatch, **STEADY
    )
    manifest = shop.manifest
    machines = manifest["configs"]["cpp"]["measured_on"]
    assert set(machines) == set(manifest["machines"])
    assert sum(machine["problems"] for machine in machines.values()) == 3
    listed = [slug for machine in machines.values() for slug in machine.get("slugs", [])]
    assert len(machines) == 1 or 0 < len(listed) < 3


class SlowHand(RackHand):
    """A process that may hang during its start until it is stopped, and that is slow to stop."""

    def __init__(self, rack: Rack, info: NodeInfo, starts: bool) -> None:
        super().__init__(rack, info)
        self._starts, self._ended = starts, threading.Event()

    def report(self) -> Any:
        if not self._starts:
            assert self._ended.wait(30), "it was not stopped"
            raise LostError("it was ended while it started")
        return super().report()

    def stop(self) -> None:
        self._ended.set()
        time.sleep(0.3)
        super().stop()


def test_no_thread_of_a_closed_pool_waits_for_a_node(
    site: WorkerEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that waits for Ray while Ray shuts down would end the whole process."""
    others = set(threading.enumerate())
    rack = Rack(site, {"first": "", "falling": ""})
    monkeypatch.setattr(
        rack, "start", lambda node: SlowHand(rack, node, starts=node.name != "slow")
    )
    engine = engine_over(rack, site)
    rack.push("slow")
    rack.pull("falling")
    while "id-falling" in engine.node_pool._nodes or not engine.node_pool._coming.get("id-slow"):
        time.sleep(0.01)
    before = time.monotonic()
    engine.close()
    assert time.monotonic() - before < 10
    assert not [
        thread.name
        for thread in set(threading.enumerate()) - others
        if thread.name.startswith("venus")
    ]
