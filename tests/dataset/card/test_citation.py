"""BibTeX from CITATION.cff."""

from __future__ import annotations

from pathlib import Path

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.dataset_card import bibtex


def test_the_toolkits_own_names_the_paper_first(tmp_path: Path) -> None:
    text = bibtex(tmp_path)
    assert text.startswith("@article{du2025afterburner,")
    assert "author = {Du, Mingzhe and Luu, Anh Tuan and" in text
    assert "journal = {arXiv:2505.23387}" in text
    assert text.count("@") == 2
    assert text.count("{") == text.count("}")


def test_a_release_may_bring_its_own(tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text(
        "title: Mars data\nauthors: [{name: Somebody}]\nversion: 2.0.0\n"
    )
    assert bibtex(tmp_path) == (
        "@misc{mars,\n  title = {{Mars data}},\n  author = {{Somebody}},\n  version = {2.0.0},\n}"
    )


@pytest.mark.parametrize("text", ["- a list", "a: [", ""])
def test_invalid_citation_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "CITATION.cff").write_text(text)
    with pytest.raises(UsageError, match=r"CITATION\.cff cannot be read"):
        bibtex(tmp_path)
