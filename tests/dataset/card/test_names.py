"""The name of a dataset on its card: from the plan, otherwise from its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from tests.conftest import Workshop as Shop
from venus_toolkit.dataset.card.dataset_card import check_dataset_card


def card_of(folder: Path) -> tuple[dict[str, object], str]:
    _, header, body = (folder / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header), body


def test_card_title_survives_moving_the_folder(shop: Shop) -> None:
    shop.problem()
    shop.build(quality={"mutants": 0})
    header, body = card_of(shop.out)
    assert header["pretty_name"] == shop.out.name
    assert f"# {shop.out.name}: how efficient is this code?" in body
    assert f'load_dataset("{shop.out.name}")' in body
    assert "Venus" not in body.split("\n\n")[0]
    moved = shop.out.with_name("elsewhere")
    shutil.move(shop.out, moved)
    # Small builds draw no pictures.
    assert [each for each in check_dataset_card(moved) if not each.said.endswith(".png")] == []


def test_plan_sets_title_name_and_licence(shop: Shop) -> None:
    shop.problem()
    said = {"title": "Programs: mine", "name": "me/mine", "license": "MIT"}
    shop.build(quality={"mutants": 0}, card=said)
    header, body = card_of(shop.out)
    assert (header["pretty_name"], header["license"]) == ("Programs: mine", "mit")
    assert 'load_dataset("me/mine", "python"' in body
    shop.build(quality={"mutants": 0}, card={**said, "title": "Another"})
    assert card_of(shop.out)[0]["pretty_name"] == "Another", (
        "a title that is told goes before the one that is there"
    )
