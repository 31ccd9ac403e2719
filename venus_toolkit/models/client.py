"""Clients of language models behind one protocol: prompts in, completions out, nothing asked twice.

`ChatGenerator` asks any server that speaks OpenAI's chat completions or Responses API
(models/dialect.py has both, and what it learns of a server); models/in_process.py has one that
loads the weights itself. Every answer is cached on disk under a digest of the whole request, so a
repeated request costs nothing. Failures of the server are attributed here: transient ones are
retried, others become a `Completion` without text and with its reason. An answer that is empty, or
ended before there was one (`ENDINGS`), is the model's own: it is cached and counted like any other,
and never asked for again.
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
    RequestFailed,
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
FIRST_WAIT_S = 0.5  # doubled at each further try
SHOWN = 200  # characters of what a server says
EMPTY = "the answer is empty"


class Message(NamedTuple):
    """One turn of a conversation. role: system, user or assistant."""

    role: str
    content: str


Prompt = tuple[Message, ...]


class Completion(NamedTuple):
    """An answer: its text, or None and the reason; tokens are None where the server did not say.

    answered: whether the model itself answered, if only too much or nothing at all. Where it did
    not (no connection, a wrong key, a spent budget), nothing is known about the model.
    ending: a word of `ENDINGS` where the answer ended before there was one, and has no text
    therefore; unfinished is what there was of it.
    reasoning: the thoughts, where the server keeps them apart; reasoning_tokens are part of
    completion_tokens.
    model: who answered, by the server's own account.
    code: the code itself, byte for byte, where it did not come out of an answer; text is then a
    block of it.
    changed: what was changed in its texts so that they can be stored (core/untrusted/text.py).
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
        """Return it with texts that can be stored; `changed` says what that took."""
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
    """Return the seed of answer number `index` to a prompt, given the seed of all.

    Each prompt has its own. With one seed for all, the same draws would decide the answers to every
    problem.
    """
    # Seven hexadecimal digits: servers take at least 31 bits.
    return None if seed is None else int(digest(seed, list(prompt), index)[:7], 16)


class Generator(Protocol):
    """Prompts in, completions out."""

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order.

        A model that fails gives a reason and no text.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is asked, where, and how much.

    max_requests and max_tokens bound the requests of one generator (cached answers are not counted,
    retries are); None: no bound. max_tokens counts prompts and completions. tries includes the
    first one. timeout_s is how long a server may be silent. params go into each request as they
    are; headers too, and no record or message shows their values. engine_args are vLLM's own, for
    a model that it loads into this process.
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
                    why = f"got {reprlib.repr(value)}"
                    fix = "see docs/eval.md"
                    raise UsageError(f"{table}.{name} must be a JSON value", why, fix) from error
        hidden = {name: Secret(str(value)) for name, value in self.headers.items()}
        object.__setattr__(self, "headers", hidden)  # the record is frozen


@dataclass(slots=True)
class TokenUsage:
    """The number of requests and tokens so far, billed answers that were none included.

    reasoning_tokens are part of completion_tokens. endings counts answers by the words of
    `ENDINGS`, models those that answered by the servers' own account; notices are what a server
    refused and what was done about it.
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
        """All tokens that the server counted."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(slots=True)
class ChatGenerator:
    """A client of a server with one of OpenAI's APIs, with its answers in a folder.

    A context manager.

    Raises:
        UsageError: The options make no sense.
    """

    options: ModelOptions
    cache: Path
    costs: TokenUsage = field(default_factory=TokenUsage)
    only_kept: bool = False  # nothing more is asked: a batch was (batches.py)
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
        """Return a completion for each prompt, in order; equal prompts are asked once."""
        different = list(dict.fromkeys(prompts))
        # Requests wait for the network, so threads are enough.
        with worker_pool(self.options.concurrency) as pool:
            answers = dict(zip(different, pool.map(self.sample, different), strict=True))
        return [answers[prompt] for prompt in prompts]

    def sample(self, prompt: Prompt, index: int = 0) -> Completion:
        """Return answer number `index` to a prompt; each has its own seed and cache entry."""
        if known := self.kept(prompt, index):
            with self._lock:
                self.costs.cached += 1
            return known
        if self.only_kept:
            reason = "the batch has no answer to it: type the same command again"
            return Completion(None, reason, answered=False)
        answer = self._ask(prompt, seed_of(self.options.seed, prompt, index)).storable()
        self._keep(prompt, index, answer)
        return answer

    def kept(self, prompt: Prompt, index: int) -> Completion | None:
        """Return an answer that was kept, or None."""
        # not there, or damaged: it is asked for again
        with suppress(OSError, ValueError, KeyError, TypeError):
            answer = json.loads(self._path(prompt, index).read_text(encoding="utf-8"))["answer"]
            return Completion(cached=True, **answer)
        return None

    def _path(self, prompt: Prompt, index: int) -> Path:
        return self.cache / f"{question_key(self.options, prompt, index)}.json"

    def _keep(self, prompt: Prompt, index: int, answer: Completion) -> None:
        # Failures are not kept: the next run asks again.
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
        """Keep what a batch says in answer to a question: the status and the body of a response."""
        if status == 200:
            read = read_chat if self._dialect.api == CHAT else read_response
            try:
                answer = _completion(
                    read(
                        json.loads(
                            json.dumps(body), object_hook=lambda each: SimpleNamespace(**each)
                        )
                    )
                )
            except RequestFailed as error:
                answer = Completion(None, error.reason, answered=False)
            self._count(answer)
        else:
            refused: Any = SimpleNamespace(status_code=status, body=body)
            ending, why = ending_of(refused), words_of(refused)[:SHOWN]
            reason = (
                f"{ENDINGS[ending]}: {why}" if ending else f"the server answered {status}: {why}"
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
        """Count one more request, or return why the budget does not allow it."""
        with self._lock:
            bounds, costs = self.options, self.costs
            if bounds.max_requests is not None and costs.requests >= bounds.max_requests:
                costs.refused += 1
                return (
                    f"not asked: {bounds.max_requests} requests were made, the budget "
                    "(--max-requests) is spent"
                )
            # Tokens are known after the answer, so requests under way may exceed the bound.
            if bounds.max_tokens is not None and costs.tokens >= bounds.max_tokens:
                costs.refused += 1
                return (
                    f"not asked: {costs.tokens} tokens were used, the budget (--max-tokens) is "
                    "spent"
                )
            costs.requests += 1
            return ""

    def _ask(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask until there is an answer, the failure is not transient, or the tries or the budget are spent.

        The openai package could retry too, but it would neither count its tries against the budget
        nor retry answers that are not completions.
        """
        failure: RequestFailed | None = None
        for attempt in range(self.options.tries):
            current().check()
            refusal = self.reserve()
            if refusal:
                reason = f"{failure.reason}; {refusal}" if failure else refusal
                return Completion(None, reason, answered=False)
            if failure:
                # Drawn, so that threads which failed together do not come back together.
                backoff = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
                # A minute at most, even where the server asks for more.
                current().sleep(min(60.0, max(failure.wait_s or 0, backoff)))
                with self._lock:
                    self.costs.retries += 1
            try:
                answer = self.request(prompt, seed)
                self._count(answer)
                return answer
            except RequestFailed as caught:
                failure = caught
                log.info("the model server failed: %s", failure.reason)
            if failure.wait_s is None:
                break
        assert failure
        with self._lock:
            self.costs.failures += 1
        return Completion(None, failure.reason, answered=False)

    def _count(self, answer: Completion) -> None:
        """Add what an answer took, whatever became of it: all of them are billed."""
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
        """Ask without cache or retries.

        What the server refuses to take is learnt, and asked without.

        Returns:
            The answer, or one without text and with its reason.

        Raises:
            RequestFailed: The server could not be reached, refused, or sent something that is not
                an answer.
        """
        import openai

        asked, dialect = self.options, self._dialect
        bounded = True
        # Each further round leaves out a setting, so there is an end.
        while True:
            api, sent = dialect.api, dialect.request(seed, bounded)
            messages = dialect.messages(conversation(prompt))
            try:
                return _completion(
                    dialect.send(self.connection(), asked.model, messages, sent, api)
                )
            # Before APIConnectionError, of which it is a subclass.
            except openai.APITimeoutError as error:
                raise RequestFailed(
                    f"no answer within {asked.timeout_s:g} s (--timeout)"
                ) from error
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
                    why = f"the server answered {error.status_code}: {self.shown(error)}"
                    raise RequestFailed(why, wait) from error
            except openai.APIConnectionError as error:
                raise RequestFailed(f"no connection: {error.__cause__ or error}") from error
            except (openai.OpenAIError, ValueError) as error:
                raise RequestFailed(f"the answer is not readable: {self.shown(error)}") from error
            if refusal := self.reserve():
                raise RequestFailed(refusal, None)

    def shown(self, error: Exception) -> str:
        """Return the beginning of what a server says, without secrets.

        Some repeat keys and headers.
        """
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
                # A missing server shows sooner than a slow answer.
                self._client = OpenAI(
                    base_url=asked.base_url, api_key=_api_key(), max_retries=0, default_headers=asked.headers,
                    timeout=Timeout(asked.timeout_s, connect=min(asked.timeout_s, 30.0)),
                )  # fmt: skip
            return self._client


def question_key(asked: ModelOptions, prompt: Prompt, index: int) -> str:
    """Return the identity of a question: whatever of the options may change its answer.

    Headers are none of it: most are keys, and a new key is no new question.
    """
    # What was not said before it could be said is left out, so that answers of earlier versions are
    # found.
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
    """Return whether a name is that of a model whose weights are loaded into this process."""
    return model.partition(":")[0] in LOCAL or is_embedded(model, base_url)


def options_for(
    model: str, seed: int, given: Mapping[str, Any], **defaults: Any
) -> ModelOptions | None:
    """Return how a model is asked.

    None for a replay, and for a model without address that is not in this process.

    Args:
        model: Its name, or KIND:FOLDER of one in this process.
        seed: Of its answers.
        given: Fields of ModelOptions that somebody said.
        defaults: Those of a command, where they are not those of ModelOptions.

    Raises:
        UsageError: They make no sense.
    """
    address = given.get("base_url")
    served = not runs_here(model, address)
    _check_engine_args(model, given.get("engine_args"))
    if served and not address:
        return None
    if is_embedded(model, address):
        defaults |= DEFAULTS
    options = ModelOptions(**{"base_url": "", "model": model, "seed": seed, **defaults, **given})
    check_options(options, served=served)
    return options


def _check_engine_args(model: str, given: Mapping[str, Any] | None) -> None:
    if given and not model.startswith("vllm:"):
        why = f"they are of models that vLLM loads into this process, and {model} is none"
        fix = "type: --model vllm:FOLDER, or leave out --engine-arg"
        raise UsageError("there is no use for engine arguments", why, fix)


def check_options(options: ModelOptions, *, served: bool) -> None:
    """Check the options; `served`: the model needs an address.

    Raises:
        UsageError: They make no sense.
    """
    see = "see docs/eval.md, The model"
    check_bounds(options, see)
    _check_engine_args(options.model, options.engine_args)
    url = options.base_url
    if served and url and not url.startswith(("http://", "https://")):
        why = "it begins with neither http:// nor https://"
        raise UsageError(
            f"--base-url {url} is not an address",
            why,
            f"type: --base-url http://{url.partition('//')[2] or url}",
        )
    if (last := url.rstrip("/").rpartition("/")[2]) in ("completions", "responses"):
        root = re.sub(r"(/chat)?/(completions|responses)/*$", "", url)
        raise UsageError(
            f"--base-url ends with /{last}",
            "it is added to the address",
            f"type: --base-url {root}",
        )
    counts = {
        "tries": options.tries,
        "concurrency": options.concurrency,
        "answer_tokens": options.answer_tokens,
    }
    # 0 asks nothing
    counts |= {"max_requests": options.max_requests or 1, "max_tokens": options.max_tokens or 1}
    wrong = [f"{name} {value}" for name, value in counts.items() if value < 1]
    wrong += [f"timeout_s {options.timeout_s}"] if not options.timeout_s > 0 else []
    wrong += [f"api {options.api} (known are {', '.join(APIS)})"] if options.api not in APIS else []
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
    # A server on one's own machine needs no key, but the client insists on a text.
    return os.environ.get("VENUS_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"


def _retry_after(headers: Any) -> float:
    """Return how many seconds the server asks to wait; 0 where it gives a date or nothing."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError, TypeError):
            return max(0.0, float(headers.get(name)) / unit)
    return 0.0


def _completion(reply: Reply) -> Completion:
    """Return a reply as a completion.

    The text of one that ended before there was an answer is unfinished.
    """
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
