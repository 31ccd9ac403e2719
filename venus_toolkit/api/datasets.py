"""Building and loading datasets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from venus_toolkit.api.arguments import Source, checked
from venus_toolkit.api.notebook import Progress, progress_callback
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.extras import require
from venus_toolkit.core.language import find_languages, load_languages
from venus_toolkit.core.store import WORK, checksum, explained
from venus_toolkit.core.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow as pa

    from venus_toolkit.dataset.release import Release


@runtime_checkable
class DataFrame(Protocol):
    """A data frame of pandas or Polars, or an Arrow table."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class Dataset(Protocol):
    """A ``datasets.Dataset``, or any object that can write itself as a Parquet file."""

    def to_parquet(self, path_or_buf: Any, /) -> Any:
        """Write the table into a file."""


@checked(languages="lang")
def build(
    lang: str | Sequence[str],
    out: Source = "build/venus",
    *,
    plan: Source | None = None,
    source: Source | DataFrame | Dataset | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Release:
    """Build a dataset, or resume a stopped build.

    Args:
        lang: Ids or aliases of the languages to publish.
        out: The output folder.
        plan: The name of a plan or a TOML file; None: ``bundled`` for the bundled corpus, else
            ``default``.
        source: As for ``venus build --source`` (docs/sources.md); or a table: a data frame of
            pandas or Polars, an Arrow table, a ``datasets.Dataset``. Its columns are guessed like
            those of a file. None: the source of the plan.
        progress: True prints a line for each stage, which a notebook redraws; a function receives
            the stage, the number of items done, and their total.
        settings: Other keys of a plan (docs/build.md), such as ``tests`` or ``repeats``.

    Raises:
        UsageError: An argument has the wrong type, or the plan or the source is invalid.
        ToolchainError: A language is not installed.
        StoreError: The folder cannot be written, or another build is using it.
    """
    require("build")
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.dataset.release import open_release

    known = load_languages()
    names = [lang] if isinstance(lang, str) else lang
    language_ids = tuple(language.id for language in find_languages(names, known))
    if source is not None and not isinstance(source, (str, Path)):
        source = _write_table(source, Path(out))
    name = str(plan or ("bundled" if source in (None, "corpus") else "default"))
    if source is not None:
        settings["source"] = str(source)
    build_plan = read_plan(name, lang=language_ids, **settings)
    Build(build_plan, Path(out), known, progress_callback(progress)).run()
    return open_release(Path(out))


def _write_table(table: DataFrame | Dataset, out: Path) -> Path:
    """Write a table into the work folder of a build, and return its Parquet file.

    Equal tables have the same file, so that the same call resumes the build.

    Raises:
        SourceError: The table cannot be written; for example, a column has values of two types.
        StoreError: The folder cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with (
        explained(f"cannot write the table into {out / WORK}"),
        temporary_folder("table") as folder,
    ):
        file = folder / "table.parquet"
        try:
            if isinstance(table, DataFrame):
                arrow = _with_plain_categories(pa.table(table))
                index = [name for name in arrow.column_names if name.startswith("__index_level_")]
                parquet.write_table(arrow.drop_columns(index), file)
            else:
                table.to_parquet(str(file))
        except (pa.ArrowException, TypeError, ValueError) as error:
            reason = " ".join(map(str, error.args))
            fix = "give each column a unique name, and values of one type: texts, numbers, lists"
            raise SourceError("the table cannot be read as a source", reason, fix) from error
        copy = out / WORK / "tables" / checksum(file)[:16] / file.name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            partial = copy.with_suffix(".part")
            shutil.copyfile(file, partial)
            os.replace(partial, copy)
    return copy


def _with_plain_categories(table: pa.Table) -> pa.Table:
    """Return a table with categories as texts, because Arrow cannot write those of Polars."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and pa.types.is_string_view(field.type.value_type):
            texts = [
                chunk.dictionary.cast(pa.large_string()).take(chunk.indices)
                for chunk in table.column(place).chunks
            ]
            column = pa.chunked_array(texts, pa.large_string())
            table = table.set_column(place, field.name, column)
    return table


@checked()
def load(
    where: Source, config: str = "default", *, split: str | None = None, streaming: bool = False
) -> Any:
    """Load a config of a release with `datasets`.

    Args:
        where: A folder, or NAME or NAME@VERSION on the Hub, which is pulled with every file
            checked.
        config: The name of the config.
        split: A split, also in the syntax of `datasets`, such as ``train[:10%]``; None: all.
        streaming: As for ``datasets.load_dataset``.

    Returns:
        A ``DatasetDict``, or the ``Dataset`` of a split.

    Raises:
        ReleaseError: The release, config or split does not exist.
        HubError: The Hub cannot be reached, or does not have the release.
    """
    require("eval")
    import datasets

    from venus_toolkit.dataset.hub.pulling import locate

    release = locate(where)
    name = release.find_config(config)  # raises ReleaseError for an unknown config
    # the syntax of `datasets`: train[:10%]+test, or all
    for part in split.split("+") if split else ():
        if (plain := part.partition("[")[0].strip()) != "all":
            release.files(name, plain)  # raises ReleaseError for an unknown split
    return datasets.load_dataset(str(release.folder), name, split=split, streaming=streaming)
