"""The columns of a release: the ancestors' first, with their names and units, then ours. Their order does not change.

Features are written into the Parquet files under the key that ``datasets`` reads them from.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

FEATURES = b"huggingface"

SOLUTION = pa.struct(
    [
        ("code", pa.string()),
        ("status", pa.string()),
        ("passed", pa.bool_()),
        ("time", pa.float64()),
        ("memory", pa.float64()),
        ("integral", pa.float64()),
        ("solution_id", pa.string()),
        ("expected", pa.string()),
        ("failing_test", pa.string()),
        ("reason", pa.string()),
        ("rank", pa.int64()),
        ("wall_ns", pa.int64()),
        ("cpu_ns", pa.int64()),
        ("peak_bytes", pa.int64()),
        ("integral_byte_ns", pa.float64()),
        ("integral_error_byte_ns", pa.float64()),
        ("relative_time", pa.float64()),
        ("wall_spread", pa.float64()),
        ("cpu_spread", pa.float64()),
        ("integral_spread", pa.float64()),
        ("relative_spread", pa.float64()),
        ("repeats", pa.int64()),
        ("noise", pa.list_(pa.string())),
        ("source", pa.string()),
        ("license", pa.string()),
        ("carries_state", pa.bool_()),
    ]
)
SCHEMA = pa.schema(
    [
        ("problem_id", pa.int64()),
        ("title", pa.string()),
        ("question_content", pa.string()),
        ("difficulty", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("code_prompt", pa.string()),
        ("solutions", pa.list_(SOLUTION)),
        ("test_case_generator", pa.string()),
        ("test_case_evaluator", pa.string()),
        ("test_case_runners", pa.string()),
        ("test_cases", pa.string()),
        ("language", pa.string()),
        ("name", pa.string()),
        ("style", pa.string()),
        ("comparison", pa.string()),
        ("time_limit_ns", pa.int64()),
        ("memory_limit_bytes", pa.int64()),
        ("source", pa.string()),
        ("license", pa.string()),
        ("cpu_limit_ns", pa.int64()),
        ("test_case_validator", pa.string()),
        ("test_quality", pa.string()),
        ("date", pa.string()),
        ("url", pa.string()),
        ("category", pa.string()),
        ("paid_only", pa.bool_()),
    ]
)
TESTS = pa.schema(
    [
        ("problem_id", pa.int64()),
        ("title", pa.string()),
        ("test_id", pa.string()),
        ("input", pa.string()),
        ("output", pa.string()),
        ("kind", pa.string()),
        ("size", pa.string()),
        ("seed", pa.int64()),
        ("way", pa.string()),
        ("input_sha256", pa.string()),
        ("input_bytes", pa.int64()),
        ("generator", pa.string()),
    ]
)


def with_features(schema: pa.Schema) -> pa.Schema:
    """Return `schema` with its features in the metadata, as ``datasets`` itself writes them."""
    features = {field.name: _feature(field.type) for field in schema}
    return schema.with_metadata({FEATURES: json.dumps({"info": {"features": features}})})


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    names = {pa.float64(): "float64", pa.bool_(): "bool"}
    return {"dtype": names.get(kind, str(kind)), "_type": "Value"}
