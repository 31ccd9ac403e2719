"""A peer of the toolkit in a separate process: answers JSON lines on stdin with lines on stdout.

    {"argv": ["/path/program", …], "stdin": "/path/input", "runs": 5} {"total_s": 0.9, "runs":
    [{"time_s": 0.12, "peak_bytes": 1000, "integral_byte_s": 12.5, "stdout": "…"}, …]}

time_s is the time of a run as the peer reports it, preferably CPU time; null means that it does not
report a figure. The first line on stdout reports that the peer is ready, or why it is not.
bench/peers.py starts it with the Python of an environment that has the peer: python
peer_process.py NAME FOLDER CORE [ISOLATE]
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

Peer = Callable[[Sequence[str], str], dict[str, Any]]
SAMPLED_S = 0.001


def spawn(folder: Path, core: int, _: str) -> Peer:
    """``posix_spawn`` and ``wait4``: the minimum for any peer."""

    def run(argv: Sequence[str], stdin: str) -> dict[str, Any]:
        out = folder / "out"
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        ]
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        assert status == 0
        return {
            "time_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024,
            "integral_byte_s": None,
            "stdout": out.read_text(),
        }

    os.sched_setaffinity(0, {core})  # inherited by the children
    return run


def psutil(folder: Path, core: int, _: str) -> Peer:
    """``subprocess``, and a loop that reads the resident set through psutil every millisecond."""
    import psutil as ps

    os.sched_setaffinity(
        0, {core} if os.cpu_count() == 1 else set(range(os.cpu_count() or 1)) - {core}
    )

    def run(argv: Sequence[str], stdin: str) -> dict[str, Any]:
        samples: list[tuple[float, int]] = []
        out = folder / "out"
        with Path(stdin).open("rb") as stream, out.open("wb") as printed:
            begun = time.monotonic()
            process = ps.Popen(
                argv,
                stdin=stream,
                stdout=printed,
                preexec_fn=lambda: os.sched_setaffinity(0, {core}),
            )
            with contextlib.suppress(ps.NoSuchProcess, ps.ZombieProcess):
                while process.poll() is None:
                    samples.append((time.monotonic() - begun, process.memory_info().rss))
                    time.sleep(SAMPLED_S)
            process.wait()
            took = time.monotonic() - begun
        return {
            "time_s": took,
            "peak_bytes": max((size for _, size in samples), default=None),
            "integral_byte_s": sum((a[1] + b[1]) / 2 * (b[0] - a[0]) for a, b in pairwise(samples)),
            "stdout": out.read_text(),
        }

    return run


def benchexec(folder: Path, core: int, container: str) -> Peer:
    """BenchExec's ``RunExecutor``, with or without its container mode."""
    import logging

    from benchexec.runexecutor import RunExecutor

    logging.disable(logging.CRITICAL)
    how = (
        {"dir_modes": {"/": "read-only"}, "container_tmpfs": False}
        if container
        else {"use_namespaces": False}
    )
    executor = RunExecutor(**how)
    out = folder / "out"

    def run(argv: Sequence[str], stdin: str) -> dict[str, Any]:
        with Path(stdin).open("rb") as stream:
            result = executor.execute_run(
                list(argv),
                str(out),
                stdin=stream,
                workingDir=str(folder),
                cores=[core],
                write_header=False,
            )
        assert result["exitcode"].value == 0, result
        return {
            "time_s": result["cputime"],
            "peak_bytes": result.get("memory"),
            "integral_byte_s": None,
            "stdout": out.read_text(),
        }

    return run


def llm_sandbox(folder: Path, core: int, image: str) -> Peer:
    """llm-sandbox over Docker with an image of the toolkit: one container, a command per run."""
    from llm_sandbox import SandboxSession

    configs = {"command": ["sleep", "infinity"], "cpuset_cpus": str(core), "network_mode": "none"}
    session = SandboxSession(
        image=image,
        lang="cpp",
        keep_template=True,
        runtime_configs=configs,
        skip_environment_setup=True,
    )
    session.open()
    atexit.register(session.close)
    there: set[str] = set()

    def run(argv: Sequence[str], stdin: str) -> dict[str, Any]:
        for source in {argv[0], stdin} - there:
            session.copy_to_runtime(source, f"/tmp/{Path(source).name}")
            there.add(source)
        words = " ".join([f"/tmp/{Path(argv[0]).name}", *argv[1:]])
        begun = time.monotonic()
        done = session.execute_command(f"sh -c '{words} </tmp/{Path(stdin).name}'")
        took = time.monotonic() - begun
        assert done.exit_code == 0, done
        return {"time_s": took, "peak_bytes": None, "integral_byte_s": None, "stdout": done.stdout}

    return run


def isolate(folder: Path, core: int, binary: str) -> Peer:
    """The command ``isolate`` without control groups (it needs version 2): one box, a call per run."""
    box, meta = "0", folder / "meta"
    subprocess.run([binary, "--box-id", box, "--init"], check=True, capture_output=True)
    inside = Path(
        subprocess.run(
            [binary, "--box-id", box, "--init"], capture_output=True, text=True
        ).stdout.strip(),
        "box",
    )
    os.sched_setaffinity(0, {core})

    def run(argv: Sequence[str], stdin: str) -> dict[str, Any]:
        for source in (argv[0], stdin):
            target = inside / Path(source).name
            if not target.exists() or target.stat().st_mtime_ns < Path(source).stat().st_mtime_ns:
                target.write_bytes(Path(source).read_bytes())
                target.chmod(0o755)
        words = [
            binary,
            "--box-id",
            box,
            "--silent",
            f"--stdin={Path(stdin).name}",
            "--stdout=out",
            f"--meta={meta}",
        ]
        subprocess.run([*words, "--run", "--", f"./{Path(argv[0]).name}", *argv[1:]], check=True)
        fields = dict(line.split(":", 1) for line in meta.read_text().splitlines())
        return {
            "time_s": float(fields["time"]),
            "peak_bytes": int(fields["max-rss"]) * 1024,
            "integral_byte_s": None,
            "stdout": (inside / "out").read_text(),
        }

    return run


PEERS = {
    "spawn": spawn,
    "psutil": psutil,
    "benchexec": benchexec,
    "llm-sandbox": llm_sandbox,
    "isolate": isolate,
}


def main() -> None:
    """Answer until the end of stdin."""
    name, folder, core, *rest = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of a peer must not mix with the answers
    try:
        peer = PEERS[name](Path(folder), int(core), rest[0] if rest else "")
    except Exception as error:  # the page reports any failure of a peer
        print(json.dumps({"problem": f"{type(error).__name__}: {error}"}), file=answers, flush=True)
        return
    print(json.dumps({"problem": None}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        begun = time.monotonic()
        try:
            runs = [peer(asked["argv"], asked["stdin"]) for _ in range(asked["runs"])]
            answer: dict[str, Any] = {"total_s": time.monotonic() - begun, "runs": runs}
        except Exception as error:  # as above
            answer = {"problem": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
