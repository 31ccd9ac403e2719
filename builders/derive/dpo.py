"""DPO: three solutions; the middle one in the prompt, the best one chosen, the worst one rejected."""

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
    prompt_columns,
    role_columns,
    role_fields,
    says,
    tail_columns,
    triples,
)
from venus_toolkit.builders.derive.separation import SHOWN

SCHEMA = pa.schema(
    [
        *HEAD,
        ("prompt", MESSAGES),
        ("chosen", MESSAGES),
        ("rejected", MESSAGES),
        ("prompt_text", pa.string()),
        ("chosen_text", pa.string()),
        ("rejected_text", pa.string()),
        ("chosen_performance", pa.float64()),
        ("rejected_performance", pa.float64()),
        ("input_performance", pa.float64()),
        *role_fields("input"),
        *role_fields("chosen"),
        *role_fields("rejected"),
        *TAIL,
    ]
)


def _row(source: Source) -> dict[str, Any]:
    given, best, worst = source.chosen
    chosen, rejected = (fenced(each["code"], source.language) for each in (best, worst))
    shown = SHOWN[source.objective]
    return {
        **head_columns(source),
        **prompt_columns(improve_request(source, given)),
        "chosen": says(chosen),
        "rejected": says(rejected),
        "chosen_text": chosen,
        "rejected_text": rejected,
        "chosen_performance": best[shown],
        "rejected_performance": worst[shown],
        "input_performance": given[shown],
        **role_columns("input", given),
        **role_columns("chosen", best),
        **role_columns("rejected", worst),
        **tail_columns(source),
    }


RECIPE = Recipe(Kind("dpo", SCHEMA, PROBLEM_COLUMNS, triples), _row)
