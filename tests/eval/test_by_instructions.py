"""Answers ranked by instructions, which a program can forge: then its CPU time decides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, MIDDLE, SLOW, Posed
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import TestCase
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.eval_options import PUBLISHED, EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.results import REFERENCES, SCHEMA, read_results
from venus_toolkit.execution.counting import counter_facts
from venus_toolkit.execution.measure import MeasureOptions

pytestmark = [*needs_isolation, pytest.mark.usefixtures("own_cache")]
counted = pytest.mark.skipif(
    counter_facts("auto").get("counter") != "emulated", reason="no emulator counts here: venus doctor"
)
ADD = """#include <cstdio>
int main() {
  long long n, s = 0;
  std::scanf("%lld", &n);
  for (volatile long long i = 0; i <= FACTOR * n; i = i + 1) s += i <= n ? i : 0;
  std::printf("%lld\\n", s);
}
"""
# The plugin lies in the address space of the program, and this is where it counts.
FORGE = """#include <cstdint>
#include <cstdio>
#include <unistd.h>
static void forge() {
  char path[64], line[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/maps", int(getpid()));
  std::FILE *maps = std::fopen(path, "r");
  unsigned long begin, end;
  char shared;
  while (maps && std::fgets(line, sizeof line, maps))
    if (std::sscanf(line, "%lx-%lx rw-%c", &begin, &end, &shared) == 3 && shared == 's' && end - begin == 65536)
      *reinterpret_cast<volatile std::uint64_t *>(begin) = 100000;
}
"""
LARGE = tuple(TestCase(str(n), f"{n}\n", f"{n * (n + 1) // 2}\n") for n in (1_000_000, 1_200_000))
Write = Callable[..., Any]


def rows(out: Path, release: Release, model: Path, language: str, samples: int) -> dict[int, dict[str, Any]]:
    """The rows of an evaluation by the number of the sample."""
    options = EvalOptions(
        f"replay:{model}", str(release.folder), (language,), samples=samples, rank="instructions",
        measure=MeasureOptions(repeats=2),
    )  # fmt: skip
    Evaluation(options, release, out, load_languages()).run()
    return {row["sample"]: row for row in read_results(out, SCHEMA.names).to_pylist()}


@counted
def test_answers_and_humans_are_ranked_by_what_they_execute(
    tmp_path: Path, write_release: Write, write_completions: Write
) -> None:
    import pyarrow.parquet as pq

    release = write_release(tmp_path / "data", [Posed("sum-up", (MIDDLE, SLOW))])
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": [FAST, MIDDLE, "# as a human\n" + MIDDLE]})
    found = rows(tmp_path / "run", release, model, "python", 3)
    assert {row["time_figure"] for row in found.values()} == {"instructions"}
    assert {row["time_objection"] for row in found.values()} == {None}
    assert found[0]["instructions"] < found[1]["instructions"]
    assert found[1]["percentile_time"] == 1.0, "it ties with the best one"
    assert [found[n]["place_time"] for n in range(3)] == ["better", "middle", "middle"]
    assert found[1]["percentile_time_repeats"] == [1.0], "it is counted once"
    human = pq.read_table(tmp_path / "run" / REFERENCES).to_pylist()
    # But for an empty line at its end it is the same program, however busy the machine is.
    assert human[0]["instructions"] == pytest.approx(found[1]["instructions"], rel=1e-4)


@counted
def test_a_forged_count_is_not_believed(tmp_path: Path, write_release: Write, write_completions: Write) -> None:
    human = [ADD.replace("FACTOR", str(factor)) for factor in (20, 60, 70, 80)]
    slow = ADD.replace("FACTOR", "40")
    forged = FORGE + slow.replace("s);\n}", "s);\n  std::fflush(stdout);\n  forge();\n}")
    release = write_release(tmp_path / "data", [Posed("sum-up", human, tests=LARGE)], languages=("cpp",))
    model = write_completions(tmp_path / "c.jsonl", {"sum-up": [slow, forged]})
    found = rows(tmp_path / "run", release, model, "cpp", 2)
    assert found[1]["passed"]
    assert found[1]["instructions"] < 0.1 * found[0]["instructions"], "the forgery works"
    assert (found[0]["time_figure"], found[0]["place_time"]) == ("instructions", "middle")
    assert (found[1]["time_figure"], found[1]["place_time"]) == ("relative_time", "middle")
    assert "CPU time contradicts" in found[1]["time_objection"]


def test_published_figures_cannot_be_ranked_by_instructions() -> None:
    with pytest.raises(UsageError, match="another machine"):
        EvalOptions("replay:x", "data", ("cpp",), rank="instructions", references=PUBLISHED)
