"""Runs `venus` with short reference programs and cards without pictures: python -m tests.brief build …

For tests that kill processes or fill their disk, and do not depend on the reference program. That
program runs next to every measured one, which takes most of the time of a small build. Imports
nothing that `venus` does not import, because tests start it often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from venus_toolkit.core.language import Language


def brief(language: Language) -> Language:
    """Return a language whose reference program does a tenth of the work."""
    shorter = re.sub(r"(?m)((?:STEPS|COUNTS|SORTED) = \d+)0(;?)$", r"\1\2", language.reference)
    return replace(language, reference=shorter)


@contextmanager
def brief_references() -> Iterator[None]:
    """Measure with short reference programs.

    The reference runs after every program, and takes far longer than most programs in the tests.
    """
    from venus_toolkit.execution.measuring import measure
    from venus_toolkit.execution.sandbox import Sandbox
    from venus_toolkit.execution.sandbox.supervisor import Cores

    whole = measure.reference_runner

    def runner(sandbox: Sandbox, language: Language, cores: Cores) -> Any:
        return whole(sandbox, brief(language), cores)

    measure.reference_runner = runner
    try:
        yield
    finally:
        measure.reference_runner = whole


@contextmanager
def no_pictures() -> Iterator[None]:
    """Write cards without pictures."""
    from venus_toolkit.dataset.card import dataset_card

    whole = dataset_card.list_pictures
    dataset_card.list_pictures = lambda facts: []
    try:
        yield
    finally:
        dataset_card.list_pictures = whole


def main() -> None:
    """Run `venus` with these replacements."""
    from venus_toolkit.cli import main as venus

    with brief_references(), no_pictures():
        venus()


if __name__ == "__main__":
    main()
