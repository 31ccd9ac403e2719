"""Models in this process: batches, cache, vLLM's arguments, and refusals."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.models.client import (
    Completion,
    Message,
    ModelOptions,
    options_for,
    question_key,
)
from venus_toolkit.models.dialect import ENDINGS
from venus_toolkit.models.in_process import Engine, LocalGenerator, Query, _read_vllm, open_local


def prompt(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def generator(engine: Engine, cache: Path, **options: Any) -> LocalGenerator:
    return LocalGenerator(ModelOptions("", "vllm:somewhere", **options), cache, engine=engine)


def echo(batch: Sequence[Query]) -> list[Completion]:
    return [Completion(f"{query.prompt[0].content} {query.seed}", "", 3, 2) for query in batch]


def test_answers_are_cached_and_counted(tmp_path: Path) -> None:
    with generator(echo, tmp_path) as model:
        answers = [
            answer.text
            for answer in (
                *model.complete([prompt("a"), prompt("b")]),
                model.sample(prompt("a"), 7),
            )
        ]
        assert [text and text[0] for text in answers] == ["a", "b", "a"]
        assert len({text and text[1:] for text in answers}) == 3, "each has its own seed"
        assert (model.costs.requests, model.costs.prompt_tokens, model.costs.completion_tokens) == (
            3,
            9,
            6,
        )
    with generator(echo, tmp_path) as model:
        assert model.sample(prompt("a"), 7).cached
        assert model.costs.requests == 0


def test_waiting_queries_are_batched(tmp_path: Path) -> None:
    sizes: list[int] = []
    first_may_end = threading.Event()

    def slow(batch: Sequence[Query]) -> list[Completion]:
        sizes.append(len(batch))
        first_may_end.wait(20)
        return echo(batch)

    with generator(slow, tmp_path, concurrency=6) as model:
        asking = threading.Thread(target=model.complete, args=([prompt(str(n)) for n in range(6)],))
        asking.start()
        while model._queue is not None and model._queue.qsize() + sum(sizes) < 6:
            time.sleep(0.001)
        first_may_end.set()
        asking.join()
    assert sum(sizes) == 6
    assert len(sizes) <= 2, "queries that arrive during a call are answered in the next one"


def test_cut_off_answer_is_the_models_own(tmp_path: Path) -> None:
    with generator(
        lambda batch: [Completion(None, ENDINGS["length"], 3, 9, ending="length") for _ in batch],
        tmp_path,
    ) as model:
        answer = model.sample(prompt("a"))
    assert (answer.text, answer.answered) == (None, True)
    assert "cut off" in answer.reason


def test_error_of_the_engine_reaches_the_caller(tmp_path: Path) -> None:
    def broken(batch: Sequence[Query]) -> list[Completion]:
        raise RuntimeError("out of memory")

    with generator(broken, tmp_path) as model:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="out of memory"):
                model.sample(prompt("a"))


def test_vllm_output_is_read() -> None:
    class Output:
        text, finish_reason, token_ids = "print(1)", "stop", (1, 2)

    class RequestOutput:
        outputs = (Output,)
        prompt_token_ids = (1, 2, 3)

    assert _read_vllm(RequestOutput) == Completion("print(1)", "", 3, 2)
    Output.finish_reason = "length"
    assert (_read_vllm(RequestOutput).text, _read_vllm(RequestOutput).reason) == (
        None,
        ENDINGS["length"],
    )


def test_missing_model_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names no model"):
        open_local(ModelOptions("", "vllm:"), tmp_path)


@pytest.mark.parametrize("kind", ["vllm", "transformers"])
def test_missing_package_names_the_extra(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("vllm", "torch", "transformers"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    extra = {"vllm": "vllm", "transformers": "train"}[kind]
    with pytest.raises(MachineError, match=f"the extra {extra} is not installed") as caught:
        open_local(ModelOptions("", f"{kind}:somewhere"), tmp_path)
    assert caught.value.fix == f"type: pip install 'venus-toolkit[{extra}]'"


def test_invalid_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are invalid"):
        generator(echo, tmp_path, concurrency=0)


# ------------------------------------------------------------------ vLLM's engine


class EngineError(ValueError):
    """The error of a scripted vLLM about a value."""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A scripted vLLM that records its engine arguments."""
    engine_args: dict[str, Any] = {}

    @dataclasses.dataclass
    class EngineArgs:
        model: str = ""
        revision: str | None = None
        trust_remote_code: bool = False
        hf_token: str | None = None
        tensor_parallel_size: int = 1
        dtype: str = "auto"

    class LLM:
        def __init__(self, **arguments: Any) -> None:
            engine_args.update(dataclasses.asdict(EngineArgs(**arguments)))
            if not isinstance(engine_args["tensor_parallel_size"], int):
                raise EngineError("tensor_parallel_size: not an integer\nsee the manual")

    module = types.ModuleType("vllm")
    vars(module).update(LLM=LLM, EngineArgs=EngineArgs, SamplingParams=dict)
    monkeypatch.setitem(sys.modules, "vllm", module)
    return engine_args


def test_engine_arguments_reach_the_engine(tmp_path: Path, engine: dict[str, Any]) -> None:
    arguments = {"tensor_parallel_size": 2, "dtype": "float16"}
    open_local(ModelOptions("", "vllm:m@main", engine_args=arguments), tmp_path).close()
    assert {**engine, **arguments, "model": "m", "revision": "main"} == engine
    assert engine["trust_remote_code"] is False


@pytest.mark.parametrize(
    ("engine_args", "problem", "fix"),
    [
        ({"tensor_paralel_size": 2}, "no engine argument tensor_paralel_size", "tensor_parallel"),
        ({"zzz": 2}, "no engine argument zzz", "see the engine arguments"),
        ({"model": "other"}, "model cannot be an --engine-arg", "leave it out"),
        ({"trust_remote_code": True}, "trust_remote_code cannot be", "leave it out"),
        ({"hf_token": "secret"}, "hf_token cannot be", "leave it out"),
        ({"tensor_parallel_size": "two"}, "cannot load m with tensor_parallel_size='two'", "leave"),
    ],
)
def test_invalid_engine_arguments_are_refused(
    engine_args: dict[str, Any], problem: str, fix: str, tmp_path: Path, engine: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        open_local(ModelOptions("", "vllm:m", engine_args=engine_args), tmp_path)
    assert fix in caught.value.fix
    assert "secret" not in f"{caught.value} {caught.value.why} {caught.value.fix}"


@pytest.mark.parametrize("model", ["transformers:m", "replay:answers.jsonl", "human:best", "gpt"])
def test_only_vllm_takes_engine_arguments(model: str) -> None:
    options = {"engine_args": {"dtype": "half"}, "base_url": "http://localhost:1/v1"}
    with pytest.raises(UsageError, match=f"not for {model}"):
        options_for(model, 0, options)
    assert options_for("vllm:m", 0, {"engine_args": {"dtype": "half"}})


def test_engine_arguments_change_the_question() -> None:
    plain, half = (
        ModelOptions("", "vllm:m", engine_args=engine_args)
        for engine_args in ({}, {"dtype": "half"})
    )
    assert question_key(plain, prompt("a"), 0) != question_key(half, prompt("a"), 0)
