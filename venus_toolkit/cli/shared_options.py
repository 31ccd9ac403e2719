"""Options that several commands share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import MIB, NS_PER_S, Limits

if TYPE_CHECKING:
    from venus_toolkit.core.language import Language
    from venus_toolkit.models.client import ModelOptions

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


def add_options(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds these options to a command, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


def out_option(about: str, required: bool = True) -> Decorator:
    """Return the option --out with the help text `about`."""
    return click.option("--out", "-o", type=PATH, required=required, help=about)


json_option: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."
)
sandbox_option: Decorator = click.option(
    "--sandbox",
    metavar="NAME",
    help=(
        "Where programs run: auto (default), local, docker, unsafe (no isolation), or "
        "http://HOST:PORT of a server."
    ),
)
counter_option: Decorator = click.option(
    "--counter",
    default="off",
    show_default=True,
    metavar="NAME",
    help=(
        "Count instructions as well: auto, pmu (hardware counter), emulated (QEMU, 5 to 40 times "
        "slower) or off."
    ),
)
languages_option: Decorator = click.option(
    "--languages", "extra_languages", type=FOLDER, help="A folder with your own language folders."
)
jobs_option: Decorator = click.option(
    "--jobs",
    "-j",
    type=int,
    help="Number of programs judged in parallel on each machine; default: one per core.",
)
engine_options = add_options(
    click.option(
        "--engine", help="Where the work runs: local (default, this machine) or ray (a cluster)."
    ),
    click.option(
        "--ray-address",
        metavar="HOST:PORT|auto",
        help="Address of the Ray cluster; default: one that Ray finds.",
    ),
)
model_option: Decorator = click.option(
    "--model",
    required=True,
    metavar="NAME",
    help="A model's name; smollm2 (embedded); replay:FILE (saved answers); vllm:FOLDER or "
    "transformers:FOLDER (local weights); or, in an evaluation, human:best, human:median, "
    "human:worst or copy (the human solutions themselves).",
)


class PromptFolder(click.Path):
    """A folder with templates, or the name of a template set of the toolkit."""

    names = ("paper",)

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Any:
        """Return a known name unchanged, or the path of an existing folder."""
        return value if value in self.names else super().convert(value, param, context)


prompts_option: Decorator = click.option(
    "--prompts",
    type=PromptFolder(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER|paper",
    help="Other prompt templates: your own, or those with the paper's structure.",
)
# Options of every command that asks a model. None means not set, which keeps the command's default.
asking_options = add_options(
    click.option(
        "--base-url",
        metavar="URL",
        help="Address of the model: any server with one of OpenAI's APIs.",
    ),
    click.option(
        "--api",
        metavar="NAME",
        help="API of the server: auto (default), chat (completions) or responses.",
    ),
    click.option(
        "--temperature", type=float, help="Sampling temperature; with 0 all samples are the same."
    ),
    click.option(
        "--answer-tokens",
        type=int,
        help="Maximum tokens of an answer, reasoning included (4096; smollm2: 512).",
    ),
    click.option(
        "--reasoning-effort",
        metavar="WORD",
        help="Reasoning effort to request, such as low or high.",
    ),
    click.option(
        "--param",
        "params",
        multiple=True,
        metavar="NAME=VALUE",
        help="An extra field of each request; VALUE is JSON, otherwise text.",
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        help="An extra HTTP header; its value is never shown or stored.",
    ),
    click.option(
        "--engine-arg",
        "engine_args",
        multiple=True,
        metavar="NAME=VALUE",
        help="An argument of vLLM's engine, for --model vllm:FOLDER; VALUE is JSON, otherwise text.",
    ),
    click.option(
        "--stream",
        is_flag=True,
        default=None,
        help="Stream answers, so that slow models do not time out.",
    ),
    click.option(
        "--timeout",
        "timeout_s",
        type=float,
        metavar="SECONDS",
        help="Maximum time to wait for data from the server (1200).",
    ),
    click.option("--concurrency", type=int, help="Number of parallel requests."),
    click.option(
        "--max-requests",
        type=int,
        help="Maximum number of requests. Cached answers are not counted.",
    ),
    click.option("--max-tokens", type=int, help="Maximum number of tokens, prompts included."),
)
ASKING = (
    "base_url", "api", "temperature", "answer_tokens", "reasoning_effort", "params", "headers", "engine_args", "stream",
    "timeout_s", "concurrency", "max_requests", "max_tokens",
)  # fmt: skip
feedback_option: Decorator = click.option(
    "--feedback",
    metavar="NAME",
    help=(
        "What prompts say about a failing program: verdict (its name; default) or diff (also "
        "expected outputs of tests)."
    ),
)
loop_options = add_options(
    click.option(
        "--mode",
        default="single-turn",
        show_default=True,
        help=(
            "What the prompt shows: single-turn, history, no-feedback, no-original or independent."
        ),
    ),
    click.option(
        "--min-gain",
        default=0.01,
        show_default=True,
        help="Minimum improvement, as a share of the cost.",
    ),
    click.option(
        "--remembered",
        default=4,
        show_default=True,
        help="Number of earlier attempts that the mode history shows.",
    ),
    feedback_option,
    click.option(
        "--analysis",
        metavar="NAME[,NAME]",
        help=(
            "Also report: ceiling (first iteration within 5 % of the last), correlation (of "
            "public and private savings), gains (absolute)."
        ),
    ),
)


def objective_option(words: str, *names: str, text: str, **more: Any) -> Decorator:
    """Return ``--objective``."""
    return click.option(
        "--objective",
        *names,
        help=f"{words}: time, memory or integral (also: both); {text}.",
        **more,
    )


repeats_option: Decorator = click.option(
    "--repeats", default=3, show_default=True, help="Number of times each program is measured."
)
rank_options = add_options(
    click.option(
        "--rank",
        default="relative",
        show_default=True,
        help=(
            "Rank by: relative (to the reference program), absolute (time), instructions "
            "(if CPU time agrees), or joint (time and instructions combined)."
        ),
    ),
    click.option(
        "--counter",
        default="emulated",
        show_default=True,
        metavar="NAME",
        help=(
            "Instruction counter for --rank instructions or joint: emulated (QEMU), pmu "
            "(hardware counter) or auto."
        ),
    ),
)
rule_option: Decorator = click.option(
    "--rule",
    default="apart",
    show_default=True,
    help=(
        "When a program counts as better: apart (beyond the uncertainty of both figures) or "
        "strict (by any amount)."
    ),
)
program_options = add_options(
    click.option(
        "--lang",
        "-l",
        metavar="ID",
        help="Language, by any name or alias; default: by the file extension.",
    ),
    click.option(
        "--starter",
        type=PATH,
        metavar="FILE",
        help="Starter code that FILE fills in: FILE is a function or class.",
    ),
)
limit_options = add_options(
    click.option(
        "--limit-wall-s",
        type=click.FloatRange(0, 86400, min_open=True),
        help="Time limit of one test (10 s).",
    ),
    click.option(
        "--limit-memory-mib",
        type=click.IntRange(1, 1 << 20),
        help="Memory limit of one test (512 MiB).",
    ),
)


def limits_from(wall_s: float | None, memory_mib: int | None) -> Limits:
    """Return the limits of one test.

    The CPU limit equals the wall limit, because the program has one core.
    """
    # FloatRange accepts NaN, for which every comparison is false.
    if wall_s is not None and not wall_s > 0:
        raise UsageError(
            f"--limit-wall-s {wall_s} is not a time",
            "it is not a number",
            "type: --limit-wall-s 10",
        )
    wall_ns = round(wall_s * NS_PER_S) if wall_s is not None else None
    return Limits().changed(
        wall_ns=wall_ns, cpu_ns=wall_ns, memory_bytes=memory_mib * MIB if memory_mib else None
    )


def pop_asking_options(flags: dict[str, Any]) -> dict[str, Any]:
    """Remove the `asking_options` from the flags; return those that are set, for ModelOptions.

    Raises:
        UsageError: A parameter, an engine argument or a header is malformed.
    """
    options = {name: flags.pop(name) for name in ASKING}
    params = _named_values("--param", options.pop("params"), "top_p=0.95")
    engine = _named_values("--engine-arg", options.pop("engine_args"), "tensor_parallel_size=2")
    headers = dict[str, str]()
    for text in options.pop("headers"):
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            # The message omits the text, which may be a key.
            raise UsageError(
                "a --header is malformed", "it is not NAME:VALUE", "type: --header 'X-Team: blue'"
            )
        headers[name.strip()] = value.strip()
    # An empty table counts as not set, so that it does not override one in a recipe.
    options |= {
        "params": params or None,
        "headers": headers or None,
        "engine_args": engine or None,
    }
    return {name: value for name, value in options.items() if value is not None}


def _named_values(option: str, texts: Iterable[str], example: str) -> dict[str, Any]:
    """Parse the values of a NAME=VALUE option; VALUE is JSON, otherwise text."""
    import json

    parsed = dict[str, Any]()
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            message = f"{option} {text} is malformed"
            raise UsageError(message, "it is not NAME=VALUE", f"type: {option} {example}")
        try:
            parsed[name.strip()] = json.loads(value)
        except ValueError:
            parsed[name.strip()] = value
    return parsed


def model_options(flags: dict[str, Any], **defaults: Any) -> ModelOptions | None:
    """Remove the options of a model's client from the flags and return them.

    Returns None for a replay, and for a model without an address. `defaults` override those of
    ModelOptions.
    """
    from venus_toolkit.models.client import options_for

    return options_for(flags["model"], flags["seed"], pop_asking_options(flags), **defaults)


def named_languages(names: Sequence[str], extra: Path | None) -> list[Language]:
    """Return the named languages, or all by default."""
    from venus_toolkit.core.language import find_languages, load_languages

    known = load_languages(extra)
    return find_languages(names, known) or list(known.values())


def command_line() -> str:
    """Return the command line for manifests and cards, without the values of headers."""
    words = ["venus", *sys.argv[1:]]
    for number, word in enumerate(words):
        if words[number - 1] == "--header" or word.startswith("--header="):
            words[number] = word.partition(":")[0] + ":"
    return shlex.join(words)
