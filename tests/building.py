"""What the tests of whole builds share: what they need of this machine, and the options of a small build."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.execution import measure
from venus_toolkit.execution.doctor import check_toolchain, why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.supervisor import Cores
from venus_toolkit.models.answers import fenced

PROBLEM = why_not_isolated()
needs_cpp = pytest.mark.skipif(not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed")
needs_isolation = [
    pytest.mark.isolation,
    pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"),
]

Shop = Any  # tests/conftest.py: Workshop
SMALL = ("--tests", "8", "--repeats", "2", "--min-solutions", "2", "--mutants", "2")


def brief(language: Language) -> Language:
    """Return a language whose reference program does a tenth of the work."""
    shorter = re.sub(r"(?m)((?:STEPS|COUNTS|SORTED) = \d+)0(;?)$", r"\1\2", language.reference)
    return replace(language, reference=shorter)


def read_entry(folder: Path, languages: Mapping[str, Language]) -> Entry:
    """Return what one problem folder says; a SourceError where it, or a solution in it, cannot be read."""
    found = list(read(str(folder), languages))
    for each in found:
        if isinstance(each, Rejected):
            why, _, fix = each.reason.partition("\n")
            raise SourceError(each.item, why, fix or "see docs/problems.md")
    (entry,) = found
    assert isinstance(entry, Entry)
    return entry


def thought(thinking: str, code: str, language: Language) -> str:
    """Return an answer in the form ``<thinking>…</thinking><solution>…</solution>``."""
    return f"<thinking>\n{thinking.strip()}\n</thinking>\n<solution>\n{fenced(code, language)}\n</solution>"


@contextmanager
def brief_references() -> Iterator[None]:
    """Measure beside brief references: one runs after every program, and most programs of tests are far shorter."""
    whole = measure.reference_runner

    def runner(sandbox: Sandbox, language: Language, cores: Cores) -> Any:
        return whole(sandbox, brief(language), cores)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "reference_runner", runner)
        yield
