"""One question over HTTP: OpenAI's two APIs, the settings that a server accepts, and its answers.

Servers implement chat completions or the Responses API, and refuse different settings. Only the
error with status 400 tells which: `Dialect` learns from it, reports it once, and leaves the setting
out of later requests.

    refused                                     sent instead
    max_tokens                                  max_completion_tokens; after that nothing
    a length greater than the model allows      the greatest length that the error names, or none
    a setting of DROPPED                        nothing
    chat completions (``--api auto``)           the Responses API, where the error names it
    the role system                             its text, at the beginning of the user's message

Other settings were named by the user: if the server refuses one, the request fails with the server's
message.

Thoughts come in a field of their own (``reasoning_content``, ``reasoning``, items of type reasoning),
and are kept apart from the text. `Reply.ending` is the reason for a missing answer: see `ENDINGS`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

AUTO, CHAT, RESPONSES = APIS = ("auto", "chat", "responses")
# Set by the client itself; users must not set them.
RESERVED = ("model", "messages", "input", "stream", "seed")
# Settings that are left out if a server refuses them.
DROPPED = (
    "temperature", "top_p", "seed", "n", "stop", "frequency_penalty", "presence_penalty", "store", "stream_options",
)  # fmt: skip
LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
# error statuses that may describe a problem of the request
REFUSING = (400, 404, 405, 413, 422)

LENGTH, REFUSAL, CONTENT_FILTER, CONTEXT = "length", "refusal", "content_filter", "context"
# Reasons for a missing answer, by outcome. All are due to the model, so a retry would end in the
# same way.
ENDINGS = {
    LENGTH: "the answer was cut off at its longest (answer_tokens)",
    REFUSAL: "the model refused to answer",
    CONTENT_FILTER: "a content filter withheld the answer",
    CONTEXT: "the prompt is longer than the model's context",
}
# Chat templates and servers use many wordings: "System role not supported", "Developer instruction
# is not enabled".
NO_SYSTEM = re.compile(
    r"\b(system|developer)\b\W{0,3}(role|message|instruction|prompt)s?\b.{0,60}"
    r"\b(not|unsupported|invalid|unknown|disallowed)\b|"
    r"\b(not|unsupported|invalid|unknown|unexpected)\b.{0,60}\brole\b.{0,30}\b(system|developer)\b|"
    r"\bnot support (a |the )?(system|developer) (role|message|instruction|prompt)s?\b|"
    r"\brole\b.{0,60}\b(system|developer)\b.{0,60}\b(not|unsupported|invalid|unknown|disallowed)\b",
    re.IGNORECASE | re.DOTALL,
)


class Reply(NamedTuple):
    """A server's reply: the answer and, separately, the thoughts.

    Tokens are None if the server does not report them. ending is a word of `ENDINGS`, or "" if the
    answer is complete; completion_tokens include reasoning_tokens.
    """

    text: str
    ending: str = ""
    detail: str = ""
    reasoning: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    model: str = ""


class RequestError(Exception):
    """A request failed; wait_s are the seconds to wait before a retry, None if a retry is pointless."""

    def __init__(self, reason: str, wait_s: float | None = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s


class Dialect:
    """The requests that one server accepts; several threads may share it.

    Args:
        api: ``chat``, ``responses``, or ``auto``: chat, until the server demands the other.
        settings: Settings of each request, by their name on the wire.
        answer_tokens: The maximum length of an answer.
        effort: The reasoning effort, in the server's own words; empty for the server's default.
        stream: Whether answers come in pieces, so that no proxy times out.
        say: Called once for each refused setting, with a sentence about its replacement.
    """

    def __init__(
        self,
        api: str,
        settings: Mapping[str, Any],
        answer_tokens: int,
        effort: str = "",
        stream: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.api = CHAT if api == AUTO else api
        self._may_change = api == AUTO
        self._settings, self._effort, self._stream, self._say = dict(settings), effort, stream, say
        self._length: int | None = None if set(LENGTHS) & set(settings) else answer_tokens
        self._length_name = LENGTHS[0]
        self._dropped: set[str] = set()
        self._noticed: set[str] = set()
        self._folds_system = False
        self._lock = threading.RLock()

    def request(self, seed: int | None, bounded: bool = True) -> dict[str, Any]:
        """Return the settings of the next request, without those that the server refused.

        The Responses API has no seeds. `bounded` includes the maximum length of the answer.
        """
        with self._lock:
            chat, settings = self.api == CHAT, dict(self._settings)
            if bounded and self._length is not None:
                settings[self._length_name if chat else "max_output_tokens"] = self._length
            if chat:
                settings |= {"seed": seed} if seed is not None else {}
                settings |= {"stream_options": {"include_usage": True}} if self._stream else {}
                settings |= {"reasoning_effort": self._effort} if self._effort else {}
            else:
                settings["store"] = False  # the provider must not store answers
                settings |= {"reasoning": {"effort": self._effort}} if self._effort else {}
                if seed is not None:
                    self._notice("seed", "the Responses API takes no seed: none is sent")
            return {name: value for name, value in settings.items() if name not in self._dropped}

    def messages(self, conversation: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return a conversation in the form that the server accepts, perhaps without the role system."""
        turns = [dict(message) for message in conversation]
        if not self._folds_system:
            return turns
        system = [message["content"] for message in turns if message["role"] == "system"]
        rest = [message for message in turns if message["role"] != "system"]
        rest[0]["content"] = "\n\n".join([*system, rest[0]["content"]])
        return rest

    def send(
        self, client: OpenAI, model: str, messages: Any, settings: Mapping[str, Any], api: str
    ) -> Reply:
        """Ask once.

        Raises:
            RequestError: The reply is not an answer, or a stream broke off.
            openai.OpenAIError: The server refused, failed or could not be reached.
        """
        # Settings are sent as the extra body, because the package may not know new parameters.
        extra = dict(settings)
        if api == CHAT:
            if not self._stream:
                return read_chat(
                    client.chat.completions.create(model=model, messages=messages, extra_body=extra)
                )
            with client.chat.completions.create(
                model=model, messages=messages, extra_body=extra, stream=True
            ) as chunks:
                return join_chat(_pieces(chunks))
        if not self._stream:
            return read_response(
                client.responses.create(model=model, input=messages, extra_body=extra)
            )
        with client.responses.create(
            model=model, input=messages, extra_body=extra, stream=True
        ) as events:
            ends = ("response.completed", "response.incomplete", "response.failed")
            ended: Any = next((event for event in _pieces(events) if event.type in ends), None)
        if ended is None:
            raise RequestError("the stream ended before the answer did")
        return read_response(ended.response)

    def learn(
        self,
        error: APIStatusError,
        sent: Mapping[str, Any],
        api: str,
        messages: Sequence[Mapping[str, str]] = (),
    ) -> bool:
        """Learn from an error which setting the server refuses.

        Returns whether to repeat the request without that setting.
        """
        words, no_chat = words_of(error), r"v1/responses|responses (api|endpoint)"
        with self._lock:
            # A server whose chat template fails answers with status 500.
            if any(message["role"] == "system" for message in messages) and NO_SYSTEM.search(words):
                self._folds_system = True
                self._notice(
                    "system",
                    "the server refuses the role system: its text begins the user's message",
                )
                return True
            if error.status_code not in REFUSING:
                return False
            if self._may_change and api == CHAT and re.search(no_chat, words, re.IGNORECASE):
                self.api = RESPONSES
                self._notice("api", "the server wants the Responses API for this model: it is used")
                return True
            name = _refused(words, str(error.param or ""), [*DROPPED, *LENGTHS], sent)
            if name in LENGTHS:
                self._learn_length(name, sent[name], words)
            elif name:
                self._dropped.add(name)
                self._notice(name, f"the server refuses {name}: requests leave it out")
            return bool(name)

    def without_length(self, error: APIStatusError, sent: Mapping[str, Any]) -> bool:
        """Return whether the prompt may fit into the context without a bound on the answer's length."""
        # The error counts the answer's length as well, so the prompt alone may fit.
        with_answer = r"max_(completion_|output_)?tokens|in the completion|output tokens"
        fits = bool(set(LENGTHS) & set(sent)) and bool(
            re.search(with_answer, words_of(error), re.IGNORECASE)
        )
        if fits:
            self._notice(
                "context",
                "prompt and answer_tokens exceed the model's context: such answers are not bounded",
            )
        return fits

    def _learn_length(self, name: str, value: Any, words: str) -> None:
        numbers = map(int, re.findall(r"(?<![\w.-])\d+(?![\w-])", words))
        least = [number for number in numbers if 1 < number < value] if value else []
        if name in self._settings:  # set by the user
            self._dropped.add(name)
            self._notice(name, f"the server refuses {name}: requests leave it out")
        elif least:
            self._length = min(self._length or max(least), max(least))
            self._notice(
                "length",
                f"the server refuses answers of {value} tokens: requests now allow {max(least)}",
            )
        elif name == LENGTHS[0]:
            self._length_name = LENGTHS[1]
            self._notice(name, f"the server refuses {name}: {LENGTHS[1]} is sent instead")
        else:
            self._dropped.add(name)
            self._notice(name, f"the server refuses {name}: the length of answers is not bounded")

    def _notice(self, topic: str, text: str) -> None:
        with self._lock:
            if topic in self._noticed:
                return
            self._noticed.add(topic)
        self._say(text)


def ending_of(error: APIStatusError) -> str:
    """Return the word of `ENDINGS` for an error about the prompt itself, or ""."""
    if error.status_code not in REFUSING:
        return ""
    too_long = (
        r"context[ _](length|window|size)|maximum context|(prompt|input) is too long|too many input tokens|"
        r"maximum (input|prompt) length|input token count"
    )
    filtered = (
        r"content_filter|content_policy|content management policy|invalid_prompt|safety system|usage polic|"
        r"content exists risk|data_?inspection_?failed"
    )
    words = words_of(error)
    if re.search(too_long, words, re.IGNORECASE):
        return CONTEXT
    return CONTENT_FILTER if re.search(filtered, words, re.IGNORECASE) else ""


def words_of(error: APIStatusError) -> str:
    """Return the text of an error, without quotations of the request."""
    return " ".join(_words(error.body)) if error.body else str(error)


def _words(value: Any, quoted: bool = False) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in ("input", "ctx", "url"):  # these fields repeat the request
                yield from _words(item, key in ("loc", "param"))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _words(item, quoted)
    elif isinstance(value, str):
        yield f"'{value}'" if quoted else value


def _refused(words: str, param: str, known: Iterable[str], sent: Collection[str]) -> str:
    """Return the sent setting that an error is about, or ""."""
    names = [name for name in known if name in sent]
    if param.rpartition(".")[2] in names:
        return param.rpartition(".")[2]
    places = {}
    for name in names:
        # These two are ordinary words, and only count if the error quotes them.
        pattern = rf"['\"`]{name}['\"`]" if name in ("n", "stop") else rf"(?<![\w.]){name}(?!\w)"
        if match := re.search(pattern, words):
            places[name] = match.start()
    if not places:
        return ""
    # Of two settings that exclude each other, drop the second.
    return (max if re.search(r"\bboth\b", words) else min)(places, key=lambda name: places[name])


def read_chat(answer: Any) -> Reply:
    """Return the answer of chat completions; the openai package does not check the server's JSON.

    Raises:
        RequestError: It is not a chat completion.
    """
    try:
        choice = answer.choices[0]
        message = choice.message
        (text, thoughts), finish = text_and_thoughts(message.content), choice.finish_reason
    except (AttributeError, TypeError, IndexError) as error:
        raise RequestError("the server sent something that is not a chat completion") from error
    refusal = getattr(message, "refusal", None)
    return _reply(
        text,
        _thoughts(message) or thoughts,
        finish,
        refusal,
        getattr(answer, "usage", None),
        answer,
    )


def join_chat(chunks: Iterable[Any]) -> Reply:
    """Return the answer of streamed chat completions.

    Raises:
        RequestError: The stream is empty or incomplete.
    """
    text, thoughts, refusals = list[str](), list[str](), list[str]()
    finish = usage = last = None
    for chunk in chunks:
        last, usage = chunk, getattr(chunk, "usage", None) or usage
        for choice in (getattr(chunk, "choices", None) or [])[:1]:
            delta = choice.delta
            piece, thought = text_and_thoughts(getattr(delta, "content", None))
            text.append(piece)
            thoughts.append(_thoughts(delta) or thought)
            refusals.append(getattr(delta, "refusal", None) or "")
            finish = choice.finish_reason or finish
    if finish is None:
        raise RequestError("the stream ended before the answer did")
    return _reply("".join(text), "".join(thoughts) or None, finish, "".join(refusals), usage, last)


def read_response(answer: Any) -> Reply:
    """Return the answer of the Responses API.

    Raises:
        RequestError: It is not a response, or the server reports a failure.
    """
    try:
        status, items = answer.status, list(answer.output or [])
    except (AttributeError, TypeError) as error:
        raise RequestError("the server sent something that is not a response") from error
    if status == "failed":
        raise RequestError(
            f"the server failed: {getattr(answer.error, 'message', None) or 'it does not say detail'}"
        )
    text, thoughts, refusals = list[str](), list[str](), list[str]()
    for item in items:
        parts = [*(getattr(item, "content", None) or []), *(getattr(item, "summary", None) or [])]
        for part in parts:
            piece = getattr(part, "text", None) or ""
            (thoughts if item.type == "reasoning" else text).append(piece)
            refusals.append(getattr(part, "refusal", None) or "")
    detail = getattr(getattr(answer, "incomplete_details", None), "reason", None)
    finish = (detail or "length") if status == "incomplete" else status
    return _reply(
        "".join(text),
        "\n".join(thoughts) or None,
        finish,
        "".join(refusals),
        getattr(answer, "usage", None),
        answer,
    )


def _pieces(stream: Iterable[Any]) -> Iterator[Any]:
    from openai import OpenAIError

    try:
        yield from stream
    except OpenAIError:
        raise
    # the boundary to the HTTP library, which depends on the version of openai
    except Exception as error:
        raise RequestError(f"the stream broke off: {error or type(error).__name__}") from error


def text_and_thoughts(content: Any) -> tuple[str, str]:
    """Return the text and the thoughts of a message; its content may be a list of parts."""
    if not isinstance(content, (list, tuple)):
        return content if isinstance(content, str) else "", ""
    text, thoughts = list[str](), list[str]()
    for part in content:
        # The openai package makes objects of known parts; others stay mappings.
        fields = part if isinstance(part, Mapping) else getattr(part, "__dict__", {"text": part})
        if fields.get("type") in ("thinking", "reasoning"):
            thoughts.append(
                "".join(text_and_thoughts(fields.get("thinking") or fields.get("text")))
            )
        else:
            text.append("".join(text_and_thoughts(fields.get("text"))))
    return "".join(text), "".join(thoughts)


def _thoughts(message: Any) -> str | None:
    for name in ("reasoning_content", "reasoning"):
        if isinstance(thoughts := getattr(message, name, None), str) and thoughts:
            return thoughts
    return None


def _reply(
    text: str, thoughts: str | None, finish: Any, refusal: str | None, usage: Any, answer: Any
) -> Reply:
    # Servers' words for the `ENDINGS`; any other word is a regular end.
    finishes = {
        "length": LENGTH, "max_tokens": LENGTH, "max_output_tokens": LENGTH, "model_length": LENGTH,
        "refusal": REFUSAL, "content_filter": CONTENT_FILTER, "safety": CONTENT_FILTER,
        "recitation": CONTENT_FILTER, "prohibited_content": CONTENT_FILTER,
        "model_context_window_exceeded": CONTEXT,
    }  # fmt: skip
    ending = (
        REFUSAL
        if refusal
        else finishes.get(str(finish or "").partition(":")[0].strip().lower(), "")
    )
    details = [
        getattr(usage, name, None)
        for name in ("completion_tokens_details", "output_tokens_details")
    ]
    model = getattr(answer, "model", None)
    return Reply(
        text=text,
        ending=ending,
        detail=refusal or "",
        reasoning=thoughts or None,
        prompt_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        completion_tokens=_count(usage, "completion_tokens", "output_tokens"),
        reasoning_tokens=next(
            (
                count
                for details in details
                if (count := _count(details, "reasoning_tokens")) is not None
            ),
            None,
        ),
        model=model if isinstance(model, str) else "",
    )


def _count(usage: Any, *names: str) -> int | None:
    counts = (getattr(usage, name, None) for name in names)
    return next((value for value in counts if type(value) is int), None)
