"""A build of many solutions that is killed and resumed repeatedly leaves nothing but its output.

pytest tests/contract/test_a_whole_build.py --solutions 1000
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from venus_toolkit.core.store import read_manifest

ROOT = Path(__file__).resolve().parents[2]
PROBLEM = """\
title = "Sum {number}"
license = "CC0-1.0"
[limits]
cpu_s = 5.0
memory_mib = 256
"""
PROGRAM = (
    "numbers = map(int, input().split())\nprint(sum(numbers, {number}) + {serial} - {serial})\n"
)
PER_PROBLEM = 20
KILLS = 3


def make_source(folder: Path, solutions: int) -> Path:
    """Write problems with PER_PROBLEM distinct correct solutions each."""
    for serial in range(solutions):
        number, place = serial // PER_PROBLEM, serial % PER_PROBLEM
        problem = folder / f"sum-{number}"
        if place == 0:
            (problem / "solutions/python").mkdir(parents=True)
            (problem / "tests").mkdir()
            (problem / "problem.toml").write_text(PROBLEM.format(number=number))
            (problem / "statement.md").write_text(f"Print {number} plus the sum of the numbers.\n")
            for name, line in (("first", "1 2 3"), ("second", "5 -5 7")):
                (problem / f"tests/{name}.in").write_text(line + "\n")
        code = PROGRAM.format(number=number, serial=serial)
        (problem / f"solutions/python/s{place:02}.py").write_text(code)
    return folder


class World:
    """The possible leftovers of a build on this machine: files, processes, objects of Docker.

    Only containers of our processes count, since others may be using Docker at the same time.
    """

    def __init__(self, backend: object, temporary: Path) -> None:
        self.backend = backend
        self.temporary = temporary
        self.makers: set[str] = set()

    def seen(self) -> set[str]:
        """Return the names of all leftovers."""
        files = {str(path) for path in self.temporary.iterdir()}
        return (
            files
            | self._processes()
            | (self._daemons() if self.backend.name == "docker" else set())
        )

    def _processes(self) -> set[str]:
        """Return processes with our temporary folder in their environment or command line."""
        processes = set()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
                if os.fsencode(self.temporary) in words:
                    processes.add(f"process {folder.name} {(folder / 'comm').read_text().strip()}")
        return processes

    def _daemons(self) -> set[str]:
        from venus_toolkit.execution.sandbox.docker import docker_client
        from venus_toolkit.execution.sandbox.docker.docker_client import connect

        with contextlib.closing(connect()) as daemon:
            labelled = [
                (entry["Id"], docker_client.maker(entry["Labels"]))
                for entry in daemon.containers(all=True)
            ]
            images = {"image " + entry["Id"] for entry in daemon.images(all=True)}
            volumes = {"volume " + entry["Name"] for entry in daemon.volumes()["Volumes"] or ()}
        containers = {
            "container " + name for name, maker in labelled if maker and maker.pid in self.makers
        }
        return containers | images | volumes


@pytest.mark.slow
@pytest.mark.isolation
def test_killed_build_leaves_nothing(
    backend: object,
    eventually: Callable[..., bool],
    tmp_path: Path,
    pytestconfig: pytest.Config,
) -> None:
    solutions = pytestconfig.getoption("--solutions") or 40
    source, out, temporary = (
        make_source(tmp_path / "source", solutions),
        tmp_path / "out",
        tmp_path / "tmp",
    )
    temporary.mkdir()
    world = World(backend, temporary)
    before = world.seen()
    words = [
        "build",
        "--lang",
        "python",
        "--source",
        source,
        "--repeats",
        1,
        "--share-cores",
        "--min-solutions",
        1,
    ]
    words += ["--tests", 2, "--mutants", 0]
    argv = [
        sys.executable,
        "-m",
        "venus_toolkit",
        *map(str, words),
        "--sandbox",
        backend.address,
        "--out",
        str(out),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    moments = random.Random(0)
    for _ in range(KILLS):
        with subprocess.Popen(
            argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            world.makers.add(str(process.pid))
            time.sleep(1 + moments.uniform(0.01, 0.03) * solutions)
            assert process.poll() is None, (
                "it was over before it could be killed: there are too few solutions"
            )
            process.kill()
    with subprocess.Popen(
        argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        world.makers.add(str(process.pid))
        _, output = process.communicate()
    assert process.returncode == 0, output
    manifest = read_manifest(out)
    assert manifest
    accepted = sum(part["solutions"] for part in manifest["configs"]["python"]["splits"].values())
    assert (accepted, manifest["configs"]["python"]["verdicts"]) == (
        solutions,
        {"accepted": solutions},
    )
    assert eventually(lambda: world.seen() <= before), sorted(world.seen() - before)
    assert not [
        line
        for line in (out / "dropped.jsonl").read_text().splitlines()
        if json.loads(line)["item"]
    ]
