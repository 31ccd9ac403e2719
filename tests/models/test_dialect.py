"""Settings that servers refuse, and forms of their answers, from real responses over real HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import (
    Fault,
    ModelServer,
    Step,
    chunk,
    completion,
    error,
    events,
    response,
    said,
    serving,
)
from venus_toolkit.core.records import to_plain
from venus_toolkit.models import client as llm
from venus_toolkit.models.client import ChatGenerator, Completion, Message, ModelOptions, Prompt

PROMPT: Prompt = (Message("system", "Be brief."), Message("user", "p"))


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "FIRST_WAIT_S", 0.01)


def generator(server: ModelServer, cache: Path, **options: Any) -> ChatGenerator:
    settings = {"timeout_s": 5.0, "temperature": 0.8, "answer_tokens": 4096, **options}
    return ChatGenerator(ModelOptions(server.base_url, "m", **settings), cache)


def asked_of(
    script: Any, cache: Path, times: int = 1, **options: Any
) -> tuple[list[Completion], ModelServer, Any]:
    """Return the answers of a scripted server, the server, and the costs."""
    with serving(script) as server, generator(server, cache, **options) as model:
        return [model.sample(PROMPT, index) for index in range(times)], server, model.costs


def asked_twice(script: Any, cache: Path) -> tuple[list[Completion], list[Any], int]:
    """Ask the same question in two runs; return answers, costs of each run, and number of requests."""
    with serving(script) as server:
        answers, costs = [], []
        for _ in range(2):
            with generator(server, cache) as model:
                answers.append(model.sample(PROMPT))
            costs.append(model.costs)
        return answers, costs, len(server.asked)


# ------------------------------------------------------------------ refused settings


def openai(name: str, hint: str = "") -> Fault:
    text = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
    return error(text, param=name, code="unsupported_parameter")


def google(name: str) -> Fault:
    text = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
    return Fault(
        400, json.dumps([{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}])
    )


def pydantic(name: str) -> Fault:
    """FastAPI's error repeats the whole body, which names every parameter."""
    echo = {"temperature": 0.8, "max_tokens": 4096, "seed": 1, "top_p": 1, "stop": "x", "n": 1}
    problem = {
        "type": "extra_forbidden",
        "loc": ["body", name],
        "msg": "Extra inputs are not permitted",
        "input": echo,
    }
    return Fault(422, json.dumps({"detail": [problem]}))


def plain(name: str) -> Fault:
    return Fault(400, json.dumps({"message": f"`{name}` is deprecated for this model."}))


@pytest.mark.parametrize("words", [openai, google, pydantic, plain])
@pytest.mark.parametrize("name", ["temperature", "top_p", "seed", "n", "stop"])
def test_refused_setting_is_dropped_with_one_notice(
    tmp_path: Path, name: str, words: Callable[[str], Fault]
) -> None:
    def script(body: dict[str, Any]) -> Step:
        return words(name) if name in body else "fine"

    answers, server, costs = asked_of(
        script, tmp_path, 3, params={"top_p": 0.9, "stop": "END", "n": 1}
    )
    assert [answer.text for answer in answers] == ["fine"] * 3
    assert [name in body for body in server.asked] == [True, False, False, False], (
        "learnt by the first answer"
    )
    rest = {"temperature", "top_p", "seed", "n", "stop", "max_tokens"} - {name}
    assert rest <= set(server.asked[-1]), "nothing else is left out"
    assert costs.notices == [f"the server refuses {name}: requests leave it out"]
    assert costs.requests == 4


@pytest.mark.parametrize("words", [openai, google, pydantic, plain])
def test_max_completion_tokens_replaces_max_tokens(
    tmp_path: Path, words: Callable[[str], Fault]
) -> None:
    def script(body: dict[str, Any]) -> Step:
        return words("max_tokens") if "max_tokens" in body else "fine"

    answers, server, costs = asked_of(script, tmp_path, 2)
    assert [answer.text for answer in answers] == ["fine"] * 2
    assert [body.get("max_completion_tokens") for body in server.asked] == [None, 4096, 4096]
    assert costs.notices == ["the server refuses max_tokens: max_completion_tokens is sent instead"]


def test_every_setting_may_be_refused(tmp_path: Path) -> None:
    """Reasoning models may refuse several parameters, one after another."""

    def script(body: dict[str, Any]) -> Step:
        for name in ("max_tokens", "max_completion_tokens", "temperature", "seed"):
            if name in body:
                return openai(name)
        return "fine"

    (answer,), server, costs = asked_of(script, tmp_path)
    assert answer.text == "fine"
    assert set(server.asked[-1]) == {"model", "messages"}
    assert len(costs.notices) == 4


def test_concurrent_refusals_give_one_notice(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Step:
        time.sleep(0.05)
        return openai("temperature") if "temperature" in body else "fine"

    with serving(script) as server, generator(server, tmp_path, concurrency=6) as model:
        answers = model.complete([(Message("user", str(number)),) for number in range(6)])
        assert {answer.text for answer in answers} == {"fine"}
        assert len(model.costs.notices) == 1


@pytest.mark.parametrize(
    ("text", "length"),
    [
        (
            "max_tokens is too large: 4096. This model supports at most 1024 completion tokens.",
            1024,
        ),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]", 2048),
        (
            "max_tokens: 4096 > 2000, which is the maximum allowed number of output tokens for "
            "m-4-2025",
            2000,
        ),
    ],
)
def test_too_great_length_is_lowered(tmp_path: Path, text: str, length: int) -> None:
    def script(body: dict[str, Any]) -> Step:
        return error(text) if body["max_tokens"] > length else "fine"

    (answer,), server, costs = asked_of(script, tmp_path)
    assert (answer.text, server.asked[-1]["max_tokens"]) == ("fine", length)
    assert costs.notices == [
        f"the server refuses answers of 4096 tokens: requests now allow {length}"
    ]


def test_second_of_two_exclusive_settings_is_dropped(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Step:
        both = "`temperature` and `top_p` cannot both be specified for this model."
        return error(both) if {"temperature", "top_p"} <= set(body) else "fine"

    (answer,), server, _ = asked_of(script, tmp_path, params={"top_p": 0.9})
    assert answer.text == "fine"
    assert "temperature" in server.asked[-1]


@pytest.mark.parametrize("words", [openai, google, pydantic, plain])
def test_settings_of_the_user_are_not_dropped(
    tmp_path: Path, words: Callable[[str], Fault]
) -> None:
    """Dropping a mistyped name would measure other settings than the user meant."""
    (answer,), server, costs = asked_of([words("top_kk")], tmp_path, params={"top_kk": 3})
    assert (answer.text, answer.answered, len(server.asked)) == (None, False, 1)
    assert "top_kk" in answer.reason
    assert costs.notices == []


def test_refused_requests_count_against_the_budget(tmp_path: Path) -> None:
    (answer,), server, costs = asked_of(
        lambda body: openai(sorted(body)[-1]), tmp_path, max_requests=1
    )
    assert (len(server.asked), costs.requests) == (1, 1)
    assert "--max-requests" in answer.reason


# ------------------------------------------------------------------ passed settings


def test_params_headers_and_effort_are_sent(tmp_path: Path) -> None:
    options = {
        "params": {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}},
        "reasoning_effort": "high",
    }
    _, server, _ = asked_of(["x"], tmp_path, headers={"X-Team": "s3cret-team"}, **options)
    (body,) = server.asked
    assert (body["top_k"], body["chat_template_kwargs"]) == (20, {"enable_thinking": False})
    assert body["reasoning_effort"] == "high"
    assert {name.lower(): value for name, value in server.headers[0].items()}[
        "x-team"
    ] == "s3cret-team"


def test_header_values_are_hidden(tmp_path: Path) -> None:
    options = ModelOptions("http://h/v1", "m", headers={"X-Team": "s3cret-team"})
    assert "s3cret" not in repr(options)
    assert "s3cret" not in json.dumps(to_plain(options))
    refused = Fault(401, '{"error": {"message": "no such team: s3cret-team"}}')
    (answer,), _, _ = asked_of([refused], tmp_path, headers={"X-Team": "s3cret-team"})
    assert "no such team" in answer.reason
    assert "s3cret" not in answer.reason


@pytest.mark.parametrize(
    "change", [{"params": {"top_k": 1}}, {"reasoning_effort": "low"}, {"api": "chat"}]
)
def test_settings_change_the_question_and_headers_do_not(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    with serving(["x"]) as server:
        for options in ({}, {"headers": {"A": "b"}}, change):
            with generator(server, tmp_path, **options) as model:
                model.sample(PROMPT)
        assert len(server.asked) == 2


def test_default_timeout_exceeds_ten_minutes() -> None:
    assert ModelOptions("http://h/v1", "m").timeout_s > 600


# ------------------------------------------------------------------ endings


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (completion("def f(", "length"), "length"),
        (completion("", "length", reasoning_content="I wonder"), "length"),
        (completion(None, "stop", refusal="I cannot help with that."), "refusal"),
        (completion("", "content_filter"), "content_filter"),
        (completion(None, "content_filter: PROHIBITED_CONTENT"), "content_filter"),
    ],
)
def test_unusable_answer_is_billed_and_cached(tmp_path: Path, body: str, ending: str) -> None:
    answers, costs, times = asked_twice([Fault(200, body)], tmp_path)
    assert times == 1
    for answer in answers:
        assert (answer.text, answer.ending, answer.answered) == (None, ending, True)
        assert (answer.prompt_tokens, answer.completion_tokens) == (10, 5)
    assert [(cost.prompt_tokens, cost.completion_tokens, cost.endings) for cost in costs] == [
        (10, 5, {ending: 1}), (0, 0, {}),
    ]  # fmt: skip


def test_unfinished_text_is_returned(tmp_path: Path) -> None:
    (answer,), _, _ = asked_of([Fault(200, completion("def f(", "length"))], tmp_path)
    assert answer.unfinished == "def f("
    (answer,), _, _ = asked_of(
        [Fault(200, completion(None, refusal="I cannot."))], tmp_path / "other"
    )
    assert answer.reason == "the model refused to answer: I cannot."


@pytest.mark.parametrize(
    ("fault", "ending"),
    [
        (error("This model's maximum context length is 4096 tokens. However, your messages resulted "
            "in 9000 tokens.",
               code="context_length_exceeded"), "context"),
        (error("prompt is too long: 210000 tokens > 200000 maximum"), "context"),
        (error("the request exceeds the available context size, try increasing it"), "context"),
        (error("The response was filtered due to the prompt triggering a content management policy",
               code="content_filter"), "content_filter"),
        (error("Content Exists Risk"), "content_filter"),
    ],
)  # fmt: skip
def test_refused_prompt_is_an_ending(tmp_path: Path, fault: Fault, ending: str) -> None:
    answers, costs, times = asked_twice([fault], tmp_path)
    assert times == 1
    assert {(answer.text, answer.ending, answer.answered) for answer in answers} == {
        (None, ending, True)
    }
    assert [cost.failures for cost in costs] == [0, 0]


def test_length_is_dropped_if_the_context_is_too_small(tmp_path: Path) -> None:
    """vLLM's error if answer_tokens is as large as the context."""

    def script(body: dict[str, Any]) -> Step:
        text = (
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's "
            "maximum context length is 4096 "
            "tokens and your request has 30 input tokens (4096 > 4096 - 30)."
        )
        return error(text) if "max_tokens" in body else "fine"

    answers, _, costs = asked_of(script, tmp_path, 2)
    assert [answer.text for answer in answers] == ["fine", "fine"]
    assert len(costs.notices) == 1


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_are_separate(tmp_path: Path, field: str) -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 40},
    }
    body = completion("```python\nx = 1\n```", usage=usage, **{field: "```python\ndraft"})
    answers, costs, _ = asked_twice([Fault(200, body)], tmp_path)
    for answer in answers:
        assert (answer.text, answer.reasoning) == ("```python\nx = 1\n```", "```python\ndraft")
        assert (answer.completion_tokens, answer.reasoning_tokens) == (50, 40)
    assert [cost.reasoning_tokens for cost in costs] == [40, 0]


def test_answer_with_only_thoughts_is_not_retried(tmp_path: Path) -> None:
    (answer,), server, _ = asked_of([Fault(200, completion("", reasoning_content="hm"))], tmp_path)
    assert (answer.text, len(server.asked)) == (None, 1)
    assert answer.reason == "the model thought and gave no answer"


@pytest.mark.parametrize("text", ["", " \n", None, []])
def test_empty_answer_is_cached(tmp_path: Path, text: Any) -> None:
    answers, costs, asked = asked_twice([Fault(200, completion(text)), "good"], tmp_path)
    assert asked == 1
    for answer, cached in zip(answers, (False, True), strict=True):
        assert (answer.text, answer.reason, answer.answered, answer.cached) == (
            None, "the answer is empty", True, cached,
        )  # fmt: skip
        assert (answer.prompt_tokens, answer.completion_tokens) == (10, 5)
    assert [(cost.completion_tokens, cost.failures) for cost in costs] == [(5, 0), (0, 0)]


BILLED = {"prompt_tokens": 10, "completion_tokens": 5}
THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("content", "text", "thoughts"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", None),
        ([{"type": "output_text", "text": "a"}], "a", None),
        (["a", "b"], "ab", None),
        ([THINKING, {"type": "text", "text": "a"}], "a", "hm"),
        (
            [
                {"type": "reasoning", "text": "hm"},
                {"type": "image_url", "image_url": {}},
                {"text": "a"},
            ],
            "a",
            "hm",
        ),
    ],
)
def test_content_may_be_a_list_of_parts(
    tmp_path: Path, content: Any, text: str, thoughts: str | None, stream: bool
) -> None:
    whole, pieces = (
        Fault(body=completion(content)),
        events(chunk(content=content), chunk("stop"), chunk(usage=BILLED)),
    )
    (answer,), server, costs = asked_of([pieces if stream else whole], tmp_path, stream=stream)
    assert (answer.text, answer.reasoning, answer.completion_tokens) == (text, thoughts, 5)
    assert (len(server.asked), costs.completion_tokens) == (1, 5)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("System role not supported", 500),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", 400),
        ("messages[0].role: value 'system' is not one of the supported roles", 422),
        ("Unsupported role: system", 400),
        ("This model does not support system messages", 400),
        (
            "Conversation roles must alternate; the system role is not supported by this template",
            400,
        ),
    ],
)
def test_refused_system_role_moves_to_the_user(tmp_path: Path, words: str, status: int) -> None:
    def answer(body: dict[str, Any]) -> Step:
        return error(words, status) if body["messages"][0]["role"] == "system" else "good"

    answers, server, costs = asked_of(answer, tmp_path, 3)
    assert [message.text for message in answers] == ["good"] * 3
    assert len(server.asked) == 4, "it is refused once"
    assert server.asked[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\np"}]
    assert costs.notices == [
        "the server refuses the role system: its text begins the user's message"
    ]
    assert (costs.retries, costs.failures) == (0, 0)


def test_other_errors_keep_the_system_role(tmp_path: Path) -> None:
    (answer,), server, _ = asked_of(
        [error("Our system is overloaded, not your fault", 500), "good"], tmp_path
    )
    assert (answer.text, server.asked[-1]["messages"][0]["role"]) == ("good", "system")


def test_changed_model_is_reported(tmp_path: Path) -> None:
    script = [Fault(200, completion("a", model=f"m-{number}")) for number in (1, 1, 2, 2)]
    _, _, costs = asked_of(script, tmp_path, 4)
    assert costs.models == {"m-1": 2, "m-2": 2}
    assert costs.notices == ["the server's model changed within the run: m-1, m-2 answered"]


# ------------------------------------------------------------------ the Responses API


def test_responses_api_request(tmp_path: Path) -> None:
    thought = {
        "type": "reasoning",
        "id": "t",
        "summary": [{"type": "summary_text", "text": "count"}],
    }
    script = [Fault(200, json.dumps(response(thought, said("fine"))))]
    (answer,), server, costs = asked_of(script, tmp_path, api="responses", reasoning_effort="low")
    (body,) = server.asked
    assert server.paths == ["/v1/responses"]
    assert body["input"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "p"},
    ]
    assert (body["max_output_tokens"], body["reasoning"], body["store"]) == (
        4096,
        {"effort": "low"},
        False,
    )
    assert "seed" not in body
    assert (answer.text, answer.reasoning, answer.model) == ("fine", "count", "m")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens) == (10, 5, 3)
    assert costs.notices == ["the Responses API takes no seed: none is sent"]


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (
            response(
                said("def"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
            "length",
        ),
        (
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "content_filter",
        ),
        (response(said("I cannot.", "refusal")), "refusal"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_endings_of_a_response(
    tmp_path: Path, body: dict[str, Any], ending: str, stream: bool
) -> None:
    kind = "response.incomplete" if body["status"] == "incomplete" else "response.completed"
    step = events({"type": kind, "response": body}) if stream else Fault(200, json.dumps(body))
    (answer,), server, costs = asked_of([step], tmp_path, api="responses", stream=stream, seed=None)
    assert (answer.text, answer.ending, len(server.asked)) == (None, ending, 1)
    assert costs.completion_tokens == 5


def test_failed_response_is_retried(tmp_path: Path) -> None:
    failed = response(status="failed", error={"code": "server_error", "message": "overloaded"})
    script = [Fault(200, json.dumps(failed)), Fault(200, json.dumps(response(said("fine"))))]
    (answer,), server, costs = asked_of(script, tmp_path, api="responses")
    assert (answer.text, len(server.asked), costs.retries) == ("fine", 2, 1)


def test_auto_switches_to_the_responses_api(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Step:
        text = "This model is only supported in v1/responses and not in v1/chat/completions."
        return (
            error(text, 404, param="model")
            if "messages" in body
            else Fault(200, json.dumps(response(said("fine"))))
        )

    answers, server, costs = asked_of(script, tmp_path, 2, seed=None)
    assert [answer.text for answer in answers] == ["fine", "fine"]
    assert server.paths == ["/v1/chat/completions", "/v1/responses", "/v1/responses"]
    assert costs.notices == ["the server wants the Responses API for this model: it is used"]
    (answer,), server, _ = asked_of(script, tmp_path / "chat", api="chat")
    assert (answer.text, len(server.asked)) == (None, 1), "--api chat stays with it"


# ------------------------------------------------------------------ streams


USAGE = {
    "prompt_tokens": 7,
    "completion_tokens": 9,
    "completion_tokens_details": {"reasoning_tokens": 4},
}


def test_streamed_answer(tmp_path: Path) -> None:
    pieces = [
        chunk(role="assistant"),
        chunk(reasoning_content="so"),
        chunk(reasoning_content=" so"),
    ]
    pieces += [chunk(content="fi"), chunk(content="ne"), chunk("stop"), chunk(usage=USAGE)]
    (answer,), server, _ = asked_of([events(*pieces)], tmp_path, stream=True)
    (body,) = server.asked
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert (answer.text, answer.reasoning) == ("fine", "so so")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens) == (7, 9, 4)


@pytest.mark.parametrize(
    "broken",
    [
        events(chunk(content="fi"), done=False), events(done=True), Fault(200, completion("whole")),
        Fault(200, "data: {\"choi", {"Content-Type": "text/event-stream"}),
        Fault(200, 'data: {"error": {"message": "upstream died"}}\n\n', {"Content-Type": "text/event-stream"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_broken_stream_is_retried(tmp_path: Path, broken: Fault, api: str) -> None:
    good = {
        "chat": events(chunk(content="fine"), chunk("stop")),
        "responses": events({"type": "response.completed", "response": response(said("fine"))}),
    }
    (answer,), server, costs = asked_of([broken, good[api]], tmp_path, stream=True, api=api)
    assert (answer.text, len(server.asked), costs.retries) == ("fine", 2, 1), answer.reason


def test_refused_stream_options_are_dropped(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Step:
        return (
            openai("stream_options")
            if "stream_options" in body
            else events(chunk(content="fine"), chunk("stop"))
        )

    (answer,), _, costs = asked_of(script, tmp_path, stream=True)
    assert (answer.text, answer.completion_tokens) == ("fine", None)
    assert len(costs.notices) == 1


def test_slow_stream_is_not_a_timeout(tmp_path: Path) -> None:
    """The timeout bounds the silence, not the answer."""
    import socket
    import threading

    lines = [
        f"data: {json.dumps(piece)}\n\n" for piece in [*[chunk(content="x")] * 8, chunk("stop")]
    ]
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            while b"\r\n\r\n" not in connection.recv(65536):
                pass
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            )
            for line in [*lines, "data: [DONE]\n\n"]:
                time.sleep(0.2)
                connection.sendall(line.encode())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        options = ModelOptions(
            f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "m", timeout_s=1.0, stream=True
        )
        with ChatGenerator(options, tmp_path) as model:
            assert model.sample(PROMPT).text == "x" * 8
            assert model.costs.retries == 0
    finally:
        thread.join()
        listener.close()
