"""The real client against a real server with scripted faults."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import Fault, ModelServer, completion, serving
from venus_toolkit.core.errors import UsageError
from venus_toolkit.models import client as llm
from venus_toolkit.models.client import ChatGenerator, Message, ModelOptions, Prompt


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "FIRST_WAIT_S", 0.01)


def prompt(text: str) -> Prompt:
    return (Message("user", text),)


def generator(server: ModelServer, cache: Path, **options: Any) -> ChatGenerator:
    return ChatGenerator(ModelOptions(server.base_url, "m", **{"timeout_s": 5.0, **options}), cache)


def test_answers_have_the_order_of_the_prompts(tmp_path: Path) -> None:
    with (
        serving(lambda body: body["messages"][0]["content"].upper()) as server,
        generator(server, tmp_path) as model,
    ):
        answers = model.complete([prompt(f"p{n}") for n in range(9)])
    assert [answer.text for answer in answers] == [f"P{n}" for n in range(9)]
    assert model.costs.requests == 9
    assert (model.costs.prompt_tokens, model.costs.completion_tokens) == (90, 45)


def test_second_run_uses_the_cache(tmp_path: Path) -> None:
    prompts = [prompt("a"), prompt("b"), prompt("a")]
    with serving(["one answer"]) as server:
        with generator(server, tmp_path) as model:
            first = model.complete(prompts)
        assert len(server.asked) == 2, "equal prompts share a request"
        with generator(server, tmp_path) as model:
            second = model.complete(prompts)
        assert len(server.asked) == 2
    assert [answer.text for answer in first] == [answer.text for answer in second]
    assert (model.costs.requests, model.costs.cached, model.costs.tokens) == (0, 2, 0)
    assert all(answer.cached for answer in second)


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"temperature": 1.0}, {"seed": 1}, {"answer_tokens": 7}]
)
def test_options_change_the_question(tmp_path: Path, change: dict[str, Any]) -> None:
    with serving(["x"]) as server:
        for options in ({}, change):
            settings = ModelOptions(**{"base_url": server.base_url, "model": "m", **options})
            with ChatGenerator(settings, tmp_path) as model:
                model.complete([prompt("a")])
        assert len(server.asked) == 2


@pytest.mark.parametrize(("seed", "different"), [(7, 3), (None, 1)])
def test_samples_are_cached_separately(tmp_path: Path, seed: int | None, different: int) -> None:
    answers = iter("abc")
    with (
        serving(lambda _: next(answers)) as server,
        generator(server, tmp_path, seed=seed) as model,
    ):
        first = [model.sample(prompt("p"), index).text for index in range(3)]
        again = [model.sample(prompt("p"), index).text for index in range(3)]
        assert model.complete([prompt("p")])[0].text == "a", "the first sample is the answer"
        seeds = [body.get("seed") for body in server.asked]
        assert (len(seeds), len(set(seeds)), None in seeds) == (3, different, seed is None)
    assert first == again == ["a", "b", "c"]


def test_prompts_have_different_seeds(tmp_path: Path) -> None:
    """Shared draws would correlate the problems, and make intervals over problems too narrow."""
    with serving(lambda _: "x") as server, generator(server, tmp_path, seed=7) as model:
        model.complete([prompt("p"), prompt("q")])
        asked = {body["messages"][0]["content"]: body["seed"] for body in server.asked}
    with serving(lambda _: "x") as server, generator(server, tmp_path / "again", seed=7) as model:
        model.complete([prompt("p")])
        assert server.asked[0]["seed"] == asked["p"] != asked["q"]
    assert all(0 <= seed < 2**31 for seed in asked.values())


def test_answered_excludes_server_failures(tmp_path: Path) -> None:
    cut = Fault(200, completion("def f(", "length"))
    script = [Fault(403), cut, Fault(200, completion(""))]
    with serving(script) as server, generator(server, tmp_path, tries=1) as model:
        answered = [model.sample(prompt("p"), index).answered for index in range(3)]
    assert answered == [False, True, True], "refused, cut off, empty"


def test_damaged_cache_entry_is_requested_again(tmp_path: Path) -> None:
    with serving(["x"]) as server, generator(server, tmp_path) as model:
        model.complete([prompt("a")])
        (entry,) = tmp_path.iterdir()
        entry.write_text('{"answer"')
        assert model.complete([prompt("a")])[0].text == "x"
        assert len(server.asked) == 2


PASSING = [
    Fault(429, "{}"), Fault(500, "oops"), Fault(503, "<html>busy</html>"), Fault(408), Fault(drop=True),
    Fault(200, "<html><body>proxy</body></html>", {"Content-Type": "text/html"}), Fault(200, '{"choices": [{"mess'),
    Fault(200, "[]"), Fault(200, '{"choices": []}'), Fault(200, "null"), Fault(sleep_s=1.2, body=completion("late")),
]  # fmt: skip


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: f"{fault.status} {fault.body[:20]}")
def test_transient_failure_is_retried(tmp_path: Path, fault: Fault) -> None:
    with serving([fault, "good"]) as server, generator(server, tmp_path, timeout_s=0.6) as model:
        (answer,) = model.complete([prompt("a")])
        assert answer.text == "good", answer.reason
        assert len(server.asked) == 2
        assert (model.costs.retries, model.costs.failures) == (1, 0)


@pytest.mark.parametrize(
    "fault", PASSING[:-1], ids=lambda fault: f"{fault.status} {fault.body[:20]}"
)
def test_lasting_failure_gives_a_reason(tmp_path: Path, fault: Fault) -> None:
    with serving([fault]) as server, generator(server, tmp_path, tries=2) as model:
        (answer,) = model.complete([prompt("a")])
        assert answer.text is None
        assert answer.reason
        assert len(server.asked) == 2
        assert model.costs.failures == 1
    assert not list(tmp_path.iterdir()), "a failure is not cached"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_refusal_is_not_retried(tmp_path: Path, status: int) -> None:
    with serving([Fault(status, '{"error": {"message": "no such model"}}')]) as server:
        with generator(server, tmp_path) as model:
            (answer,) = model.complete([prompt("a")])
        assert answer.text is None
        assert str(status) in answer.reason
        assert len(server.asked) == 1


def test_cut_off_answer_has_no_text(tmp_path: Path) -> None:
    cut = Fault(200, completion("def generate(", "length"))
    with serving([cut]) as server, generator(server, tmp_path) as model:
        (answer,) = model.complete([prompt("a")])
    assert answer.text is None
    assert "cut off" in answer.reason


def test_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    with (
        serving([Fault(body=completion("a \ud800 b"))]) as server,
        generator(server, tmp_path) as model,
    ):
        assert [model.sample(prompt("a")).text for _ in range(2)] == ["a \ufffd b"] * 2
        assert len(server.asked) == 1


def test_missing_server_gives_a_reason(tmp_path: Path) -> None:
    options = ModelOptions("http://127.0.0.1:9/v1", "m", tries=2)
    with ChatGenerator(options, tmp_path) as model:
        (answer,) = model.complete([prompt("a")])
    assert answer.text is None
    assert answer.reason.startswith("no connection")


def test_retry_after_is_respected(tmp_path: Path) -> None:
    with (
        serving([Fault(429, "{}", {"Retry-After": "1"}), "good"]) as server,
        generator(server, tmp_path) as model,
    ):
        start = time.monotonic()
        model.complete([prompt("a")])
        assert time.monotonic() - start >= 1


@pytest.mark.parametrize(
    ("budget", "flag"),
    [({"max_requests": 2}, "--max-requests"), ({"max_tokens": 30}, "--max-tokens")],
)
def test_spent_budget_stops_requests(tmp_path: Path, budget: dict[str, int], flag: str) -> None:
    with serving(["x"]) as server, generator(server, tmp_path, concurrency=1, **budget) as model:
        answers = model.complete([prompt(str(n)) for n in range(5)])
        assert len(server.asked) == 2
    assert [answer.text for answer in answers] == ["x", "x", None, None, None]
    assert flag in answers[-1].reason
    assert model.costs.refused == 3


def test_retries_count_against_the_budget(tmp_path: Path) -> None:
    with (
        serving([Fault(500)]) as server,
        generator(server, tmp_path, max_requests=2, tries=9) as model,
    ):
        (answer,) = model.complete([prompt("a")])
        assert len(server.asked) == 2
    assert "500" in answer.reason
    assert "budget" in answer.reason


def test_requests_are_concurrent(tmp_path: Path) -> None:
    together = threading.Barrier(4, timeout=10)

    def meet(body: dict[str, Any]) -> str:
        together.wait()
        return "met"

    with serving(meet) as server, generator(server, tmp_path, concurrency=4) as model:
        assert [answer.text for answer in model.complete([prompt(str(n)) for n in range(4)])] == [
            "met"
        ] * 4


def test_key_is_read_from_the_environment_and_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUS_API_KEY", "s3cret")
    with serving(["x"]) as server, generator(server, tmp_path) as model:
        model.complete([prompt("a")])
        assert "s3cret" not in repr(model)
    assert all("s3cret" not in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": ""}, {"tries": 0}, {"concurrency": 0}, {"model": ""}, {"timeout_s": 0.0}, {"api": "soap"},
        {"params": {"seed": 3}}, {"params": {"n": 4}},
    ],
)  # fmt: skip
def test_invalid_options_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="are invalid"):
        ChatGenerator(ModelOptions(**{"base_url": "http://h/v1", "model": "m", **wrong}), tmp_path)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"params": {"top_p": float("nan")}}, "params.top_p"),
        ({"params": {"bias": {"7": [1, float("inf")]}}}, "params.bias"),
        ({"params": {"stop": object()}}, "params.stop"),
        ({"engine_args": {"swap": float("nan")}}, "engine_args.swap"),
    ],
)
def test_what_json_cannot_hold_is_not_sent(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be a JSON value: got "):
        ModelOptions("http://h/v1", "m", **wrong)


@pytest.mark.parametrize(
    ("url", "fix"),
    [
        ("localhost:8000/v1", "http://localhost:8000/v1"),
        ("htp://localhost/v1", "http://localhost/v1"),
        ("http://h/v1/chat/completions", "http://h/v1"),
        ("https://h/v1/responses/", "https://h/v1"),
    ],
)
def test_invalid_address_suggests_a_fix(tmp_path: Path, url: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        ChatGenerator(ModelOptions(url, "m"), tmp_path)
    assert caught.value.fix == f"type: --base-url {fix}"
