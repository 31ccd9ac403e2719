"""Unused definitions are not mutated: such a mutant would be equivalent to its parent."""

from __future__ import annotations

import pytest

from venus_toolkit.builders.quality.mutants import changes, sample_mutants, unused
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution

LANGUAGES = load_languages()

PYTHON = """\
class Node:
    def __init__(self, value=0):
        self.value = value

def chain(values):
    return Node(values[0] + 1) if values else chain([1])

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n != 0 and even(n - 1)

def total(values):
    # chain(values)
    return sum(values) + 0

print(f"{total(range(9))}")
"""
UNUSED = [
    ("python", PYTHON, {"Node", "chain", "even", "odd"}),
    ("python", "def f(n):\n    return n + 1\nprint(f(1))\n", set()),
    ("python", "def f(n): return n + 1\n\n\ndef g(n): return n\nprint(g(1))\n", {"f"}),
    ("cpp", "int f(int n) {\n  return n + 1;\n}\nint main() { return 0; }\n", {"f"}),
    ("cpp", "ll f(ll n)\n{\n  return n + 1;\n}\nint main()\n{\nif (f(1)) return 0;\n}\n", set()),
    ("cpp", "struct P { int x; };\nint main() { std::vector<P> v; }\n", set()),
    ("cpp", "struct Start { Start() { build(); } } start;\nint main() {}\n", set()),
    ("cpp", "int main() {\nif (true) {\nreturn f (1);\n}\nelse if (false) {\n}\n}\n", set()),
    (
        "go",
        "func f(n int) int {\n\treturn n + 1\n}\n\nfunc init() {\n\tg()\n}\n\nfunc g() {\n}\n",
        {"f"},
    ),
    (
        "java",
        "class Main {\n    static int f(int n) {\n        return n + 1;\n    }\n\n"
        "    static int g(int n) {\n        return n;\n    }\n\n"
        "    public static void main(String[] a) {\n        g(1);\n    }\n}\n\nclass Rest {\n"
        "    int x = 1;\n}\n",
        {"f", "Rest"},
    ),
    (
        "javascript",
        "function f(n) {\n  return n + 1;\n}\nconst g = (n) => n;\nlet s = `${g(1)}`;\n",
        {"f"},
    ),
    (
        "rust",
        "fn f(n: i64) -> i64 {\n    n + 1\n}\n\nstruct P;\nfn main() {\n    let v: Vec<P> = "
        "vec![];\n}\n",
        {"f"},
    ),
    # Methods added to a class and decorated functions are used without being named.
    (
        "ruby",
        "class Array\n  def total\n    sum + 1\n  end\nend\ndef self.f\n  1\nend\nputs [f].total\n",
        set(),
    ),
    ("python", "@command\ndef f(n):\n    return n + 1\nrun()\n", set()),
    ("ruby", "def f(n)\n  n + 1\nend\n\ndef g(n)\n  n\nend\nputs g(1)\n", {"f"}),
]


@pytest.mark.parametrize(("language", "code", "expected"), UNUSED)
def test_unused_definitions(language: str, code: str, expected: set[str]) -> None:
    definitions = unused(code, LANGUAGES[language])
    assert {definition.name for definition in definitions} == expected
    assert all(
        definition.name in code[definition.start : definition.end] for definition in definitions
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_truncated_program_has_no_error(language: str) -> None:
    for code in ("", "{" * 5000, "def f(", "struct X {", "static int f(", "fn \0(", "} } }"):
        assert isinstance(unused(code, LANGUAGES[language]), list)


def test_unused_definitions_are_not_mutated() -> None:
    mutations = changes(PYTHON, LANGUAGES["python"])
    first = PYTHON.index("def total")
    assert mutations
    assert all(change.start > first for change in mutations)


def test_names_in_the_runner_count_as_used() -> None:
    code = "class Solution:\n    def f(self, n):\n        return n + 1\n"
    solution = Solution("p/python/a", "p", "python", code, Expectation.ACCEPTED)
    assert sample_mutants([solution], LANGUAGES["python"], 9, 0, called={"Solution"})
    assert not sample_mutants([solution], LANGUAGES["python"], 9, 0)
