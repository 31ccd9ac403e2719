"""Cards are split into generated and other parts; joining the parts loses no user edits."""

from __future__ import annotations

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.markup import (
    CardSection,
    dump_header,
    join_cards,
    load_header,
    parse_card,
)


def block(name: str, *lines: str) -> str:
    return "\n".join([f"<!-- venus:{name} -->", *lines, f"<!-- /venus:{name} -->"])


def card(*parts: str, header: str = "a: 1") -> str:
    return f"---\n{header}\n---\n" + "\n".join(parts) + "\n"


def joined(old: str, new: str) -> str:
    return join_cards(parse_card(old, "old"), parse_card(new, "new"), "old").text


def test_parsed_pieces_have_line_numbers() -> None:
    parsed = parse_card(card("# Title", block("b", "said"), "mine"), "x")
    assert parsed.header == "a: 1"
    assert [(piece.name, piece.start) for piece in parsed.pieces] == [
        (None, 4),
        ("b", 5),
        (None, 8),
    ]
    assert parsed.blocks["b"] == CardSection(
        "b", 5, ("<!-- venus:b -->", "said", "<!-- /venus:b -->")
    )


@pytest.mark.parametrize(
    "text",
    [
        card("# T", block("b", "x"), "", "end"),
        card(block("a"), block("b")),
        card("only mine"),
        "---\n\n---\nno header\n",
    ],
)
def test_card_roundtrip(text: str) -> None:
    assert parse_card(text, "x").text == text


def test_blocks_are_replaced_and_everything_else_stays() -> None:
    old = card(
        "# My own title",
        "",
        block("a", "1 row"),
        "",
        "A remark.",
        "",
        block("b", "old"),
        "",
        "## Mine",
        "text",
    )
    new = card("# Title", block("a", "2 rows"), block("b", "new"))
    assert joined(old, new) == old.replace("1 row", "2 rows").replace("\nold\n", "\nnew\n")


def test_joining_is_idempotent() -> None:
    old, new = (
        card("# T", "mine", block("b", "x")),
        card(block("a", "1"), block("b", "y"), block("c", "z")),
    )
    once = joined(old, new)
    assert joined(once, new) == once


def test_new_block_goes_after_its_predecessor() -> None:
    text = joined(
        card(block("a"), "mine", block("c")), card(block("a"), block("b"), block("c"), block("d"))
    )
    assert list(parse_card(text, "x").blocks) == ["a", "b", "c", "d"]
    assert "mine" in text


def test_blocks_are_added_below_own_text() -> None:
    text = joined(card("# Written by hand", "All of it."), card(block("a", "1"), block("b", "2")))
    assert text.index("All of it.") < text.index("venus:a") < text.index("venus:b")


def test_unknown_block_stays() -> None:
    assert "kept" in joined(card(block("later", "kept"), block("a")), card(block("a", "x")))


def test_line_ends_of_other_systems_and_odd_separators() -> None:
    text = card("mine", block("a", "1")).replace("\n", "\r\n")
    assert joined(text, card(block("a", "2"))) == card("mine", block("a", "2"))
    odd = card("one\u2028line \x0c with", block("a", "1"))
    assert joined(odd, card(block("a", "1"))) == odd


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<!-- venus:a -->\ntext", "the block a of README.md does not end"),
        ("text\n<!-- /venus:a -->", "line 5 of README.md"),
        ("<!-- venus:a -->\n<!-- venus:b -->\n<!-- /venus:b -->", "line 5 of README.md"),
        (block("a") + "\n" + block("a"), "exists already"),
    ],
)
def test_mismatched_markers_are_named(body: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_card(card(body), "README.md")
    assert words in str(refused.value)
    assert "docs/card.md" in str(refused.value)


def test_a_section_whose_markers_were_deleted_is_refused() -> None:
    new = card(block("a", "## Columns", "1"), block("b", "## Other"))
    with pytest.raises(UsageError, match="line 4 of old: '## Columns' is outside"):
        joined(card("## Columns", "1", block("b", "## Other")), new)


def test_a_header_that_does_not_end() -> None:
    with pytest.raises(UsageError, match="does not end"):
        parse_card("---\na: 1\n# Title\n", "README.md")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a: [1", "line 3"),
        ("- a", "not a list of keys"),
        ("a: b: c", "line 2"),
        ("a: \x00", "README.md"),
    ],
)
def test_broken_yaml_is_refused_with_its_line(header: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        load_header(header, "README.md")
    assert words in str(refused.value)
    assert "between the two lines ---" in refused.value.fix


def test_equal_values_are_written_out() -> None:
    same = ["x"]
    assert "&" not in dump_header({"a": same, "b": same})
    assert load_header(dump_header({"a": "ä", "b": [1, None]}), "x") == {"a": "ä", "b": [1, None]}
