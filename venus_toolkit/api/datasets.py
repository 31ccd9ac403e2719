"""Datasets: built, and loaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_toolkit.api.notebook import Progress, shown
from venus_toolkit.core.language import find_language, load_languages

if TYPE_CHECKING:
    from venus_toolkit.dataset.release import Release

Source = str | Path


def build(
    languages: str | Sequence[str],
    out: Source = "build/venus",
    *,
    plan: str | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Release:
    """Build a dataset, or go on with a build that was stopped.

    The same call again finds that nothing changed.

    Args:
        languages: Ids or aliases of the languages to publish.
        out: The folder.
        plan: The name of a plan or a TOML file; None: ``bundled`` for the bundled corpus, else
            ``default``.
        progress: True prints a line for each stage, which a notebook redraws; a function is told
            the stage, how much of it is done, and how much there is.
        settings: Keys of a plan (docs/build.md), such as ``source``, ``tests`` or ``repeats``.

    Raises:
        UsageError: The plan or the source makes no sense.
        ToolchainError: A chosen language is not installed.
        StoreError: The folder cannot be written, or another build is at it.
    """
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.dataset.release import open_release

    known = load_languages()
    listed = [languages] if isinstance(languages, str) else list(languages)
    chosen = tuple(find_language(name, known).id for name in listed)
    name = plan or ("bundled" if settings.get("source", "corpus") == "corpus" else "default")
    Build(read_plan(name, lang=chosen, **settings), Path(out), known, shown(progress)).run()
    return open_release(Path(out))


def load(
    where: Source, config: str = "default", *, split: str | None = None, streaming: bool = False
) -> Any:
    """Load a config of a release with `datasets`.

    From a folder, or from the Hub as NAME or NAME@VERSION.

    What comes from the Hub is pulled in that very version, with every file checked.

    Returns:
        A ``DatasetDict``, or the ``Dataset`` of a split.

    Raises:
        ReleaseError: There is no such release or config.
        HubError: The Hub cannot be reached, or does not have it.
    """
    import datasets

    from venus_toolkit.dataset.hub.pulling import locate

    release = locate(where)
    name = release.find_config(config)  # refuses one that is not there, in our words
    return datasets.load_dataset(str(release.folder), name, split=split, streaming=streaming)
