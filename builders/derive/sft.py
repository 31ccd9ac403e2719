"""SFT: a solution with what it costs in the prompt, one that costs less as the answer."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from venus_toolkit.answers import fenced
from venus_toolkit.builders.derive.kinds import (
    HEAD,
    MESSAGES,
    PROBLEM_COLUMNS,
    TAIL,
    Kind,
    Recipe,
    Source,
    head_columns,
    improve_request,
    pairs,
    prompt_columns,
    role_columns,
    role_fields,
    says,
    tail_columns,
)
from venus_toolkit.builders.derive.separation import SHOWN

SCHEMA = pa.schema(
    [
        *HEAD,
        ("prompt", MESSAGES),
        ("completion", MESSAGES),
        ("prompt_text", pa.string()),
        ("response", pa.string()),
        ("performance", pa.float64()),
        ("input_performance", pa.float64()),
        *role_fields("input"),
        *role_fields("answer"),
        *TAIL,
    ]
)


def _row(source: Source) -> dict[str, Any]:
    given, answer = source.chosen
    response, shown = fenced(answer["code"], source.language), SHOWN[source.objective]
    return {
        **head_columns(source),
        **prompt_columns(improve_request(source, given)),
        "completion": says(response),
        "response": response,
        "performance": answer[shown],
        "input_performance": given[shown],
        **role_columns("input", given),
        **role_columns("answer", answer),
        **tail_columns(source),
    }


RECIPE = Recipe(Kind("sft", SCHEMA, PROBLEM_COLUMNS, pairs), _row)
