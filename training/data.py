"""Rows to train on: a derived set of a release, wherever the release lies, and what fits into the model's context.

`open_set` needs the release alone, so that what is missing is said before a model is loaded; `fit_rows` needs its
tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.errors import ReleaseError, UsageError
from venus_toolkit.hub import locate
from venus_toolkit.release import Release
from venus_toolkit.training.recipe import COLD_START, DPO, DROP, GRPO, SFT, Recipe

if TYPE_CHECKING:
    from datasets import Dataset

COLUMNS: Mapping[str, tuple[str, ...] | None] = {
    SFT: ("prompt", "completion"),
    COLD_START: ("prompt", "completion"),
    DPO: ("prompt", "chosen", "rejected"),
    GRPO: None,  # all of them: the reward takes what it needs
}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """A derived set that is there, not read yet.

    Attributes:
        release: That it is part of.
        name: Of the data set: as on the Hub, or of the folder.
        revision: Its version; of what was not published, a name of its content.
        method: What it is for.
        languages: In their order.
        splits: Config to the objectives that are taken of it.
    """

    release: Release
    name: str
    revision: str
    method: str
    languages: tuple[str, ...]
    splits: Mapping[str, tuple[str, ...]]

    @property
    def files(self) -> list[Path]:
        """Its Parquet files, in the order of the rows."""
        return [f for config, names in self.splits.items() for name in names for f in self.release.files(config, name)]

    @property
    def digest(self) -> str:
        """What it is known by: a SHA-256 of the files' checksums, as the manifest has them, in their order."""
        known = self.release.manifest.get("files", {})
        names = [file.relative_to(self.release.folder).as_posix() for file in self.files]
        return sha256("\n".join(f"{name} {known.get(name, '')}" for name in names).encode()).hexdigest()

    def read(self, cache: Path) -> Dataset:
        """Return its rows, mapped from a cache on disk.

        Raises:
            ReleaseError: A file cannot be read.
        """
        import pyarrow as pa
        from datasets import Dataset
        from datasets.exceptions import DatasetGenerationError

        columns, files = COLUMNS[self.method], [str(file) for file in self.files]
        try:
            chosen = list(columns) if columns else None
            rows = Dataset.from_parquet(files, cache_dir=str(cache), columns=chosen)
        except (OSError, pa.ArrowException, DatasetGenerationError) as error:
            what = f"a file of {', '.join(self.splits)} in {self.release.folder} cannot be read"
            why = str(error.__cause__ or error).split("\n")[0]
            raise ReleaseError(what, why, "get the release again, or see venus inspect") from error
        assert isinstance(rows, Dataset)
        return rows


def open_set(data: str | Path, method: str, languages: Sequence[str], objectives: Sequence[str] = ()) -> TrainingSet:
    """Return the derived sets of some languages for a method.

    Args:
        data: A release folder, or ``owner/name@version``.
        method: sft, dpo, cold-start or grpo.
        languages: Their ids; none: every language of which there is such a set.
        objectives: Of time, memory and integral; none: all that the sets have.

    Raises:
        UsageError: There is no such release, set or objective, or it has no rows; says what to type.
        HubError: The Hub cannot be reached.
    """
    release = locate(data)
    chosen = tuple(dict.fromkeys(languages)) or _languages(release, method)
    splits = {_config(release, language, method): tuple(objectives) for language in chosen}
    splits = {config: _objectives(release, config, wanted) for config, wanted in splits.items()}
    found = TrainingSet(release, *_name(data, release), method, chosen, splits)
    if not sum(release.rows(config, name) for config, names in splits.items() for name in names):
        raise _empty(found)
    return found if found.revision else replace(found, revision=f"unpublished-{found.digest[:12]}")


def _name(data: str | Path, release: Release) -> tuple[str, str]:
    name = str(data).partition("@")[0] if not Path(data).exists() else release.folder.resolve().name
    version = release.manifest.get("version")
    return name, f"v{version}" if version else ""


def _languages(release: Release, method: str) -> tuple[str, ...]:
    made = release.manifest.get("derived", {})
    found = tuple(str(facts["language"]) for _, facts in sorted(made.items()) if facts.get("kind") == method)
    if not found:
        raise _missing(release, release.languages[0] if release.languages else "ID", method)
    return found


def _config(release: Release, language: str, method: str) -> str:
    config = f"{language}-{method}"
    if config not in release.derived:
        raise _missing(release, language, method)
    return config


def _missing(release: Release, language: str, method: str) -> UsageError:
    known = ", ".join(release.derived) or "none"
    more = " --model NAME --base-url URL" if method == COLD_START else ""
    return UsageError(
        f"{release.folder} has no {method} set for {language}",
        f"its derived sets are: {known}",
        f"make it: venus derive {method} {release.folder} --lang {language}{more}",
    )


def _objectives(release: Release, config: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    there = release.splits(config)
    lacking = [name for name in wanted if name not in there]
    if lacking:
        what = f"the set {config} has no objective {', '.join(lacking)}"
        raise UsageError(what, f"it has {', '.join(there)}", "choose one of these, or leave --objective out")
    return wanted or there


def _empty(found: TrainingSet) -> UsageError:
    config = next(iter(found.splits))
    dropped = found.release.manifest["derived"][config].get("dropped", {})
    counts = [f"{count} {reason}" for reasons in dropped.values() for reason, count in reasons.items()]
    why = f"set aside were: {', '.join(counts)}" if counts else "no row is in its files"
    fix = f"see docs/derive.md; make it again: venus derive {found.method} {found.release.folder}"
    return UsageError(f"the set {config} has nothing to train on", why, f"{fix} --lang {found.languages[0]}")


# ------------------------------------------------------------------ what fits


class Fitting(NamedTuple):
    """Rows that fit into the context, how many do not, and the longest of all in tokens."""

    rows: Dataset
    overlong: int
    longest: int


def fit_rows(rows: Dataset, tokenizer: Any, recipe: Recipe, progress: Progress = lambda *_: None) -> Fitting:
    """Return the rows whose prompt and answer fit into the recipe's ``max_length``; of GRPO, the prompt and an answer.

    Raises:
        UsageError: Rows are too long and the recipe refuses that, or too few are left.
    """
    room = recipe.max_length - (recipe.grpo.max_completion if recipe.method == GRPO else 0)
    lengths = []
    for row in rows:
        lengths.append(tokens_of(row, recipe.method, tokenizer))
        if len(lengths) % 256 == 0 or len(lengths) == len(rows):
            progress("tokens", len(lengths), len(rows))
    kept = [number for number, length in enumerate(lengths) if length <= room]
    overlong = len(lengths) - len(kept)
    if overlong and (recipe.overlong != DROP or not kept):
        why = f"the longest has {max(lengths)} tokens, there is room for {room}"
        fix = "raise max_length in the recipe" + ("" if not kept else ', or say overlong = "drop"')
        raise UsageError(f"{overlong} of {len(lengths)} rows do not fit into the context", why, fix)
    _require_a_step(len(kept), recipe)
    return Fitting(rows.select(kept) if overlong else rows, overlong, max(lengths))


def _require_a_step(prompts: int, recipe: Recipe) -> None:
    """Refuse fewer prompts than a step of GRPO takes: TRL would leave them out and train nothing."""
    needed = recipe.batch // recipe.grpo.generations
    if recipe.method == GRPO and prompts < needed:
        why = f"a step takes {needed}: batch {recipe.batch}, {recipe.grpo.generations} generations"
        raise UsageError(f"{prompts} prompts are too few for one step", why, "lower batch in the recipe")


def tokens_of(row: Mapping[str, Any], method: str, tokenizer: Any) -> int:
    """Return how many tokens a row takes; of a preference, its longer side.

    Raises:
        UsageError: The chat template refuses the conversation.
    """
    prompt = list(row["prompt"])
    if method == GRPO:
        return _count(prompt, tokenizer, asks=True)
    answers = ("chosen", "rejected") if method == DPO else ("completion",)
    return max(_count(prompt + list(row[name]), tokenizer, asks=False) for name in answers)


def _count(messages: list[Any], tokenizer: Any, asks: bool) -> int:
    from jinja2 import TemplateError

    try:
        return len(
            tokenizer.apply_chat_template(messages, add_generation_prompt=asks, tokenize=True, return_dict=False)
        )
    except TemplateError as error:
        what = "the model's chat template refuses a conversation"
        fix = 'give another one in the recipe: chat_template = "FILE.jinja"'
        raise UsageError(what, f"of {', '.join(m['role'] for m in messages)}: {error}", fix) from error
