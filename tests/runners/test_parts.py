"""Values that are parts of other values.

A node of a tree, cycles, shared tails, second pointers, the first k items of a list.
"""

from __future__ import annotations

import pytest

from tests.runners.support import (
    EVERY,
    INT,
    INTS,
    LANGUAGES,
    PROGRAMS,
    answers,
    case,
    function,
    line,
    made,
    ran,
)
from venus_toolkit.core.errors import SignatureError
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.signatures import (
    Kind,
    Signature,
    Type,
    parse_signature,
    render_runner,
    starter_code,
)

TREE = Type(Kind.TREE, INT, "TreeNode")
LIST = Type(Kind.LINKED_LIST, INT, "ListNode")
CYCLE = Type(Kind.CYCLIC_LIST, INT, "ListNode")
JOINED = Type(Kind.JOINED_LIST, INT, "ListNode")
RANDOM = Type(Kind.RANDOM_LIST, INT, "Node")
NEXT = Type(Kind.NEXT_TREE, INT, "Node")
IN_TREE, IN_LIST = Type(Kind.NODE, TREE), Type(Kind.NODE, LIST)

# Program: (signature, inputs, answers).
CASES = {
    "spine": (
        function(IN_TREE, TREE, IN_TREE),
        [case([5, 3, 8, 1, 4], 1), case([5, 3, 8, 1, 4], 4), case([5], 5)],
        [1, None, 5],
    ),
    "entry": (
        function(IN_LIST, CYCLE),
        [case([3, 2, 0, -4], 1), case([1, 1, 1], 2), case([1, 2], -1), case([], -1)],
        [1, 2, None, None],
    ),
    "meet": (
        function(IN_LIST, LIST, JOINED),
        [case([4, 1, 8, 5], [5, 6, 1, 8, 5], 2), case([1, 2], [1, 2], 2), case([1, 2], [2], 0)],
        [2, 0, None],
    ),
    "same": (
        function(RANDOM, RANDOM),
        [case([[7, None], [13, 0], [7, 1]]), case([[1, 0]]), case([])],
        [[[7, None], [13, 0], [7, 1]], [[1, 0]], []],
    ),
    "connect": (
        function(NEXT, NEXT),
        [case([1, 2, 3, 4, 5, 6, 7]), case([1]), case([])],
        [[1, None, 2, 3, None, 4, 5, 6, 7, None], [1, None], []],
    ),
    "evens": (
        function(INT, INTS, changed=0),
        [case([3, 2, 4, 2]), case([1]), case([])],
        [[2, 4, 2], [], []],
    ),
}


def program(name: str, language: str) -> str:
    return (PROGRAMS / "parts" / f"{name}{LANGUAGES[language].extension}").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", EVERY)
def test_a_part_is_the_same_object_as_in_the_whole(
    sandbox: Sandbox, language: str, name: str
) -> None:
    """The programs compare nodes by identity, first in one process per input, then in a batch."""
    signature, inputs, wanted = CASES[name]
    if not (PROGRAMS / "parts" / f"{name}{LANGUAGES[language].extension}").exists():
        with pytest.raises(SignatureError, match="no owner"):
            render_runner(signature, LANGUAGES[language])
        return
    compiled = made(sandbox, signature, language, program(name, language))
    printed = [line(each) + "\n" for each in wanted]
    assert answers(sandbox, compiled, inputs) == printed
    batch = f"==Batch== {len(inputs)}\n" + "".join(inputs)
    assert answers(sandbox, compiled, [batch]) == ["".join(printed)]
    # An input with too many or too few lines belongs to another problem.
    last = inputs[0].rstrip("\n").rsplit("\n", 1)
    wrong = [
        inputs[0] + "7\n",
        last[0] + "\n" if len(last) > 1 else "",
        batch + "7\n",
        batch.rsplit("\n", 2)[0] + "\n",
    ]
    assert [run.clean for run in ran(sandbox, compiled, wrong)] == [False] * 4
    # Trailing white space is not a line.
    assert answers(sandbox, compiled, [inputs[0] + "\n \n"]) == printed[:1]


@pytest.mark.parametrize("language", ["cpp", "go", "java", "javascript", "python", "ruby"])
@pytest.mark.parametrize("wanted", [RANDOM, NEXT], ids=str)
def test_nodes_with_second_pointers_are_read_from_starter_code(language: str, wanted: Type) -> None:
    signature = function(wanted, wanted)
    assert (
        parse_signature(starter_code(signature, LANGUAGES[language]), LANGUAGES[language])
        == signature
    )


def test_starter_code_does_not_show_parts() -> None:
    """A solution only sees nodes of a list or tree, however the input describes them."""
    parts, plain = function(IN_LIST, LIST, JOINED), function(LIST, LIST, LIST)
    for language in ("cpp", "go", "java", "javascript", "python", "ruby"):
        assert starter_code(parts, LANGUAGES[language]) == starter_code(plain, LANGUAGES[language])


def test_lines_of_an_input_are_named() -> None:
    signature: Signature = function(INT, CYCLE, INT)
    assert [(each.name, str(each.type.kind)) for each in signature.lines()] == [
        ("a", "linked_list"), ("pos", "int"), ("b", "int"),
    ]  # fmt: skip
