"""What nothing in a program uses is not mutated: a mutant of it is its parent."""

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
    # Methods that are added to a class, and what a decorator sees, are used without that name.
    (
        "ruby",
        "class Array\n  def total\n    sum + 1\n  end\nend\ndef self.f\n  1\nend\nputs [f].total\n",
        set(),
    ),
    ("python", "@command\ndef f(n):\n    return n + 1\nrun()\n", set()),
    ("ruby", "def f(n)\n  n + 1\nend\n\ndef g(n)\n  n\nend\nputs g(1)\n", {"f"}),
]


@pytest.mark.parametrize(("language", "code", "wanted"), UNUSED)
def test_what_is_unused(language: str, code: str, wanted: set[str]) -> None:
    found = unused(code, LANGUAGES[language])
    assert {each.name for each in found} == wanted
    assert all(each.name in code[each.start : each.end] for each in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unfinished_program_is_no_trouble(language: str) -> None:
    for code in ("", "{" * 5000, "def f(", "struct X {", "static int f(", "fn \0(", "} } }"):
        assert isinstance(unused(code, LANGUAGES[language]), list)


def test_only_what_is_used_is_mutated() -> None:
    found = changes(PYTHON, LANGUAGES["python"])
    first = PYTHON.index("def total")
    assert found
    assert all(change.start > first for change in found)


def test_what_a_runner_calls_is_used() -> None:
    code = "class Solution:\n    def f(self, n):\n        return n + 1\n"
    solution = Solution("p/python/a", "p", "python", code, Expectation.ACCEPTED)
    assert sample_mutants([solution], LANGUAGES["python"], 9, 0, called={"Solution"})
    assert not sample_mutants([solution], LANGUAGES["python"], 9, 0)
