"""The whole of a reproduction, from a preset to its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.eval.report import write_report
from venus_toolkit.reproduce.facts import Facts, find_facts
from venus_toolkit.reproduce.page import write_page
from venus_toolkit.reproduce.preset import Preset
from venus_toolkit.reproduce.stages import ARMS, Progress, Reproduction

REPORT = "report"
TITLE = "Every evaluation of the reproduction"


class Reproduced(NamedTuple):
    """What was found, and the files that say so."""

    facts: Facts
    files: Sequence[Path]


def reproduce(
    preset: Preset, out: Path, sandbox: str = "auto", command: str = "", progress: Progress = lambda *_: None
) -> Reproduced:
    """Do all of a reproduction that is not done yet, and write its page.

    Args:
        preset: How large it is.
        out: The folder.
        sandbox: Where programs run: a name that `open_sandbox` knows.
        command: What was typed, for the models' cards.
        progress: Told a stage, how much of it is done, and how much there is.

    Raises:
        UsageError: Another reproduction lies in the folder, or the preset makes no sense.
        VenusError: As the functions of each stage do.
    """
    reproduction = Reproduction(preset, out, sandbox, command, progress)
    made = reproduction.run()
    facts = find_facts(reproduction, made)
    folders = [reproduction.evaluation(arm, seed) for arm in ARMS for seed in range(preset.seeds)]
    report = write_report(folders, out / REPORT, by="integral", title=TITLE)
    return Reproduced(facts, [*write_page(facts, out), *report.files])
