"""The disturbed commands with tiny inputs, their working folders, and their results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import model_server
from tests.building import thought
from tests.dataset.hub.conftest import environment as hub_environment
from tests.dataset.hub.routes import Hub
from tests.dataset.hub.storage import Storage
from venus_toolkit.core.language import load_languages

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 150.0  # a command that takes longer counts as hanging
NAME = "venus/demo"
GENERATOR = """\
import random
def generate(seed, size):
    rng = random.Random(f"{seed} {size}")
    return " ".join(str(rng.randint(1, 99)) for _ in range({"small": 3, "large": 20000}.get(size, 9))) + "\\n"
"""
FAST = "print(sum(x ** POWER for x in map(int, input().split())))\n"
SLOW = """\
total = 0
for x in input().split():
    for _ in range(20):
        power = 1
        for _ in range(POWER):
            power *= int(x)
    total += power
print(total)
"""
WRONG = "print(int(input().split()[0]) ** POWER)\n"
POWERS = (1, 2)


@dataclass
class Place:
    """The folders of a session.

    All sessions use the same paths, because files may contain them and would otherwise differ.
    """

    folder: Path
    hub: Hub

    def of(self, name: str) -> Path:
        """Return a folder of the session."""
        return self.folder / name

    def empty(self) -> None:
        """Empty the folders for another session."""
        for name in ("out", "cache", "tmp", "hf"):
            for entry in list(self.of(name).iterdir()) if self.of(name).is_dir() else []:
                shutil.rmtree(
                    entry
                ) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            self.of(name).mkdir(parents=True, exist_ok=True)

    def environment(self) -> dict[str, str]:
        """Return the environment of a command."""
        own = {
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.of("tmp")),
            "VENUS_CACHE": str(self.of("cache")),
        }
        own |= {
            "CHAOS_FIGURES": str(self.of("figures")),
            "HF_HOME": str(self.of("hf")),
            "HF_HUB_OFFLINE": "1",
        }
        # for torch, which would keep its cache permanently
        own |= {"TORCHINDUCTOR_CACHE_DIR": str(self.of("cache"))}
        return {**os.environ, **own}


@dataclass(frozen=True)
class CommandEnd:
    """The end of a command; `code` is None if it hung, and -9 if it was killed."""

    code: int | None
    output: str
    pid: int

    @property
    def killed(self) -> bool:
        """Whether a SIGKILL ended it."""
        return self.code == -9


@dataclass(frozen=True)
class Subject:
    """A command to disturb.

    Attributes:
        name: Its name on the page.
        words: Returns the arguments of `venus`.
        begin: Prepares the empty folders of a session.
        made: Returns the results to compare, as bytes by name.
        hub: Whether it needs a Hub.
    """

    name: str
    words: Callable[[Place], list[str]]
    made: Callable[[Place], dict[str, bytes]]
    begin: Callable[[Place], None] = lambda place: None
    hub: bool = False

    def start(self, place: Place, descriptors: int = 1024, **more: str) -> subprocess.Popen[bytes]:
        """Start the command with a limit of open files; `more` are variables of its environment.

        The output goes to a file, because leftover processes would keep a pipe open.
        """
        environment = {**place.environment(), **more}
        if self.hub:
            environment |= hub_environment(place.hub, place.of("hf")) | {"HF_HUB_OFFLINE": "0"}
        with place.of("said").open("wb") as output:
            argv = [
                "prlimit",
                f"--nofile={descriptors}",
                sys.executable,
                "-m",
                "bench.chaos.child",
                *self.words(place),
            ]
            return subprocess.Popen(
                argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def end(
        self, place: Place, process: subprocess.Popen[bytes], seconds: float = PATIENCE_S
    ) -> CommandEnd:
        """Wait for the end of a command."""
        code: int | None = None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return CommandEnd(code, place.of("said").read_text(errors="replace"), process.pid)

    def run(self, place: Place, descriptors: int = 1024, **more: str) -> CommandEnd:
        """Run the command to its end."""
        return self.end(place, self.start(place, descriptors, **more))


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by name, without those in `.venus`."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".venus" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def write_inputs(place: Place) -> None:
    """Write the problems, the program and the answers for the commands."""
    for power in POWERS:
        problem = place.of("source") / f"sum-of-powers-{power}"
        codes = {"fast.py": FAST, "slow.py": SLOW, "wrong_first.py": WRONG}
        (problem / "solutions/python").mkdir(parents=True)
        for name, code in codes.items():
            (problem / "solutions/python" / name).write_text(code.replace("POWER", str(power)))
        (problem / "problem.toml").write_text(
            f'title = "Powers {power}"\nlicense = "CC0-1.0"\n[limits]\ncpu_s = 5.0\n'
        )
        (problem / "statement.md").write_text(
            f"Print the sum of the numbers in a line, each to the power of {power}.\n"
        )
        (problem / "generator.py").write_text(GENERATOR)
    titles = [f"sum-of-powers-{power}" for power in POWERS]
    answers = [
        {"title": title, "sample": number, "code": code.replace("POWER", str(power))}
        for title, power in zip(titles, POWERS, strict=True)
        for number, code in enumerate((FAST, WRONG))
    ]
    _write_lines(place.of("answers.jsonl"), answers)
    place.of("program.py").write_text(SLOW.replace("POWER", "2"))
    place.of("tests").mkdir()
    for number in range(2):
        place.of("tests").joinpath(f"{number}.in").write_text(
            " ".join(map(str, range(number, 3000))) + "\n"
        )
    turns = [WRONG, FAST]
    _write_lines(
        place.of("turns.jsonl"),
        [
            {"title": "program", "iteration": n, "code": code.replace("POWER", "2")}
            for n, code in enumerate(turns, 1)
        ],
    )
    for name in ("figures", "out", "cache", "tmp", "hf"):
        place.of(name).mkdir(parents=True, exist_ok=True)


def _write_lines(file: Path, rows: list[Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_release(place: Place) -> None:
    """Build the release that the other commands need, once."""
    if place.of("release").is_dir():
        return
    place.empty()
    done = RELEASE.run(place)
    assert done.code == 0, done.output
    shutil.copytree(
        place.of("out") / "run", place.of("release"), ignore=shutil.ignore_patterns(".venus")
    )
    answer = thought("add them up at once", FAST.replace("POWER", "2"), load_languages()["python"])
    with model_server.serving([answer]) as server:
        words = [
            *SUBJECTS["derive cold-start"].words(place)[:-2],
            "--model",
            "m",
            "--base-url",
            server.base_url,
        ]
        done = Subject("answers", lambda _: words, _made).run(place)
    assert done.code == 0, done.output
    shutil.move(place.of("out") / "run/derived/python-cold-start/raw.jsonl", place.of("raw.jsonl"))


def _copy_release(place: Place) -> None:
    shutil.copytree(place.of("release"), place.of("out") / "run")


def _made(place: Place) -> dict[str, bytes]:
    return files_of(place.of("out") / "run")


def _published(place: Place) -> dict[str, bytes]:
    """Return the release folder, where publishing writes card and manifest, and the Hub's contents."""
    storage = place.hub.storage
    contents = _made(place)
    if NAME in storage.repos:
        repo = storage.repos[NAME]
        history = list(repo.history(repo.head))
        contents["commits on the Hub"] = "\n".join(commit.title for commit in history).encode()
        contents["tags on the Hub"] = json.dumps(
            {tag: oid == repo.head.oid for tag, oid in repo.tags().items()}
        ).encode()
        contents |= {
            f"on the Hub: {name}": repo.read(entry) for name, entry in repo.head.tree.items()
        }
    return contents


def _fresh_hub(place: Place) -> None:
    _copy_release(place)
    place.hub.storage = Storage()


def _build(place: Place, *more: str) -> list[str]:
    few = ("--tests", "3", "--min-solutions", "2", "--mutants", "1")
    folders = ("--source", str(place.of("source")), "--out", str(place.of("out") / "run"))
    return ["build", "--lang", "python", *few, *folders, *more]


BUILD = Subject("build", lambda place: _build(place, "--repeats", "1", "--share-cores"), _made)
DOCKER = Subject(
    "build in Docker", lambda place: _build(place, "--repeats", "1", "--sandbox", "docker"), _made
)
RELEASE = Subject("release", lambda place: _build(place, "--repeats", "2"), _made)
SUBJECTS: Mapping[str, Subject] = {
    subject.name: subject
    for subject in (
        BUILD,
        DOCKER,
        Subject(
            "derive sft",
            lambda place: ["derive", "sft", str(place.of("out") / "run"), "--lang", "python"],
            _made,
            _copy_release,
        ),
        Subject(
            "derive cold-start",
            lambda place: [
                *(
                    "derive",
                    "cold-start",
                    str(place.of("out") / "run"),
                    "--lang",
                    "python",
                    "--repeats",
                    "2",
                ),
                *("--replay", str(place.of("raw.jsonl"))),
            ],
            _made,
            _copy_release,
        ),
        Subject(
            "eval",
            lambda place: [
                *(
                    "eval",
                    "--model",
                    f"replay:{place.of('answers.jsonl')}",
                    "--data",
                    str(place.of("release")),
                ),
                *("--split", "train", "--lang", "python", "--samples", "2", "--repeats", "2"),
                *("--out", str(place.of("out") / "run")),
            ],
            _made,
        ),
        Subject(
            "optimize",
            lambda place: [
                *(
                    "optimize",
                    str(place.of("program.py")),
                    "--tests",
                    str(place.of("tests")),
                    "--iterations",
                    "2",
                    "--repeats",
                    "2",
                ),
                *(
                    "--model",
                    f"replay:{place.of('turns.jsonl')}",
                    "--out",
                    str(place.of("out") / "run"),
                ),
            ],
            _made,
        ),
        Subject(
            "publish",
            lambda place: ["publish", str(place.of("out") / "run"), "--to", NAME],
            _published,
            _fresh_hub,
            hub=True,
        ),
    )
}
