"""Single answers scored directly, and as tasks of inspect_ai if it is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, WRONG, Posed
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.scoring.scorer import Scorer
from venus_toolkit.execution.measuring.rounds import MeasureOptions

pytestmark = [*needs_isolation, pytest.mark.usefixtures("own_cache")]
LANGUAGES = load_languages()


@pytest.fixture
def release(tmp_path: Path, write_release: Callable[..., Release]) -> Release:
    return write_release(tmp_path / "data", [Posed("sum-up"), Posed("lonely", (FAST,))])


@pytest.fixture
def scorer(release: Release, tmp_path: Path) -> Iterator[Scorer]:
    options = EvalOptions("m", str(release.folder), ("python",), measure=MeasureOptions(repeats=2))
    with Scorer(options, release, tmp_path / "scored", LANGUAGES) as opened:
        yield opened


def test_an_answer_is_a_row(scorer: Scorer) -> None:
    good = scorer.score("python/sum-up", f"So:\n```python\n{FAST}```")
    assert (good["passed"], good["references"], good["code"]) == (True, 3, FAST.strip())
    assert 0 <= good["percentile_time"] <= 1
    assert (
        scorer.score("python/sum-up", f"So:\n```python\n{FAST}```")["wall_ns"] == good["wall_ns"]
    ), "scored once"
    wrong = scorer.score("python/sum-up", f"```python\n{WRONG}```")
    assert (wrong["passed"], wrong["verdict"], wrong["percentile_time"]) == (
        False,
        "wrong_answer",
        0.0,
    )
    assert scorer.score("python/sum-up", "I cannot.")["outcome"] == "no_code"
    assert scorer.score("python/lonely", f"```python\n{FAST}```")["unranked"]


def test_tasks_are_named(scorer: Scorer) -> None:
    assert sorted(key.name for key in scorer.keys) == ["python/lonely", "python/sum-up"]
    assert "sum of the numbers" in scorer.prompt("python/sum-up")[1].content
    assert [scorer.has_rank(f"python/{name}") for name in ("lonely", "sum-up")] == [False, True]
    with pytest.raises(UsageError, match="there is no task cpp/sum-up"):
        scorer.score("cpp/sum-up", "")


@pytest.mark.filterwarnings("ignore")
def test_tasks_of_inspect_ai(release: Release, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed", exc_type=ImportError)
    from venus_toolkit.integrations.inspect_ai import efficiency, venus_task

    task = venus_task(str(release.folder), "python", str(tmp_path / "inspect"), repeats=2)
    assert [sample.id for sample in task.dataset] == ["python/sum-up"]
    assert task.dataset[0].input[1].role == "user"
    options = EvalOptions("m", str(release.folder), ("python",), measure=MeasureOptions(repeats=2))
    with Scorer(options, release, tmp_path / "scored", LANGUAGES) as opened:
        scores = [asyncio.run(_score(efficiency(opened), code)) for code in (FAST, WRONG)]
    assert [score.value["passed"] for score in scores] == [1.0, 0.0]
    assert scores[1].value["beyond_time"] == 0.0
    assert scores[1].metadata["place_time"] == "failed"


async def _score(score: Any, code: str) -> Any:
    answer = SimpleNamespace(completion=f"```python\n{code}```")
    return await score(SimpleNamespace(sample_id="python/sum-up", output=answer), None)
