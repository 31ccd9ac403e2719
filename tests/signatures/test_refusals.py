"""Unreadable starter code is refused with line and type; merely unusual code is read."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from venus_toolkit.core.errors import EXIT_USAGE, LanguageError, SignatureError
from venus_toolkit.core.language import load_languages
from venus_toolkit.signatures import Signature, parse_signature

LANGUAGES = load_languages()


def read(name: str, text: str, entry: str = "") -> Signature:
    return parse_signature(text, LANGUAGES[name], entry)


@pytest.mark.parametrize(
    ("name", "text", "spelt", "line"),
    [
        ("python", "class Solution:\n    def f(self, counts: Dict[str, int]) -> int:\n", "Dict[str, int]", 2),
        ("python", "def f(nums: list) -> int:\n", "list", 1),
        ("python", "def f(nums: List[Any]) -> int:\n", "List[Any]", 1),
        ("python", 'def f(a):\n    """\n    :type a: Set[int]\n    :rtype: int\n    """\n', "Set[int]", 3),
        ("python", "class Solution:\n    def f(\n        self,\n        b: Foo,\n    ) -> int:\n", "Foo", 4),
        ("python", "def f(root: Optional[Node]) -> int:\n", "Optional[Node]", 1),
        ("python", "def f(a: int) -> Tuple[int, int]:\n", "Tuple[int, int]", 1),
        ("cpp", "class Solution {\npublic:\n    int f(unordered_map<int, int>& m) {\n", "unordered_map<int, int>&", 3),
        ("cpp", "pair<int,int> f(int n) {\n", "pair<int,int>", 1),
        ("cpp", "int f(int a[]) {\n", "int a[]", 1),
        ("go", "\nfunc f(a int, m map[string]int) int {\n", "map[string]int", 2),
        ("go", "func f(a int) (int, error) {\n", "(int, error)", 1),
        ("go", "func f(visit func(a int, b int) bool, n int) int {\n", "func(a int, b int) bool", 1),
        ("java", "class Solution {\n    int f(Map<Long, List<Long>> m, int n) {\n", "Map<Long, List<Long>>", 2),
        ("java", "class Solution {\n    public BigInteger f(int n) {\n", "BigInteger", 2),
        ("javascript", "/**\n * @param {Map} m\n * @return {number}\n */\nvar f = function(m) {\n", "Map", 2),
        ("javascript", "/**\n * @param {Function} fn\n * @return {void}\n */\nvar f = function(fn) {\n", "Function", 2),
        ("ruby", "# @param {Hash} m\n# @return {Integer}\ndef f(m)\nend\n", "Hash", 1),
        ("rust", "impl Solution {\n    pub fn f(m: HashMap<i32, i32>) -> i32 {\n", "HashMap<i32, i32>", 2),
        ("rust", "fn f(n: i32) -> (i32, i32) {\n", "(i32, i32)", 1),
    ],
)  # fmt: skip
def test_unsupported_types_are_named_with_their_lines(
    name: str, text: str, spelt: str, line: int
) -> None:
    with pytest.raises(SignatureError) as caught:
        read(name, text)
    assert f"the type {spelt!r} of " in caught.value.what
    assert f"in line {line} is not supported" in caught.value.what
    assert text.split("\n")[line - 1].strip() in caught.value.why.replace("\\n", "\n")
    assert "docs/runners.md" in caught.value.fix
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    ("name", "text", "position"),
    [
        (
            "javascript",
            "\nconst f = (numbers, threshold) => {\n",
            "the parameter numbers in line 2",
        ),
        ("python", "def f(a, b: int) -> int:\n", "the parameter a in line 1"),
        ("python", "def f(a: int):\n", "the result of f in line 1"),
        ("ruby", "# @param {Integer} a\ndef f(a, b)\nend\n", "the parameter b in line 2"),
    ],
)
def test_missing_types_are_named(name: str, text: str, position: str) -> None:
    with pytest.raises(SignatureError, match=f"the type of {position} is not known"):
        read(name, text)


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(
    "text", ["", "\n\n", "hello", "# nothing\n", "((((", "class Solution", "int main"]
)
def test_text_without_a_function_is_refused(name: str, text: str) -> None:
    with pytest.raises(SignatureError, match="no function to fill in was found"):
        read(name, text)


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    [
        "def f(",
        "fn f(a",
        "func f(a int",
        "int f(int a",
        "var f = function(",
        "def f(a) -> (",
        "}" * 99,
    ],
)
def test_truncated_text_is_refused(name: str, text: str) -> None:
    with pytest.raises(SignatureError):
        read(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", "def f(a: int, b: List[int, c: int) -> int:\n"),
        ("cpp", "int f(int a = 1 << 3, int b) {\n"),
        ("java", "class Solution {\n    int f(List<int a, int b) {\n"),
    ],
)
def test_unmatched_brackets_lose_no_parameter(name: str, text: str) -> None:
    with pytest.raises(SignatureError, match="is not supported"):
        read(name, text)


def test_a_function_without_result_must_change_something() -> None:
    with pytest.raises(SignatureError, match="f in line 2 has no result"):
        read("java", "class Solution {\n    public void f(int n) {\n    }\n}\n")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ("self.next = next\n#         self.prev = prev", "a list with pointers back"),
        (
            "self.left = left\n#         self.right = right\n#         self.parent = parent",
            "a tree with pointers up",
        ),
    ],
)
def test_nodes_with_other_links_are_not_supported(fields: str, name: str) -> None:
    node = (
        f"# class Node:\n#     def __init__(self, x):\n#         self.val = x\n#         {fields}\n"
    )
    with pytest.raises(SignatureError, match=r"the type 'Optional\[Node\]' of the parameter head"):
        read(
            "python",
            f"{node}class Solution:\n    def f(self, head: Optional[Node]) -> int:\n        pass\n",
        )


def test_definition_overrides_predefined_nodes() -> None:
    node = (
        "# class ListNode:\n#     def __init__(self):\n#         self.prev = None\n#         "
        "self.next = None\n"
    )
    with pytest.raises(SignatureError, match="Optional"):
        read("python", f"{node}def f(head: Optional[ListNode]) -> int:\n")


# ------------------------------------------------------------------ the function to fill in


def test_helpers_with_a_body_are_ignored() -> None:
    text = (
        "def is_palindrome(s: str) -> bool:\n    return s == s[::-1]\n\n\ndef make(s: str) -> "
        "str:\n"
    )
    assert [function.name for function in read("python", text).functions] == ["make"]
    text = (
        "bool even(int n) {\n    if (n < 0) { return even(-n); }\n    return n % 2 == 0;\n}\nint "
        "count(int n) {\n"
    )
    assert [function.name for function in read("cpp", text).functions] == ["count"]


def test_entry_chooses_the_function() -> None:
    text = "def one(a: int) -> int:\n    pass\n\ndef two(a: int) -> int:\n    pass\n"
    assert read("python", text, "two").functions[0].name == "two"
    with pytest.raises(SignatureError, match="it is not clear which function is asked for"):
        read("python", text)
    with pytest.raises(SignatureError, match="called three"):
        read("python", text, "three")


def test_the_entry_may_be_an_expression() -> None:
    text = (
        "class Solution:\n    def helper(self, a: int) -> int: ...\n    def f(self, a: int) -> "
        "int: ...\n"
    )
    signature = read("python", text, "Solution().f")
    assert [function.name for function in signature.functions] == ["f"]
    assert not signature.design


def test_entry_in_another_spelling_or_of_a_class() -> None:
    two = (
        "def two_sum(a)\nend\n\n# @param {Integer} a\n# @return {Integer}\ndef other_one(a)\nend\n"
    )
    assert read("ruby", two, "otherOne").functions[0].name == "otherOne"
    text = (
        "class A:\n    def __init__(self): ...\n    def f(self) -> int: ...\nclass B:\n    def "
        "g(self) -> int: ...\n"
    )
    assert read("python", text, "A").holder == "A"
    assert read("python", text, "A").design


def test_solution_with_helpers_is_not_a_design() -> None:
    text = "class Solution:\n    def f(self, a: int) -> int:\n        return self.g(a)\n"
    text += "    def g(self, a: int) -> int:\n        return a\n"
    with pytest.raises(SignatureError, match="it is not clear which function is asked for"):
        read("python", text)
    assert not read("python", text, "f").design


def test_calls_in_strings_and_comments_are_ignored() -> None:
    text = (
        '# def g(a: int) -> int:\nNOTE = "def h(a: int) -> int:"\ndef f(a: int) -> int:\n    '
        '"""def i(b: str):"""\n'
    )
    assert [function.name for function in read("python", text).functions] == ["f"]


# ------------------------------------------------------------------ invalid and missing grammars


def test_a_language_without_signatures_is_refused(tmp_path: Path) -> None:
    language = replace(LANGUAGES["python"], folder=tmp_path)
    with pytest.raises(LanguageError, match="signatures in Python cannot be read or written"):
        parse_signature("def f(a: int) -> int:\n", language)


def test_a_language_without_a_parser_is_refused() -> None:
    language = replace(LANGUAGES["python"], id="other", syntax=None)
    with pytest.raises(LanguageError, match=r"language\.toml names no parser"):
        parse_signature("def f(a: int) -> int:\n", language)


def test_solution_without_closing_braces_is_read() -> None:
    text = 'class Solution {\n    /* about }} */\n    public int f(int n) { String s = "{";\n'
    assert read("java", text).functions[0].name == "f"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('int = ["int"]', 'integer = ["int"]', "unknown types: integer"),
        ('place = "after"', 'place = "above"', "place is one of before, after"),
        ("[names]", '[names]\nfunctions = "kebab"', "unknown conventions of names: kebab"),
        ("[names]", "[nouns]", "the key 'names' is missing"),
        ("ignored = '", "ignored = '(", "cannot be read"),
        ("@class @node", "@class @node (", "the parser tree_sitter_python cannot be used"),
        ("query = ", "question = ", "the key 'query' is missing"),
    ],
)
def test_invalid_table_is_refused(tmp_path: Path, before: str, after: str, message: str) -> None:
    shutil.copy(LANGUAGES["python"].folder / "signature.toml", tmp_path)
    file = tmp_path / "signature.toml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(LanguageError) as caught:
        parse_signature("def f(a: int) -> int:\n", replace(LANGUAGES["python"], folder=tmp_path))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(
    "unit", [" ", "a", "public ", "(", "class A{\n", "/*", '"', "def f(a: ", "=begin\n", "/*\n"]
)
def test_hostile_text_is_fast(name: str, unit: str) -> None:
    """Starter code is untrusted, so no pattern may take minutes to match."""
    begun = time.process_time()
    for length in (1_900, 19_000, 1_000_000):
        with pytest.raises(SignatureError):
            read(name, unit * (length // len(unit)))
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("java", f"class Solution {{\n    int{'[]' * 900} f(int n) {{\n"),
        ("python", f"def f(a: {'List[' * 300}int{']' * 300}) -> int:\n"),
        (
            "javascript",
            f"/** @param {{{'null|' * 300}x}} a\n * @return {{number}} */\nvar f = function(a) "
            f"{{\n",
        ),
    ],
)
def test_too_deep_types_are_refused(name: str, text: str) -> None:
    with pytest.raises(SignatureError, match="is not supported"):
        read(name, text)


def test_long_text_is_refused_with_its_length() -> None:
    with pytest.raises(
        SignatureError,
        match="the starter code is too long: 30000 characters, 30000 in a line",
    ):
        read("python", "a" * 30_000)
