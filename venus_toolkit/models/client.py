"""Clients of language models behind one protocol: prompts in, completions out, nothing asked twice.

`ChatGenerator` asks any server that speaks OpenAI's chat completions; models/in_process.py has one that loads the
weights itself. Every answer is cached on disk under a digest of the whole request, so a repeated request costs nothing.
Failures of the server are attributed here: transient ones are retried, others become a `Completion` without text and
with its reason.
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

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import digest
from venus_toolkit.core.store import write_whole

if TYPE_CHECKING:
    from openai import OpenAI

log = logging.getLogger(__name__)
KEYS = ("VENUS_API_KEY", "OPENAI_API_KEY")
NO_KEY = "none"  # a server on one's own machine needs no key, but the client insists on a text
LOCAL = ("transformers", "vllm")  # a model named KIND:FOLDER runs in this process
TRANSIENT = (408, 409, 429)  # and every status from 500 on
LONGEST_WAIT_S = 60.0  # even where a server asks for more
FIRST_WAIT_S = 0.5  # doubled at each further try
SEED_DIGITS = 7  # hexadecimal: servers take at least 31 bits
CUT_OFF = "the answer was cut off at its longest (answer_tokens)"
EMPTY = "the answer is empty"


class Message(NamedTuple):
    """One turn of a conversation. role: system, user or assistant."""

    role: str
    content: str


Prompt = tuple[Message, ...]


class Completion(NamedTuple):
    """An answer: its text, or None and the reason; tokens are None where the server did not say.

    answered: whether the model itself answered, if only too much or nothing at all. Where it did not (no connection, a
    refusal, a spent budget), nothing is known about the model.
    """

    text: str | None
    reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached: bool = False
    answered: bool = True


def conversation(prompt: Prompt) -> list[dict[str, str]]:
    """Return a prompt as the list of role and content that servers and training libraries read."""
    return [message._asdict() for message in prompt]


def seed_of(seed: int | None, prompt: Prompt, index: int) -> int | None:
    """Return the seed of answer number `index` to a prompt, given the seed of all.

    Each prompt has its own. With one seed for all, the same draws would decide the answers to every problem.
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

    max_requests and max_tokens bound the requests of one generator (cached answers are not counted, retries are); None:
    no bound. max_tokens counts prompts and completions. tries includes the first one.
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
    """The number of requests and tokens so far."""

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


class RequestFailed(Exception):
    """A request failed; wait_s is how long the server asks to wait, None where another try is pointless.

    answered: the model answered, but the answer is of no use.
    """

    def __init__(self, reason: str, wait_s: float | None = None, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s
        self.answered = answered


@dataclass(slots=True)
class ChatGenerator:
    """A client of a server with OpenAI's chat completions, with its answers in a folder; a context manager.

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
        # Requests wait for the network, so threads are enough.
        with ThreadPoolExecutor(self.options.concurrency) as pool:
            found = dict(zip(different, pool.map(self.sample, different), strict=True))
        return [found[prompt] for prompt in prompts]

    def sample(self, prompt: Prompt, index: int = 0) -> Completion:
        """Return answer number `index` to a prompt; each has its own seed and cache entry."""
        asked = self.options
        key = digest(
            asked.base_url, asked.model, asked.temperature, asked.answer_tokens, asked.seed, list(prompt), index
        )
        path = self.cache / f"{key}.json"
        with suppress(OSError, ValueError, KeyError, TypeError):  # not there, or damaged: it is asked for again
            kept = json.loads(path.read_text(encoding="utf-8"))["answer"]
            found = Completion(str(kept["text"]), "", kept["prompt_tokens"], kept["completion_tokens"], cached=True)
            with self._lock:
                self.costs.cached += 1
            return found
        answer = self._ask(prompt, seed_of(asked.seed, prompt, index))
        # Failures are not kept: the next run asks again.
        if answer.text is not None:
            kept = {name: getattr(answer, name) for name in ("text", "prompt_tokens", "completion_tokens")}
            text = json.dumps({"prompt": conversation(prompt), "answer": kept}, ensure_ascii=False, indent=1)
            write_whole(path, text.encode(), shared=True)
        return answer

    def _reserve(self) -> str:
        """Count one more request, or return why the budget does not allow it."""
        with self._lock:
            bounds, costs = self.options, self.costs
            if bounds.max_requests is not None and costs.requests >= bounds.max_requests:
                costs.refused += 1
                return f"not asked: {bounds.max_requests} requests were made, the budget (--max-requests) is spent"
            # Tokens are known after the answer, so requests under way may exceed the bound.
            if bounds.max_tokens is not None and costs.tokens >= bounds.max_tokens:
                costs.refused += 1
                return f"not asked: {costs.tokens} tokens were used, the budget (--max-tokens) is spent"
            costs.requests += 1
            return ""

    def _ask(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask until there is an answer, the failure is not transient, or the tries or the budget are spent.

        The openai package could retry too, but it would neither count its tries against the budget nor retry answers
        that are empty or no completions.
        """
        failure: RequestFailed | None = None
        for attempt in range(self.options.tries):
            refusal = self._reserve()
            if refusal:
                reason = f"{failure.reason}; {refusal}" if failure else refusal
                return Completion(None, reason, answered=False)
            if failure:
                # Drawn, so that threads which failed together do not come back together.
                backoff = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
                time.sleep(min(LONGEST_WAIT_S, max(failure.wait_s or 0, backoff)))
                with self._lock:
                    self.costs.retries += 1
            try:
                answer = self.request(prompt, seed)
            except RequestFailed as caught:
                failure = caught
                log.info("the model server failed: %s", failure.reason)
            else:
                with self._lock:
                    self.costs.prompt_tokens += answer.prompt_tokens or 0
                    self.costs.completion_tokens += answer.completion_tokens or 0
                return answer
            if failure.wait_s is None:
                break
        assert failure
        with self._lock:
            self.costs.failures += 1
        return Completion(None, failure.reason, answered=failure.answered)

    def request(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask once, without cache, budget or retries.

        Raises:
            RequestFailed: The server could not be reached, refused, or sent something that is not a completion.
        """
        import openai

        asked = self.options
        messages: Any = conversation(prompt)
        try:
            answer: Any = self._connection().chat.completions.create(
                model=asked.model, messages=messages, temperature=asked.temperature, max_tokens=asked.answer_tokens,
                seed=seed,
            )  # fmt: skip
        # Before APIConnectionError, of which it is a subclass.
        except openai.APITimeoutError as error:
            raise RequestFailed(f"no answer within {asked.timeout_s:g} s", 0) from error
        except openai.APIStatusError as error:
            transient = error.status_code in TRANSIENT or error.status_code >= 500
            wait = _retry_after(error.response.headers) if transient else None
            raise RequestFailed(f"the server answered {error.status_code}: {str(error)[:200]}", wait) from error
        except openai.APIConnectionError as error:
            raise RequestFailed(f"no connection: {error.__cause__ or error}", 0) from error
        except (openai.OpenAIError, ValueError) as error:
            raise RequestFailed(f"the answer is not readable: {str(error)[:200]}", 0) from error
        return _completion(answer)

    def _connection(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                key = next((os.environ[name] for name in KEYS if os.environ.get(name)), NO_KEY)
                self._client = OpenAI(
                    base_url=self.options.base_url, api_key=key, timeout=self.options.timeout_s, max_retries=0
                )
            return self._client


def check_options(options: ModelOptions, *, served: bool) -> None:
    """Check the options; `served`: the model needs an address."""
    counts = {"tries": options.tries, "concurrency": options.concurrency, "answer_tokens": options.answer_tokens}
    counts |= {"max_requests": options.max_requests or 1, "max_tokens": options.max_tokens or 1}  # 0 asks nothing
    wrong = [f"{name} {value}" for name, value in counts.items() if value < 1]
    if served and not options.base_url.startswith(("http://", "https://")):
        wrong.append(f"base_url {options.base_url!r}")
    if wrong or not options.model:
        raise UsageError(
            "the model options make no sense", ", ".join(wrong) or "no model is named", "see docs/generation.md"
        )


def _retry_after(headers: Any) -> float:
    """Return how many seconds the server asks to wait; 0 where it gives a date or nothing."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError, TypeError):
            return max(0.0, float(headers.get(name)) / unit)
    return 0.0


def _completion(answer: Any) -> Completion:
    """Return the text of an answer; the openai package returns whatever JSON or text the server sent.

    Raises:
        RequestFailed: It is not a completion, or was cut off.
    """
    try:
        choice = answer.choices[0]
        text, ending = choice.message.content, choice.finish_reason
    except (AttributeError, TypeError, IndexError) as error:
        raise RequestFailed("the server sent something that is not a chat completion", 0) from error
    if ending == "length":
        # Not tried again: the same request has the same limit.
        raise RequestFailed(CUT_OFF, answered=True)
    if not isinstance(text, str) or not text.strip():
        raise RequestFailed(EMPTY, 0, answered=True)
    usage = getattr(answer, "usage", None)
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    # JSON may name half a character, which no file, program or prompt takes.
    return Completion(text.encode("utf-8", "replace").decode(), "", prompt, completion)
