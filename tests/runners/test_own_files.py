"""Correct solutions that resemble a runner: a main, imports, prints, node classes.

Their names may also be spelt differently from the signature.
"""

from __future__ import annotations

import dataclasses

import pytest

from tests.runners.echo import LINKED_LIST
from tests.runners.support import (
    COMPILED,
    EVERY,
    INT,
    INTS,
    LANGUAGES,
    PROGRAMS,
    QUICK,
    VOID,
    answers,
    case,
    function,
    made,
    ran,
)
from tests.runners.test_runner_solutions import PAIR
from venus_toolkit.core.language import MARKER, render
from venus_toolkit.core.records import Verdict
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.signatures import Kind, Signature, fill, parse_signature, render_runner

# Some print or read before their function is called; some define names that the runner uses.
FORMS = {
    language: sorted((PROGRAMS / "forms").glob(f"*{LANGUAGES[language].extension}"))
    for language in (*COMPILED, *QUICK)
}
QUICK_FORMS = [(language, form) for language in QUICK for form in range(len(FORMS[language]))]
SLOW_FORMS = [
    pytest.param(language, form, marks=pytest.mark.slow)
    for language in COMPILED
    for form in range(len(FORMS[language]))
]


def program(name: str, language: str) -> str:
    return (PROGRAMS / f"{name}{LANGUAGES[language].extension}").read_text()


@pytest.mark.parametrize(("language", "form"), [*QUICK_FORMS, *SLOW_FORMS])
def test_a_solution_is_a_file_of_its_own(sandbox: Sandbox, language: str, form: int) -> None:
    compiled = made(sandbox, PAIR, language, FORMS[language][form].read_text())
    assert answers(sandbox, compiled, [case([2, 7, 11], 9), case([1, 1], 5)]) == ["[0,1]\n", "[]\n"]


@pytest.mark.parametrize("language", EVERY)
def test_published_runner_is_one_file_with_a_marker(sandbox: Sandbox, language: str) -> None:
    """Users of a release replace the marker's line with their code."""
    chosen = LANGUAGES[language]
    text = render(render_runner(PAIR, chosen), program("plain", language))
    compiled = sandbox.compile(Program(chosen, text))
    assert answers(sandbox, compiled, [case([2, 7, 11], 9), case([1, 1], 5)]) == ["[0,1]\n", "[]\n"]


@pytest.mark.parametrize("language", QUICK)
def test_a_syntax_error_of_the_solution_is_a_compile_error(sandbox: Sandbox, language: str) -> None:
    wrong = {"python": "def f(:\n", "ruby": "def f(\n", "javascript": "export function f( {\n"}[
        language
    ]
    compiled = made(sandbox, PAIR, language, wrong)
    assert not compiled.ok
    assert "solution." in compiled.log


AMBIGUOUS = {
    "python": "def two_sum(a, b): return []\ndef twosum(a, b): return []",
    "javascript": "function two_sum() { return [] }\nconst twosum = two_sum, TwoSum = two_sum",
    "ruby": "def twoSum(a, b) = []\ndef twosum(a, b) = []",
}


@pytest.mark.parametrize("language", QUICK)
def test_ambiguous_spellings_are_a_runtime_error(sandbox: Sandbox, language: str) -> None:
    (run,) = ran(sandbox, made(sandbox, PAIR, language, AMBIGUOUS[language]), [case([], 1)])
    assert ending(run, LANGUAGES[language])[0] == Verdict.RUNTIME_ERROR


@pytest.mark.parametrize("language", EVERY)
def test_a_solution_may_define_the_node_class_again(sandbox: Sandbox, language: str) -> None:
    compiled = made(
        sandbox, function(LINKED_LIST, LINKED_LIST), language, program("own_nodes", language)
    )
    assert answers(sandbox, compiled, [case([1, 2, 3]), case([])]) == ["[2,3]\n", "[]\n"]


@pytest.mark.slow
def test_rust_accepts_two_mutable_lists(sandbox: Sandbox) -> None:
    signature = function(VOID, INTS, INT, INTS, INT, changed=0)
    head = "impl Solution { pub fn solve(a: &mut Vec<i32>, m: i32, b: &mut "
    vectors = head + "Vec<i32>, n: i32) { a.append(b); a.sort(); } }"
    stdin = case([3, 1], 2, [2], 1)
    assert answers(sandbox, made(sandbox, signature, "rust", vectors), [stdin]) == ["[1,2,3]\n"]
    slice_ = head + "[i32], n: i32) { b.sort(); a.extend(b.iter()); } }"
    assert answers(sandbox, made(sandbox, signature, "rust", slice_), [stdin]) == ["[3,1,2]\n"]


STACK = {
    "python": "# Definition for singly-linked list.\n# class ListNode:\n#     def __init__(self, "
    "val=0, next=None):\n"
    "#         self.val = val\n#         self.next = next\nclass Box:\n    def "
    "__init__(self):\n        pass\n\n"
    "    def top(self) -> int:\n        pass\n",
    "cpp": "/**\n * struct TreeNode {\n *     int val;\n *     TreeNode *left;\n *     TreeNode "
    "*right;\n * };\n */\n"
    "class Box {\npublic:\n    Box() {\n    }\n    int top() {\n    }\n};\n",
}
USES = {
    "python": "class Box:\n    def __init__(self):\n        self.head = ListNode(7)\n"
    "    def top(self): return self.head.val",
    "cpp": "class Box {\n    TreeNode *root = new TreeNode(7);\npublic:\n    Box() {}\n"
    "    int top() { return root->val; }\n};",
}


@pytest.mark.parametrize("language", ["python", pytest.param("cpp", marks=pytest.mark.slow)])
def test_a_class_to_design_has_the_nodes_of_its_comment(sandbox: Sandbox, language: str) -> None:
    signature = parse_signature(STACK[language], LANGUAGES[language])
    compiled = made(sandbox, signature, language, USES[language])
    assert answers(sandbox, compiled, [case(["Box", "top"], [[], []])]) == ["[null,7]\n"]
    # Others that do not use it, and define one of that name with other links.
    assert signature == dataclasses.replace(signature, nodes=())
    assert [each.kind for each in signature.nodes] == [
        Kind.LINKED_LIST if language == "python" else Kind.TREE
    ]


def test_a_runner_of_an_earlier_release_is_filled_as_it_was() -> None:
    java = LANGUAGES["java"]
    old = f'import java.util.*;\n// {MARKER}\npublic class Main {{ String batch = "==Batch=="; }}\n'
    filled = fill(old, "package a;\npublic class Solution { }", java)
    assert (filled.files, filled.compile_argv) == ({}, ())
    assert "\nclass Solution { }\npublic class Main" in filled.source
    assert program_of(java, "class Solution {}", runner=old).language is java


def test_custom_runner_gets_unchanged_code() -> None:
    code = "from __future__ import annotations\n"
    assert fill(f"# {MARKER}\nprint(1)", code, LANGUAGES["python"]).source == f"{code}\nprint(1)"


def test_language_of_a_runner_is_cached() -> None:
    """Toolchains are cached by language object, so similar programs must share one."""
    go = LANGUAGES["go"]
    runner = render_runner(function(INT, INT), go)
    one, other = (
        program_of(go, f"func solve(a int) int {{ return {n} }}", runner=runner) for n in (1, 2)
    )
    assert one.language is other.language
    assert one.language.is_prepared_for(one.source)
    assert isinstance(PAIR, Signature)


@pytest.mark.parametrize(
    ("language", "code", "call", "operation"),
    [
        (
            "cpp",
            "class Box { public: int top_value() { return 1; } };",
            "&Solver::top_value",
            '== "topValue"',
        ),
        (
            "rust",
            "struct Box2;\nimpl Box2 { fn topValue(&self) -> i32 { 1 } }",
            "object.topValue(",
            '"topValue" =>',
        ),
        ("go", "func (b *Box) Topvalue() int { return 1 }", "object.Topvalue)", 'case "topValue"'),
    ],
)
def test_operations_keep_names_if_methods_are_respelt(
    language: str, code: str, call: str, operation: str
) -> None:
    design = dataclasses.replace(function(INT, name="topValue"), holder="Box", design=True)
    text = fill(render_runner(design, LANGUAGES[language]), code, LANGUAGES[language]).source
    assert call in text
    assert operation in text
