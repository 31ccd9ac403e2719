"""The columns of a release: the ancestors' first, with their names and units, then ours.

Their order does not change.

The metadata of the Parquet files has the features under the key that ``datasets`` reads.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

FEATURES = b"huggingface"

TEXT, INTEGER, REAL, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
LABEL = INTEGER  # as `datasets` stores a class label; the names are in the features
# the class names of each column with class labels
LABELS = {"difficulty": ("Easy", "Medium", "Hard", "Unknown")}

# The fields of a Measurement, in a release and in the results of an evaluation.
MEASUREMENT = {
    # Integrals are floats: many tests of a large program add up to more byte·ns than 64 bits hold.
    "wall_ns": INTEGER, "cpu_ns": INTEGER, "peak_bytes": INTEGER, "integral_byte_ns": REAL,
    "integral_error_byte_ns": REAL, "relative_time": REAL,
    "wall_spread": REAL, "cpu_spread": REAL, "integral_spread": REAL, "relative_spread": REAL,
    "repeats": INTEGER, "noise": pa.list_(TEXT),
    "wall_se": REAL, "cpu_se": REAL, "integral_se": REAL, "relative_se": REAL,
}  # fmt: skip
FLOOR = {
    "floor_wall_ns": INTEGER,
    "floor_cpu_ns": INTEGER,
    "floor_peak_bytes": INTEGER,
    "floor_instructions": INTEGER,
}
SOLUTION = pa.struct({
    "code": TEXT, "status": TEXT, "passed": FLAG,
    # In ms, KiB and KiB·ms, as in the ancestors; MEASUREMENT has the same in ns and bytes.
    "time": REAL, "memory": REAL, "integral": REAL,
    "solution_id": TEXT, "expected": TEXT, "failing_test": TEXT, "reason": TEXT, "rank": INTEGER,
    **MEASUREMENT, "source": TEXT, "license": TEXT, "carries_state": FLAG,
    "tie_group": INTEGER, "rank_lowest": INTEGER, "rank_highest": INTEGER,
    "net_wall_ns": INTEGER, "net_cpu_ns": INTEGER, "net_peak_bytes": INTEGER,
    "instructions": INTEGER, "instructions_se": REAL, "net_instructions": INTEGER,
    "complexity": TEXT, "complexity_exponent": REAL, "complexity_low": REAL, "complexity_high": REAL,
    "percentile": REAL, "origin": TEXT, "joint_time": REAL, "joint_se": REAL,
})  # fmt: skip
ANCESTORS = {
    "problem_id": INTEGER, "title": TEXT, "question_content": TEXT, "difficulty": LABEL, "tags": pa.list_(TEXT),
    "code_prompt": TEXT, "solutions": pa.list_(SOLUTION), "test_case_generator": TEXT, "test_case_evaluator": TEXT,
    "test_case_runners": TEXT, "test_cases": TEXT,
}  # fmt: skip
SCHEMA = pa.schema({
    **ANCESTORS, "language": TEXT, "name": TEXT, "style": TEXT, "comparison": TEXT, "time_limit_ns": INTEGER,
    "memory_limit_bytes": INTEGER, "source": TEXT, "license": TEXT, "cpu_limit_ns": INTEGER,
    "test_case_validator": TEXT, "test_quality": TEXT, "date": TEXT, "url": TEXT, "category": TEXT, "paid_only": FLAG,
    **FLOOR, "separation": REAL, "tie_groups": INTEGER, "net_range": REAL, "ranked": FLAG,
    "test_ids": pa.list_(TEXT), "tests_sha256": TEXT, "standard": TEXT,
})  # fmt: skip
# One row for each solution: the fields of SOLUTION, its problem and its language.
SOLUTIONS = pa.schema({
    "problem_id": INTEGER, "title": TEXT, "language": TEXT, "difficulty": LABEL,
    **{field.name: field.type for field in SOLUTION},
})  # fmt: skip
# One row for each problem: the columns that are the same in every language, and the languages in
# which it is published.
OF_EVERY_LANGUAGE = (
    "problem_id", "title", "question_content", "difficulty", "tags", "name", "style", "comparison", "source", "license",
    "date", "url", "category", "paid_only", "test_case_generator", "test_case_evaluator", "test_case_validator",
    "test_cases", "test_ids", "tests_sha256", "test_quality",
)  # fmt: skip
PROBLEMS = pa.schema(
    [*(SCHEMA.field(name) for name in OF_EVERY_LANGUAGE), ("languages", pa.list_(TEXT))]
)
# One row for each measured solution and each test that it was measured on.
RUNS = pa.schema({
    "problem_id": INTEGER, "title": TEXT, "language": TEXT, "solution_id": TEXT, "test_id": TEXT, "role": TEXT,
    "wall_ns": INTEGER, "cpu_ns": INTEGER, "peak_bytes": INTEGER, "integral_byte_ns": REAL, "instructions": INTEGER,
    "repeats": INTEGER,
})  # fmt: skip
# One row for each unpublished solution, with the reason.
REJECTED = pa.schema({
    "problem_id": INTEGER, "title": TEXT, "language": TEXT, "solution_id": TEXT, "code": TEXT, "expected": TEXT,
    "status": TEXT, "failing_test": TEXT, "stage": TEXT, "reason": TEXT, "source": TEXT, "license": TEXT,
    "origin": TEXT,
})  # fmt: skip
TESTS = pa.schema({
    "problem_id": INTEGER, "title": TEXT, "test_id": TEXT, "input": TEXT, "output": TEXT, "kind": TEXT, "size": TEXT,
    "seed": INTEGER, "way": TEXT, "input_sha256": TEXT, "input_bytes": INTEGER, "generator": TEXT, "role": TEXT,
    "adds": TEXT,
})  # fmt: skip


def label_of(column: str, name: str) -> int:
    """Return the number of a class; an unknown name gets the last class, such as ``Unknown``."""
    names = LABELS[column]
    return names.index(name) if name in names else len(names) - 1


def name_of(column: str, label: int | str | None) -> str:
    """Return the name of a class; releases of earlier versions have the name itself."""
    if isinstance(label, str) and label:
        return label
    names = LABELS[column]
    return names[label] if isinstance(label, int) and 0 <= label < len(names) else names[-1]


def with_features(schema: pa.Schema) -> pa.Schema:
    """Return `schema` with its features in the metadata, as ``datasets`` itself writes them."""
    features = {
        field.name: {"names": list(LABELS[field.name]), "_type": "ClassLabel"}
        if field.name in LABELS and field.type == LABEL
        else _feature(field.type)
        for field in schema
    }
    return schema.with_metadata({FEATURES: json.dumps({"info": {"features": features}})})


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    if pa.types.is_list(kind):
        # Not Sequence: `datasets` turns a Sequence of structs into a struct of lists.
        return {"feature": _feature(kind.value_type), "_type": "List"}
    names = {pa.float64(): "float64", pa.bool_(): "bool"}  # str() of Arrow's float64 is `double`
    return {"dtype": names.get(kind, str(kind)), "_type": "Value"}
