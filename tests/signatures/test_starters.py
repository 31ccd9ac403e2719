"""Starter code as web pages show it, in every language, says the same signature; see starters/*.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, parse_signature

FOLDER = Path(__file__).parent / "starters"
SHAPES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
LANGUAGES = load_languages()
NODES = {Kind.LINKED_LIST: "", Kind.TREE: "", Kind.NARY_TREE: "n-ary ", Kind.GRAPH: "graph "}
CASES = [(shape, key) for shape, table in SHAPES.items() for key in table if not key.endswith("signature")]


def shown_type(wanted: Type) -> str:
    if wanted.kind in NODES:
        return f"{NODES[wanted.kind]}{wanted.node}<{wanted.element}>"
    return f"{wanted.kind}<{shown_type(wanted.element)}>" if wanted.element else str(wanted.kind)


def shown_parameters(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(f"{parameter.name}: {shown_type(parameter.type)}" for parameter in parameters)


def shown_function(function: Function) -> str:
    changed = "" if function.changed is None else f" changes {function.parameters[function.changed].name}"
    return f"{function.name}({shown_parameters(function.parameters)}) -> {shown_type(function.returns)}{changed}"


def shown(signature: Signature) -> str:
    """A signature in one line, as the files have it."""
    constructor = f"({shown_parameters(signature.constructor)})" if signature.design else ""
    return f"{signature.holder}{constructor}: {'; '.join(map(shown_function, signature.functions))}"


@pytest.mark.parametrize(("shape", "key"), CASES, ids=lambda part: str(part))
def test_starter_code_says_its_signature(shape: str, key: str) -> None:
    table, language = SHAPES[shape], key.split("_")[0]
    expected = table.get(f"{language}_signature", table["signature"])
    assert shown(parse_signature(table[key], LANGUAGES[language])) == expected


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "codec"])
def test_every_language_has_an_example(shape: str) -> None:
    assert set(LANGUAGES) <= set(SHAPES[shape])


@pytest.mark.parametrize(("shape", "key"), CASES, ids=lambda part: str(part))
def test_windows_line_ends_and_tabs_change_nothing(shape: str, key: str) -> None:
    language = LANGUAGES[key.split("_")[0]]
    text = SHAPES[shape][key]
    other = text.replace("\n", "\r\n").replace("    ", "\t")
    assert parse_signature(other, language) == parse_signature(text, language)
