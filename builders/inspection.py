"""Reads the input specifications of problem folders, derived as in a build, and of a release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.inputs.derive import NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError, spec_of
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation
from venus_toolkit.dataset.parquet import open_parquet
from venus_toolkit.dataset.release import PROBLEMS_CONFIG, Release

PROGRAMS = ("test_case_generator", "test_case_validator")  # columns that may hold a specification


class InspectedSpec(NamedTuple):
    """The specification of a problem, or the reason for its absence."""

    name: str
    spec: Spec | None
    reason: str = ""


def specs_of_folder(folder: Path) -> Iterator[InspectedSpec]:
    """Yield the specifications in the programs of problem folders, or derived from statements.

    Args:
        folder: A problem folder, or one that holds problem folders.

    Raises:
        SourceError: `folder` is neither.
    """
    languages = load_languages()
    for entry in read(str(folder), languages):
        if isinstance(entry, Rejected):
            yield InspectedSpec(entry.item, None, entry.reason)
            continue
        problem = entry.problem
        carried = _embedded_spec(problem.slug, [problem.generator or "", problem.validator or ""])
        function_problem = complete(entry, languages)
        yield carried or _derived_spec(function_problem)


def specs_of_release(release: Release) -> Iterator[InspectedSpec]:
    """Yield the specifications in the generators and validators of a release.

    Raises:
        ReleaseError: A file cannot be read.
    """
    # A release without any problems lacks this config.
    names: set[str] = set()
    has_problems = PROBLEMS_CONFIG in release.config_names
    for file in release.files(PROBLEMS_CONFIG) if has_problems else ():
        with open_parquet(file) as parquet:
            columns = [name for name in ("name", *PROGRAMS) if name in parquet.schema_arrow.names]
            for batch in parquet.iter_batches(batch_size=64, columns=columns):
                for row in batch.to_pylist():
                    name = row.get("name") or ""
                    if name not in names:
                        names.add(name)
                        carried = _embedded_spec(
                            name, [row.get(column) or "" for column in PROGRAMS]
                        )
                        none = "neither its generator nor its validator carries a specification"
                        yield carried or InspectedSpec(name, None, none)


def _embedded_spec(name: str, programs: Sequence[str]) -> InspectedSpec | None:
    try:
        specs = [spec for program in programs if (spec := spec_of(program))]
    except SpecError as error:
        return InspectedSpec(name, None, f"its specification cannot be read: {error}")
    return InspectedSpec(name, specs[0]) if specs else None


def _derived_spec(function_problem: FunctionProblem) -> InspectedSpec:
    problem, entry = described(function_problem), function_problem.entry
    stdins = [test.stdin for test in entry.tests]
    accepted = [s for s in entry.solutions if s.expected == Expectation.ACCEPTED]
    try:
        return InspectedSpec(problem.slug, derived(problem, stdins, accepted).spec)
    except NotDerived as error:
        return InspectedSpec(problem.slug, None, str(error))
