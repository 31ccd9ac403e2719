"""Combining languages: one adds what another cannot express, and contradictions are refused."""

from __future__ import annotations

import pytest

from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import load_languages
from venus_toolkit.signatures import (
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    combined,
    parse_signature,
    starter_code,
)

LANGUAGES = load_languages()
INT, LONG, FLOAT, CHAR, STRING, VOID = (
    Type(kind) for kind in (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.CHAR, Kind.STRING, Kind.VOID)
)


def one(type_: Type, returns: Type = INT) -> Signature:
    return Signature(
        (Function("f", (Parameter("a", type_),), returns, 0 if returns == VOID else None),)
    )


def listed(element: Type) -> Type:
    return Type(Kind.LIST, element)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (INT, INT, INT),
        (INT, LONG, LONG),
        (INT, FLOAT, FLOAT),
        (STRING, CHAR, CHAR),
        (listed(listed(STRING)), listed(listed(CHAR)), listed(listed(CHAR))),
        (Type(Kind.OPTIONAL, INT), LONG, Type(Kind.OPTIONAL, LONG)),
        (Type(Kind.OPTIONAL, listed(INT)), listed(INT), Type(Kind.OPTIONAL, listed(INT))),
        (
            Type(Kind.TREE, INT, "TreeNode"),
            Type(Kind.TREE, LONG, "TreeNode"),
            Type(Kind.TREE, LONG, "TreeNode"),
        ),
    ],
)
def test_the_more_exact_type_wins(left: Type, right: Type, expected: Type) -> None:
    assert combined([one(left), one(right)]) == combined([one(right), one(left)]) == one(expected)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (one(INT), one(STRING), "the type of the argument a of f: one says int, another string"),
        (one(INT), one(listed(INT)), "one says int, another list<int>"),
        (one(INT, STRING), one(INT, INT), "the type of the result of f"),
        (
            one(listed(INT), VOID),
            one(listed(INT), INT),
            "which argument f changes: one says 0, another None",
        ),
        (one(INT), Signature((Function("f", (), INT),)), "how many arguments f takes"),
        (one(INT), Signature(()), "how many functions there are"),
    ],
)
def test_disagreement_is_refused(left: Signature, right: Signature, message: str) -> None:
    with pytest.raises(SignatureError) as caught:
        combined([left, right])
    assert message in str(caught.value)


def test_combining_no_signatures_is_refused() -> None:
    with pytest.raises(SignatureError, match="no signatures to combine"):
        combined([])


def test_combined_languages_are_exact() -> None:
    """Alone, Python lacks characters, JavaScript lacks floats, and both lack longs."""
    types = [INT, LONG, FLOAT, listed(CHAR), STRING, Type(Kind.LINKED_LIST, INT, "ListNode")]
    function = Function(
        "mixAll", tuple(Parameter(f"a{index}", type_) for index, type_ in enumerate(types)), FLOAT
    )
    signature = Signature((function,))
    read = [
        parse_signature(starter_code(signature, language), language)
        for language in LANGUAGES.values()
    ]
    assert combined(read) == signature
