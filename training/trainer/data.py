"""Rows to train on: a derived set of a release, and its rows that fit into the model's context.

`open_set` needs only the release, so that missing data is reported before a model is loaded;
`fit_rows` needs the model's tokenizer.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.core.language import find_language, load_languages
from venus_toolkit.dataset.hub.pulling import locate
from venus_toolkit.dataset.release import Release
from venus_toolkit.models.prompts import template_folder
from venus_toolkit.training.recipe import BATCH, COLD_START, DPO, FORMS, GRPO, SFT, Recipe
from venus_toolkit.training.trainer.fit import Progress

if TYPE_CHECKING:
    from datasets import Dataset

COLUMNS: Mapping[str, tuple[str, ...] | None] = {
    SFT: ("prompt", "completion"),
    COLD_START: ("prompt", "completion"),
    DPO: ("prompt", "chosen", "rejected"),
    GRPO: None,  # every column: the reward picks its own
}


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Derived sets of a release, before their rows are read."""

    release: Release
    name: str  # of the dataset on the Hub, or of its folder
    method: str
    languages: tuple[str, ...]
    splits: Mapping[str, tuple[str, ...]]  # config to its selected objectives

    @property
    def files(self) -> list[Path]:
        """Its Parquet files, in the order of the rows."""
        return [
            f
            for config, names in self.splits.items()
            for name in names
            for f in self.release.files(config, name)
        ]

    @property
    def digest(self) -> str:
        """A SHA-256 over the files' checksums in the manifest, in the order of the files."""
        known = self.release.manifest.get("files", {})
        names = [file.relative_to(self.release.folder).as_posix() for file in self.files]
        return sha256(
            "\n".join(f"{name} {known.get(name, '')}" for name in names).encode()
        ).hexdigest()

    @property
    def revision(self) -> str:
        """The version of the release; a name from its digest if it is unpublished."""
        version = self.release.manifest.get("version")
        return f"v{version}" if version else f"unpublished-{self.digest[:12]}"

    @property
    def templates(self) -> Path | None:
        """The folder of the templates of its prompts; None for the toolkit's own."""
        derived = self.release.manifest.get("derived", {})
        # Only these sets are searched, because those of another method may have other templates.
        options = (derived[name].get("options") for name in self.splits if name in derived)
        prompts = next((entry.get("prompts") for entry in options if isinstance(entry, dict)), None)
        return template_folder(str(prompts or ""))

    def prompting(self) -> dict[str, Any]:
        """Return how to prompt a model that learns from it: form, objectives, system, templates.

        The system prompt is that of the first row.

        Raises:
            ReleaseError: A file cannot be read.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        objectives = list(dict.fromkeys(name for names in self.splits.values() for name in names))
        try:
            first = (
                pq.ParquetFile(self.files[0])
                .read_row_group(0, columns=["prompt"])
                .slice(0, 1)
                .to_pylist()
            )
        except (OSError, pa.ArrowException) as error:
            problem = f"a file of {', '.join(self.splits)} in {self.release.folder} cannot be read"
            raise ReleaseError(
                problem,
                str(error).split("\n")[0],
                "download the release again, or see venus inspect",
            ) from error
        system = [
            message["content"]
            for row in first
            for message in row["prompt"]
            if message["role"] == "system"
        ]
        return {
            "form": FORMS[self.method],
            "objectives": objectives,
            "system": system[0] if system else "",
            "templates": self.templates.name if self.templates else "",
        }

    def read(self, cache: Path) -> Dataset:
        """Return its rows with the columns of the method and ``title``, memory-mapped from a cache.

        Raises:
            ReleaseError: A file cannot be read.
        """
        import pyarrow as pa
        from datasets import Dataset
        from datasets.exceptions import DatasetGenerationError

        columns, files = COLUMNS[self.method], [str(file) for file in self.files]
        try:
            chosen = [*columns, "title"] if columns else None
            rows = Dataset.from_parquet(files, cache_dir=str(cache), columns=chosen)
        except (OSError, pa.ArrowException, DatasetGenerationError) as error:
            problem = f"a file of {', '.join(self.splits)} in {self.release.folder} cannot be read"
            reason = str(error.__cause__ or error).split("\n")[0]
            raise ReleaseError(
                problem, reason, "download the release again, or see venus inspect"
            ) from error
        assert isinstance(rows, Dataset)
        return rows


def open_set(
    data: str | Path, method: str, languages: Sequence[str], objectives: Sequence[str] = ()
) -> TrainingSet:
    """Return the derived sets of some languages for a method.

    Args:
        data: A release folder, or ``owner/name@version``.
        method: sft, dpo, cold-start or grpo.
        languages: Names or aliases of languages; empty for every language with such a set.
        objectives: Any of time, memory and integral; empty for all.

    Raises:
        UsageError: The release, language, set or objective does not exist, or the set is empty.
        HubError: The Hub cannot be reached.
    """
    release = locate(data)
    derived = release.manifest.get("derived", {})
    # A release may have languages that the toolkit does not know.
    known = load_languages()
    chosen = tuple(
        dict.fromkeys(
            name if name in release.languages else find_language(name, known).id
            for name in languages
        )
    )
    if not chosen:
        chosen = tuple(
            str(facts["language"])
            for _, facts in sorted(derived.items())
            if facts.get("kind") == method
        )
    splits: dict[str, tuple[str, ...]] = {}
    # If no language has such a set, the error names the release's first language, or ID.
    for language in chosen or release.languages[:1] or ("ID",):
        config = f"{language}-{method}"
        if config not in release.derived:
            more = " --model NAME --base-url URL" if method == COLD_START else ""
            raise UsageError(
                f"{release.folder} has no {method} set for {language}",
                f"its derived sets are: {', '.join(release.derived) or 'none'}",
                f"make it: venus derive {method} {release.folder} --lang {language}{more}",
            )
        there = release.splits(config)
        unknown = [name for name in objectives if name not in there]
        if unknown:
            problem = f"the set {config} has no objective {', '.join(unknown)}"
            raise UsageError(
                problem,
                f"it has {', '.join(there)}",
                "choose one of these, or leave --objective out",
            )
        splits[config] = tuple(objectives) or there
    if not sum(release.rows(config, name) for config, names in splits.items() for name in names):
        config = next(iter(splits))
        dropped = derived[config].get("dropped", {})
        counts = [
            f"{count} {reason}" for reasons in dropped.values() for reason, count in reasons.items()
        ]
        explanation = f"rejected: {', '.join(counts)}" if counts else "its files have no rows"
        fix = (
            f"see docs/derive.md; make it again: venus derive {method} {release.folder} --lang "
            f"{chosen[0]}"
        )
        raise UsageError(f"the set {config} has no rows to train on", explanation, fix)
    name = release.folder.resolve().name if Path(data).exists() else str(data).partition("@")[0]
    return TrainingSet(release=release, name=name, method=method, languages=chosen, splits=splits)


class Fitting(NamedTuple):
    """Rows that fit into the context, and held-out rows to evaluate on.

    `overlong` is the number of rows that do not fit, `longest` the length of the longest row in
    tokens.
    """

    rows: Dataset
    overlong: int
    longest: int
    held_out: Dataset | None = None


def fit_rows(
    rows: Dataset, tokenizer: Any, recipe: Recipe, progress: Progress = lambda *_: None
) -> Fitting:
    """Return the rows whose prompt and answer fit into the recipe's ``max_length``.

    GRPO reserves ``max_completion_length`` tokens for an answer. If the recipe evaluates, some
    problems are held out with all their rows.

    Raises:
        UsageError: Rows are too long and the recipe refuses them, or too few rows remain.
    """
    answer = recipe.trl["max_completion_length"] if recipe.method == GRPO else 0
    room = recipe.max_length - answer
    lengths: list[int] = []
    for number, row in enumerate(rows, 1):
        lengths.append(tokens_of(row, recipe.method, tokenizer))
        if number % 256 == 0 or number == len(rows):
            progress("tokens", number, len(rows))
    fitting_rows = [number for number, length in enumerate(lengths) if length <= room]
    overlong = len(lengths) - len(fitting_rows)
    if overlong and (recipe.overlong != "drop" or not fitting_rows):
        reason = f"the longest has {max(lengths)} tokens, there is room for {room}"
        fix = "raise max_length in the recipe" + (
            "" if not fitting_rows else ', or set overlong = "drop"'
        )
        raise UsageError(
            f"{overlong} of {len(lengths)} rows do not fit into the context", reason, fix
        )
    fitting = rows.select(fitting_rows) if overlong else rows
    titles = held_out_titles(fitting["title"], recipe) if recipe.evaluates else set()
    learnt = (
        [number for number, title in enumerate(fitting["title"]) if title not in titles]
        if titles
        else fitting_rows
    )
    if recipe.method == GRPO:
        group = recipe.trl["num_generations"]
        needed = recipe.step_rows // group
        if len(learnt) < needed:  # TRL would drop them and train nothing
            reason = (
                f"a step takes {needed}: {recipe.step_rows} answers ({BATCH}), {group} to each "
                "prompt"
            )
            fix = "lower gradient_accumulation_steps in the recipe"
            raise UsageError(f"{len(learnt)} prompts are too few for one step", reason, fix)
    if not learnt:
        fix = "lower eval_rows in the recipe, or leave eval_steps out"
        raise UsageError(
            "no rows are left to train on", f"the rows are of {len(titles)} problems", fix
        )
    held = (
        fitting.select([n for n, title in enumerate(fitting["title"]) if title in titles])
        if titles
        else None
    )
    fitting = fitting.select(learnt) if titles else fitting
    if recipe.method != GRPO:  # the reward of GRPO looks up the problem by its title
        fitting, held = fitting.remove_columns("title"), held and held.remove_columns("title")
    return Fitting(fitting, overlong, max(lengths), held)


def held_out_titles(titles: Sequence[str], recipe: Recipe) -> set[str]:
    """Draw problems until they have at least ``eval_rows`` rows in total."""
    counts, held = Counter(titles), set[str]()
    drawn = sorted(counts)
    random.Random(f"{recipe.trl['seed']} eval").shuffle(drawn)
    for title in drawn:
        if sum(counts[title] for title in held) >= recipe.eval_rows:
            break
        held.add(title)
    return held


def tokens_of(row: Mapping[str, Any], method: str, tokenizer: Any) -> int:
    """Return the length of a row in tokens; for a preference, that of its longer side.

    Raises:
        UsageError: The chat template refuses the conversation.
    """
    from jinja2 import TemplateError

    answers = {GRPO: (), DPO: ("chosen", "rejected")}.get(method, ("completion",))
    prompt, counts = list(row["prompt"]), []
    for messages in [prompt + list(row[name]) for name in answers] or [prompt]:
        try:
            # GRPO has only the prompt, with the header of an answer that the model continues.
            tokens = tokenizer.apply_chat_template(
                messages, add_generation_prompt=not answers, tokenize=True, return_dict=False
            )
        except TemplateError as error:
            problem = "the model's chat template refuses a conversation"
            fix = 'give another one in the recipe: chat_template = "FILE.jinja"'
            raise UsageError(
                problem, f"of {', '.join(m['role'] for m in messages)}: {error}", fix
            ) from error
        counts.append(len(tokens))
    return max(counts)
