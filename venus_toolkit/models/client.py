"""Clients of language models behind one protocol: prompts in, completions out, no request repeated.

`ChatGenerator` asks any server with OpenAI's chat completions or Responses API (models/dialect.py
implements both, and learns what a server refuses); models/in_process.py has one that loads the
weights itself. Every answer is cached on disk under a digest of the whole request, so a repeated
request costs nothing. Failures of the server are handled here: transient ones are retried, others
become a `Completion` with a reason instead of a text. An empty or unfinished answer (`ENDINGS`) is
the model's own: it is cached and counted like any other, and never requested again.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import reprlib
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.interruption import current, worker_pool
from venus_toolkit.core.options import check_bounds
from venus_toolkit.core.records import Secret, digest
from venus_toolkit.core.store import write_whole
from venus_toolkit.core.untrusted.text import LONGEST, storable
from venus_toolkit.models.dialect import (
    APIS,
    AUTO,
    CHAT,
    CONTEXT,
    ENDINGS,
    RESERVED,
    Dialect,
    Reply,
    RequestError,
    ending_of,
    read_chat,
    read_response,
    words_of,
)
from venus_toolkit.models.embedded import DEFAULTS, is_embedded

if TYPE_CHECKING:
    from openai import OpenAI

log = logging.getLogger(__name__)
# A model named KIND:FOLDER runs in this process, and so does the embedded one.
LOCAL = ("transformers", "vllm")
FIRST_WAIT_S = 0.5  # doubled at each retry
SHOWN = 200  # characters of a server's message
EMPTY = "the answer is empty"


class Message(NamedTuple):
    """One turn of a conversation. role: system, user or assistant."""

    role: str
    content: str


Prompt = tuple[Message, ...]


class Completion(NamedTuple):
    """An answer: its text, or None and the reason; tokens are None if the server does not report them.

    answered: whether the model itself answered, even with too much or nothing. After a failure (no
    connection, a wrong key, a spent budget) nothing is known about the model.
    ending: a word of `ENDINGS` if the answer was not completed; it then has no text, and unfinished
    is the part that arrived.
    reasoning: the thoughts, if the server separates them; reasoning_tokens are part of
    completion_tokens.
    model: the name of the model, as the server reports it.
    code: the code itself, byte for byte, if it did not come from an answer; text then holds it as a
    Markdown block.
    changed: the changes that made its texts storable (core/untrusted/text.py).
    """

    text: str | None
    reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached: bool = False
    answered: bool = True
    ending: str = ""
    unfinished: str | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    model: str = ""
    code: str | None = None
    changed: str = ""

    def storable(self) -> Completion:
        """Return a copy with storable texts; `changed` lists the changes."""
        texts, changes = dict[str, Any](), dict[str, None]()
        for name in ("text", "reason", "unfinished", "reasoning", "model", "code"):
            if value := getattr(self, name):
                texts[name], notes = storable(value, LONGEST)
                changes |= dict.fromkeys(notes)
        return self._replace(**texts, changed="; ".join(changes)) if changes else self


def conversation(prompt: Prompt) -> list[dict[str, str]]:
    """Return a prompt as the list of role and content that servers and training libraries read."""
    return [message._asdict() for message in prompt]


def seed_of(seed: int | None, prompt: Prompt, index: int) -> int | None:
    """Return the seed of answer number `index` to a prompt, derived from the seed of the run.

    Each answer has its own seed: with a single seed, all would use the same random numbers.
    """
    # Seven hexadecimal digits are 28 bits, and servers accept at least 31.
    return None if seed is None else int(digest(seed, list(prompt), index)[:7], 16)


class Generator(Protocol):
    """Prompts in, completions out."""

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order; a failure has a reason and no text."""
        ...


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model, its address, its settings and the budget.

    max_requests and max_tokens bound the requests of one generator, including retries but not cached
    answers; None: no bound. max_tokens counts prompts and completions. tries includes the first
    attempt. timeout_s is the longest silence of a server, in seconds. params are sent unchanged in
    each request; so are headers, whose values appear in no record or message. engine_args are
    arguments of vLLM, for a model that it loads into this process.
    """

    base_url: str
    model: str
    temperature: float = 0.0
    answer_tokens: int = 4096
    seed: int | None = 0
    timeout_s: float = 1200.0
    tries: int = 4
    concurrency: int = 4
    max_requests: int | None = None
    max_tokens: int | None = None
    api: str = AUTO
    reasoning_effort: str = ""
    stream: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    engine_args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hide the values of headers from records and messages.

        Raises:
            UsageError: Parameters, headers or engine arguments are not a table, or have a value
                that JSON cannot hold.
        """
        for name in ("params", "headers", "engine_args"):
            if not isinstance(getattr(self, name), Mapping):
                raise UsageError(
                    f"{name} must be a table",
                    f"got {type(getattr(self, name)).__name__}",
                    "see docs/eval.md",
                )
        for table in ("params", "engine_args"):
            for name, value in getattr(self, table).items():
                try:
                    json.dumps(value, allow_nan=False)
                except (TypeError, ValueError) as error:
                    reason = f"got {reprlib.repr(value)}"
                    fix = "see docs/eval.md"
                    raise UsageError(f"{table}.{name} must be a JSON value", reason, fix) from error
        hidden = {name: Secret(str(value)) for name, value in self.headers.items()}
        object.__setattr__(self, "headers", hidden)  # the record is frozen


@dataclass(slots=True)
class TokenUsage:
    """The number of requests and tokens so far, including billed answers without text.

    reasoning_tokens are part of completion_tokens. endings counts answers by the words of
    `ENDINGS`, models by the name that the server reports; notices describe refused settings and
    their replacements.
    """

    requests: int = 0
    retries: int = 0
    failures: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    refused: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    notices: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """The sum of prompt and completion tokens, as the server counts them."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(slots=True)
class ChatGenerator:
    """A client of a server with one of OpenAI's APIs, with its answers cached in a folder.

    A context manager.

    Raises:
        UsageError: The options are invalid.
    """

    options: ModelOptions
    cache: Path
    costs: TokenUsage = field(default_factory=TokenUsage)
    cache_only: bool = False  # send no requests: a batch has fetched the answers (batches.py)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _client: OpenAI | None = None
    _dialect: Dialect = field(init=False)

    def __post_init__(self) -> None:
        check_options(self.options, served=True)
        asked = self.options
        settings = {"temperature": asked.temperature, **asked.params}
        self._dialect = Dialect(
            asked.api,
            settings,
            asked.answer_tokens,
            asked.reasoning_effort,
            asked.stream,
            self._notice,
        )

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
        """Return a completion for each prompt, in order; equal prompts share one request."""
        different = list(dict.fromkeys(prompts))
        # Requests wait for the network, so threads are enough.
        with worker_pool(self.options.concurrency) as pool:
            answers = dict(zip(different, pool.map(self.sample, different), strict=True))
        return [answers[prompt] for prompt in prompts]

    def sample(self, prompt: Prompt, index: int = 0) -> Completion:
        """Return answer number `index` to a prompt; each has its own seed and cache entry."""
        if known := self.cached_answer(prompt, index):
            with self._lock:
                self.costs.cached += 1
            return known
        if self.cache_only:
            reason = "the batch returned no answer: type the same command again"
            return Completion(None, reason, answered=False)
        answer = self._ask(prompt, seed_of(self.options.seed, prompt, index)).storable()
        self._keep(prompt, index, answer)
        return answer

    def cached_answer(self, prompt: Prompt, index: int) -> Completion | None:
        """Return a cached answer, or None."""
        # a missing or damaged answer is requested again
        with suppress(OSError, ValueError, KeyError, TypeError):
            answer = json.loads(self._path(prompt, index).read_text(encoding="utf-8"))["answer"]
            return Completion(cached=True, **answer)
        return None

    def _path(self, prompt: Prompt, index: int) -> Path:
        return self.cache / f"{question_key(self.options, prompt, index)}.json"

    def _keep(self, prompt: Prompt, index: int, answer: Completion) -> None:
        # Failures are not cached: the next run retries.
        if answer.answered:
            names = (
                "text", "reason", "prompt_tokens", "completion_tokens", "ending", "unfinished", "reasoning",
                "reasoning_tokens", "model", "changed",
            )  # fmt: skip
            fields = {
                name: value for name in names if (value := getattr(answer, name)) or name == "text"
            }
            text = json.dumps(
                {"prompt": conversation(prompt), "answer": fields}, ensure_ascii=False, indent=1
            )
            write_whole(self._path(prompt, index), text.encode(), shared=True)

    def request_line(self, prompt: Prompt, index: int) -> dict[str, Any]:
        """Return a question as a line of a batch: method, path and body of the request."""
        asked, dialect = self.options, self._dialect
        settings = dialect.request(seed_of(asked.seed, prompt, index))
        settings.pop("stream_options", None)
        chat = dialect.api == CHAT
        body = {
            "model": asked.model,
            "messages" if chat else "input": dialect.messages(conversation(prompt)),
            **settings,
        }
        return {
            "method": "POST",
            "url": "/v1/chat/completions" if chat else "/v1/responses",
            "body": body,
        }

    def keep_reply(self, prompt: Prompt, index: int, status: int, body: Any) -> None:
        """Cache a batch's answer to a question, from the status and the body of the response."""
        if status == 200:
            read = read_chat if self._dialect.api == CHAT else read_response
            try:
                answer = _completion(
                    read(
                        json.loads(
                            json.dumps(body), object_hook=lambda fields: SimpleNamespace(**fields)
                        )
                    )
                )
            except RequestError as error:
                answer = Completion(None, error.reason, answered=False)
            self._count(answer)
        else:
            refused: Any = SimpleNamespace(status_code=status, body=body)
            ending, words = ending_of(refused), words_of(refused)[:SHOWN]
            reason = (
                f"{ENDINGS[ending]}: {words}"
                if ending
                else f"the server answered {status}: {words}"
            )
            answer = Completion(None, reason, answered=bool(ending), ending=ending)
        if not answer.answered:
            log.info("no answer in the batch: %s", answer.reason)
            with self._lock:
                self.costs.failures += 1
        self._keep(prompt, index, answer.storable())

    def _notice(self, text: str) -> None:
        log.warning("%s", text)
        with self._lock:
            self.costs.notices.append(text)

    def reserve(self) -> str:
        """Count one more request; return a refusal if the budget is spent, else an empty string."""
        with self._lock:
            bounds, costs = self.options, self.costs
            if bounds.max_requests is not None and costs.requests >= bounds.max_requests:
                costs.refused += 1
                return (
                    f"not asked: {bounds.max_requests} requests were made, the budget "
                    "(--max-requests) is spent"
                )
            # Tokens are only known after the answer, so concurrent requests may exceed the bound.
            if bounds.max_tokens is not None and costs.tokens >= bounds.max_tokens:
                costs.refused += 1
                return (
                    f"not asked: {costs.tokens} tokens were used, the budget (--max-tokens) is "
                    "spent"
                )
            costs.requests += 1
            return ""

    def _ask(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask, and retry transient failures within the tries and the budget.

        The retries of the openai package would not count against the budget, and would not cover
        replies that are not completions.
        """
        failure: RequestError | None = None
        for attempt in range(self.options.tries):
            current().check()
            refusal = self.reserve()
            if refusal:
                reason = f"{failure.reason}; {refusal}" if failure else refusal
                return Completion(None, reason, answered=False)
            if failure:
                # Random, so that threads that failed together do not retry together.
                backoff = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
                # At most a minute, even if the server asks for more.
                current().sleep(min(60.0, max(failure.wait_s or 0, backoff)))
                with self._lock:
                    self.costs.retries += 1
            try:
                answer = self.request(prompt, seed)
                self._count(answer)
                return answer
            except RequestError as caught:
                failure = caught
                log.info("the model server failed: %s", failure.reason)
            if failure.wait_s is None:
                break
        assert failure
        with self._lock:
            self.costs.failures += 1
        return Completion(None, failure.reason, answered=False)

    def _count(self, answer: Completion) -> None:
        """Count the tokens of an answer; unusable ones are billed as well."""
        with self._lock:
            costs = self.costs
            costs.prompt_tokens += answer.prompt_tokens or 0
            costs.completion_tokens += answer.completion_tokens or 0
            costs.reasoning_tokens += answer.reasoning_tokens or 0
            if answer.ending:
                costs.endings[answer.ending] += 1
            changed = bool(answer.model and costs.models) and answer.model not in costs.models
            if answer.model:
                costs.models[answer.model] += 1
        if changed:
            self._notice(
                f"the server's model changed within the run: {', '.join(costs.models)} answered"
            )

    def request(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask without cache or retries, except to leave out settings that the server refuses.

        Returns:
            The answer; one without text has a reason.

        Raises:
            RequestError: The server could not be reached, refused the request, or sent no answer.
        """
        import openai

        asked, dialect = self.options, self._dialect
        bounded = True
        # Each round leaves out another setting, so the loop ends.
        while True:
            api, sent = dialect.api, dialect.request(seed, bounded)
            messages = dialect.messages(conversation(prompt))
            try:
                return _completion(
                    dialect.send(self.connection(), asked.model, messages, sent, api)
                )
            # APITimeoutError is a subclass of APIConnectionError, so it comes first.
            except openai.APITimeoutError as error:
                raise RequestError(f"no answer within {asked.timeout_s:g} s (--timeout)") from error
            except openai.APIStatusError as error:
                ending = ending_of(error)
                if ending == CONTEXT and bounded and dialect.without_length(error, sent):
                    bounded = False
                elif ending:
                    return Completion(
                        None, f"{ENDINGS[ending]}: {self.shown(error)}", ending=ending
                    )
                elif not dialect.learn(error, sent, api, messages):
                    transient = error.status_code in (408, 409, 429) or error.status_code >= 500
                    wait = _retry_after(error.response.headers) if transient else None
                    reason = f"the server answered {error.status_code}: {self.shown(error)}"
                    raise RequestError(reason, wait) from error
            except openai.APIConnectionError as error:
                raise RequestError(f"no connection: {error.__cause__ or error}") from error
            except (openai.OpenAIError, ValueError) as error:
                raise RequestError(f"the answer is not readable: {self.shown(error)}") from error
            if refusal := self.reserve():
                raise RequestError(refusal, None)

    def shown(self, error: Exception) -> str:
        """Return the beginning of a server's message, without secrets: some servers repeat keys."""
        from openai import APIStatusError

        text = words_of(error) if isinstance(error, APIStatusError) else str(error)
        for secret in (_api_key(), *self.options.headers.values()):
            text = text.replace(str.__str__(secret), "***")
        return text[:SHOWN]

    def connection(self) -> OpenAI:
        """Return the client of the server, opened at the first call."""
        with self._lock:
            if self._client is None:
                from openai import OpenAI, Timeout

                asked = self.options
                # Connecting has a shorter timeout, so that a missing server is reported soon.
                self._client = OpenAI(
                    base_url=asked.base_url, api_key=_api_key(), max_retries=0, default_headers=asked.headers,
                    timeout=Timeout(asked.timeout_s, connect=min(asked.timeout_s, 30.0)),
                )  # fmt: skip
            return self._client


def question_key(asked: ModelOptions, prompt: Prompt, index: int) -> str:
    """Return the identity of a question: a digest of the options that may change its answer.

    Headers do not count: most are keys, and a new key does not change the question.
    """
    # Newer options count only if they are set, so that answers of earlier versions are found.
    more = {
        "api": asked.api,
        "reasoning_effort": asked.reasoning_effort,
        "params": dict(asked.params),
        "engine_args": dict(asked.engine_args),
    }
    changed = {name: value for name, value in more.items() if value and value != AUTO}
    settings = (asked.base_url, asked.model, asked.temperature, asked.answer_tokens, asked.seed)
    return digest(*settings, list(prompt), index, *([changed] if changed else []))


def runs_here(model: str, base_url: str | None = None) -> bool:
    """Return whether the weights of a model are loaded into this process."""
    return model.partition(":")[0] in LOCAL or is_embedded(model, base_url)


def options_for(
    model: str, seed: int, settings: Mapping[str, Any], **defaults: Any
) -> ModelOptions | None:
    """Return the options of a model; None for a replay, and for a served model without address.

    Args:
        model: Its name, or KIND:FOLDER of one in this process.
        seed: The seed of its answers.
        settings: Fields of ModelOptions that the user set.
        defaults: Defaults of a command that differ from those of ModelOptions.

    Raises:
        UsageError: The options are invalid.
    """
    address = settings.get("base_url")
    served = not runs_here(model, address)
    _check_engine_args(model, settings.get("engine_args"))
    if served and not address:
        return None
    if is_embedded(model, address):
        defaults |= DEFAULTS
    options = ModelOptions(**{"base_url": "", "model": model, "seed": seed, **defaults, **settings})
    check_options(options, served=served)
    return options


def _check_engine_args(model: str, engine_args: Mapping[str, Any] | None) -> None:
    if engine_args and not model.startswith("vllm:"):
        reason = f"they are for models that vLLM loads into this process, not for {model}"
        fix = "type: --model vllm:FOLDER, or leave out --engine-arg"
        raise UsageError("the model takes no engine arguments", reason, fix)


def check_options(options: ModelOptions, *, served: bool) -> None:
    """Check the options; a `served` model needs an address.

    Raises:
        UsageError: The options are invalid.
    """
    see = "see docs/eval.md, The model"
    check_bounds(options, see)
    _check_engine_args(options.model, options.engine_args)
    url = options.base_url
    if served and url and not url.startswith(("http://", "https://")):
        reason = "it begins with neither http:// nor https://"
        raise UsageError(
            f"--base-url {url} is not an address",
            reason,
            f"type: --base-url http://{url.partition('//')[2] or url}",
        )
    if (last := url.rstrip("/").rpartition("/")[2]) in ("completions", "responses"):
        root = re.sub(r"(/chat)?/(completions|responses)/*$", "", url)
        raise UsageError(
            f"--base-url ends with /{last}",
            "the client adds it to the address",
            f"type: --base-url {root}",
        )
    counts = {
        "tries": options.tries,
        "concurrency": options.concurrency,
        "answer_tokens": options.answer_tokens,
    }
    # 0 is allowed: no requests
    counts |= {"max_requests": options.max_requests or 1, "max_tokens": options.max_tokens or 1}
    wrong = [f"{name} {value}" for name, value in counts.items() if value < 1]
    wrong += [f"timeout_s {options.timeout_s}"] if not options.timeout_s > 0 else []
    wrong += (
        [f"api {options.api} (expected one of {', '.join(APIS)})"]
        if options.api not in APIS
        else []
    )
    wrong += [
        f"params {name}, which has its own option" for name in RESERVED if name in options.params
    ]
    wrong += (
        ["params n: each answer is a request of its own"] if options.params.get("n", 1) != 1 else []
    )
    if wrong or not options.model or (served and not url):
        wrong += ["no model is named"] if not options.model else []
        wrong += ["no address is named"] if served and not url else []
        raise UsageError("the model options are invalid", ", ".join(wrong), see)


def _api_key() -> str:
    # A local server needs no key, but the client requires a string.
    return os.environ.get("VENUS_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"


def _retry_after(headers: Any) -> float:
    """Return the seconds that the server asks to wait; 0 for a date or nothing."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError, TypeError):
            return max(0.0, float(headers.get(name)) / unit)
    return 0.0


def _completion(reply: Reply) -> Completion:
    """Return a reply as a completion; the text of an incomplete one becomes `unfinished`."""
    completion = Completion(
        None, "", reply.prompt_tokens, reply.completion_tokens, ending=reply.ending, reasoning=reply.reasoning,
        reasoning_tokens=reply.reasoning_tokens, model=reply.model,
    )  # fmt: skip
    if reply.ending:
        reason = ENDINGS[reply.ending] + (f": {reply.detail[:SHOWN]}" if reply.detail else "")
        return completion._replace(reason=reason, unfinished=reply.text or None)
    if not reply.text.strip():
        return completion._replace(
            reason="the model thought and gave no answer" if reply.reasoning else EMPTY
        )
    return completion._replace(text=reply.text)
