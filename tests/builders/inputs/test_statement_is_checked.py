"""Derived specifications allow exactly the inputs that their statements allow."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.inputs.derive import NotDerived, derive
from venus_toolkit.builders.inputs.spec.checking.validate import validate
from venus_toolkit.builders.inputs.spec.drawing.draw import draw, families
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.core.records import Limits, OutputComparison, Problem

STARTER = (
    "class Solution:\n    def f(self, n: int, edges: List[List[int]], s: str) -> int:\n        "
)
SAMPLE = "## Samples\n\n### Sample Input 1\n\n```\n{}```\n\n### Sample Output 1\n\n```\n1\n```\n"


def problem(statement: str, starter: str = "") -> Problem:
    style = "function" if starter else "stdin"
    return Problem(
        "p", 1, "P", statement, "Easy", (), style, "user", "MIT", Limits(), OutputComparison(),
        starter_code={"python": starter} if starter else {},
    )  # fmt: skip


def contest(form: str, constraints: str, sample: str) -> Problem:
    listed = "\n".join(f"- {one}" for one in constraints.strip().splitlines())
    return problem(
        f"## Constraints\n\n{listed}\n\n## Input\n\nInput is given in the following format:\n"
        f"\n```\n{form}\n```\n\n"
        f"## Output\n\nPrint it.\n\n{SAMPLE.format(sample)}"
    )


GRAPH = contest(
    "N M\nA_1 A_2 ... A_N\nu_1 v_1\n:\nu_M v_M",
    "2 <= N <= 9\nN - 1 <= M <= N(N-1)/2\n1 <= A_i <= 10^9\nA_i != i (1 <= i <= N)\n1 <= "
    "u_i, v_i <= N\n"
    "The given graph is simple and connected.\nAll input values are integers.",
    "3 2\n2 1 1\n1 2\n2 3\n",
)
GRAPH_BREAKS = {
    "a bound": "3 2\n2 1 1000000001\n1 2\n2 3\n",
    "a bound by another value": "3 4\n2 1 1\n1 2\n2 3\n1 3\n1 3\n",
    "what is at its own place": "3 2\n1 1 1\n1 2\n2 3\n",
    "a loop": "3 2\n2 1 1\n1 2\n3 3\n",
    "the same edge twice": "3 2\n2 1 1\n1 2\n2 1\n",
    "two parts": "4 3\n2 1 1 1\n1 2\n2 3\n1 3\n",
    "a missing line": "3 2\n2 1 1\n1 2\n",
    "a line too many": "3 2\n2 1 1\n1 2\n2 3\n1 3\n",
    "a word too many": "3 2\n2 1 1 1\n1 2\n2 3\n",
    "two spaces": "3  2\n2 1 1\n1 2\n2 3\n",
    "an empty line at the end": "3 2\n2 1 1\n1 2\n2 3\n\n",
    "a space at the end of a line": "3 2 \n2 1 1\n1 2\n2 3\n",
    "a leading zero": "3 2\n2 1 01\n1 2\n2 3\n",
    "no number": "3 2\n2 1 x\n1 2\n2 3\n",
}


DISTANCES = contest(
    "N\nD_{1,1} D_{1,2} ... D_{1,N}\n:\nD_{N,1} D_{N,2} ... D_{N,N}",
    "2 <= N <= 9\nD_{i,i} = 0\nIf i != j, 1 <= D_{i,j} <= 99.\nD_{i,j} = D_{j,i}\nAll input "
    "values are integers.",
    "3\n0 1 2\n1 0 3\n2 3 0\n",
)


def test_matrix_of_distances() -> None:
    """D[i][i] has the same index twice; constraints for i != j do not hold on the diagonal."""
    result = derive(DISTANCES)
    assert result.confidence == 1, result.reasons
    assert not validate(result.spec, "2\n0 5\n5 0\n")
    for broken in ("2\n0 5\n6 0\n", "2\n1 5\n5 0\n", "2\n0 0\n0 0\n", "2\n0 100\n100 0\n"):
        assert validate(result.spec, broken)
    for family in families(result.spec):
        for seed in range(8):
            assert not validate(result.spec, draw(result.spec, seed, family))


def test_letter_counts() -> None:
    result = derive(contest("S\nT", "S and T are strings of length 2 consisting of # and ..\n"
                          "S and T have two or more #s in total.", "##\n..\n"))  # fmt: skip
    assert result.confidence == 1, result.reasons
    assert not validate(result.spec, "#.\n.#\n")
    assert validate(result.spec, "#.\n..\n")


def test_name_with_an_index_is_a_value() -> None:
    result = derive(
        contest("S_x S_y", "1 <= S_x, S_y <= 9\nAll input values are integers.", "1 2\n")
    )
    assert result.confidence == 1, result.reasons
    assert validate(result.spec, "1 10\n")


@pytest.fixture(scope="module")
def graph() -> Spec:
    result = derive(GRAPH)
    assert result.confidence == 1, result.reasons
    return result.spec


def test_sample_is_allowed(graph: Spec) -> None:
    assert validate(graph, "3 2\n2 1 1\n1 2\n2 3\n") == []


@pytest.mark.parametrize("text", GRAPH_BREAKS.values(), ids=GRAPH_BREAKS)
def test_broken_constraint_is_refused(graph: Spec, text: str) -> None:
    assert validate(graph, text)


@pytest.mark.parametrize(
    ("form", "constraints", "right", "wrong"),
    [
        ("N S", "1 <= N <= 9\nS is a string of length N consisting of a, b and ?.", "3 ab?\n", ["2 ab?\n", "3 abc\n"]),
        ("N\nS_1\n:\nS_N", "1 <= N <= 9\nAll S_i have the same length.\nEach S_i consists of lowercase English "
        "letters.",
         "2\nab\ncd\n", ["2\nab\ncde\n", "2\nab\nCD\n"]),
        ("N", "1 <= N <= 100\nN is a multiple of 4.", "8\n", ["6\n", "104\n"]),
        ("A B C", "1 <= A, B, C <= 9\nNot all of A, B, and C are the same.", "1 1 2\n", ["3 3 3\n"]),
        ("N\nA_1 ... A_N", "1 <= N <= 9\n1 <= A_i <= 9\nIt is not the case that all A_1, A_2, ..., A_N are "
            "equal.",
         "2\n1 2\n", ["2\n7 7\n"]),
        ("N K\nA_1 ... A_N", "1 <= N, K <= 9\n1 <= A_i <= 9\nA has at least one multiple of K.", "2 3\n1 6\n",
         ["2 3\n1 7\n"]),
        ("N\nA_1 ... A_N", "1 <= N <= 9\n0 <= A_i <= 9\nThere is at least one i such that A_i = 0.", "2\n1 0\n",
         ["2\n1 7\n"]),
        ("N\nA_1 ... A_N", "1 <= N <= 9\n0 <= A_i <= 9\nHalf of the integers in A are even.", "2\n1 0\n",
         ["2\n1 7\n", "2\n2 4\n"]),
        ("N\nP_1 P_2 ... P_N", "1 <= N <= 9\n(P_1, P_2, ..., P_N) is a permutation of (1, 2, ..., N).", "3\n2 3 1\n",
         ["3\n2 3 3\n", "3\n2 3 4\n"]),
        ("N\np_2 p_3 ... p_N", "2 <= N <= 9\n1 <= p_i < i", "3\n1 2\n", ["3\n2 1\n", "3\n1 3\n"]),
        ("N\nA_1 A_2 ... A_N", "1 <= N <= 9\n1 <= A_1 < A_2 < ... < "
        "A_N <= 20", "3\n1 2 9\n", ["3\n1 1 9\n", "3\n1 2 21\n"]),
        ("N\nA_1 A_2 ... A_N", "1 <= N <= 9\n1 <= A_i <= 50\nThe sum of A_i is at "
        "most 60.", "2\n50 10\n", ["2\n50 11\n"]),
    ],
)  # fmt: skip
def test_promises(form: str, constraints: str, right: str, wrong: list[str]) -> None:
    result = derive(contest(form, constraints, right))
    assert not [
        reason for reason in result.reasons if reason.startswith(("not understood", "misread"))
    ]
    assert validate(result.spec, right) == []
    assert all(validate(result.spec, text) for text in wrong)


def test_arguments_of_a_function() -> None:
    statement = (
        "Given edges with edges[i] = [ui, vi].\n\nExample 1:\n\nInput: n = 3, edges = "
            "[[0,1],[1,2]], "
        "s = \"ab\"\nOutput: 1\n\n"
        "Constraints:\n\n- 2 <= n <= 50\n- edges.length == n - 1\n- edges[i].length == 2\n- "
            "0 <= ui, vi < n\n"
        "- edges represents a valid tree.\n- 1 <= s.length <= n\n- s consists of lowercase "
            "English letters.\n"
    )  # fmt: skip
    result = derive(problem(statement, STARTER))
    assert result.confidence == 1, result.reasons
    assert validate(result.spec, '3\n[[0,1],[1,2]]\n"ab"\n') == []
    for text in ('3\n[[0,1],[0,1]]\n"ab"\n', '3\n[[0,1],[1,3]]\n"ab"\n', '3\n[[0,1],[1,2]]\n"aB"\n',
                 '3\n[[0,1]]\n"a"\n',                  '3\n[[0,1],[1,2]]\n7\n', '3\n[[0,1],[1,2]]\n',
                 '3\n[[0,1],[1,2]]\n"abcd"\n'):  # fmt: skip
        assert validate(result.spec, text), text


def test_unread_sentence_is_listed_and_caps_confidence() -> None:
    result = derive(contest("N", "1 <= N <= 9\nAnn likes N.", "3\n"))
    assert result.confidence == 0.5
    assert result.reasons == ("not understood: Ann likes N.",)
    assert result.spec.unread == ("Ann likes N.",)
    assert validate(result.spec, "10\n")


@pytest.mark.parametrize(
    ("types", "sentence", "right", "wrong"),
    [
        ("a: List[List[int]]", "a[i] = [li, ri]", "[[1,2],[3,4]]\n", "[[1,2],[3]]\n"),
        ("a: List[List[int]]", "a[i] == [xi, yi, wi]", "[[1,2,3]]\n", "[[1,2]]\n"),
        ("a: List[int], b: List[int]", "a and b consist only of 0 and 1.", "[0,1]\n[1]\n", "[0,1]\n[2]\n"),
        ("a: List[List[int]]", "a[i][j] is either 0, 1 or 2.", "[[0,1,2]]\n", "[[0,3]]\n"),
        ("a: List[str]", 'a consists only of "UP", "RIGHT", and "DOWN".', '["UP","DOWN"]\n', '["UP","U"]\n'),
        ("a: str", "a consists only of 'x' and 'y'.", '"xxy"\n', '"xz"\n'),
        ("a: List[int], k: int", "1 <= k <= floor(a.length / 2)", "[1,2,3]\n1\n", "[1,2,3]\n2\n"),
        ("a: List[int], k: int", "1 < 2 * k <= a.length", "[1,2,3]\n1\n", "[1,2,3]\n2\n"),
    ],
)  # fmt: skip
def test_sentences_of_functions(types: str, sentence: str, right: str, wrong: str) -> None:
    starter = f"class Solution:\n    def f(self, {types}) -> int:\n        "
    text = f"Constraints:\n\n{sentence}\n1 <= a.length <= 9\n"
    result = derive(problem(text, starter), [right])
    assert not [
        reason for reason in result.reasons if reason.startswith(("not understood", "misread"))
    ]
    assert validate(result.spec, right) == []
    assert validate(result.spec, wrong)


def test_rows_of_two_lists_have_their_lengths() -> None:
    starter = (
        "class Solution:\n    def f(self, a: List[List[int]], b: List[List[int]]) -> int:\n        "
    )
    text = (
        "Constraints:\n\n1 <= a.length, b.length <= 9\na[i].length == b[i].length == 2\n0 <= "
        "a[i][j], b[i][j] <= 9\n"
    )
    result = derive(problem(text, starter), ["[[0,1],[1,2]]\n[[3,4]]\n"])
    assert not any("misread" in reason for reason in result.reasons)
    assert validate(result.spec, "[[0,1]]\n[[3,4],[5,6]]\n") == []
    assert validate(result.spec, "[[0,1,2]]\n[[3,4]]\n")
    assert validate(result.spec, "[[0,1]]\n[[3,4],[5]]\n")


def test_contradictory_constraints_are_reported() -> None:
    described = contest("N M", "1 <= N <= 5\n7 <= M <= 6", "5 5\n").statement.split("## Samples")[0]
    with pytest.raises(NotDerived, match="contradict"):
        derive(problem(described))


def test_values_of_two_lists_are_distinct_together() -> None:
    sentence = "A_1, A_2, ..., A_N, B_1, B_2, ..., B_M are distinct"
    result = derive(
        contest(
            "N M\nA_1 A_2 ... A_N\nB_1 ... B_M",
            f"1 <= N, M <= 5\n1 <= A_i, B_i <= 20\n{sentence}",
            "3 2\n1 2 9\n4 5\n",
        )
    )
    assert result.confidence == 1
    assert not validate(result.spec, "3 2\n1 2 9\n4 5\n")
    for stdin in ("3 2\n1 2 9\n4 9\n", "3 2\n1 2 2\n4 5\n", "3 2\n1 2 9\n5 5\n"):
        assert validate(result.spec, stdin) == [f"broken: {sentence}"]


@pytest.mark.parametrize(
    "constraint",
    [
        "1 <= N <= 10^{10^{10^{10}}}",
        "1 <= N^{N^{N^{N^{N}}}} <= 10",
        "1 <= 2^{10^9 * M} <= 10",
        "1 <= A_i <= 10^{M^{999999999}}",
        "1 <= N * 10^{5000000} <= 10",
        "1 <= A_i % (M - M) <= 5",
        "1 <= N <= __import__('os').getpid()",
        "A_{10^{18}} <= 3",
    ],
)
def test_absurd_bounds_are_rejected_in_time(constraint: str) -> None:
    began = time.process_time()
    result = derive(contest("N M\nA_1 A_2 ... A_N", f"1 <= M <= 9\n{constraint}", "3 4\n1 2 9\n"))
    assert result.confidence < 0.5
    assert time.process_time() - began < 5
