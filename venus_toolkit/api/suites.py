"""Finds the release of an evaluation, or builds it once from the data of a suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, find_languages

if TYPE_CHECKING:
    from venus_toolkit.dataset.release import Release
    from venus_toolkit.eval.asking.suite import BenchmarkSuite

Progress = Callable[[str, int, int], None]


def find_release(
    suite: str | None,
    options: dict[str, Any],
    languages: Mapping[str, Language],
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = lambda *_: None,
) -> Release:
    """Return the release to evaluate on, and add the defaults of the suite to `options`.

    Args:
        suite: The name of a suite, or None.
        options: The options of the evaluation, with ``data`` and ``lang``; changed in place.
        languages: All languages by id.
        say: Receives lines of progress.
        progress: Receives the stage of a build, the number of items done, and their total.

    Raises:
        UsageError: No data are named, the suite is unknown, or it needs a language or data.
    """
    from venus_toolkit.dataset.hub.pulling import locate
    from venus_toolkit.eval.asking.suite import filled, read_suite

    data = options["data"]
    if suite is None:
        if not data or not options["lang"]:
            missing = "--lang" if data else "--data"
            raise UsageError(
                "no data to evaluate on", f"{missing} is missing", "add it, or --suite NAME"
            )
        return locate(data)
    benchmark = read_suite(suite, options)
    options |= filled(benchmark, options)
    if benchmark.source:
        language_ids = tuple(language.id for language in find_languages(options["lang"], languages))
        folder = Path(data) if data else benchmark.folder
        release = _build_suite(benchmark, folder, language_ids, languages, say, progress)
    elif data:
        release = locate(data)
    else:
        raise UsageError(
            f"the suite {benchmark.name} has no data", benchmark.about, "add --data FOLDER"
        )
    options["data"] = data or str(release.folder)
    return release


def _build_suite(
    suite: BenchmarkSuite,
    folder: Path,
    language_ids: tuple[str, ...],
    languages: Mapping[str, Language],
    say: Callable[[str], None],
    progress: Progress,
) -> Release:
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.given import release_of_given
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.dataset.release import open_release

    if not suite.plan:
        return release_of_given(suite.source, folder, languages, language_ids, suite.limits, say)
    say(f"building {suite.source} once: making tests and running solutions")
    limits = {"limit_cpu_s": suite.cpu_s, "limit_memory_mib": suite.memory_mib}
    Build(
        read_plan(suite.plan, lang=language_ids, source=suite.source, **limits),
        folder,
        languages,
        progress,
    ).run()
    return open_release(folder)
