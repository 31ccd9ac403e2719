"""Time, CPU time and peak memory of all four derived sets of a release of the paper's size.

Each set is derived in its own process. For the cold start set, a fake model answers at once and no
answer is judged, since only the time of the toolkit itself counts. At scale 1 the
release has 700 000 solutions of 8 600 tasks in seven languages.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from bench.paper_release import write_paper_release
from tests.building import thought
from venus_toolkit.builders.derive.cold_start import (
    NAME,
    AnswerTrial,
    TeacherModel,
    derive_cold_start,
)
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.memory import own_peak_bytes
from venus_toolkit.core.records import MIB, Measurement, Verdict, to_plain
from venus_toolkit.dataset.release import open_release
from venus_toolkit.models.client import Completion, Prompt

NAMES = (*KINDS, NAME)
COST = to_plain(
    Measurement(10**7, 10**7, 10**7, 10**14, 0, 1.0, 0.01, 0.01, 0.01, 0.01, repeats=3, tests=100)
)


class Cost(NamedTuple):
    """The figures of one derived set in all languages."""

    kind: str
    rows: int
    seconds: float
    cpu_s: float
    peak_mib: float


class Model:
    """A model that gives the same well-formed answer to every prompt."""

    def __init__(self) -> None:
        languages = load_languages().values()
        self.answers = {
            language.fences[0]: thought("by the book", "x = 1;\n" * 60, language)
            for language in languages
        }

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return an answer in the language of each prompt."""
        fences = [
            prompt[-1].content.rpartition("marked `")[2].partition("`")[0] for prompt in prompts
        ]
        return [Completion(self.answers[fence]) for fence in fences]


def unjudged(*_: object) -> Future[AnswerTrial]:
    """Return a verdict without judging: the answer passes and costs as much as the original."""
    done: Future[AnswerTrial] = Future()
    done.set_result(AnswerTrial(str(Verdict.ACCEPTED), "", COST, COST))
    return done


def all_sets(folder: Path, scale: float) -> list[Cost]:
    """Write a release, and derive each set from it in a separate process."""
    write_paper_release(folder, scale)
    return [_apart(kind, folder) for kind in NAMES]


def _apart(kind: str, folder: Path) -> Cost:
    argv = [sys.executable, "-m", "bench.derive", kind, str(folder)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True)
    return Cost(**json.loads(done.stdout))


def one_set(kind: str, folder: Path) -> Cost:
    """Derive one kind in all languages in this process."""
    known = load_languages()
    languages = [known[name] for name in open_release(folder).languages]
    options = DeriveOptions(balance=False, per_problem=3)  # the same for all kinds
    start = time.monotonic()
    if kind == NAME:
        configs = derive_cold_start(
            folder, languages, options, TeacherModel("made up", Model(), unjudged)
        )
    else:
        configs = derive(KINDS[kind], folder, languages, options)
    seconds, peak = time.monotonic() - start, own_peak_bytes() / MIB
    return Cost(kind, sum(config.rows for config in configs), seconds, time.process_time(), peak)


def main() -> None:
    """Print one set as JSON: for `all_sets`."""
    figures: dict[str, Any] = one_set(sys.argv[1], Path(sys.argv[2]))._asdict()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
