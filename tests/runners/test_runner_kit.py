"""Pasted code in seven languages.

A class that sorts in place, reverses lists, mirrors trees, recurses, and prints.
"""

from __future__ import annotations

import random

import pytest

from tests.runners.echo import LINKED_LIST, LONG, STRING, TREE
from tests.runners.support import (
    EVERY,
    INT,
    INTS,
    LANGUAGES,
    PROGRAMS,
    VOID,
    answers,
    case,
    line,
    made,
)
from venus_toolkit.execution.sandbox import Compiled, Sandbox
from venus_toolkit.signatures import Function, Parameter, Signature

KIT = Signature(
    (
        Function("add", (Parameter("x", LONG),), VOID),
        Function("total", (), LONG),
        Function("sortValues", (Parameter("nums", INTS),), VOID, changed=0),
        Function("reversedList", (Parameter("head", LINKED_LIST),), LINKED_LIST),
        Function("mirrored", (Parameter("root", TREE),), TREE),
        Function("depthOf", (Parameter("n", INT),), INT),
        Function("noisy", (Parameter("s", STRING),), STRING),
    ),
    holder="Kit",
    constructor=(Parameter("start", INT),),
    design=True,
)


@pytest.fixture(scope="module", params=EVERY)
def kit(request: pytest.FixtureRequest, sandbox: Sandbox) -> Compiled:
    language = LANGUAGES[request.param]
    compiled = made(sandbox, KIT, language, (PROGRAMS / f"kit{language.extension}").read_text())
    assert compiled.ok, compiled.log
    return compiled


def asked(*calls: tuple[object, ...]) -> str:
    """Return the input that constructs Kit(5) and makes these calls: (operation, *arguments)."""
    return case(["Kit", *(call[0] for call in calls)], [[5], *(list(call[1:]) for call in calls)])


def test_methods_keep_their_object_and_void_is_null(sandbox: Sandbox, kit: Compiled) -> None:
    stdin = asked(("add", 10**10), ("total",), ("add", -1), ("total",))
    assert answers(sandbox, kit, [stdin]) == [f"[null,null,{10**10 + 5},null,{10**10 + 4}]\n"]


def test_an_argument_that_is_changed_is_the_result(sandbox: Sandbox, kit: Compiled) -> None:
    stdin = asked(("sortValues", [3, -1, 2]), ("sortValues", []))
    assert answers(sandbox, kit, [stdin]) == ["[null,[-1,2,3],[]]\n"]


def test_nodes_have_conventional_fields(sandbox: Sandbox, kit: Compiled) -> None:
    stdin = asked(
        ("reversedList", [1, 2, 3]),
        ("reversedList", []),
        ("mirrored", [1, 2, 3, None, 4]),
        ("mirrored", []),
    )
    assert answers(sandbox, kit, [stdin]) == ["[null,[3,2,1],[],[1,3,2,null,null,4],[]]\n"]


def test_printed_text_is_not_the_answer(sandbox: Sandbox, kit: Compiled) -> None:
    stdin = asked(("noisy", "a\n"), ("noisy", 'é€😀\u2028"\\\x01'))
    assert answers(sandbox, kit, [stdin]) == [
        line([None, "a\na\n", 2 * 'é€😀\u2028"\\\x01']) + "\n"
    ]


def test_deep_recursion_has_a_stack(sandbox: Sandbox, kit: Compiled) -> None:
    assert answers(sandbox, kit, [asked(("depthOf", 50_000))]) == ["[null,50000]\n"]


def test_long_lists_and_deep_trees(sandbox: Sandbox, kit: Compiled) -> None:
    size = 100_000
    values = random.Random(1).choices(range(-(2**31), 2**31), k=size)
    vine = [1, *(value for _ in range(size // 2) for value in (None, 1))]
    stdin = asked(("sortValues", values), ("reversedList", values), ("mirrored", vine))
    mirrored = [1, *([1, None] * (size // 2))][:-1]
    assert answers(sandbox, kit, [stdin]) == [
        line([None, sorted(values), values[::-1], mirrored]) + "\n"
    ]
