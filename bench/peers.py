"""``nox -s bench-peers``: compares this toolkit with other tools on the same programs, interleaved.

    python -m bench.peers --python .nox/bench-peers/bin/python [--isolate FOLDER] [--quick]
    [--write PAGE]

Each peer is a separate process (peer_process.py). Peers that are not installed are listed as not
run, with the reason. FOLDER has the source of isolate; a copy of it is compiled in a temporary
folder with a configuration there. --write replaces the section of the page between its marks.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bench.docker import why_not
from bench.overhead import PROGRAMS, STDIN, build
from bench.ranking import STEP, tau
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import KIB, MIB, NS_PER_S, Limits
from venus_toolkit.execution.measuring.measure import environment_facts
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES
from venus_toolkit.execution.sandbox import File, Program, Sandbox
from venus_toolkit.execution.sandbox.cores import measuring_workers, quiet_cores, usable_cores
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Sampling

SECTION = re.compile(r"(?<=<!-- peers -->\n).*?(?=<!-- /peers -->)", re.DOTALL)
PROFILES = [(shape, 64 * MIB, 200) for shape in ("step", "ramp", "sawtooth", "spikes")]
WORK = 9_000_000  # rounds of the first program of the family, about 25 ms
FAMILY, REPEATS = 16, 3  # programs of the family, and runs of each
# runs in each round; 5 for other peers
RUNS = {"spawn": 100, "venus, local": 100, "venus, Docker": 100, "isolate": 20}


class Answer(NamedTuple):
    """A peer's answer: the wall time of all runs, and the runs in the form of peer_process.py."""

    total_s: float
    runs: list[dict[str, Any]]


Ask = Callable[[Path, Sequence[str], int], Answer]


class Peer(NamedTuple):
    """A tool: its name, the cores that a run of it occupies, and a function that runs programs.

    Without a function, `problem` says why it is not available.
    """

    name: str
    cores: float
    ask: Ask | None
    problem: str = ""


class Row(NamedTuple):
    """The figures of one peer; None means that it does not report a figure.

    Milliseconds for a run of a tiny program and its ratio to a bare spawn, runs per second and
    occupied core, medians and largest errors of peak and integral, and τ with the true order of
    programs whose work differs by 3 %.
    """

    name: str
    run_ms: float
    ratio: float
    rate: float
    peak_kib: float | None
    integral_percent: float | None
    worst_integral_percent: float | None
    tau: float


def processes(
    folder: Path, python: str, isolate: Path | None, image: str, stack: ExitStack
) -> list[Peer]:
    """Start the peers that are separate processes; `image` is for those that need Docker."""
    core = quiet_cores().program
    binary = _isolate(folder, isolate) if isolate else "no source was given: --isolate FOLDER"
    children = []
    command = [
        ("spawn", "spawn", 1.0, sys.executable, []),
        ("psutil", "subprocess + psutil", 2.0, python, []),
        ("benchexec", "BenchExec", 1.0, python, []),
        ("benchexec", "BenchExec, container", 1.0, python, ["container"]),
        *([("llm-sandbox", "llm-sandbox", 1.0, python, [image])] if image else []),
        ("isolate", "isolate", 1.0, sys.executable, [str(binary)]),
    ]
    for kind, name, cores, interpreter, rest in command:
        if kind == "isolate" and isinstance(binary, str):
            children.append(Peer(name, cores, None, binary))
            continue
        place = folder / name.replace(" ", "-")
        place.mkdir()
        script = str(Path(__file__).with_name("peer_process.py"))
        # -P: `import docker` must not find docker.py in this folder
        words = [interpreter, "-P", script, kind, str(place), str(core), *rest]
        try:
            process = subprocess.Popen(
                words, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True
            )
        except OSError as error:
            children.append(Peer(name, cores, None, str(error)))
            continue
        stack.callback(_end, process)
        problem = json.loads(process.stdout.readline() or '{"problem": "it did not start"}')[
            "problem"
        ]
        children.append(
            Peer(name, cores, None if problem else _asker(process, folder / "input"), problem or "")
        )
    return children


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.close()
    process.wait()


def _asker(process: subprocess.Popen[str], stdin: Path) -> Ask:
    def ask(program: Path, arguments: Sequence[str], runs: int) -> Answer:
        assert process.stdin
        assert process.stdout
        asked = {"argv": [str(program), *arguments], "stdin": str(stdin), "runs": runs}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or '{"problem": "it ended"}')
        if "problem" in answer:
            raise RuntimeError(answer["problem"])
        return Answer(**answer)

    return ask


def _isolate(folder: Path, source: Path) -> Path | str:
    """Compile isolate in a separate folder; return the command, or the reason why there is none."""
    place = folder / "isolate-source"
    shutil.copytree(source, place, ignore=shutil.ignore_patterns(".git"))
    config, boxes, locks = folder / "isolate.cf", folder / "boxes", folder / "locks"
    boxes.mkdir()
    locks.mkdir()
    config.write_text(
        f"box_root = {boxes}\nlock_root = {locks}\ncg_root = /sys/fs/cgroup\n"
        "first_uid = 60000\nfirst_gid = 60000\nnum_boxes = 10\n"
    )
    box = subprocess.run(
        ["make", "-s", "-C", place, "isolate", f"CONFIG={config}"], capture_output=True, text=True
    )
    if box.returncode:
        return "it does not compile here: " + next(iter(box.stderr.splitlines()), "")
    tried = subprocess.run([place / "isolate", "--init"], capture_output=True, text=True)
    return place / "isolate" if tried.returncode == 0 else tried.stderr.strip()


def toolkit(sandbox: Sandbox) -> Ask:
    """Return a function that runs programs with this toolkit: one session, measuring's sampling."""
    cpp = load_languages()["cpp"]

    def ask(program: Path, arguments: Sequence[str], runs: int) -> Answer:
        language = replace(
            cpp,
            compile_argv=("install", "given", "main"),
            run_argv=("./main", *arguments),
            prepared=None,
        )
        compiled = sandbox.compile(Program(language, "", (File("given", program.read_bytes()),)))
        with sandbox.session(
            compiled, Limits(), quiet_cores(), Sampling(NS_BETWEEN_SAMPLES)
        ) as session:
            list(session.run([STDIN]))
            begun = time.monotonic()
            answers = list(session.run([STDIN] * runs))
            total_s = time.monotonic() - begun
        assert all(run.clean for run in answers)
        plain = [
            {
                "time_s": run.cpu_ns / NS_PER_S,
                "wall_s": run.wall_ns / NS_PER_S,
                "peak_bytes": run.peak_bytes,
                "integral_byte_s": run.integral_byte_ns / NS_PER_S,
                "stdout": run.stdout.decode(),
            }
            for run in answers
        ]
        return Answer(total_s, plain)

    return ask


def compare(
    folder: Path, peers: Sequence[Peer], rounds: int, repeats: int
) -> tuple[list[Row], list[Peer]]:
    """Measure the peers, interleaved; return the figures, and the peers that failed."""
    tiny = build(folder, "tiny.c", ["gcc", "-O2", "-static"])
    profile = build(folder, "profile.c", ["gcc", "-O2", "-static"])
    family = []
    for number in range(FAMILY):
        program = folder / f"work-{number}"
        define = f"-DWORK={round(WORK * STEP**number)}"
        subprocess.run(
            ["gcc", "-O2", "-static", define, "-o", program, PROGRAMS / "work.c"], check=True
        )
        family.append(program)
    failed = [peer for peer in peers if peer.ask is None]
    working = []
    for peer in peers:
        if peer.ask:
            try:
                printed = peer.ask(tiny, [], 2).runs[-1]["stdout"]
                assert printed == "15\n", f"it printed {printed!r}"
                working.append((peer, peer.ask))
            except (RuntimeError, AssertionError) as error:
                failed.append(peer._replace(problem=str(error)))
    per_run: dict[str, list[float]] = {peer.name: [] for peer, _ in working}
    for _ in range(rounds):
        for peer, ask in working:
            runs = RUNS.get(peer.name, 5)
            per_run[peer.name].append(ask(tiny, [], runs).total_s / runs)
    errors: dict[str, list[tuple[float | None, float | None]]] = {
        peer.name: [] for peer, _ in working
    }
    for shape, size, length in PROFILES:
        for peer, ask in working:
            answers = ask(profile, [shape, str(size), str(length)], repeats).runs
            errors[peer.name] += [_errors(run) for run in answers]
    times: dict[str, list[list[float]]] = {peer.name: [[] for _ in family] for peer, _ in working}
    for _ in range(REPEATS):
        for peer, ask in working:
            for place, program in enumerate(family):
                times[peer.name][place].append(ask(program, [], 1).runs[0]["time_s"])
    floor = statistics.median(per_run[working[0][0].name])
    rows = []
    for peer, _ in working:
        peaks = [abs(peak) for peak, _ in errors[peer.name] if peak is not None]
        integrals = [abs(value) for _, value in errors[peer.name] if value is not None]
        run_s = statistics.median(per_run[peer.name])
        rows.append(
            Row(
                peer.name,
                1000 * run_s,
                run_s / floor,
                1 / run_s / peer.cores,
                statistics.median(peaks) if peaks else None,
                statistics.median(integrals) if integrals else None,
                max(integrals) if integrals else None,
                tau([min(value) for value in times[peer.name]], list(range(FAMILY))),
            )
        )
    return rows, failed


def _errors(run: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return the errors of a run's peak (KiB) and integral (percent), by the program's own log."""
    base, *lines = run["stdout"].splitlines()
    log = [(int(at) / NS_PER_S, int(size)) for at, size in map(str.split, lines)]
    inside = sum((a[1] + b[1]) / 2 * (b[0] - a[0]) for a, b in pairwise(log))
    truth = inside + int(base) * run.get("wall_s", run["time_s"])
    highest = int(base) + max(size for _, size in log)
    peak, integral = run["peak_bytes"], run["integral_byte_s"]
    return (
        None if peak is None else (peak - highest) / KIB,
        None if integral is None else 100 * (integral / truth - 1),
    )


def page(rows: Sequence[Row], failed: Sequence[Peer], rounds: int) -> str:
    """Return the tables of the page."""
    facts = environment_facts((), {})
    here = f"{facts['cpu']}, {len(usable_cores())} cores, Linux {facts['kernel']}"

    def cell(value: float | None, text: str) -> str:
        return "not reported" if value is None else format(value, text)

    lines = [
        f"On {here}; {rounds} interleaved rounds.",
        "",
        "| | ms per run | relative to a bare spawn | runs/s and core | peak error, KiB | integral "
        "error, % | largest | τ |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.name} | {row.run_ms:.2f} | {row.ratio:.2f} | {row.rate:.0f} | "
        f"{cell(row.peak_kib, '.0f')} | "
        f"{cell(row.integral_percent, '.2f')} | {cell(row.worst_integral_percent, '.2f')} | "
        f"{row.tau:.3f} |"
        for row in rows
    ]
    if failed:
        lines += ["", "Not run:", "", *(f"- {peer.name}: {peer.problem}" for peer in failed)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare, print, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python", default=sys.executable, help="Python of the environment with the peers"
    )
    parser.add_argument("--isolate", type=Path, help="folder with the source of isolate")
    parser.add_argument("--quick", action="store_true", help="few rounds, as a smoke test")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    rounds, repeats = (2, 1) if options.quick else (15, 5)
    # Imported only here: the toolkit itself runs without Docker.
    from venus_toolkit.execution.sandbox.docker.language_images import debian_image

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        (folder / "input").write_bytes(STDIN)
        problem, cpp = why_not(), load_languages()["cpp"]
        image = "" if problem else debian_image(cpp)
        spawn, *others = processes(folder, options.python, options.isolate, image, stack)
        held = len(usable_cores()) / measuring_workers(len(usable_cores()))
        peers = [spawn, Peer("venus, local", held, toolkit(stack.enter_context(LocalSandbox())))]
        if problem:
            others += [Peer(name, 1, None, problem) for name in ("venus, Docker", "llm-sandbox")]
        else:
            docker = stack.enter_context(open_sandbox("docker", [cpp]))
            peers.append(Peer("venus, Docker", held, toolkit(docker)))
        rows, failed = compare(folder, [*peers, *others], rounds, repeats)
        text = page(rows, failed, rounds)
    print(text)
    if options.write:
        options.write.write_text(SECTION.sub(lambda _: text, options.write.read_text()))


if __name__ == "__main__":
    main()
