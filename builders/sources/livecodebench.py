"""LiveCodeBench: dated problems of three sites, with tests and no solutions (lighteval/code_generation_lite).

Private tests may be a pickle. It is read as data, opcode by opcode, and nothing but one text may be in it: no pickle is
ever loaded.
"""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib
from collections.abc import Iterator, Mapping

from venus_toolkit.builders.reading.cases import given_tests, read_pairs, without_repeats
from venus_toolkit.builders.reading.cells import Cells, Row
from venus_toolkit.builders.reading.drafts import Draft, new_problem, read_rows
from venus_toolkit.builders.reading.location import parse_location
from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.reading.values import day, difficulty, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.language import Language

LOCATION = "lighteval/code_generation_lite"
LICENSE = "unknown"
MAX_BYTES = 1 << 29
TEXT = ("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
AROUND = ("PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP")


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems of LiveCodeBench, or of a table of its shape."""
    return read_rows(read_table(parse_location(location)), languages, _draft, key="question_id")


def _draft(row: Row) -> Draft:
    platform, number = row.text("platform"), str(row.raw("question_id") or "")
    groups = {"public": row.rows("public_test_cases"), "private": _private(row)}
    tests = [test for group, cases in groups.items() for test in given_tests(read_pairs(cases), group)]
    functional = any(case.text("testtype", "") == "functional" for cases in groups.values() for case in cases)
    starter = row.text("starter_code", "")
    name = row.cells("metadata").text("func_name", "")
    problem = new_problem(
        slugify("livecodebench", platform, number or row.text("question_title")),
        row.text("question_content"),
        title=row.text("question_title"),
        difficulty=difficulty(row.text("difficulty", "")),
        style="function" if functional else "stdin",
        source=slugify("livecodebench", platform),
        license=LICENSE,
        date=day(row.text("contest_date", "")),
        starter_code={"python": starter} if starter.strip() else {},
        extra={"question_id": number, **({"entry_point": name} if name else {})},
    )
    return Draft(problem, (), without_repeats(tests))


def _private(row: Row) -> list[Cells]:
    try:
        return row.rows("private_test_cases")
    except ValueError:
        packed = row.text("private_test_cases")
    return Cells({"private_test_cases": unpack(packed)}).rows("private_test_cases")


def unpack(packed: str) -> str:
    """Return the text in a pickle, compressed with zlib, in base64.

    Raises:
        ValueError: It is something else, or anything but one text is in the pickle.
    """
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(packed, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"private_test_cases is neither JSON nor packed JSON: {error}") from error
    if stream.unconsumed_tail:
        raise ValueError(f"private_test_cases unpacks to more than {MAX_BYTES >> 20} MiB")
    try:
        return _text_in(data)
    except ValueError as error:
        raise ValueError(f"private_test_cases is no pickle of one text: {error}") from error


def _text_in(data: bytes) -> str:
    texts = []
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name in TEXT:
            texts.append(str(argument))
        elif opcode.name not in AROUND:
            raise ValueError(f"it wants {opcode.name} {argument or ''}".rstrip())
    if len(texts) != 1:
        raise ValueError(f"it holds {len(texts)}")
    return texts[0]
