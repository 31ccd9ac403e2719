"""What an evaluation is on: a release, or the data of a suite, read or built once."""

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
    """Return the release to evaluate on, and fill in what a suite says and `given` does not.

    `say` is told what is being done; `progress` is told the stage of a build, how much of it is
    done, and how much there is.

    Raises:
        UsageError: Nothing says on what, there is no such suite, or it needs a language or data
            that nobody names.
    """
    from venus_toolkit.dataset.hub.pulling import locate
    from venus_toolkit.eval.asking.suite import filled, read_suite

    data = options["data"]
    if suite is None:
        if not data or not options["lang"]:
            missing = "--lang" if data else "--data"
            problem = "no data to evaluate on"
            raise UsageError(problem, f"{missing} is missing", "add it, or --suite NAME")
        return locate(data)
    read = read_suite(suite, options)
    options |= filled(read, options)
    if read.source:
        chosen = tuple(language.id for language in find_languages(options["lang"], languages))
        release = _of_suite(
            read, Path(data) if data else read.folder, chosen, languages, say, progress
        )
    elif data:
        release = locate(data)
    else:
        raise UsageError(f"the suite {read.name} has no data", read.about, "add --data FOLDER")
    options["data"] = data or str(release.folder)
    return release


def _of_suite(
    suite: BenchmarkSuite,
    folder: Path,
    chosen: tuple[str, ...],
    languages: Mapping[str, Language],
    say: Callable[[str], None],
    progress: Progress,
) -> Release:
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.given import release_of_given
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.dataset.release import open_release

    if not suite.plan:
        return release_of_given(suite.source, folder, languages, chosen, suite.limits, say)
    say(f"building {suite.source}: its tests are made and its solutions run, once")
    limits = {"limit_cpu_s": suite.cpu_s, "limit_memory_mib": suite.memory_mib}
    Build(
        read_plan(suite.plan, lang=chosen, source=suite.source, **limits),
        folder,
        languages,
        progress,
    ).run()
    return open_release(folder)
