"""LiveCodeBench: dated problems of three sites, with tests and no solutions (lighteval/code_generation_lite).

Private tests may be a pickle. It is never loaded, but read opcode by opcode, and must contain
nothing but one text.
"""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib

from venus_toolkit.builders.reading.cells import Cells, TableRow
from venus_toolkit.builders.reading.drafts import Draft, new_problem, read_tests, table_source
from venus_toolkit.builders.reading.values import day, difficulty, slugify

MAX_BYTES = 1 << 29  # zlib compresses up to 1000:1, so a few megabytes could fill the memory


@table_source(key="question_id", location="lighteval/code_generation_lite")
def read(row: TableRow) -> Draft:
    """Return the problem of a row with its tests; the source has no solutions."""
    platform, number = row.text("platform"), str(row.raw("question_id") or "")
    groups = {"public": row.rows("public_test_cases")}
    try:
        groups["private"] = row.rows("private_test_cases")
    except ValueError:
        unpacked = {"private_test_cases": unpack(row.text("private_test_cases"))}
        groups["private"] = Cells(unpacked).rows("private_test_cases")
    functional = any(
        case.text("testtype", "") == "functional" for cases in groups.values() for case in cases
    )
    name = row.cells("metadata").text("func_name", "")
    problem = new_problem(
        slugify("livecodebench", platform, number or row.text("question_title")),
        row.text("question_content"),
        title=row.text("question_title"),
        difficulty=difficulty(row.text("difficulty", "")),
        style="function" if functional else "stdin",
        source=slugify("livecodebench", platform),
        date=day(row.text("contest_date", "")),
        starter_code={"python": row.text("starter_code", "")},
        extra={"question_id": number, **({"entry_point": name} if name else {})},
    )
    return Draft(problem, (), read_tests(groups))


def unpack(packed: str) -> str:
    """Return the text in a pickle, compressed with zlib, in base64.

    Raises:
        ValueError: `packed` has another form, or the pickle contains more than one text.
    """
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(packed, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"private_test_cases is neither JSON nor packed JSON: {error}") from error
    # zlib stops at its limit without an error.
    if stream.unconsumed_tail:
        raise ValueError(f"private_test_cases unpacks to more than {MAX_BYTES >> 20} MiB")
    texts = []
    # Opcodes that hold text, and harmless ones around it
    text = ("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
    around = ("PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP")
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in text:
                texts.append(str(argument))
            elif opcode.name not in around:
                raise ValueError(f"it wants {opcode.name} {argument or ''}".rstrip())
        if len(texts) != 1:
            raise ValueError(f"it holds {len(texts)}")
    except ValueError as error:
        raise ValueError(f"private_test_cases is not a pickle of one text: {error}") from error
    return texts[0]
