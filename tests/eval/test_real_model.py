"""Real models: `nox -s torch-test` with transformers, `nox -s vllm-test` with vLLM, else skipped.

SmolLM2 answers from a server, through the unmodified openai client; a tiny model with random weights
runs in this process. Within a few tokens, an answer contains no code or failing code, and both count
as the model's failures.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import SLOW, Posed
from tests.real_model import pretrained_model, write_model
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.release import Release
from venus_toolkit.models.client import ChatGenerator, Message, ModelOptions
from venus_toolkit.models.in_process import LocalGenerator, Query, load, open_local

pytest.importorskip(
    "transformers", reason="transformers is not installed: nox -s torch-test", exc_type=ImportError
)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = [*needs_isolation, pytest.mark.filterwarnings("ignore")]

KIND = "vllm" if importlib.util.find_spec("vllm") else "transformers"
STARTS_WITHIN_S = 240
SETTINGS = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # in this process, because a fork of a process with threads may hang
}


class RunningServer(NamedTuple):
    """A running server: its address, and the name of its model."""

    base_url: str
    model: str


@pytest.fixture(scope="module", autouse=True)
def settings() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def pretrained() -> Path:
    return pretrained_model()


@pytest.fixture(scope="module")
def served(pretrained: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Yield a server with the pretrained model, whose name is its folder."""
    log = tmp_path_factory.mktemp("serve") / "log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [*_serving(pretrained), "--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)]
    with log.open("w") as out:
        server = subprocess.Popen(argv, stdout=out, stderr=out)
        try:
            _await(server, f"http://127.0.0.1:{port}/health", log)
            yield RunningServer(f"http://127.0.0.1:{port}/v1", str(pretrained))
        finally:
            server.terminate()
            server.wait(30)


def _serving(model: Path) -> list[str]:
    if (
        KIND == "vllm"
    ):  # by its module, because the CPU build has a different name than `vllm serve` expects
        module = "vllm.entrypoints.openai.api_server"
        return [
            sys.executable,
            "-m",
            module,
            "--model",
            str(model),
            "--max-model-len",
            "4096",
            "--enforce-eager",
        ]
    return [
        str(Path(sys.executable).with_name("transformers")),
        "serve",
        str(model),
        "--device",
        "cpu",
    ]


def _await(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return  # the server is up even if it returns an error
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


def prompt(text: str) -> tuple[Message, ...]:
    return (Message("system", "Be brief."), Message("user", text))


def test_a_real_server_answers_and_is_asked_once(served: RunningServer, tmp_path: Path) -> None:
    options = ModelOptions(
        served.base_url, served.model, temperature=1.0, answer_tokens=16, tries=2
    )
    with ChatGenerator(options, tmp_path) as chat:
        answers = chat.complete([prompt("a"), prompt("b")])
        assert all(answer.answered for answer in answers), [answer.reason for answer in answers]
        assert all(
            answer.text or "cut off" in answer.reason or "empty" in answer.reason
            for answer in answers
        )
        asked = chat.costs.requests
        # A truncated answer would be truncated again.
        complete = [answer for answer in answers if answer.text or answer.ending]
        again = chat.complete([prompt("a"), prompt("b")])
        assert sum(answer.cached for answer in again) == len(complete)
        assert asked >= 2


def test_real_server_refuses_an_unknown_model(served: RunningServer, tmp_path: Path) -> None:
    options = ModelOptions(served.base_url, "/no/such/model", answer_tokens=8, tries=1)
    with ChatGenerator(options, tmp_path) as chat:
        completions = chat.sample(prompt("a"))
    assert (completions.text, completions.answered) == (None, False)
    assert completions.reason


def test_local_model_is_deterministic_for_a_seed(model: Path, tmp_path: Path) -> None:
    options = ModelOptions("", f"{KIND}:{model}", temperature=1.0, answer_tokens=24, seed=3)
    engine = load(options)
    answers = []
    for folder in ("one", "two"):
        with LocalGenerator(options, tmp_path / folder, engine=engine) as local:
            answers.append([local.sample(prompt("a"), index) for index in range(3)])
    assert answers[0] == answers[1]
    assert all(answer.answered for answer in answers[0])
    assert any(answer.text or "cut off" in answer.reason for answer in answers[0])


def test_greedy_answers_do_not_depend_on_the_batch(model: Path) -> None:
    engine = load(
        ModelOptions(base_url="", model=f"transformers:{model}", temperature=0.0, answer_tokens=12)
    )
    queries = [
        Query((Message("user", text),), None)
        for text in ("a", "a longer prompt than the others", "bb")
    ]
    alone = [engine([query])[0] for query in queries]
    together = engine(queries)
    assert [(answer.text or answer.unfinished, answer.prompt_tokens) for answer in together] == [
        (answer.text or answer.unfinished, answer.prompt_tokens) for answer in alone
    ]


def test_sampled_answers_do_not_depend_on_the_batch(model: Path) -> None:
    options = ModelOptions("", f"transformers:{model}", temperature=1.0, answer_tokens=12)
    engine = load(options)
    queries = [
        Query((Message("user", text),), seed)
        for text, seed in (("a", 1), ("a longer prompt than the others", 2), ("a", 3), ("a", 1))
    ]
    together = [answer.text or answer.unfinished for answer in engine(queries)]
    assert together == [(e := engine([query])[0]).text or e.unfinished for query in queries]
    assert together[0] == together[3]
    assert together[0] != together[2], "another seed"


def test_samples_have_the_models_probabilities(model: Path) -> None:
    """Compare frequencies of the first token of many samples with the model's probabilities."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    count, temperature = 400, 0.5
    options = ModelOptions("", f"transformers:{model}", temperature=temperature, answer_tokens=1)
    drawn = load(options)([Query((Message("user", "a"),), seed) for seed in range(count)])
    tokenizer = AutoTokenizer.from_pretrained(model)
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": "a"}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )  # fmt: skip
    with torch.no_grad():
        logits = AutoModelForCausalLM.from_pretrained(model)(**inputs).logits[0, -1]
    likely = torch.softmax(logits / temperature, 0)
    expected = {}
    for token, share in enumerate(likely.tolist()):
        text = tokenizer.decode([token], skip_special_tokens=True)
        expected[text] = expected.get(text, 0) + share
    texts = [answer.text or answer.unfinished or "" for answer in drawn]
    half = sorted(expected, key=lambda text: expected[text], reverse=True)[: len(expected) // 4]
    share = sum(text in half for text in texts) / count
    # Four standard errors at most.
    assert share == pytest.approx(sum(expected[text] for text in half), abs=0.1)


def test_prompt_that_fills_the_context_ends_the_answer(model: Path) -> None:
    options = ModelOptions("", f"transformers:{model}", temperature=1.0, answer_tokens=8)
    short, long = (Query((Message("user", "a" * count),), 0) for count in (3, 100_000))
    engine = load(options)
    answers = engine([short, long])
    assert answers[1].ending == "context"
    assert answers[1].answered
    assert answers[0].ending in ("", "length")
    assert answers[0].completion_tokens


def test_the_pretrained_model_ends_its_answers_itself(pretrained: Path) -> None:
    options = ModelOptions("", f"{KIND}:smollm2", temperature=0.0, answer_tokens=48)
    (answer,) = load(options)([Query((Message("user", "Answer with one word: yes"),), 0)])
    assert answer.text
    assert "<|im_end|>" not in answer.text
    assert (answer.completion_tokens or 99) < 48
    assert answer.model == pretrained.name


def test_sampling_config_of_the_model_is_ignored(model: Path, tmp_path: Path) -> None:
    """With the model's own top-k of 1, all answers would be the same."""
    shutil.copytree(model, tmp_path / "model")
    file = tmp_path / "model/generation_config.json"
    config = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(
        json.dumps(
            {**config, "do_sample": True, "top_k": 1, "top_p": 0.1, "repetition_penalty": 2.0}
        )
    )
    options = ModelOptions(
        base_url="", model=f"transformers:{tmp_path / 'model'}", temperature=1.0, answer_tokens=6
    )
    engine = load(options)
    texts = {engine([Query((Message("user", "a"),), seed)])[0].unfinished for seed in range(5)}
    assert len(texts) > 1


def test_missing_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded"):
        open_local(ModelOptions("", f"{KIND}:{tmp_path / 'nothing'}"), tmp_path)


def test_truncated_answers_are_evaluated(
    served: RunningServer,
    cli: Callable[..., Any],
    tmp_path: Path,
    write_release: Callable[..., Release],
) -> None:
    release = write_release(tmp_path / "data", [Posed("sum-up")])
    words = (
        "--model",
        served.model,
        "--base-url",
        served.base_url,
        "--answer-tokens",
        16,
        "--samples",
        2,
    )
    result = cli(
        "eval",
        *words,
        "--data",
        release.folder,
        "-l",
        "python",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert result.exit_code == 0, result.stderr
    scores = json.loads(result.stdout)["scores"][0]
    assert sum(scores["outcomes"].values()) == 2
    assert scores["pass_at_1"][0] == 0.0


def test_noise_is_not_an_improvement(
    served: RunningServer, cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "sums.py").write_text(SLOW)
    (tmp_path / "tests").mkdir()
    for n in (10, 20):
        (tmp_path / "tests" / f"{n}.in").write_text(f"{n}\n")
    asked = ("--model", served.model, "--base-url", served.base_url, "--answer-tokens", 16, "-n", 2)
    result = cli("optimize", tmp_path / "sums.py", "--tests", tmp_path / "tests", *asked, "--json")
    assert result.exit_code == 1, result.stderr
    summary = json.loads(result.stdout)
    assert {row["decision"] for row in summary["iterations"][1:]} <= {
        "no_code",
        "length",
        "failed",
        "same",
    }
