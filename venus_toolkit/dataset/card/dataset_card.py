"""The card of a release: renders, updates and checks it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import yaml

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.store import checksum, explained, write_whole
from venus_toolkit.dataset.card.card_check import CardFinding, compare_cards, compare_headers
from venus_toolkit.dataset.card.croissant import render_croissant
from venus_toolkit.dataset.card.distribution_charts import Picture, list_pictures, why_not_current
from venus_toolkit.dataset.card.header import dataset_header, join_headers
from venus_toolkit.dataset.card.markup import Card, dump_header, join_cards, load_header, parse_card
from venus_toolkit.dataset.card.release_facts import SAMPLED, Facts, collect_facts
from venus_toolkit.dataset.card.templates import UNKNOWN, look_up, read_card_file, render_template
from venus_toolkit.dataset.funnel import BELOW, DISAGREE, DISPUTED, ORDER, REFUSED
from venus_toolkit.dataset.release import (
    ASSETS,
    CARD,
    CROISSANT,
    DEFAULT,
    PROBLEMS_CONFIG,
    REJECTED_CONFIG,
    RUNS_CONFIG,
    SHARED,
    SOLUTIONS_CONFIG,
    TESTS_CONFIG,
    open_release,
)


class RenderedCard(NamedTuple):
    """An updated card, its generated part and header, its pictures, and its Croissant."""

    card: Card
    generated: Card
    header: Mapping[str, Any]
    pictures: tuple[Picture, ...]
    croissant: str


def render_dataset_card(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Return the README of a release folder; draw its pictures and write croissant.json.

    Every number comes from the Parquet files, dropped.jsonl or the manifest, which need not be on
    disk yet. Text that people added to an existing README.md is kept.

    Raises:
        StoreError: A file cannot be read, or cannot be written.
        UsageError: The existing README.md cannot be parsed.
    """
    rendered = _render(folder, manifest)
    _write(folder, {**_stale(folder, rendered.pictures), CROISSANT: rendered.croissant.encode()})
    return rendered.card.text


def list_assets(folder: Path) -> list[str]:
    """Return the paths of the card's pictures, relative to the release."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.glob(f"{ASSETS}/*.png"))


def write_dataset_card(folder: Path) -> bool:
    """Update the card of a finished release, and its checksums in the manifest.

    Returns:
        Whether anything was written.

    Raises:
        UsageError: The folder is not a release, or its README.md cannot be parsed.
        StoreError: A file cannot be read or written.
    """
    release = open_release(folder)
    rendered = _render(folder, release.manifest)
    stale = _stale(folder, rendered.pictures)
    texts = {CROISSANT: rendered.croissant, CARD: rendered.card.text}
    # After a killed process, the manifest may lack files. It does not contain the card, which
    # people edit.
    checksums = release.manifest.get("files", {})
    current = not stale and all(_read(folder / name) == text for name, text in texts.items())
    if current and all(
        checksums.get(name) == checksum(folder / name) for name in (CROISSANT, *list_assets(folder))
    ):
        return False
    _write(folder, stale | {name: text.encode() for name, text in texts.items()})
    release.update({}, [*texts, *(picture.name for picture in rendered.pictures)])
    return True


def check_dataset_card(folder: Path) -> list[CardFinding]:
    """Return every statement of a card that contradicts the data.

    Raises:
        UsageError: The folder is not a release, or its README.md cannot be parsed.
        StoreError: A file cannot be read.
    """
    manifest = open_release(folder).manifest
    text = _read(folder / CARD)
    if text is None:
        return [CardFinding(1, UNKNOWN, "a card", f"there is no {CARD}: type venus card {folder}")]
    rendered = _render(folder, manifest)
    card = parse_card(text, CARD)
    lines = [
        (number, line)
        for piece in card.pieces
        for number, line in enumerate(piece.lines, piece.start)
    ]
    findings = sorted(
        [*compare_headers(card.header, rendered.header), *compare_cards(card, rendered.generated)]
    )
    for picture in rendered.pictures:
        reason = why_not_current(folder / picture.name, picture)
        if reason:
            first = next((number for number, line in lines if picture.name in line), 1)
            findings.append(CardFinding(first, picture.name, "another picture", reason))
    if _read(folder / CROISSANT) != rendered.croissant:
        findings.append(
            CardFinding(
                1,
                CROISSANT,
                "other metadata",
                f"type venus card {folder}, which also writes {CROISSANT}",
            )
        )
    return findings


def _stale(folder: Path, pictures: Iterable[Picture]) -> dict[str, bytes]:
    """Draw the pictures that are not current.

    Current ones stay, because another version of matplotlib would change their bytes.
    """
    drawn = {}
    for picture in pictures:
        if why_not_current(folder / picture.name, picture):
            with doing(f"drawing {picture.name}"):
                drawn[picture.name] = picture.draw()
    return drawn


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file} cannot be read", str(error), "make it a text in UTF-8, or move it away"
        ) from error


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a card, each whole or not at all."""
    with explained(f"cannot write the card of {folder}"):
        for name, content in contents.items():
            write_whole(folder / name, content)


def _render(folder: Path, manifest: Mapping[str, Any]) -> RenderedCard:
    existing = _read(folder / CARD)
    old = parse_card(existing, CARD) if existing is not None else None
    old_header = load_header(old.header, CARD) if old else {}
    facts = collect_facts(folder, manifest)
    settings = look_up(manifest, "plan.card") or {}
    title = settings.get("title") or _name(manifest).rsplit("/", 1)[-1]
    new_header = dataset_header(facts, title, settings.get("license", ""))
    header = join_headers(new_header, old_header, folder)
    if settings.get("title"):  # takes precedence over the title of the existing card
        header["pretty_name"] = title
    template = "dataset.md.j2"
    new = parse_card(render_template(template, _values(folder, manifest, facts, header)), template)
    card = join_cards(old, new, CARD) if old and old.has_text else new
    croissant = render_croissant(
        folder,
        facts.tables,
        manifest.get("files", {}),
        _about(folder, manifest, facts, header),
        _meanings(facts),
    )
    return RenderedCard(
        card._replace(header=dump_header(header)),
        new,
        header,
        tuple(list_pictures(facts)),
        croissant,
    )


def _about(
    folder: Path, manifest: Mapping[str, Any], facts: Facts, header: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the properties of a release by their schema.org names."""
    repository = str(manifest.get("repository") or "")
    latest: Mapping[str, Any] = next(iter(manifest.get("changes", ())), {})
    totals, languages = facts.totals, ", ".join(language.name for language in facts.languages)
    text = (
        f"{totals.problems} programming problems with {totals.tests} tests, and "
        f"{totals.solutions} solutions in "
    )
    text += (
        f"{languages}, of which {totals.passing} pass all tests: time, peak memory and memory "
        "over time of each."
    )
    return {
        "name": _name(manifest).rsplit("/", 1)[-1],
        "description": text,
        "license": list(header.get("licenses") or [header["license"]]),
        "keywords": list(header["tags"]),
        "url": f"https://huggingface.co/datasets/{repository}" if repository else "",
        "version": str(manifest.get("version") or "").removeprefix("v"),
        "datePublished": str(latest.get("date", "")) if repository else "",
        "citeAs": bibtex(folder),
    }


def _meanings(facts: Facts) -> dict[str, dict[str, str]]:
    """Return config to field to its description with unit; the default is an empty text."""
    known = tomllib.loads(read_card_file("columns.toml"))
    nested = {f"solutions/{name}": meaning for name, meaning in known["solution"].items()}

    def describe(section: Mapping[str, Any], name: str) -> str:
        meaning = _meaning(section, name)
        return meaning["text"] + (
            f", in {meaning['unit']}" if meaning["unit"] not in ("", "1") else ""
        )

    meanings = {}
    for config, splits in facts.tables.items():
        section = known[_section(config, facts)]
        section = {**section, **(known["solution"] if config == SOLUTIONS_CONFIG else nested)}
        names = next(iter(splits.values())).schema.names
        meanings[config] = {
            name: describe(section, name)
            for name in [*names, *(nested if "solutions" in names else ())]
        }
    return meanings


def _section(config: str, facts: Facts) -> str:
    """Return the section of cards/columns.toml with the columns of a config."""
    own = {name: name for name in (TESTS_CONFIG, RUNS_CONFIG, REJECTED_CONFIG)}
    of_problems = (
        DEFAULT,
        SOLUTIONS_CONFIG,
        PROBLEMS_CONFIG,
        *(language.name for language in facts.languages),
    )
    return {**own, **dict.fromkeys(of_problems, "problem")}.get(config, "derived")


def _name(manifest: Mapping[str, Any]) -> str:
    """Return the name for `load_dataset`: [OWNER/]NAME.

    Unpublished releases of earlier versions have no name.
    """
    return str(manifest.get("repository") or manifest.get("name") or "Venus")


def _values(
    folder: Path, manifest: Mapping[str, Any], facts: Facts, header: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of the template of a dataset card."""
    languages = {language.name for language in facts.languages}
    stages = {step.stage for steps in facts.funnel.solutions.values() for step in steps} - {
        "found",
        "kept",
    }
    known = [stage for stage in ORDER if stage in stages]
    changes = [
        {"date": "", **change, "lines": text.splitlines() if isinstance(text, str) else list(text)}
        for change in manifest.get("changes", ())
        for text in [change.get("text", ())]
    ]
    return {
        "facts": facts,
        "name": header["pretty_name"],
        "repository": _name(manifest),
        "columns": explain_columns(facts),
        "sampled": SAMPLED,
        "dash": UNKNOWN,
        "at": lambda path: look_up(manifest, path),
        "costs_of_doubt": _costs_of_doubt(look_up(manifest, "dropped") or {}),
        "contaminated": sum((look_up(manifest, "dropped.contamination") or {}).values()),
        "stages": ["found", *known, *sorted(stages - set(known)), "kept"],
        "derived": {
            k: v for k, v in facts.tables.items() if k not in {DEFAULT, *SHARED, *languages}
        },
        "quoting": [
            name
            for name, derived in (look_up(manifest, "derived") or {}).items()
            if derived.get("options", {}).get("feedback") == "diff"
        ],
        "changes": changes,
        "bibtex": bibtex(folder),
    }


def _costs_of_doubt(dropped: Mapping[str, Mapping[str, int]]) -> list[tuple[str, int, str]]:
    """Return rows of rule, count and kind for everything dropped because of doubt.

    `dropped` has the reasons of each stage with their counts; releases of earlier versions may lack
    stages and reasons.
    """

    def count(stage: str, *reasons: str) -> int:
        return sum(
            number
            for reason, number in dropped.get(stage, {}).items()
            if reason.startswith(reasons)
        )

    return [
        (
            "the statement was not understood in full, and given tests are too few",
            count("generate", BELOW),
            "problems",
        ),
        ("the problem's validator refuses the input", count("generate", REFUSED), "tests"),
        (
            "canonical solutions disagree or fail",
            count("validate", DISAGREE, "a canonical", "suspect"),
            "tests",
        ),
        ("other solutions dispute the expected output", count("validate", DISPUTED), "tests"),
        ("generated inputs alone speak against the solution", count(DISPUTED, ""), "solutions"),
        (
            "many tests speak against a canonical solution: it has no vote",
            count("quarantine", ""),
            "solutions",
        ),
    ]


def explain_columns(facts: Facts) -> dict[str, list[dict[str, str]]]:
    """Return name, kind, unit and text of all columns, by section.

    A list is empty if the release has no such table. Types come from the files; units and texts
    come from cards/columns.toml and may be empty.
    """
    sections = ("problem", "solution", TESTS_CONFIG, RUNS_CONFIG, REJECTED_CONFIG, "derived")
    types: dict[str, dict[str, Any]] = {name: {} for name in sections}
    for config, splits in facts.tables.items():
        if config in (SOLUTIONS_CONFIG, PROBLEMS_CONFIG):  # have the columns of the languages
            continue
        for field in (field for table in splits.values() for field in table.schema):
            types[_section(config, facts)].setdefault(field.name, field.type)
    solutions = types["problem"].get("solutions", pa.null())
    if pa.types.is_list(solutions) and pa.types.is_struct(solutions.value_type):
        types["solution"] = {field.name: field.type for field in solutions.value_type}
    meanings = tomllib.loads(read_card_file("columns.toml"))
    return {
        section: [
            {"name": name, "kind": _type_name(kind), **_meaning(meanings.get(section, {}), name)}
            for name, kind in columns.items()
        ]
        for section, columns in types.items()
    }


def _meaning(known: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return unit and text; ``chosen_time`` in a derived set is the time of the chosen solution."""
    role, _, rest = name.partition("_")
    roles = known.get("roles", {})
    meaning = {"unit": "", "text": "", **known.get(name, {})}
    if name not in known and role in roles and rest in known.get("of_a_role", {}):
        meaning |= known["of_a_role"][rest]
        meaning["text"] += f" of {roles[role]}"
    return meaning


def _type_name(kind: Any) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        return f"struct of {', '.join(names)}" if len(names) < 4 else "struct, see below"
    return {"double": "float64"}.get(str(kind), str(kind))


def bibtex(folder: Path) -> str:
    """Return the BibTeX entries of a release's CITATION.cff, or of the toolkit's by default.

    References of the file come first, then the work itself. Format:
    https://citation-file-format.github.io

    Raises:
        UsageError: The file is not a CITATION.cff.
    """
    own = folder / "CITATION.cff"
    reason = "a CITATION.cff is a mapping with title and authors"
    try:
        citation = yaml.safe_load(
            own.read_text(encoding="utf-8") if own.is_file() else read_card_file(own.name)
        )
    except yaml.YAMLError as error:
        citation, reason = None, str(error).replace("\n", " ")
    if not isinstance(citation, dict):
        raise UsageError(
            f"{own} cannot be read", reason, "repair it, or delete it to cite the toolkit alone"
        )
    return "\n\n".join(_bibtex_entry(work) for work in (*citation.get("references", ()), citation))


def _bibtex_entry(work: Mapping[str, Any]) -> str:
    authors: list[Mapping[str, Any]] = list(work.get("authors", ()))
    # Braces keep BibTeX from splitting the name of an organisation into first and last names.
    names = [
        ", ".join(str(author[part]) for part in ("family-names", "given-names") if part in author)
        if "family-names" in author
        else f"{{{author.get('name', '')}}}"
        for author in authors
    ]
    # Types of CITATION.cff with a BibTeX equivalent; others become @misc.
    kinds = {"article": "article", "conference-paper": "inproceedings", "book": "book"}
    kind = kinds.get(str(work.get("type", "")), "misc")
    fields = {
        # The inner braces keep the capitals of a title.
        "title": f"{{{work.get('title', '')}}}",
        "author": " and ".join(names),
        "year": str(work.get("year") or str(work.get("date-released") or "")[:4]),
        "journal": str(work.get("journal", "")),
        "note": ", ".join(
            str(item["value"]) for item in work.get("identifiers", ()) if "value" in item
        ),
        "version": str(work.get("version", "")),
        "url": str(work.get("url") or work.get("repository-code") or ""),
    }
    # BibTeX requires a journal for an article; a preprint has only an identifier, such as
    # arXiv:2505.23387.
    if kind == "article" and not fields["journal"]:
        fields["journal"], fields["note"] = fields["note"], ""
    family = str(authors[0].get("family-names", "")) if authors else ""
    first_word = str(work.get("title", "")).split(" ")[0]
    key = (
        "".join(c for c in f"{family}{work.get('year', '')}{first_word}".lower() if c.isalnum())
        or "dataset"
    )
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
