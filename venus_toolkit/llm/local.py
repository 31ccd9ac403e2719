"""A model whose weights are loaded into this process: vLLM on a GPU, transformers on the CPU where the model is small.

The name says which: ``vllm:FOLDER``, ``transformers:FOLDER``, or a name on the Hub, with ``@revision`` after it where
it matters. Several threads ask at a time, as they would a server. What waits is answered together: vLLM takes a batch
in hardly more time than one question; transformers, the fallback, answers one after the other.

Not covered: models without a chat template, several GPUs by anything but vLLM's own defaults.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from venus_toolkit.errors import UsageError
from venus_toolkit.llm import ChatGenerator, Completion, Fault, ModelOptions, Prompt, check_options

CUT_OFF = "the answer was cut off at its longest (answer_tokens)"
EMPTY = "the answer is empty"


class Asked(NamedTuple):
    """A question to a model in this process."""

    prompt: Prompt
    seed: int | None


Engine = Callable[[Sequence[Asked]], Sequence[Completion]]


class _Waiting(NamedTuple):
    asked: Asked
    answer: Future[Completion]


@dataclass(slots=True)
class LocalGenerator(ChatGenerator):
    """Asks an engine in this process, several questions at a time; cache and budgets are those of a server.

    Args:
        engine: Answers questions, in their order.
    """

    engine: Engine | None = None
    _queue: queue.SimpleQueue[_Waiting | None] | None = None
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        """Refuse options that make no sense, and start the thread that owns the model."""
        check_options(self.options, served=False)
        self._queue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="venus-model", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread of the model."""
        if self._queue and self._thread:
            self._queue.put(None)
            self._thread.join()
        self._queue = self._thread = None

    def request(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask once, without cache, budget or further tries.

        Raises:
            Fault: The model gave nothing that can be used.
        """
        waiting = _Waiting(Asked(prompt, seed), Future())
        assert self._queue
        self._queue.put(waiting)
        found = waiting.answer.result()
        if found.text is None:
            raise Fault(found.reason, answered=found.answered)
        return found

    def _work(self) -> None:
        """Answer all that waits, together, until there is nothing more to come."""
        assert self._queue
        assert self.engine
        going_on = True
        while going_on:
            batch, going_on = self._batch(self._queue)
            if not batch:
                continue
            try:
                answers = self.engine([each.asked for each in batch])
                for each, answer in zip(batch, answers, strict=True):
                    each.answer.set_result(answer)
            except Exception as error:  # the boundary to somebody's model: who asked is told, and the thread goes on
                for each in batch:
                    if not each.answer.done():
                        each.answer.set_exception(error)

    def _batch(self, waiting: queue.SimpleQueue[_Waiting | None]) -> tuple[list[_Waiting], bool]:
        """Return all that waits, at least one, and whether there may be more."""
        found = [waiting.get()]
        while len(found) < self.options.concurrency and not waiting.empty():
            found.append(waiting.get())
        return [each for each in found if each is not None], None not in found


# ------------------------------------------------------------------ engines


def load(options: ModelOptions) -> Engine:
    """Load the weights that ``options.model`` names.

    Raises:
        UsageError: The package is not installed, or there is no such model or revision.
    """
    kind, _, place = options.model.partition(":")
    where, _, revision = place.partition("@")
    if not where:
        raise UsageError(
            f"{options.model} names no model", "nothing is after the colon", f"type: --model {kind}:FOLDER"
        )
    loader = {"vllm": load_vllm, "transformers": load_transformers}[kind]
    try:
        return loader(where, revision or None, options)
    except ImportError as error:
        fix = "pip install 'venus-toolkit[vllm]'" if kind == "vllm" else "pip install 'venus-toolkit[train]'"
        raise UsageError(f"the model {place} cannot be loaded", f"{kind} is not installed: {error}", fix) from error
    except (OSError, ValueError, RuntimeError) as error:
        why = str(error).strip().split("\n")[0][:300]
        raise UsageError(f"the model {place} cannot be loaded", why, "check the name and the revision") from error


def load_transformers(where: str, revision: str | None, options: ModelOptions) -> Engine:
    """Load a model with transformers, onto the CPU unless its own settings say otherwise.

    Raises:
        ImportError: It is not installed.
        OSError: There is no such model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(where, revision=revision)
    model: Any = AutoModelForCausalLM.from_pretrained(where, revision=revision, dtype="auto")
    sampling = {"do_sample": True, "temperature": options.temperature} if options.temperature else {"do_sample": False}
    ends = _ids(model.generation_config.eos_token_id) | _ids(tokenizer.eos_token_id)

    def one(asked: Asked) -> Completion:
        if asked.seed is not None:
            torch.manual_seed(asked.seed)
        inputs = tokenizer.apply_chat_template(
            _conversation(asked.prompt), add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        length = inputs["input_ids"].shape[1]
        made = model.generate(**inputs, max_new_tokens=options.answer_tokens, **sampling)[0][length:].tolist()
        cut = len(made) >= options.answer_tokens and made[-1] not in ends
        return _completion(tokenizer.decode(made, skip_special_tokens=True), cut, length, len(made))

    return lambda batch: [one(asked) for asked in batch]


def load_vllm(where: str, revision: str | None, options: ModelOptions) -> Engine:
    """Load a model with vLLM.

    Raises:
        ImportError: It is not installed.
        OSError: There is no such model.
    """
    from vllm import LLM, SamplingParams

    model: Any = LLM(model=where, revision=revision)

    def all_of(batch: Sequence[Asked]) -> list[Completion]:
        sampling = [
            SamplingParams(temperature=options.temperature, max_tokens=options.answer_tokens, seed=asked.seed)
            for asked in batch
        ]
        found = model.chat([_conversation(asked.prompt) for asked in batch], sampling, use_tqdm=False)
        return [_of_vllm(each) for each in found]

    return all_of


def _of_vllm(found: Any) -> Completion:
    (output,) = found.outputs
    cut = output.finish_reason == "length"
    return _completion(output.text, cut, len(found.prompt_token_ids or ()), len(output.token_ids))


def _completion(text: str, cut: bool, prompt_tokens: int, completion_tokens: int) -> Completion:
    reason = CUT_OFF if cut else "" if text.strip() else EMPTY
    return Completion(None if reason else text, reason, prompt_tokens, completion_tokens)


def _conversation(prompt: Prompt) -> list[dict[str, str]]:
    return [message._asdict() for message in prompt]


def _ids(found: int | list[int] | None) -> set[int]:
    return set(found) if isinstance(found, list) else {found} if found is not None else set()
