"""Rendered runners, and signatures without one; nothing runs here."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.runners.echo import (
    CHAR,
    GRAPH,
    LINKED_LIST,
    NARY_TREE,
    STRING,
    TREE,
    echo_signature,
    listed,
    optional,
)
from tests.runners.support import INT, INTS, LANGUAGES, VOID, function
from venus_toolkit.core.errors import LanguageError, SignatureError
from venus_toolkit.core.language import MARKER, render
from venus_toolkit.signatures import (
    BATCH,
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    fill,
    lines_of_case,
    render_runner,
    snake,
)

PYTHON = LANGUAGES["python"]


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_runner_has_one_line_for_the_solution(language: object) -> None:
    for signature in (function(INTS, INT), echo_signature()):
        runner = render_runner(signature, language)  # type: ignore[arg-type]
        assert runner.count(MARKER) == 1
        assert "my own code" in render(runner, "my own code")


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_runner_has_only_the_nodes_that_it_needs(language: object) -> None:
    plain = render_runner(function(INTS, INT), language)  # type: ignore[arg-type]
    assert "TreeNode" not in plain
    assert "ListNode" not in plain
    assert "TreeNode" in render_runner(function(INT, TREE), language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (function(Type(Kind.LIST), INT), ["type list", "the result of solve"]),
        (
            function(INT, optional(optional(INT))),
            ["optional<optional<int>>", "argument a of solve"],
        ),
        (function(INT, optional(TREE)), ["optional<tree<int>>", "argument a of solve"]),
        (function(INT, INT, listed(VOID)), ["type void", "argument b of solve"]),
        (function(INT, Type(Kind.TREE, INTS, "TreeNode")), ["tree<list<int>>"]),
        (function(INT, Type(Kind.GRAPH, STRING, "Node")), ["graph<string>"]),
        (function(VOID, INTS), ["returns nothing"]),
        (function(VOID, INTS, changed=1), ["no argument 1"]),
        (Signature(()), ["one function", "none"]),
        (Signature((Function("a", (), INT), Function("b", (), INT))), ["one function", "a, b"]),
        (function(INT, NARY_TREE, dataclasses.replace(GRAPH, node="Node")), ["nary_tree", "graph"]),
        (
            function(INT, LINKED_LIST, Type(Kind.LINKED_LIST, CHAR, "ListNode")),
            ["linked_list<char>"],
        ),
        (function(INT, LINKED_LIST, Type(Kind.LINKED_LIST, INT, "Other")), ["linked_list"]),
    ],
)
def test_types_without_a_runner_are_named(signature: Signature, words: list[str]) -> None:
    with pytest.raises(SignatureError) as refused:
        render_runner(signature, PYTHON)
    assert refused.value.why
    assert "docs/runners.md" in refused.value.fix
    for word in words:
        assert word in str(refused.value)


def test_constructor_is_checked_too() -> None:
    strange = Signature((), "Kit", (Parameter("x", Type(Kind.OPTIONAL)),), design=True)
    with pytest.raises(SignatureError, match="constructor's argument x"):
        render_runner(strange, PYTHON)


def test_a_language_without_a_template_says_what_is_missing(tmp_path: Path) -> None:
    bare = dataclasses.replace(PYTHON, id="bare", name="Bare", folder=tmp_path)
    with pytest.raises(
        LanguageError, match=r"Bare has no runners.*\n?.*languages/bare/runner\.py\.j2 is missing"
    ):
        render_runner(function(INT, INT), bare)


def test_a_new_language_is_a_folder_with_a_template(tmp_path: Path) -> None:
    (tmp_path / "runner.py.j2").write_text(
        "{{ signature.functions[0].name | snake }}\n# {{ marker }}\n"
    )
    (tmp_path / "signature.toml").write_text((PYTHON.folder / "signature.toml").read_text())
    language = dataclasses.replace(PYTHON, folder=tmp_path)
    assert render_runner(function(INT, INT, name="toIt"), language) == f"to_it\n# {MARKER}\n"


@pytest.mark.parametrize(
    ("language", "pasted", "placed"),
    [
        ("java", "public final class A {\n    public class B {}\n}", "final class A {\n    public class B {}\n}"),
        ("go", 'package main\nimport (\n\t"sort"\n\t"net"\n)', '\nimport (\n\n\t"net"\n)'),
        ("go", 'import "sort"\nvar x = "sort"', '\nvar x = "sort"'),
        ("go", "var x = slices.Max(y)", 'import "slices"; var x = slices.Max(y)'),
        ("go", 'import s "slices"\n// slices.Max', 'import s "slices"\n// slices.Max'),
        ("rust", "pub struct Solution;\nstruct Solutions;", "\nstruct Solutions;"),
        ("python", "import sort", "import sort"),
    ],
)  # fmt: skip
def test_definitions_of_the_runner_are_removed(language: str, pasted: str, placed: str) -> None:
    """Runners in releases of earlier versions rely on this."""
    assert (
        fill(f"{BATCH}\n{MARKER}\nb", pasted, LANGUAGES[language]).source == f"{BATCH}\n{placed}\nb"
    )


def test_lines_of_a_case() -> None:
    assert lines_of_case(function(INT)) == 0
    assert lines_of_case(function(INT, INT, INTS)) == 2
    assert lines_of_case(echo_signature()) == 2


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("numIslands2", "num_islands2"), ("toHTMLText", "to_html_text"), ("snake_case", "snake_case")],
)
def test_names_of_rust_and_ruby(name: str, spelled: str) -> None:
    assert snake(name) == spelled
