"""Promises that no reader understood cap the confidence; questions and definitions do not."""

from __future__ import annotations

import contextlib
import time

import pytest

from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.inputs.derive import MOST_UNREAD, NotDerived, derive
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.promises.promise_words import WORDS, kinds_of
from venus_toolkit.builders.inputs.spec.promises import Graph, Sorted
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, Problem

PAGE = """{story}

## Constraints

- 1 <= N <= 50
- 1 <= A_i <= 100
- N and A_i are integers.
{constraint}

## Input

The input is given in the following format:

```
N
A_1 A_2 ... A_N
```
{description}

## Output

Print the sum. {output}

## Sample Input 1

```
3
1 5 9
```

## Sample Output 1

```
15
```

{notes}
"""
GRAPH = """Count the walks.

## Constraints

- 2 <= N <= 50
- 1 <= M <= 60
- 1 <= u_i, v_i <= N
{constraint}

## Input

```
N M
u_1 v_1
:
u_M v_M
```

## Output

Print the number.

## Sample Input 1

```
3 2
1 2
2 3
```

## Sample Output 1

```
4
```
"""


def problem(statement: str, style: str = "stdin") -> Problem:
    return Problem(
        "sums", 1, "Sums", statement, "Easy", (), style, "user", "MIT", Limits(), OutputComparison()
    )


def page(story: str = "Add the numbers.", **parts: str) -> str:
    return PAGE.format(
        **{
            **dict.fromkeys(("constraint", "description", "output", "notes"), ""),
            "story": story,
            **parts,
        }
    )


def confidence(statement: str, sentence: str = "") -> float:
    """Return the confidence; if it is less than 1, a reason must quote the sentence."""
    result = derive(problem(statement))
    assert result.confidence == 1.0 or sentence in " ".join(result.reasons)
    return result.confidence


BANQUET = "the numbers are in the order of the banquet"
STRANGE = f"It is guaranteed that {BANQUET}."


def test_understood_statement_has_full_confidence() -> None:
    assert confidence(page()) == 1.0


@pytest.mark.parametrize("place", ["story", "constraint", "description", "output", "notes"])
@pytest.mark.parametrize(
    "sentence",
    [
        STRANGE,
        STRANGE.upper(),
        "It is&nbsp;guar&#97;nteed that the numbers are in the order of the banquet.",
        "You may assume that the numbers are in the order of the banquet.",
        "数列は宴会の順序であることが保証される。",
    ],
)
def test_explicit_promise_counts_in_every_section(place: str, sentence: str) -> None:
    marked = f"- {sentence}" if place == "constraint" else f"\n\n{sentence}"
    # Without a heading, text after a sample would count as its explanation.
    marked = f"## Notes\n\n{sentence}" if place == "notes" else marked
    result = derive(problem(page(**{place: marked})))
    assert result.confidence <= MOST_UNREAD
    assert any(reason.startswith("not understood: ") for reason in result.reasons)


@pytest.mark.parametrize(
    "story",
    [
        "You are given a sequence A, sorted by the banquet.",
        "Given distinct guests A, add them.",
        "There is a tree whose nodes hold the numbers A.",
        "The list A is a rotated one. Add its numbers.",
        "You are given N numbers, of which exactly two were swapped. Add them.",
        "The following holds for the input:\n\n```\nno two of the numbers A are friends\n```",
        "You are given numbers that are always valid. You are given numbers that are not sorted.",
        "A は昇順に並んでいる。",
        "In addition to the constraints below, it is guaranteed that nobody leaves the banquet.",
    ],
)
def test_property_of_the_input_counts_in_the_story(story: str) -> None:
    assert confidence(page(story), "not understood: ") <= MOST_UNREAD


@pytest.mark.parametrize(
    "story",
    [
        "Given N numbers, return all of them sorted in ascending order.",
        "Find the number of distinct subsequences. Exactly one operation is allowed.",
        "A sequence is called valid if no two of its neighbours are the same.",
        "Choose a permutation of them. Is it possible to sort them?",
        "It can be proved that the answer is unique.",
        "The constraints guarantee that the answer is less than 2^63, as is guaranteed by "
        "the constraints.",
        "For example, the list A = (1, 2) is sorted.",
        "Alice always wins, as there is always a valid move.",
        "We want to make A a palindrome.",
    ],
)
def test_question_or_definition_is_not_a_promise(story: str) -> None:
    assert confidence(page(story)) == 1.0


@pytest.mark.parametrize(
    "output",
    ["If there is no such number, print -1.", "Print the answer exactly.", "Any valid order is accepted.",
     "If it is possible, print Yes. The numbers must be sorted and distinct."],
)  # fmt: skip
def test_output_is_not_a_promise(output: str) -> None:
    assert confidence(page(output=output)) == 1.0


@pytest.mark.parametrize(
    ("story", "constraint"),
    [
        ("You are given distinct numbers A.", "- A_i are pairwise distinct."),
        ("Given is a permutation A of (1, ..., N).", "- A_i != A_j (i != j)"),
        ("You are given an increasing sequence A.", "- A_1 < A_2 < ... < A_N"),
        ("It is guaranteed that 1 <= A_i <= 100.", ""),
        ("It is guaranteed that all A_i are distinct.", "- A_i are pairwise distinct."),
    ],
)
def test_checked_promise_adds_no_doubt(story: str, constraint: str) -> None:
    if "permutation" in story:
        assert confidence(page(story, constraint=constraint), "permutation") <= MOST_UNREAD, (
            "distinct is less than a permutation"
        )
    else:
        assert confidence(page(story, constraint=constraint)) == 1.0


@pytest.mark.parametrize(
    ("constraint", "sure"),
    [
        ("- The graph is connected, but it may contain multi-edges.", True),
        ("- The graph may contain multi-edges.", True),
        ("- The edges are not necessarily distinct.", True),
        ("- It is not guaranteed that the graph is connected.", True),
        ("- The graph is bipartite in the Duke's sense, but may contain multi-edges.", False),
        ("- The connected banquet may contain self-loops.", False),
    ],
)
def test_other_half_of_a_permission_is_read(constraint: str, sure: bool) -> None:
    result = derive(problem(GRAPH.format(constraint=constraint)))
    assert (result.confidence == 1.0) is sure, result.reasons
    if "connected, but" in constraint:
        assert Graph(("connected",)) in result.spec.promises("statement")


def test_sorted_not_strictly_is_sorted() -> None:
    result = derive(
        problem(page(constraint="- A is sorted in ascending order, not necessarily strictly."))
    )
    assert result.confidence == 1.0 or any("sorted" in reason for reason in result.reasons)
    assert result.confidence <= MOST_UNREAD or Sorted("A") in result.spec.promises("statement")


def test_contradictory_promises_are_not_believed() -> None:
    both = "- A_1 < A_2 < ... < A_N\n- A_1 > A_2 > ... > A_N"
    with contextlib.suppress(NotDerived):  # or no specification is derived
        assert derive(problem(page(constraint=both))).confidence <= MOST_UNREAD


def test_promise_in_a_sample_does_not_count() -> None:
    shown = (
        "## Sample Input 2\n\n```\n1\n7\n```\n\n## Sample Output 2\n\n```\n7\n```\n\nThe "
        "list is sorted and distinct.\n"
    )
    assert confidence(page(notes=shown)) == 1.0


TREE = """Given the root of a binary search tree (BST){more}, return the sum of its values.

**Example 1:**

Input: root = [2,1,3]
Output: 6

**Constraints:**

- The number of nodes in the tree is in the range [1, 100].
- -100 <= Node.val <= 100
"""
STARTER = "class Solution:\n    def total(self, root: Optional[TreeNode]) -> int: ...\n"


@pytest.mark.parametrize(
    ("more", "sure"),
    [
        ("", True),
        # The example contradicts this option.
        (", where the values of exactly two nodes were swapped by mistake", False),
        (". It is guaranteed that the values add up to a square. So", False),
    ],
)
def test_promise_ensured_by_structures_adds_no_doubt(more: str, sure: bool) -> None:
    plain = problem(TREE.format(more=more), "function")
    entry = Entry(Problem(**{**_fields(plain), "starter_code": {"python": STARTER}}), (), ())
    completed = complete(entry, load_languages())
    result = derived(described(completed), [test.stdin for test in completed.entry.tests])
    assert (result.confidence > MOST_UNREAD) is sure, result.reasons


def _fields(plain: Problem) -> dict[str, object]:
    return {name: getattr(plain, name) for name in Problem.__dataclass_fields__}


def test_promise_words_match_whole_words() -> None:
    assert kinds_of("The street is uneven, and 'retained' is an event.") == set()
    assert kinds_of("SORTED; Distinct") == {"order", "distinct"}
    assert len({row.kind for row in WORDS}) == len(WORDS)


@pytest.mark.parametrize(
    "text",
    ["is " * 60_000, "A sorted " * 25_000, "guaranteed " * 20_000, "not " * 50_000, "。" * 200_000],
)
def test_endless_stories_are_read_in_time(text: str) -> None:
    start = time.process_time()
    derive(problem(page(text)))
    assert time.process_time() - start < 10
