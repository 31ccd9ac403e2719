"""What the answers to one prompt are judged with: the problem, the original, and tests that the prompt never showed.

A program that passes must pass all tests: those of the release and, where the problem has a generator, fresh ones with
seeds of this training. What it costs is measured on tests that it cannot know by heart:

fresh   made by the problem's generator, and two or three human solutions of the release agree on their outputs
hidden  where there is no generator: the release's tests without those that stand in the statement
none    where that leaves nothing: all of them; answers that know these by heart go unnoticed, and results say ``none``
"""

from __future__ import annotations

import dataclasses
import random
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple

from venus_toolkit.engine import Seat
from venus_toolkit.errors import LanguageError, ReleaseError, UsageError
from venus_toolkit.fresh import kept
from venus_toolkit.language import Language
from venus_toolkit.records import TestCase, digest
from venus_toolkit.release import Release
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.task import Shelf, Task, read_task
from venus_toolkit.temporary import make_temporary, remove, sweep
from venus_toolkit.training.reward_options import RewardOptions
from venus_toolkit.training.work import Origin, make_fresh, original_passes

KIND = "fresh"  # of temporary folder
FRESH, HIDDEN, NONE = "fresh", "hidden", "none"
WITNESSES = 3
FEWEST_WITNESSES = 2
FEWEST = 3
WORD = re.compile(r"\w+|[^\w\s]")
OBJECTIVES = ("time", "memory", "integral")


class Reference(NamedTuple):
    """The columns of a GRPO row that say what its answers are judged with; `type` is the objective."""

    config: str
    split: str
    title: str
    type: str
    original_solution_id: str
    tests_sha256: str
    revision: str


def read_reference(row: Mapping[str, Any]) -> Reference:
    """Return the reference in a row of a GRPO set.

    Raises:
        UsageError: A column is missing or is no text.
    """
    lacking = [name for name in Reference._fields if not isinstance(row.get(name), str)]
    if lacking:
        what = f"a row has no {' and no '.join(lacking)}: the reward cannot find its tests"
        raise UsageError(what, "it is not one of a GRPO set", "make one: venus derive grpo RELEASE --lang all")
    if row["type"] not in OBJECTIVES:
        why = "known are " + ", ".join(OBJECTIVES)
        raise UsageError(f"a row has the type {row['type']!r}", why, "make the set again: venus derive grpo")
    return Reference(*(row[name] for name in Reference._fields))


class Origins:
    """Finds and keeps origins, each prepared once, whichever thread asks for it.

    Args:
        release: Where problems are.
        sandbox: Where inputs that the release left out are made again.
        languages: By their id.
        options: Which tests, and how many problems are kept.
    """

    def __init__(
        self, release: Release, sandbox: Sandbox, languages: Mapping[str, Language], options: RewardOptions
    ) -> None:
        self._release = release
        self._sandbox = sandbox
        self._languages = languages
        self._options = options
        self._shelves: dict[tuple[str, str], Shelf] = {}
        self._kept: OrderedDict[Reference, Future[Origin]] = OrderedDict()
        self._mutex = threading.Lock()
        sweep(KIND)
        self._folder = make_temporary(KIND)

    def language(self, reference: Reference) -> Language:
        """Return the language that a reference names.

        Raises:
            ReleaseError: There is no such language.
        """
        if reference.config not in self._languages:
            why = f"known are {', '.join(self._languages)}"
            raise ReleaseError(f"no language is called {reference.config!r}", why, "name the folder that it is in")
        return self._languages[reference.config]

    def find(self, reference: Reference, seat: Seat) -> Origin:
        """Return the origin that a reference names; a call that fails is forgotten, the next one tries again.

        Raises:
            ReleaseError: The release is not the one that the reference was taken from, or is damaged.
            SandboxError: The sandbox failed.
        """
        mine: Future[Origin] = Future()
        with self._mutex:
            found = self._kept.setdefault(reference, mine)
            self._kept.move_to_end(reference)
            while len(self._kept) > self._options.keep:
                self._kept.popitem(last=False)
        if found is mine:
            self._settle(reference, mine, seat)
        return found.result()

    def _settle(self, reference: Reference, mine: Future[Origin], seat: Seat) -> None:
        try:
            mine.set_result(self._prepared(reference, seat.at(reference.title)))
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            with self._mutex:
                self._kept.pop(reference, None)
            mine.set_exception(error)

    def _prepared(self, reference: Reference, seat: Seat) -> Origin:
        row = self._shelf(reference).row(reference.title)
        task = read_task(row, self.language(reference), self._sandbox, seat.cores)
        code = next((s["code"] for s in row["solutions"] if s["solution_id"] == reference.original_solution_id), None)
        if task.tests_sha256 != reference.tests_sha256 or code is None:
            why = "its tests or its solutions are others"
            what = f"{self._release.folder} is not the release that {reference.title} was taken from"
            fix = f"name the right one, revision {reference.revision or 'unpublished'}"
            raise ReleaseError(what, why, fix)
        fresh = self._fresh(row, task, seat)
        whole = dataclasses.replace(task, tests=_drawn([*task.tests, *fresh], reference.title, self._options.seed))
        unseen, kind = unseen_tests(task.tests, fresh, row["question_content"] or "")
        passes = seat.run(original_passes, whole, code)
        return Origin(whole, dataclasses.replace(task, tests=unseen), kind, code, passes)

    def _shelf(self, reference: Reference) -> Shelf:
        key = (reference.config, reference.split)
        with self._mutex:
            if key not in self._shelves:
                self._shelves[key] = Shelf(self._release, *key)
            return self._shelves[key]

    def _fresh(self, row: Mapping[str, Any], task: Task, seat: Seat) -> tuple[TestCase, ...]:
        """Return tests with new seeds, on whose outputs human solutions agree; none where there is no generator.

        They are made once for a problem and kept in a file: a training comes back to it.
        """
        options, generator = self._options, row["test_case_generator"]
        witnesses = _witnesses(row, task)
        if not generator or len(witnesses) < FEWEST_WITNESSES or not options.fresh:
            return ()
        name = digest(task.language.id, task.title, task.tests_sha256)
        make = partial(seat.run, make_fresh, task, generator, witnesses, options.fresh, options.seed)
        return kept(self._folder / f"{name}.json.gz", make)

    def close(self) -> None:
        """Remove the files with fresh tests."""
        remove(self._folder)


def unseen_tests(
    tests: Sequence[TestCase], fresh: Sequence[TestCase], statement: str
) -> tuple[tuple[TestCase, ...], str]:
    """Return the tests that nobody can know by heart, and where they come from (FRESH, HIDDEN or NONE)."""
    if len(fresh) >= FEWEST:
        return tuple(fresh), FRESH
    hidden = tuple(test for test in tests if not is_shown(test, statement))
    return (hidden, HIDDEN) if hidden else (tuple(tests), NONE)


def is_shown(test: TestCase, statement: str) -> bool:
    """Return whether a test stands in a statement: each line of its input and its output does, white space aside."""
    text = _words(statement)
    lines = f"{test.stdin}\n{test.stdout or ''}".split("\n")
    return all(_words(line) in text for line in lines if line.strip())


def _words(text: str) -> str:
    """Return words, numbers and signs with one space around each."""
    return f" {' '.join(WORD.findall(text))} "


def _drawn(tests: Sequence[TestCase], title: str, seed: int) -> tuple[TestCase, ...]:
    """Return tests in an order that says nothing: a program may count the runs before its own."""
    return tuple(random.Random(f"{seed} {title}").sample(tests, len(tests)))


def _witnesses(row: Mapping[str, Any], task: Task) -> list[str]:
    """Return two or three solutions that pass, from the cheapest to the dearest, where there are so many."""
    passing = [each for each in row["solutions"] if each["passed"] and _fits(task, each["code"])]
    passing.sort(key=lambda each: each["wall_ns"] or 0)
    places = {round(n * (len(passing) - 1) / (WITNESSES - 1)) for n in range(WITNESSES)} if passing else set()
    return [passing[place]["code"] for place in sorted(places)]


def _fits(task: Task, code: str) -> bool:
    try:
        task.program(code)
    except LanguageError:
        return False
    return True
