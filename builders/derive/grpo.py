"""GRPO: one prompt a problem and objective, and where its tests are; no test, and no answer, is in the row.

The original solution is one than which a cheaper one is known, so that there is something to find.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from venus_toolkit.builders.curation.placement import TRAIN
from venus_toolkit.builders.derive.kinds import (
    HEAD,
    MESSAGES,
    PROBLEM_COLUMNS,
    TAIL,
    Kind,
    Recipe,
    Source,
    head_columns,
    improvable,
    improve_request,
    prompt_columns,
    role_columns,
    role_fields,
    tail_columns,
)
from venus_toolkit.task import tests_digest

SCHEMA = pa.schema(
    [
        *HEAD,
        ("prompt", MESSAGES),
        ("prompt_text", pa.string()),
        ("config", pa.string()),
        ("split", pa.string()),
        ("revision", pa.string()),
        ("tests_sha256", pa.string()),
        *role_fields("original"),
        *TAIL,
    ]
)


def _row(source: Source) -> dict[str, Any]:
    (original,) = source.chosen
    return {
        **head_columns(source),
        **prompt_columns(improve_request(source, original, form="thinking")),
        "config": source.language.id,
        "split": TRAIN,
        "revision": source.revision,
        "tests_sha256": tests_digest(source.problem["test_cases"]),
        **role_columns("original", original),
        **tail_columns(source),
    }


RECIPE = Recipe(Kind("grpo", SCHEMA, (*PROBLEM_COLUMNS, "test_cases"), improvable, most=1), _row)
