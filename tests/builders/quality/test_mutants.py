"""The mutations of each language, and code that they leave unchanged."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from venus_toolkit.builders.quality.lexer import masked, tokens
from venus_toolkit.builders.quality.mutants import apply, changes, replacements, sample_mutants
from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.language import Language, Mutation, load_languages, read_language
from venus_toolkit.core.records import Expectation, Solution

LANGUAGES = load_languages()


def solution(code: str, language: str = "python", name: str = "a") -> Solution:
    return Solution(f"p/{language}/{name}", "p", language, code, Expectation.ACCEPTED)


def mutated(language: str, code: str, operator: str | None = None) -> set[str]:
    """Return every mutant of a program, of one operator or of all."""
    every_change = changes(code, LANGUAGES[language])
    return {
        apply(solution(code, language), change).code
        for change in every_change
        if operator in (None, change.operator)
    }


# ------------------------------------------------------------------ changed code

CHANGED = [
    ("python", "if a < b:", "relational", {"if a <= b:"}),
    ("python", "if a<b:", "relational", {"if a<=b:"}),
    ("python", "x = a + b", "arithmetic", {"x = a - b"}),
    ("python", "x = a // b", "arithmetic", {"x = a * b"}),
    ("python", "if a and b:", "logical", {"if a or b:"}),
    ("python", "x = True", "boolean", {"x = False"}),
    ("python", "x = 5", "constant", {"x = 4", "x = 6"}),
    ("python", "x = 0", "constant", {"x = 1"}),
    (
        "python",
        "for i in range(2, n):",
        "bound",
        {"for i in range(2, n + 1):", "for i in range(2, n - 1):"},
    ),
    ("python", "x += y", "assignment", {"x -= y"}),
    ("python", "x = min(a, b)", "extreme", {"x = max(a, b)"}),
    ("python", "x = bisect_left(a, b)", "bisection", {"x = bisect_right(a, b)"}),
    ("python", "x = power(a, b)", "arguments", {"x = power(b, a)"}),
    ("python", "for x in y:\n    a.append(x)\n", "statement", {"for x in y:\n    pass\n"}),
    ("python", "while x:\n    break\n", "statement", {"while x:\n    pass\n"}),
    ("cpp", "if (a && b) x();", "logical", {"if (a || b) x();"}),
    ("cpp", "long long s = n * n;", "integer_type", {"int s = n * n;"}),
    ("cpp", "for (int i = 0; i < n; ++i)", "relational", {"for (int i = 0; i <= n; ++i)"}),
    ("cpp", "for(int i=0;i<n;i++)", "relational", {"for(int i=0;i<=n;i++)"}),
    (
        "cpp",
        "while (lo<hi && x>y)",
        "relational",
        {"while (lo<=hi && x>y)", "while (lo<hi && x>=y)"},
    ),
    ("cpp", "while (i < n)", "bound", {"while (i < n + 1)", "while (i < n - 1)"}),
    ("cpp", "  v.push_back(x);", "statement", {"  ;"}),
    ("cpp", "x = 7LL;", "constant", {"x = 6LL;", "x = 8LL;"}),
    ("java", "long s = a;", "integer_type", {"int s = a;"}),
    ("java", "x = Math.min(a, b);", "extreme", {"x = Math.max(a, b);"}),
    ("go", "var s int64 = int64(x)", "integer_type", {"var s int32 = int32(x)"}),
    ("go", "for i := 0; i < n; i++ {", "assignment", {"for i := 0; i < n; i-- {"}),
    ("javascript", "if (a === b) f();", "relational", {"if (a !== b) f();"}),
    ("javascript", "x = Math.floor(y);", "rounding", {"x = Math.ceil(y);"}),
    ("rust", "let s: i64 = v as i64;", "integer_type", {"let s: i32 = v as i32;"}),
    ("rust", "let v: Vec<i64> = w as i64;", "integer_type", {"let v: Vec<i32> = w as i32;"}),
    ("rust", "for i in 0..n {", "relational", {"for i in 0..=n {"}),
    ("rust", "if x == 1usize {", "constant", {"if x == 0usize {", "if x == 2usize {"}),
    ("ruby", "(a..b).each", "relational", {"(a...b).each"}),
    ("ruby", "if a && b", "logical", {"if a || b"}),
    ("ruby", "  xs.push(1)\n", "statement", {"  nil\n"}),
]


@pytest.mark.parametrize(("language", "code", "operator", "expected"), CHANGED)
def test_changes_of_each_operator(
    language: str, code: str, operator: str, expected: set[str]
) -> None:
    assert mutated(language, code, operator) == expected


# ------------------------------------------------------------------ unchanged code

LEFT_ALONE = [
    ("python", "# a < b and 1 + 2"),
    ("python", "x = 'a < b + 1'"),
    ("python", 's = """\n1 + 2 < 3\n"""'),
    ("python", "from a import b, c"),
    ("python", "sys.setrecursionlimit(100000)"),
    ("python", "def f(*rest, **named): ..."),
    ("python", "def f(a) -> int: ..."),
    ("python", "x = -y"),
    ("python", "s = 'a' + 'b'"),
    ("python", "x = 0xFF"),
    ("python", "x = 1.5"),
    ("python", "x = 1e-9"),
    ("cpp", "#include <vector>"),
    ("cpp", "#define N 100"),
    ("cpp", "template <typename T> struct A {"),
    ("cpp", "vector<pair<int, int>> v;"),
    ("cpp", "map<string, vector<int>> m;"),
    ("cpp", "cin >> a; cout << b;"),
    ("cpp", "void f(int *p, const T &x);"),
    ("cpp", "auto& x = y;"),
    ("cpp", "// i < n"),
    ("cpp", "/* i < n\n   j + 1 */"),
    ("cpp", "char c = '<';"),
    ("cpp", 'puts("a + b < 3");'),
    ("java", "import java.util.*;"),
    ("java", "List<Integer> a = new ArrayList<>(b);"),
    ("java", "Map<String, List<int[]>> a = b;"),
    ("go", 'import "sort"'),
    ("go", "package main"),
    ("go", "x := <-c"),
    ("javascript", "const f = require('fs');"),
    ("javascript", "const s = `a < ${b}`;"),
    ("javascript", "const f = x => x;"),
    ("ruby", "class A < B"),
    ("ruby", "require 'set'"),
    ("ruby", "=begin\n1 + 2\n=end\n"),
    ("rust", "use std::io::{self, Read};"),
    ("rust", "fn f<T: Ord>(a: &[T]) -> Option<&T> {"),
    ("rust", "let v: Vec<_> = a.collect::<Vec<_>>();"),
    ("rust", "let f = |x| g(&mut x);"),
    ("rust", "let p = (a.0, b.1);"),
    ("rust", "#[derive(Clone)]"),
]


@pytest.mark.parametrize(("language", "code"), LEFT_ALONE)
def test_unchanged_code(language: str, code: str) -> None:
    assert mutated(language, code) == set()


def test_code_next_to_a_comment_is_changed() -> None:
    assert mutated("python", "x = a < b  # 1 + 2 < 3") == {"x = a <= b  # 1 + 2 < 3"}
    assert mutated("cpp", 'puts(a < b ? "x" : "1 + 2");', "relational") == {
        'puts(a <= b ? "x" : "1 + 2");'
    }


def test_masking_keeps_offsets() -> None:
    code = 'vector<int> v; // 1\nputs("2\\n");\n/* 3\n 4 */ x = 5;\n'
    text = masked(code, LANGUAGES["cpp"])
    assert len(text) == len(code)
    assert text.count("\n") == code.count("\n")
    assert [token.group() for token in tokens(text) if token.group().isdigit()] == ["5"]


UNCLOSED = ('"\\"', "/*", "'\\'", '"""\\', "'''\\", 'r#"', 'R"(', "`\\", "\n=begin", "a<b:")


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_unclosed_literals_are_masked_in_linear_time(language: Language) -> None:
    start = time.process_time()
    for opening in UNCLOSED:
        code = f"x = 1 {opening * 10_000}"
        assert len(masked(code, language)) == len(code)
    # If every opening scanned the rest of the code, one literal alone would take longer.
    assert time.process_time() - start < 3


def test_mutant_describes_its_change() -> None:
    code = "a = 1\nif a < b:\n    pass\n"
    change = next(
        change for change in changes(code, LANGUAGES["python"]) if change.operator == "relational"
    )
    mutant = apply(solution(code), change)
    assert (mutant.operator, mutant.line) == ("relational", 2)
    assert (mutant.before, mutant.after) == ("if a < b:", "if a <= b:")
    assert mutant.parent == "p/python/a"
    assert mutant.code == "a = 1\nif a <= b:\n    pass\n"


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_every_language_reference_has_mutants(language: Language) -> None:
    assert len({change.operator for change in changes(language.reference, language)}) >= 3
    assert {"relational", "arithmetic", "logical", "extreme"} <= set(replacements(language))


# ------------------------------------------------------------------ samples

CODE = (
    "a, b = 1, 2\nif a < b and a + b > 3:\n    a += 1\nelif a == b or a - b < 5:\n    b -= 1\n"
    "print(min(a, b))\n"
)


def test_a_sample_is_spread_over_operators_and_solutions() -> None:
    both = [solution(CODE), solution(CODE.replace("a", "c"), name="b")]
    drawn = sample_mutants(both, LANGUAGES["python"], 12, 0)
    assert len({mutant.code for mutant in drawn}) == 12
    operators = Counter(mutant.operator for mutant in drawn)
    assert len(operators) == len({change.operator for change in changes(CODE, LANGUAGES["python"])})
    assert max(operators.values()) <= 3
    assert set(Counter(mutant.parent for mutant in drawn).values()) == {6}


def test_sample_depends_on_seed_and_extends_smaller_ones() -> None:
    python, both = LANGUAGES["python"], [solution(CODE), solution(CODE.replace("3", "9"), name="b")]
    assert sample_mutants(both, python, 10, 7) == sample_mutants(both[::-1], python, 10, 7)
    assert sample_mutants(both, python, 20, 7)[:10] == sample_mutants(both, python, 10, 7)
    assert sample_mutants(both, python, 10, 7) != sample_mutants(both, python, 10, 8)


def test_sample_is_limited_to_one_language() -> None:
    assert len(sample_mutants([solution("x = 0\n")], LANGUAGES["python"], 50, 0)) == 1
    assert sample_mutants([solution(CODE)], LANGUAGES["cpp"], 50, 0) == []


# ------------------------------------------------------------------ languages as data


def test_language_without_a_table_has_shared_mutations() -> None:
    own = Mutation()
    assert (own.operators, own.types, own.bounds, own.skip, own.generics) == (
        {},
        (),
        (),
        None,
        False,
    )


@pytest.mark.parametrize(
    ("table", "word"),
    [
        ("generics = 1", "generics"),
        ("types = ['a']", "types"),
        ("operators.relational = [['<']]", "relational"),
        ("bounds = 'x'", "bounds"),
        ("skip = '('", "language folder"),
        ("drop = 'x'", "mutation.drop"),
    ],
)
def test_wrong_mutation_table_is_refused(tmp_path: Path, table: str, word: str) -> None:
    folder = tmp_path / "python"
    shutil.copytree(LANGUAGES["python"].folder, folder)
    file = folder / "language.toml"
    before, after = file.read_text().split("[mutation]\n")
    file.write_text(f"{before}[mutation]\n{table}\n\n[source]\n" + after.split("[source]\n")[1])
    with pytest.raises(LanguageError, match=word):
        read_language(folder)
