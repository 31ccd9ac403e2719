"""How to cite a dataset: BibTeX from a CITATION.cff, the release's own or the toolkit's."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from venus_toolkit.errors import UsageError

CITATION = "CITATION.cff"
KINDS = {"article": "article", "conference-paper": "inproceedings", "book": "book"}


def bibtex(folder: Path) -> str:
    """Return the entries of a release: of its own CITATION.cff, or of the toolkit's where it has none.

    Raises:
        UsageError: The file is not one.
    """
    own = folder / CITATION
    text = own.read_text(encoding="utf-8") if own.is_file() else _toolkit_citation()
    return "\n\n".join(_entry(work) for work in _works(text, own))


def _toolkit_citation() -> str:
    return (resources.files("venus_toolkit.cards") / CITATION).read_text(encoding="utf-8")


def _works(text: str, file: Path) -> list[Mapping[str, Any]]:
    """Return what is to be cited: the references first, then the thing itself."""
    import yaml

    why = "a CITATION.cff is a mapping with title and authors"
    try:
        citation = yaml.safe_load(text)
    except yaml.YAMLError as error:
        citation, why = None, str(error).replace("\n", " ")
    if not isinstance(citation, dict):
        raise UsageError(f"{file} cannot be read", why, "repair it, or delete it to cite the toolkit alone")
    return [*citation.get("references", []), citation]


def _entry(work: Mapping[str, Any]) -> str:
    kind = KINDS.get(str(work.get("type", "")), "misc")
    fields = {
        "title": f"{{{work.get('title', '')}}}",
        "author": " and ".join(_author(author) for author in work.get("authors", ())),
        "year": str(work.get("year") or str(work.get("date-released") or "")[:4]),
        "journal": str(work.get("journal", "")),
        "note": ", ".join(str(item["value"]) for item in work.get("identifiers", ()) if "value" in item),
        "version": str(work.get("version", "")),
        "url": str(work.get("url") or work.get("repository-code") or ""),
    }
    if kind == "article" and not fields["journal"]:
        fields["journal"], fields["note"] = fields["note"], ""
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{_key(work)},", *lines, "}"])


def _author(author: Mapping[str, Any]) -> str:
    if "family-names" in author:
        return ", ".join(str(author[part]) for part in ("family-names", "given-names") if part in author)
    return f"{{{author.get('name', '')}}}"


def _key(work: Mapping[str, Any]) -> str:
    first: Mapping[str, Any] = next(iter(work.get("authors", ())), {})
    family = str(first.get("family-names", "")).lower()
    word = "".join(c for c in str(work.get("title", "")).split(" ")[0].lower() if c.isalnum())
    return "".join(c for c in f"{family}{work.get('year', '')}{word}" if c.isalnum()) or "dataset"
