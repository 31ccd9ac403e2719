"""The card of a release: rendered, brought up to date, checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.card.check import Finding, compare_cards, compare_headers
from venus_toolkit.card.citation import bibtex
from venus_toolkit.card.columns import explain_columns
from venus_toolkit.card.facts import SAMPLED, Facts, collect_facts
from venus_toolkit.card.header import OWN_NAME, dataset_header, join_headers
from venus_toolkit.card.markup import Card, dump_header, join_cards, load_header, parse_card
from venus_toolkit.card.pictures import Picture, draw_pictures, why_not_current, write_pictures
from venus_toolkit.card.words import UNKNOWN, look_up, render_template
from venus_toolkit.errors import UsageError
from venus_toolkit.funnel import ORDER
from venus_toolkit.release.folder import DEFAULT, TESTS, open_release

README = "README.md"
TEMPLATE = "dataset.md.j2"


class Rendered(NamedTuple):
    """A card that is up to date, what was generated for it alone, and its pictures."""

    card: Card
    generated: Card
    header: Mapping[str, Any]
    pictures: tuple[Picture, ...]


def render_dataset_card(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Return the README of a release folder, and draw its pictures into ``assets/``.

    Every number comes from the Parquet files, dropped.jsonl or the manifest. What people wrote into a README.md that is
    there already is kept.

    Args:
        folder: The release; its manifest need not be written yet.
        manifest: What the manifest says or will say.

    Raises:
        StoreError: A file cannot be read, or a picture cannot be written.
        UsageError: The README.md that is there cannot be taken apart.
    """
    rendered = _render(folder, manifest)
    write_pictures(folder, rendered.pictures)
    return rendered.card.text


def list_assets(folder: Path) -> list[str]:
    """Return the pictures of the card that lie in a release, relative to it."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.glob("assets/*.png"))


def write_dataset_card(folder: Path) -> bool:
    """Bring the card of a finished release up to date, its checksums in the manifest included.

    Returns:
        Whether anything was written.

    Raises:
        UsageError: The folder is no release, or its README.md cannot be taken apart.
        StoreError: A file cannot be read or written.
    """
    release = open_release(folder)
    rendered = _render(folder, release.manifest)
    readme = folder / README
    stale = [each for each in rendered.pictures if why_not_current(folder / each.name, each)]
    if not stale and _read(readme) == rendered.card.text:
        return False
    write_pictures(folder, stale)
    draft = readme.with_name(f".{README}.draft")
    draft.write_text(rendered.card.text, encoding="utf-8")
    draft.replace(readme)
    release.update({}, [README, *(each.name for each in rendered.pictures)])
    return True


def check_dataset_card(folder: Path) -> list[Finding]:
    """Return everything on the card of a release that the data do not say.

    Raises:
        UsageError: The folder is no release, or its README.md cannot be taken apart.
        StoreError: A file cannot be read.
    """
    manifest = open_release(folder).manifest
    text = _read(folder / README)
    if text is None:
        return [Finding(1, UNKNOWN, "a card", f"there is no {README}: type venus card {folder}")]
    rendered = _render(folder, manifest)
    card = parse_card(text, README)
    found = [*compare_headers(card.header, rendered.header), *compare_cards(card, rendered.generated)]
    return sorted(found) + [
        Finding(_line_of(card, picture.name), picture.name, "another picture", why)
        for picture in rendered.pictures
        if (why := why_not_current(folder / picture.name, picture))
    ]


def _line_of(card: Card, word: str) -> int:
    """Return the first line of a card that has a word in it."""
    lines = (line for piece in card.pieces for line in enumerate(piece.lines, piece.start))
    return next((number for number, line in lines if word in line), 1)


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read", str(error), "make it a text in UTF-8, or move it away") from error


def _render(folder: Path, manifest: Mapping[str, Any]) -> Rendered:
    before = _read(folder / README)
    old = parse_card(before, README) if before is not None else None
    theirs = load_header(old.header, README) if old else {}
    facts = collect_facts(folder, manifest)
    header = join_headers(dataset_header(facts), theirs, folder)
    body = render_template(TEMPLATE, _values(folder, manifest, facts, header))
    new = parse_card(body, TEMPLATE)
    card = join_cards(old, new, README) if old and old.has_text else new
    return Rendered(card._replace(header=dump_header(header)), new, header, tuple(draw_pictures(facts)))


def _values(folder: Path, manifest: Mapping[str, Any], facts: Facts, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template of a dataset card is filled with."""
    languages = {language.name for language in facts.languages}
    stages = {step.stage for steps in facts.funnel.solutions.values() for step in steps} - {"found", "kept"}
    known = [stage for stage in ORDER if stage in stages]
    return {
        "facts": facts,
        "name": header[OWN_NAME],
        "repository": manifest.get("repository", "Venus"),
        "columns": explain_columns(facts),
        "sampled": SAMPLED,
        "dash": UNKNOWN,
        "at": lambda path: look_up(manifest, path),
        "contaminated": sum((look_up(manifest, "dropped.contamination") or {}).values()),
        "stages": ["found", *known, *sorted(stages - set(known)), "kept"],
        "derived": {k: v for k, v in facts.tables.items() if k not in {DEFAULT, TESTS, *languages}},
        "changes": [_change(change) for change in manifest.get("changes", ())],
        "bibtex": bibtex(folder),
    }


def _change(change: Mapping[str, Any]) -> dict[str, Any]:
    text = change.get("text", ())
    lines = text.splitlines() if isinstance(text, str) else text
    return {"version": change["version"], "date": change.get("date", ""), "lines": list(lines)}
