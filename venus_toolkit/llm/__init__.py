"""Language models behind one protocol: prompts in, completions out, nothing asked twice.

`ChatGenerator` talks to any server that speaks OpenAI's chat completions; `open_local` loads weights into this process
(llm/local.py). Every answer is kept on disk under a digest
of all that was asked; asking again costs nothing. Failures of the server are attributed here: what may pass is tried
again, what does not is a `Completion` without text and with its reason, and the caller goes on.
"""

from __future__ import annotations

import json
import logging
import os
import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from venus_toolkit.errors import UsageError
from venus_toolkit.records import digest

if TYPE_CHECKING:
    from openai import OpenAI

log = logging.getLogger(__name__)
KEYS = ("VENUS_API_KEY", "OPENAI_API_KEY")
NO_KEY = "none"  # servers on one's own machine want no key, the client wants a word
LOCAL = ("transformers", "vllm")  # a model called so, then a colon and where it is, runs in this process
PASSING = (408, 409, 429)  # and everything from 500 on
LONGEST_WAIT_S = 60.0
FIRST_WAIT_S = 0.5
SEED_DIGITS = 7  # hexadecimal: servers take at least 31 bits


class Message(NamedTuple):
    """One turn of a conversation. role: system, user or assistant."""

    role: str
    content: str


Prompt = tuple[Message, ...]


class Completion(NamedTuple):
    """What came back: text, or None and the reason; tokens are None where the server did not say.

    answered: whether the model said something, if only too much or nothing at all; where it did not (no connection, a
    refusal, a spent budget) nothing is known of the model.
    """

    text: str | None
    reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached: bool = False
    answered: bool = True


def seed_of(seed: int | None, prompt: Prompt, index: int) -> int | None:
    """Return the seed with which answer number `index` to a prompt is asked for, given that of all.

    Each prompt has its own: under one for all, the same draws would decide the answers to every problem.
    """
    return None if seed is None else int(digest(seed, list(prompt), index)[:SEED_DIGITS], 16)


class Generator(Protocol):
    """Prompts in, completions out."""

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order. A model that fails gives a reason and no text."""
        ...


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is asked, where, and how much.

    max_requests and max_tokens bound what one generator asks in its life (answers from the cache are free); None: no
    bound. max_tokens counts prompts and completions. tries counts the first one too.
    """

    base_url: str
    model: str
    temperature: float = 0.0
    answer_tokens: int = 4096
    seed: int | None = 0
    timeout_s: float = 120.0
    tries: int = 4
    concurrency: int = 4
    max_requests: int | None = None
    max_tokens: int | None = None


@dataclass(slots=True)
class Costs:
    """What was asked so far."""

    requests: int = 0
    retries: int = 0
    failures: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    refused: int = 0

    @property
    def tokens(self) -> int:
        """All tokens that the server counted."""
        return self.prompt_tokens + self.completion_tokens


class Fault(Exception):
    """A request failed; wait_s is how long the server asks to wait, None where another try is pointless.

    answered: it failed by what the model said.
    """

    def __init__(self, reason: str, wait_s: float | None = None, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s
        self.answered = answered


@dataclass(slots=True)
class ChatGenerator:
    """Asks a server with OpenAI's chat completions; a context manager.

    Args:
        options: Which model, and how much of it.
        cache: Folder in which answers are kept.

    Raises:
        UsageError: The options make no sense.
    """

    options: ModelOptions
    cache: Path
    costs: Costs = field(default_factory=Costs)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _client: OpenAI | None = None

    def __post_init__(self) -> None:
        check_options(self.options, served=True)

    def __enter__(self) -> ChatGenerator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._client:
            self._client.close()
        self._client = None

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order; equal prompts are asked once."""
        different = list(dict.fromkeys(prompts))
        with ThreadPoolExecutor(self.options.concurrency) as pool:
            found = dict(zip(different, pool.map(self._one, different), strict=True))
        return [found[prompt] for prompt in prompts]

    def sample(self, prompt: Prompt, index: int = 0) -> Completion:
        """Return answer number `index` to a prompt: each is asked for with a seed of its own, and kept apart."""
        return self._one(prompt, index)

    def _one(self, prompt: Prompt, index: int = 0) -> Completion:
        path = self.cache / f"{self._key(prompt, index)}.json"
        kept = _read_answer(path)
        if kept:
            with self._lock:
                self.costs.cached += 1
            return kept
        refusal = self._reserve()
        if refusal:
            return Completion(None, refusal, answered=False)
        answer = self._ask(prompt, seed_of(self.options.seed, prompt, index))
        if answer.text is not None:
            _keep_answer(path, prompt, answer)
        return answer

    def _key(self, prompt: Prompt, index: int) -> str:
        told = self.options
        return digest(told.base_url, told.model, told.temperature, told.answer_tokens, told.seed, list(prompt), index)

    def _reserve(self) -> str:
        """Count one more request, or say why there is none."""
        with self._lock:
            told, costs = self.options, self.costs
            if told.max_requests is not None and costs.requests >= told.max_requests:
                costs.refused += 1
                return f"not asked: {told.max_requests} requests were made, the budget (--max-requests) is spent"
            if told.max_tokens is not None and costs.tokens >= told.max_tokens:
                costs.refused += 1
                return f"not asked: {costs.tokens} tokens were used, the budget (--max-tokens) is spent"
            costs.requests += 1
            return ""

    def _ask(self, prompt: Prompt, seed: int | None) -> Completion:
        fault = Fault("not tried")
        for attempt in range(self.options.tries):
            if attempt:
                refusal = self._wait(fault, attempt)
                if refusal:
                    return Completion(None, refusal, answered=False)
            try:
                return self._counted(self.request(prompt, seed))
            except Fault as caught:
                fault = caught
                log.info("the model server failed: %s", fault.reason)
            if fault.wait_s is None:
                break
        with self._lock:
            self.costs.failures += 1
        return Completion(None, fault.reason, answered=fault.answered)

    def _wait(self, fault: Fault, attempt: int) -> str:
        """Wait before another try; returns why there is none, where the budget is spent."""
        refusal = self._reserve()
        if not refusal:
            backoff = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
            time.sleep(min(LONGEST_WAIT_S, max(fault.wait_s or 0, backoff)))
            with self._lock:
                self.costs.retries += 1
        return f"{fault.reason}; {refusal}" if refusal else ""

    def _counted(self, answer: Completion) -> Completion:
        with self._lock:
            self.costs.prompt_tokens += answer.prompt_tokens or 0
            self.costs.completion_tokens += answer.completion_tokens or 0
        return answer

    def request(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask once, without cache, budget or further tries.

        Raises:
            Fault: The server could not be reached, refused, or sent what is no completion.
        """
        import openai

        told = self.options
        messages: Any = [{"role": role, "content": content} for role, content in prompt]
        try:
            answer: Any = self._connection().chat.completions.create(
                model=told.model, messages=messages, temperature=told.temperature, max_tokens=told.answer_tokens,
                seed=seed,
            )  # fmt: skip
        except openai.APITimeoutError as error:
            raise Fault(f"no answer within {told.timeout_s:g} s", 0) from error
        except openai.APIStatusError as error:
            wait = _retry_after(error.response.headers) if _may_pass(error.status_code) else None
            raise Fault(f"the server answered {error.status_code}: {str(error)[:200]}", wait) from error
        except openai.APIConnectionError as error:
            raise Fault(f"no connection: {error.__cause__ or error}", 0) from error
        except (openai.OpenAIError, ValueError) as error:
            raise Fault(f"the answer is not readable: {str(error)[:200]}", 0) from error
        return _completion(answer)

    def _connection(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                key = next((os.environ[name] for name in KEYS if os.environ.get(name)), NO_KEY)
                told = self.options
                self._client = OpenAI(base_url=told.base_url, api_key=key, timeout=told.timeout_s, max_retries=0)
            return self._client


def open_local(options: ModelOptions, cache: Path) -> ChatGenerator:
    """Return a generator of a model whose weights are loaded into this process: ``transformers:`` or ``vllm:``.

    Raises:
        UsageError: The options make no sense, the package is not installed, or there is no such model.
    """
    from venus_toolkit.llm.local import LocalGenerator, load

    return LocalGenerator(options, cache, engine=load(options))


def check_options(options: ModelOptions, *, served: bool) -> None:
    """Refuse what makes no sense; a model that is served has an address.

    Raises:
        UsageError: Something does not.
    """
    counts = {"tries": options.tries, "concurrency": options.concurrency, "answer_tokens": options.answer_tokens}
    counts |= {"max_requests": options.max_requests or 1, "max_tokens": options.max_tokens or 1}  # 0 asks nothing
    wrong = [f"{name} {value}" for name, value in counts.items() if value < 1]
    if served and not options.base_url.startswith(("http://", "https://")):
        wrong.append(f"base_url {options.base_url!r}")
    if wrong or not options.model:
        raise UsageError(
            "the model options make no sense", ", ".join(wrong) or "no model is named", "see docs/generation.md"
        )


def _may_pass(status: int) -> bool:
    return status in PASSING or status >= 500


def _retry_after(headers: Any) -> float:
    """Return how many seconds the server asks to wait; a date, or nothing, is no number."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError, TypeError):
            return max(0.0, float(headers.get(name)) / unit)
    return 0.0


def _completion(answer: Any) -> Completion:
    """Return the text of an answer; the client hands out whatever JSON, or text, the server sent.

    Raises:
        Fault: It is no completion, or was cut off.
    """
    try:
        choice = answer.choices[0]
        text, ending = choice.message.content, choice.finish_reason
    except (AttributeError, TypeError, IndexError) as error:
        raise Fault("the server sent something that is no chat completion", 0) from error
    if ending == "length":
        raise Fault("the answer was cut off at its longest (answer_tokens)", answered=True)
    if not isinstance(text, str) or not text.strip():
        raise Fault("the answer is empty", 0, answered=True)
    usage = getattr(answer, "usage", None)
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    return Completion(text, "", prompt, completion)


# ------------------------------------------------------------------ the cache


def _read_answer(path: Path) -> Completion | None:
    """Return a kept answer; one that cannot be read is asked again."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["answer"]
        return Completion(str(kept["text"]), "", kept["prompt_tokens"], kept["completion_tokens"], cached=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep_answer(path: Path, prompt: Prompt, answer: Completion) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {"text": answer.text, "prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
    text = json.dumps(
        {"prompt": [message._asdict() for message in prompt], "answer": kept}, ensure_ascii=False, indent=1
    )
    draft = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
