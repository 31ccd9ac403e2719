"""Facts of a release: each is compared with a second computation in plain Python."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venus_toolkit.core.errors import StoreError
from venus_toolkit.core.store import read_manifest
from venus_toolkit.dataset.card.dataset_card import render_dataset_card
from venus_toolkit.dataset.card.release_facts import (
    PER_DECADE,
    SAMPLED,
    Facts,
    Proportion,
    collect_facts,
)


def facts_of(folder: Path) -> Facts:
    return collect_facts(folder, json.loads((folder / "manifest.json").read_text()))


@pytest.fixture(scope="module")
def facts(pristine: Path) -> Facts:
    return facts_of(pristine)


def rows_of(folder: Path, language: str, split: str = "*") -> list[dict[str, Any]]:
    files = sorted(folder.glob(f"data/{language}/{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def measured(folder: Path, language: str, name: str) -> list[float]:
    solutions = [each for row in rows_of(folder, language) for each in row["solutions"]]
    return sorted(each[name] for each in solutions if each[name] is not None)


def test_counts_of_a_language(pristine: Path, facts: Facts) -> None:
    rows = rows_of(pristine, "go")
    (go,) = (each for each in facts.languages if each.name == "go")
    sizes = [len(row["solutions"]) for row in rows]
    assert (go.problems, go.train, go.test) == (len(rows), len(rows_of(pristine, "go", "train")), 1)
    assert (go.solutions, go.most_solutions) == (sum(sizes), max(sizes))
    assert go.solutions_per_problem == statistics.median(sizes)
    assert go.passing == sum(each["passed"] for row in rows for each in row["solutions"])
    assert go.tests == sum(len(row["test_ids"]) for row in rows)


def test_totals_count_a_problem_once(pristine: Path, facts: Facts) -> None:
    titles = {row["title"] for row in rows_of(pristine, "*")}
    assert facts.totals.problems == len(titles) < sum(each.problems for each in facts.languages)
    assert facts.totals.tests == sum(table.rows for table in facts.tables["tests"].values())
    assert facts.totals.misplaced == 0


def test_tokens_are_those_of_a_sample(pristine: Path, facts: Facts) -> None:
    (cpp,) = (each for each in facts.languages if each.name == "cpp")
    counts = []
    for row in rows_of(pristine, "cpp"):
        codes = [each["code"] for each in row["solutions"]]
        sample = codes[:: max(1, len(codes) // SAMPLED)][:SAMPLED]
        counts += [len(re.findall(r"\w+|[^\w\s]", code)) for code in sample]
    assert (cpp.sampled, cpp.tokens, cpp.most_tokens) == (
        len(counts),
        statistics.median(counts),
        max(counts),
    )


def test_distributions_in_published_units(pristine: Path, facts: Facts) -> None:
    for metric in ("time", "memory", "integral"):
        (java,) = (each for each in facts.distributions[metric] if each.language == "java")
        values = measured(pristine, "java", metric)
        assert java.measured == len(values) == sum(count for _, count in java.bins)
        assert math.isclose(java.median, statistics.median(values), rel_tol=1e-9)
        assert java.low < java.median < java.high
        low, high = (10 ** (bin_ / PER_DECADE) for bin_ in (java.bins[0][0], java.bins[-1][0] + 1))
        assert low <= values[0] * 1.000001
        assert values[-1] <= high


def test_agreement_of_instructions_and_time(release: Path) -> None:
    assert facts_of(release).agreement == ()  # the release has no instruction counts
    chance, pairs = random.Random(1), []
    for file in release.glob("data/go/*.parquet"):
        table = pq.read_table(file)
        rows = table.to_pylist()
        for row in rows:
            known = [each for each in row["solutions"] if each["passed"] and each["cpu_ns"]]
            for each in known:
                counted = round(each["cpu_ns"] * chance.uniform(0.5, 2))
                each |= {
                    "net_cpu_ns": each["cpu_ns"] - 1000,
                    "cpu_se": 0.1,
                    "instructions": counted,
                }
            pairs += list(itertools.permutations(known, 2))
        pq.write_table(pa.Table.from_pylist(rows, table.schema), file)
    clear = [
        (fast, slow)
        for fast, slow in pairs
        if slow["net_cpu_ns"] > 1.5 * fast["net_cpu_ns"]
        and slow["cpu_ns"] - fast["cpu_ns"]
        > 1.96 * 0.1 * math.hypot(slow["cpu_ns"], fast["cpu_ns"])
    ]
    same = sum(fast["instructions"] < slow["instructions"] for fast, slow in clear)
    (go,) = facts_of(release).agreement
    assert (go.name, go.pairs, go.same) == ("go", len(clear), same)
    assert 0 < same < len(clear) < len(pairs)


def test_possible_gain(pristine: Path, facts: Facts) -> None:
    gains = []
    for row in rows_of(pristine, "rust"):
        times = [each["time"] for each in row["solutions"] if each["time"] is not None]
        gains.append(max(times) / min(times))
    (rust,) = (each for each in facts.distributions["time"] if each.language == "rust")
    assert rust.gain is not None
    assert math.isclose(rust.gain, statistics.median(gains), rel_tol=1e-9)


def test_repeatability(pristine: Path, facts: Facts) -> None:
    (python,) = (each for each in facts.languages if each.name == "python")
    assert python.cpu_spread is not None
    assert math.isclose(
        python.cpu_spread, statistics.median(measured(pristine, "python", "cpu_spread"))
    )
    assert python.measured == len(measured(pristine, "python", "wall_ns"))


def test_licences_and_sources(facts: Facts) -> None:
    assert facts.licences == ("CC0-1.0", "MIT")
    assert {(each.source, each.license, each.problems > 0, each.solutions > 0) for each in facts.sources} == {
        ("bench", "CC0-1.0", True, False), ("bench", "MIT", False, True),
    }  # fmt: skip


def test_rows_files_and_bytes(pristine: Path, facts: Facts) -> None:
    files = list(pristine.glob("data/*/train-*.parquet"))
    table = facts.tables["default"]["train"]
    assert table.rows == sum(pq.read_metadata(file).num_rows for file in files)
    assert table.size == sum(file.stat().st_size for file in files)
    assert set(table.files) == set(files)


def rewrite(file: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Call `change` with every row of a Parquet file, and write the file again."""
    table = pq.read_table(file)
    rows = table.to_pylist()
    for row in rows:
        change(row)
    pq.write_table(table.from_pylist(rows, schema=table.schema), file)


def test_rates_are_summed_once_for_a_problem(release: Path) -> None:
    quality = {
        "grade": "B",
        "true_positive": {"hits": 3, "n": 4},
        "slow_refused": {"hits": 0, "n": 0, "rate": None},
    }
    for file in release.glob("data/*/*.parquet"):
        rewrite(file, lambda row: row.update(test_quality=json.dumps(quality)))
    facts = facts_of(release)
    problems = facts.totals.problems
    assert facts.rates["true_positive"] == Proportion(3 * problems, 4 * problems)
    assert facts.rates["true_positive"].value == 0.75
    assert facts.grades == {"B": problems}
    assert facts.rates["slow_refused"].value is None
    assert facts.rates["true_negative_wrong"].value is None


def test_problem_in_both_splits_is_detected(release: Path) -> None:
    (file,) = release.glob("data/go/test-*.parquet")
    other = rows_of(release, "go", "train")[0]["title"]
    rewrite(file, lambda row: row.update(title=other))
    assert facts_of(release).totals.misplaced == 1


def test_tests_are_counted_without_their_config(release: Path, facts: Facts) -> None:
    for file in release.glob("tests/*.parquet"):
        file.unlink()
    assert facts_of(release).totals.tests == facts.totals.tests


def test_unmeasured_figures_are_unknown(release: Path) -> None:
    def forget(row: dict[str, Any]) -> None:
        unknown = dict.fromkeys(
            ("wall_ns", "peak_bytes", "integral_byte_ns", "wall_spread", "cpu_spread")
        )
        row["solutions"] = [each | unknown for each in row["solutions"]]

    for file in release.glob("data/*/*.parquet"):
        rewrite(file, forget)
    found = facts_of(release)
    assert found.distributions == {"time": (), "memory": (), "integral": ()}
    assert {(each.measured, each.wall_spread) for each in found.languages} == {(0, None)}


def test_classes_of_growth_are_counted(release: Path, facts: Facts) -> None:
    assert facts.complexities == ()

    def fit(row: dict[str, Any]) -> None:
        for number, each in enumerate(row["solutions"]):
            each["complexity"] = ("linear", "quadratic", None)[min(number, 2)]

    (file,) = release.glob("data/go/train-*.parquet")
    rewrite(file, fit)
    problems = len(rows_of(release, "go", "train"))
    found = [
        (each.language, each.complexity, each.solutions) for each in facts_of(release).complexities
    ]
    assert found == [("go", "linear", problems), ("go", "quadratic", problems)]
    assert f"(`complexity`): linear in {problems} go solutions" in render_dataset_card(
        release, read_manifest(release) or {}
    )


def test_release_without_complexity_columns(release: Path, facts: Facts) -> None:
    for file in release.glob("data/*/*.parquet"):
        table = pq.read_table(file)
        place = table.schema.get_field_index("solutions")
        fields = [
            each
            for each in table.schema.field(place).type.value_type
            if "complexity" not in each.name
        ]
        rows = [
            [{field.name: each[field.name] for field in fields} for each in solutions]
            for solutions in table["solutions"].to_pylist()
        ]
        pq.write_table(
            table.set_column(place, "solutions", pa.array(rows, pa.list_(pa.struct(fields)))), file
        )
    assert facts_of(release)._replace(tables=facts.tables) == facts


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing", b"PAR1" + bytes(100) + b"PAR1"])
def test_non_parquet_file_is_named(release: Path, content: bytes) -> None:
    (file,) = release.glob("data/cpp/train-*.parquet")
    file.write_bytes(content)
    with pytest.raises(StoreError) as refused:
        facts_of(release)
    assert file.name in refused.value.what
    assert refused.value.why
    assert "again" in refused.value.fix


def test_damage_behind_the_footer_is_named(release: Path) -> None:
    (file,) = release.glob("data/cpp/train-*.parquet")
    whole = bytearray(file.read_bytes())
    whole[100 : len(whole) // 2] = bytes(len(whole) // 2 - 100)
    file.write_bytes(bytes(whole))
    with pytest.raises(StoreError, match=r"train-00000-of-00001.parquet cannot be read"):
        facts_of(release)


def test_foreign_columns_are_named(release: Path) -> None:
    (file,) = release.glob("data/cpp/train-*.parquet")
    pq.write_table(pq.read_table(file).drop_columns(["solutions"]), file)
    with pytest.raises(StoreError, match="solutions"):
        facts_of(release)
