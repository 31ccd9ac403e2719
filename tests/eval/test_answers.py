"""Answers: streamed in bounded parts, cached, and given up if the server is gone."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.eval.conftest import FAST, SLOW, Posed
from tests.model_server import Fault, ModelServer, Script, completion, sample_of, serving
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.generate import (
    Answers,
    ModelCaller,
    ReplayedModel,
    ServedModel,
)
from venus_toolkit.eval.asking.tasks import EvaluationTask, TaskKey, list_tasks, load
from venus_toolkit.models import client as llm
from venus_toolkit.models.client import ChatGenerator, ModelOptions, Prompt, TokenUsage

PYTHON = load_languages()["python"]


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "FIRST_WAIT_S", 0.001)


@pytest.fixture
def heads(tmp_path: Path, write_release: Callable[..., Release]) -> list[TaskKey]:
    release = write_release(tmp_path / "release", [Posed(f"p{number}") for number in range(6)])
    return list_tasks(release, [PYTHON], "test")


def ask(task: EvaluationTask) -> Prompt:
    return task.prompt("time", "block")


@contextmanager
def model(folder: Path, server: ModelServer, **changes: Any) -> Iterator[ModelCaller]:
    options = ModelOptions(
        server.base_url, "m", **{"temperature": 1.0, "tries": 1, "concurrency": 1, **changes}
    )
    with closing(Store(folder)) as store, ChatGenerator(options, folder / "cache") as chat:
        yield ModelCaller(ServedModel(chat, store))


def all_texts(answers: Answers, most: int = 2) -> dict[str, list[str | None]]:
    return {
        task.key.title: [completion.text for completion in completions]
        for part in answers.parts(most)
        for task, completions in part
    }


def number_of(body: dict[str, Any]) -> str:
    return str(sample_of(body, 40))


# ------------------------------------------------------------------ asking


def test_every_sample_has_a_seed_of_its_own(tmp_path: Path, heads: list[TaskKey]) -> None:
    with (
        serving(number_of) as server,
        model(tmp_path / "run", server, seed=40) as asked,
        Answers(asked, heads[:2], 3, load, ask, 4) as answers,
    ):
        assert all_texts(answers) == {"p0": ["0", "1", "2"], "p1": ["0", "1", "2"]}
    assert len({body["seed"] for body in server.asked}) == 6
    prompts = [body["messages"][-1]["content"] for body in server.asked]
    assert len(prompts) == 6
    assert all("Print the sum of the numbers up to n" in prompt for prompt in prompts)


def test_cut_off_answers_are_cached_too(tmp_path: Path, heads: list[TaskKey]) -> None:
    def script(body: dict[str, Any]) -> str | Fault:
        return Fault(200, completion("def f(", "length")) if sample_of(body) == 1 else "print(1)"

    with serving(script) as server:
        for _ in range(2):
            with (
                model(tmp_path / "run", server) as asked,
                Answers(asked, heads, 2, load, ask, 4) as answers,
            ):
                all_completions = [
                    completions for part in answers.parts(3) for _, completions in part
                ]
            assert all(
                (first.text, second.text) == ("print(1)", None) for first, second in all_completions
            )
            assert all(
                second.answered and "cut off" in second.reason for _, second in all_completions
            )
        assert len(server.asked) == 2 * len(heads)


def test_number_of_open_tasks_is_bounded(tmp_path: Path, heads: list[TaskKey]) -> None:
    with (
        serving(["x"]) as server,
        model(tmp_path / "run", server, concurrency=4) as asked,
        Answers(asked, heads, 1, load, ask, 3) as answers,
    ):
        parts = answers.parts(1)
        next(parts)
        time.sleep(0.3)
        assert len(server.asked) <= 1 + 3
        assert len(list(parts)) == len(heads) - 1


def test_answers_arrive_during_judging(tmp_path: Path, heads: list[TaskKey]) -> None:
    with (
        serving(["x"]) as server,
        model(tmp_path / "run", server) as asked,
        Answers(asked, heads, 1, load, ask, len(heads)) as answers,
    ):
        parts = answers.parts(len(heads))
        first = next(parts)
        time.sleep(0.5)  # stands for judging
        rest = next(parts)
    assert len(first) + len(rest) == len(heads), "all other answers arrived in the meantime"


def test_threads_stay_on_their_cores(tmp_path: Path, heads: list[TaskKey]) -> None:
    seen: list[set[int]] = []
    core = min(os.sched_getaffinity(0))

    class Nobody:
        concurrency, patience, costs = 2, None, TokenUsage()

        def answer(self, task: EvaluationTask, prompt: Prompt, index: int) -> llm.Completion:
            seen.append(os.sched_getaffinity(threading.get_native_id()))
            return llm.Completion("x")

    with Answers(ModelCaller(Nobody()), heads, 1, load, ask, 4, cores={core}) as answers:
        list(answers.parts(4))
    assert seen == [{core}] * len(heads)


# ------------------------------------------------------------------ failing


def test_lesson_29_lost_server_is_given_up_and_answers_kept(
    tmp_path: Path, heads: list[TaskKey]
) -> None:
    script: Script = [*["print(1)"] * 3, Fault(500, "oops")]
    with serving(script) as server:
        with (
            model(tmp_path / "run", server) as asked,
            Answers(asked, heads, 4, load, ask, 6) as answers,
        ):
            answered_tasks = [item for part in answers.parts(6) for item in part]
        first = next(completions for task, completions in answered_tasks if task.key.title == "p0")
        assert [item.answered for item in first] == [True, True, True, False]
        assert "8 times in a row" in asked.given_up
        assert "500" in asked.given_up
        assert len(server.asked) == 3 + 8


def test_recovering_server_is_not_given_up(tmp_path: Path, heads: list[TaskKey]) -> None:
    script = [*[Fault(500)] * 7, "x"]
    with (
        serving(script) as server,
        model(tmp_path / "run", server) as asked,
        Answers(asked, heads, 4, load, ask, 6) as answers,
    ):
        answered_tasks = [item for part in answers.parts(6) for item in part]
    assert asked.given_up == ""
    assert sum(not item.answered for _, listed in answered_tasks for item in listed) == 7


def test_unknown_model_shows_the_message_of_the_server(
    tmp_path: Path, heads: list[TaskKey]
) -> None:
    refusal = Fault(404, json.dumps({"error": {"message": "The model `m` does not exist"}}))
    with (
        serving([refusal]) as server,
        model(tmp_path / "run", server) as asked,
        Answers(asked, heads, 4, load, ask, 6) as answers,
    ):
        list(answers.parts(6))
    assert "404" in asked.given_up
    assert "The model `m` does not exist" in asked.given_up


# ------------------------------------------------------------------ replaying


def write_lines(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def replayed(replay: ReplayedModel, head: TaskKey, index: int) -> llm.Completion:
    task = load(head)
    return replay.answer(task, ask(task), index)


def test_replay_accepts_every_name_of_a_task(tmp_path: Path, heads: list[TaskKey]) -> None:
    names: list[dict[str, Any]] = [
        {"task": "python/p0"}, {"title": "p1"}, {"slug": "p2"}, {"slug_name": "p3"}, {"problem_id": 5},
    ]  # fmt: skip
    replay = ReplayedModel(
        write_lines(tmp_path / "c.jsonl", *({**name, "completion": "x"} for name in names))
    )
    assert [replayed(replay, head, 0).text for head in heads] == ["x"] * 5 + [None]


def test_a_replay_counts_samples_and_knows_languages(tmp_path: Path, heads: list[TaskKey]) -> None:
    rows = [
        {"title": "p0", "answer": "a", "completion_tokens": 7},
        {"title": "p0", "answer": "b"},
        {"title": "p1", "language": "Python3", "sample": 1, "answer": "c"},
        {"title": "p2", "language": "cpp", "answer": "d"},
    ]
    replay = ReplayedModel(write_lines(tmp_path / "c.jsonl", *rows))
    assert [replayed(replay, heads[0], index).text for index in range(3)] == ["a", "b", None]
    assert replayed(replay, heads[0], 0).completion_tokens == 7
    assert replayed(replay, heads[1], 1).text == "c"
    lacking = replayed(replay, heads[2], 0)
    assert not lacking.answered
    assert lacking.reason == "c.jsonl has no sample 0"


def test_code_alone_needs_no_fence(tmp_path: Path, heads: list[TaskKey]) -> None:
    replay = ReplayedModel(
        write_lines(tmp_path / "c.jsonl", {"title": "p0", "solution": "words are not code\n"})
    )
    text = replayed(replay, heads[0], 0).text
    assert text
    assert text.startswith("```python\n")


THINKING = {"type": "thinking", "thinking": "hm"}


@pytest.mark.parametrize(
    ("answer", "text", "thoughts"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", None),
        ([THINKING, {"type": "output_text", "text": "a"}, "b"], "ab", "hm"),
        ([], "", None),
    ],
)
def test_an_answer_may_be_a_list_of_content_parts(
    tmp_path: Path, heads: list[TaskKey], answer: Any, text: str, thoughts: str | None
) -> None:
    replay = ReplayedModel(write_lines(tmp_path / "c.jsonl", {"title": "p0", "answer": answer}))
    completion = replayed(replay, heads[0], 0)
    assert (completion.text, completion.reasoning) == (text, thoughts)


def test_unreadable_line_costs_one_sample(tmp_path: Path, heads: list[TaskKey]) -> None:
    good, bad = {"title": "p0", "answer": "x"}, {"title": "p0", "answer": {"text": "y"}}
    file = write_lines(tmp_path / "c.jsonl", good, bad, good, {"answer": "z"})
    file.write_bytes(b"{\n\n\xff\n" + file.read_bytes())
    replay = ReplayedModel(file)
    replay.match(heads)
    assert [replayed(replay, heads[0], index).text for index in range(4)] == ["x", None, "x", None]
    lacking = replayed(replay, heads[0], 1)
    assert not lacking.answered
    assert (
        lacking.reason
        == "c.jsonl, line 5: its answer is neither a text nor a list of content parts"
    )
    (notice,) = replay.costs.notices
    assert notice.startswith("lines of c.jsonl that cannot be read: 4 (line 1: it is not JSON")
    assert notice.endswith("; and others)")


def test_titles_that_match_no_task_are_named(
    tmp_path: Path, write_release: Callable[..., Release]
) -> None:
    posed = [Posed(title) for title in ("two-sum", "three-sum", "add-all")]
    keys = list_tasks(write_release(tmp_path / "release", posed), [PYTHON], "test")
    lines = [{"title": title, "answer": "x"} for title in ("two-sum", "tow-sum", "unlike")]
    some = ReplayedModel(write_lines(tmp_path / "some.jsonl", *lines))
    some.match(keys)
    assert some.costs.notices == [
        "2 tasks of some.jsonl are not among those evaluated: 'tow-sum' (nearest: 'two-sum'), 'unlike'"
    ]
    with pytest.raises(UsageError, match=r"no line of .*none\.jsonl answers a task") as caught:
        ReplayedModel(write_lines(tmp_path / "none.jsonl", *lines[1:])).match(keys)
    assert "'tow-sum' (nearest: 'two-sum')" in caught.value.why
    assert "task, title, slug, slug_name, problem_id" in caught.value.fix
    with pytest.raises(UsageError, match="answers a task") as caught:
        ReplayedModel(
            write_lines(
                tmp_path / "cpp.jsonl", {"title": "two-sum", "language": "cpp", "answer": "x"}
            )
        ).match(keys)
    assert "the language as python" in caught.value.fix


def test_a_replay_from_parquet(tmp_path: Path, heads: list[TaskKey]) -> None:
    pq.write_table(
        pa.table({"problem_id": [1, 1], "solution": [FAST, SLOW]}), tmp_path / "c.parquet"
    )
    text = replayed(ReplayedModel(tmp_path / "c.parquet"), heads[0], 1).text
    assert text
    assert SLOW.strip() in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1: it is not JSON"),
        ("\n[]", "line 2: it is not a JSON object"),
        ('{"answer": "x"}', "line 1: it has no task"),
        ('{"title": "p0"}', "it has no answer"),
        (
            '{"title": "p0", "answer": 3}',
            "its answer is neither a text nor a list of content parts",
        ),
        (
            '{"title": "p0", "answer": [3]}',
            "its answer is neither a text nor a list of content parts",
        ),
        (
            '{"title": "p0", "sample": "first", "answer": "x"}',
            "its sample or iteration is not a number",
        ),
    ],
)
def test_malformed_replay_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match=reason):
        ReplayedModel(file)


def test_missing_replay(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        ReplayedModel(tmp_path / "none.jsonl")
    (tmp_path / "c.parquet").write_text("no")
    with pytest.raises(UsageError, match="cannot be replayed"):
        ReplayedModel(tmp_path / "c.parquet")
