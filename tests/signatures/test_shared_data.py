"""The share of readable signatures in other data sets.

LeetCodeDataset has starter code, HumanEval-X has declarations.

`pytest -m shared -s tests/signatures` prints the shares.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.inputs.answers import freedom_of
from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import load_languages
from venus_toolkit.signatures import (
    Kind,
    Signature,
    Type,
    parse_signature,
    starter_code,
    widened,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LANGUAGES = load_languages()
FILES = {
    "python": "python",
    "cpp": "cpp",
    "go": "go",
    "java": "java",
    "javascript": "js",
    "rust": "rust",
}
TASKS = 164

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs the sample data in ../shared/data"),
]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


@cache
def leetcode() -> list[dict[str, Any]]:
    return list(lines(DATA / "leetcodedataset" / "LeetCodeDataset-v0.3.1-test.jsonl.gz"))


@cache
def declarations(language: str) -> dict[int, Signature | str]:
    """Return the signature of every task, or the reason why it has none."""
    signatures: dict[int, Signature | str] = {}
    for row in lines(DATA / "humaneval-x" / f"humaneval_{FILES[language]}.jsonl.gz"):
        try:
            signatures[int(row["task_id"].split("/")[1])] = parse_signature(
                row["declaration"], LANGUAGES[language]
            )
        except SignatureError as error:
            signatures[int(row["task_id"].split("/")[1])] = error.what
    return signatures


def test_every_leetcode_starter_is_read() -> None:
    read = [
        parse_signature(row["starter_code"], LANGUAGES["python"], row["entry_point"])
        for row in leetcode()
    ]
    print(f"\nLeetCodeDataset: {len(read)} of {len(leetcode())} signatures are supported")
    assert len(read) == 228


def test_leetcode_roundtrip_in_every_language() -> None:
    for row in leetcode():
        signature = widened(
            parse_signature(row["starter_code"], LANGUAGES["python"]), row["problem_description"]
        )
        for language in LANGUAGES.values():
            again = parse_signature(starter_code(signature, language), language)
            assert shape(again, everywhere=True) == shape(signature, everywhere=True)


def test_leetcode_statements_with_any_order_and_longs() -> None:
    free, long = set(), set()
    for row in leetcode():
        signature = parse_signature(row["starter_code"], LANGUAGES["python"])
        if freedom_of(row["problem_description"]).order:
            free.add(row["task_id"])
        if widened(signature, row["problem_description"]) != signature:
            long.add(row["task_id"])
    assert free == {
        "find-indices-of-stable-mountains",
        "the-two-sneaky-numbers-of-digitville",
        "remove-methods-from-project",
        "frequencies-of-shortest-supersequences",
    }
    assert long == {
        "find-the-k-th-character-in-string-game-ii",
        "maximum-sized-array",
        "smallest-divisible-digit-product-ii",
        "minimum-cost-to-make-arrays-identical",
        "permutations-iv",
    }


@pytest.mark.parametrize(
    ("language", "least"),
    [("python", 27), ("cpp", 160), ("go", 144), ("java", 155), ("javascript", 0), ("rust", 157)],
)
def test_readable_declarations(language: str, least: int) -> None:
    """Most Python declarations of HumanEval-X and all JavaScript ones have no types."""
    signatures = declarations(language)
    supported = sum(isinstance(signature, Signature) for signature in signatures.values())
    untyped = sum(
        isinstance(reason, str) and "is not known" in reason for reason in signatures.values()
    )
    print(
        f"\nHumanEval-X, {language}: {supported} of {len(signatures)} supported, {untyped} say "
        "no types"
    )
    assert len(signatures) == TASKS
    assert supported >= least
    assert supported + untyped >= 0.87 * TASKS


def test_the_share_of_declarations_that_are_read() -> None:
    typed = [
        one
        for name in FILES
        for one in declarations(name).values()
        if "is not known" not in str(one)
    ]
    supported = sum(isinstance(one, Signature) for one in typed)
    print(
        f"\nHumanEval-X: {supported} of {len(typed)} declarations with types are supported, "
        f"{supported / len(typed):.0%}"
    )
    assert supported >= 0.9 * len(typed)


def word(type_: Type, everywhere: bool) -> str:
    """Return the name of a type, without distinctions that some languages lack (long and int)."""
    kinds = {Kind.LONG: Kind.INT, Kind.CHAR: Kind.STRING}
    if everywhere:
        kinds |= {Kind.FLOAT: Kind.INT}
    inner = f"<{word(type_.element, everywhere)}>" if type_.element else ""
    return f"{kinds.get(type_.kind, type_.kind)}{inner}"


def shape(signature: Signature, everywhere: bool = False) -> str:
    function = signature.functions[0]
    return " ".join(
        word(type_, everywhere)
        for type_ in [*(one.type for one in function.parameters), function.returns]
    )


def test_declarations_of_one_task_agree() -> None:
    agreeing, compared, reasons = 0, 0, []
    for task in range(TASKS):
        by_language = {language: declarations(language)[task] for language in FILES}
        shapes = {
            language: shape(one)
            for language, one in by_language.items()
            if isinstance(one, Signature)
        }
        if len(shapes) > 1:
            compared += 1
            agreeing += len(set(shapes.values())) == 1
            if len(set(shapes.values())) > 1:
                reasons.append(
                    f"  {task}: "
                    + "; ".join(f"{language} {text}" for language, text in shapes.items())
                )
    print(f"\nHumanEval-X: {agreeing} of {compared} tasks agree; the others:", *reasons, sep="\n")
    assert compared >= 160
    assert agreeing >= 142


def test_names_agree_apart_from_spelling() -> None:
    same = 0
    for task in range(TASKS):
        signatures = [declarations(language)[task] for language in FILES]
        names = {
            re.sub(r"_|\d+$", "", one.functions[0].name.lower())
            for one in signatures
            if isinstance(one, Signature)
        }
        same += len(names) == 1
    assert same >= 130
