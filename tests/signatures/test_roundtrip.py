"""Generated starter code is read as the same signature, as far as the language can express it."""

from __future__ import annotations

import ast
import random
from dataclasses import replace

import pytest

from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.signatures import (
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    parse_signature,
    starter_code,
)

LANGUAGES = load_languages()
SCALARS = [
    Type(kind) for kind in (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)
]
NODES = [
    Type(Kind.LINKED_LIST, Type(Kind.INT), "ListNode"),
    Type(Kind.TREE, Type(Kind.INT), "TreeNode"),
    Type(Kind.NARY_TREE, Type(Kind.INT), "Node"),
    Type(Kind.GRAPH, Type(Kind.INT), "Node"),
]


def listed(element: Type, levels: int = 1) -> Type:
    return listed(Type(Kind.LIST, element), levels - 1) if levels else element


def optional(element: Type) -> Type:
    return Type(Kind.OPTIONAL, element)


TYPES = [
    *SCALARS,
    *NODES,
    *map(listed, SCALARS + NODES),
    *(listed(scalar, 2) for scalar in SCALARS),
    listed(SCALARS[0], 3),
    *map(optional, SCALARS),
    optional(listed(SCALARS[0])),
    listed(optional(SCALARS[0])),
]

# Kinds that a language cannot express, and their replacements.
SAID = {
    "python": {Kind.LONG: Kind.INT, Kind.CHAR: Kind.STRING},
    "ruby": {Kind.LONG: Kind.INT},
    "javascript": {Kind.LONG: Kind.INT, Kind.FLOAT: Kind.INT},
}


def readable_type(type_: Type, language: Language) -> Type:
    if type_.element:
        return replace(type_, element=readable_type(type_.element, language))
    return Type(SAID.get(language.id, {}).get(type_.kind, type_.kind))


def readable(signature: Signature, language: Language) -> Signature:
    """Replace the types in a signature that the language cannot express."""

    def parameters(listed: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(function.name, readable_type(function.type, language)) for function in listed
        )

    functions = tuple(
        replace(
            function,
            parameters=parameters(function.parameters),
            returns=readable_type(function.returns, language),
        )
        for function in signature.functions
    )
    return replace(signature, functions=functions, constructor=parameters(signature.constructor))


def method(
    name: str, parameters: dict[str, Type], returns: Type, changed: int | None = None
) -> Function:
    return Function(
        name, tuple(Parameter(key, type_) for key, type_ in parameters.items()), returns, changed
    )


def check_roundtrip(signature: Signature, language: Language) -> bool:
    return parse_signature(starter_code(signature, language), language) == readable(
        signature, language
    )


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_every_type_survives_as_parameter_and_result(type_: Type, language: Language) -> None:
    assert check_roundtrip(
        Signature((method("findAll", {"first": type_, "maxWeight": type_}, type_),)), language
    )


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
@pytest.mark.parametrize(
    "type_", [type_ for type_ in TYPES if type_.kind in (Kind.LIST, Kind.LINKED_LIST)], ids=str
)
@pytest.mark.parametrize("changed", [0, 1])
def test_arguments_changed_in_place_survive(type_: Type, changed: int, language: Language) -> None:
    function = method("sortIt", {"nums": type_, "otherOnes": type_}, Type(Kind.VOID), changed)
    assert check_roundtrip(Signature((function,)), language)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_classes_to_design_survive(type_: Type, language: Language) -> None:
    functions = (
        method("addItem", {"itemToAdd": type_, "n": SCALARS[0]}, Type(Kind.VOID)),
        method("get", {}, type_),
        method("hasAny2", {"k": type_}, SCALARS[3]),
    )
    holder = "ItemStore2D"
    assert check_roundtrip(
        Signature(functions, holder, (Parameter("items", type_),), True), language
    )
    assert check_roundtrip(Signature(functions, holder, (), True), language)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_random_signatures_survive(language: Language) -> None:
    rng = random.Random(7)
    for _ in range(100):
        types = [
            rng.choice([type_ for type_ in TYPES if type_ != NODES[3]])
            for _ in range(rng.randint(0, 5))
        ]
        parameters = {f"argument{index}": type_ for index, type_ in enumerate(types)}
        signature = Signature(
            (method("f", parameters, rng.choice([SCALARS[0], listed(SCALARS[1], 2)])),)
        )
        assert check_roundtrip(signature, language), signature


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_reserved_words_are_renamed(language: Language) -> None:
    """Two well-known problems have such parameters; reading restores their names."""
    function = method(
        "replace", dict.fromkeys(("from", "to", "type", "in", "end"), SCALARS[0]), SCALARS[0]
    )
    assert check_roundtrip(Signature((function,)), language)


@pytest.mark.parametrize("name", ["python", "cpp", "rust"])
def test_free_functions_stay_free_in_class_languages(name: str) -> None:
    for returns, changed in ((SCALARS[0], None), (Type(Kind.VOID), 0)):
        assert check_roundtrip(
            Signature((method("total", {"nums": listed(SCALARS[0])}, returns, changed),), ""),
            LANGUAGES[name],
        )


@pytest.mark.parametrize("name", ["go", "javascript", "ruby"])
def test_free_functions_stand_for_solution_in_others(name: str) -> None:
    signature = Signature((method("total", {"n": SCALARS[0]}, SCALARS[0]),), "")
    read = parse_signature(starter_code(signature, LANGUAGES[name]), LANGUAGES[name])
    assert read == replace(signature, holder="Solution")


def test_node_values_are_read_if_declared() -> None:
    letters = Type(Kind.LINKED_LIST, Type(Kind.CHAR), "LetterNode")
    signature = Signature((method("read", {"head": letters}, Type(Kind.STRING)),))
    for name in ("cpp", "go", "java", "rust"):
        assert check_roundtrip(signature, LANGUAGES[name])


def test_python_starter_code_is_python() -> None:
    for type_ in TYPES:
        text = starter_code(Signature((method("f", {"nums": type_}, type_),)), LANGUAGES["python"])
        ast.parse(text.rstrip() + "\n        pass\n")


def test_names_follow_the_convention() -> None:
    signature = Signature((method("findLUSlength", {"maxWeight": SCALARS[0]}, SCALARS[0]),))
    assert "fn find_lu_slength(max_weight: i32) -> i32" in starter_code(
        signature, LANGUAGES["rust"]
    )
    assert "def find_lu_slength(max_weight)" in starter_code(signature, LANGUAGES["ruby"])
    assert "func findLUSlength(maxWeight int) int" in starter_code(signature, LANGUAGES["go"])
    assert "var findLUSlength = function(maxWeight)" in starter_code(
        signature, LANGUAGES["javascript"]
    )


def test_java_boxes_type_arguments() -> None:
    signature = Signature((method("f", {"n": optional(SCALARS[0])}, optional(listed(SCALARS[0]))),))
    assert "public Optional<int[]> f(Optional<Integer> n)" in starter_code(
        signature, LANGUAGES["java"]
    )


def test_rust_imports_once() -> None:
    text = starter_code(
        Signature((method("f", {"a": NODES[1], "b": NODES[2]}, SCALARS[0]),)), LANGUAGES["rust"]
    )
    assert text.count("use std::rc::Rc;") == 1


def test_a_language_without_a_template_is_refused() -> None:
    other = replace(LANGUAGES["python"], extension=".py3")
    with pytest.raises(LanguageError, match="starter code in Python cannot be written"):
        starter_code(Signature((method("f", {}, SCALARS[0]),)), other)
