"""Evaluating models on a release, and optimising a user's own program with a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from venus_toolkit.api.arguments import Source, Tests, checked, read_given_tests
from venus_toolkit.api.notebook import Progress, progress_callback, table
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.core.formatting import share_with_range
from venus_toolkit.core.language import find_languages, load_languages
from venus_toolkit.core.options import AT_LEAST_1, NOT_NEGATIVE, check_value, nearest
from venus_toolkit.core.records import Limits

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from venus_toolkit.models.client import ModelOptions

# Options that are not fields of an options record, with their annotations.
OWN: Mapping[str, Any] = {
    "languages": Source | None,
    "reference_cache": Source | None,
    "about": Source | None,
    "starter": Source | None,
    "private_tests": Tests | None,
    "price_prompt": Annotated[float | None, NOT_NEGATIVE],
    "price_completion": Annotated[float | None, NOT_NEGATIVE],
}
LOOP = ("mode", "start", "min_gain", "remembered", "feedback", "analysis")
EFFICIENCY = {"time": "Beyond-T %", "memory": "Beyond-M %", "integral": "Beyond-I %"}


@dataclass(frozen=True)
class Evaluated:
    """The results of an evaluation.

    Attributes:
        out: Its folder, with ``results.parquet``, one row for each sample.
        manifest: The output of ``venus eval --json``.
    """

    out: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def scores(self) -> Mapping[str, Any]:
        """The scores over all tasks, shares from 0 to 1; intervals are estimate, low, high."""
        return dict(self.manifest["scores"][0])

    @property
    def partial(self) -> bool:
        """Whether something is missing; the same call resumes the evaluation."""
        return bool(self.manifest["partial"])

    def to_arrow(self) -> pa.Table:
        """Return the samples as an Arrow table."""
        import pyarrow.parquet as parquet

        return parquet.read_table(self.out / "results.parquet")

    def to_pandas(self) -> pd.DataFrame:
        """Return the samples as a data frame."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def _repr_html_(self) -> str:
        rows = []
        for scores in self.manifest["scores"]:
            if scores["by"] in ("all", "language", "difficulty"):
                beyond = (
                    share_with_range(scores["efficiency"][name]["beyond"]) for name in EFFICIENCY
                )
                passed = share_with_range(scores["pass_at_1"])
                rows.append((str(scores["name"]), str(scores["tasks"]), passed, *beyond))
        return table(("", "tasks", "Pass@1 %", *EFFICIENCY.values()), rows)


@dataclass(frozen=True)
class Optimized:
    """The result of an optimisation.

    Attributes:
        out: The run folder, with the best program, its diff and all iterations.
        manifest: The output of ``venus optimize --json``.
    """

    out: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def improved(self) -> bool:
        """Whether a better program was found."""
        return bool(self.manifest["best"]["changed"])

    @property
    def code(self) -> str:
        """The best program; the original if none is better."""
        return (self.out / str(self.manifest["best"]["file"])).read_text(encoding="utf-8")

    @property
    def partial(self) -> bool:
        """Whether the model or the machine failed; the same call resumes the run."""
        return bool(self.manifest["partial"])

    def to_arrow(self) -> pa.Table:
        """Return the iterations as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self.manifest["iterations"]))

    def to_pandas(self) -> pd.DataFrame:
        """Return the iterations as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.manifest["iterations"])

    def _repr_html_(self) -> str:
        rows = []
        for iteration in self.manifest["iterations"]:
            saved = "" if iteration["gain"] is None else f"{100 * iteration['gain']:.1f}"
            rows.append(
                (
                    str(iteration["iteration"]),
                    str(iteration["decision"]),
                    saved,
                    str(iteration["reason"]),
                )
            )
        return table(("iteration", "decision", "saved %", "why"), rows)


@checked()
def evaluate(
    model: str,
    data: Source | None = None,
    lang: str | Sequence[str] = (),
    out: Source = "build/eval",
    *,
    suite: Source | None = None,
    samples: Annotated[int | None, AT_LEAST_1] = None,
    tasks: Annotated[int | None, AT_LEAST_1] = None,
    iterations: Annotated[int | None, AT_LEAST_1] = None,
    repeats: Annotated[int | None, AT_LEAST_1] = None,
    base_url: str | None = None,
    sandbox: str = "auto",
    seed: int = 0,
    progress: Progress = False,
    **options: Any,
) -> Evaluated:
    """Evaluate a model: is its code correct, and how efficient is it?

    The same call resumes a stopped evaluation.

    Args:
        model: Its name; ``replay:FILE``; ``human:best``, ``human:median`` or ``human:worst``; or a
            model in this process.
        data: A release: a folder, or NAME@VERSION on the Hub.
        lang: Ids or aliases of languages.
        out: The run folder.
        suite: A benchmark with its own data, prompt and limits, instead of `data`.
        samples: Number of answers to each task.
        tasks: Number of problems, sampled with the seed; None: all.
        iterations: Number of times the model improves each program; None: it is asked once.
        repeats: Number of times each program is measured.
        base_url: The address of the model's server.
        sandbox: The name of a sandbox, or the address of a `venus serve`.
        seed: Seed of the tasks, the answers and the intervals.
        progress: As for `build`.
        options: Any other option of ``venus eval``, with _ for -, such as ``objective="memory"``.

    Raises:
        UsageError: An option is unknown or invalid.
        ReleaseError: The release does not exist.
        ToolchainError: A language is not installed.
        SandboxError: The sandbox failed.
    """
    require("eval")
    from venus_toolkit.api.suites import find_release
    from venus_toolkit.eval.asking.prompting import make_eval_options
    from venus_toolkit.eval.eval_options import EvalOptions
    from venus_toolkit.eval.evaluate import Evaluation
    from venus_toolkit.eval.loop.iterations import IterativeEvaluation
    from venus_toolkit.eval.loop.iterative_loop import LoopOptions

    arguments = {
        "samples": samples,
        "tasks": tasks,
        "iterations": iterations,
        "repeats": repeats,
        "base_url": base_url,
    }
    settings = {name: value for name, value in (arguments | options).items() if value is not None}
    settings |= {"model": model, "data": str(data or ""), "sandbox": sandbox, "seed": seed}
    settings["lang"] = (lang,) if isinstance(lang, str) else tuple(lang)
    other_names = (
        "languages",
        "reference_cache",
        "price_prompt",
        "price_completion",
        "repeats",
        "iterations",
    )
    field_names = set(_fields(EvalOptions)) - {"measure", "prices", "prompting"}
    _check("evaluate", settings, (*field_names, *other_names, *LOOP))
    languages = load_languages(_path(settings.pop("languages", None)))
    on_progress = progress_callback(progress)
    release = find_release(
        None if suite is None else str(suite), settings, languages, progress=on_progress
    )
    server = _server(settings)
    loop = {name: settings.pop(name) for name in LOOP if name in settings}
    rounds = settings.pop("iterations", None)
    if loop and rounds is None:
        raise UsageError(
            f"{', '.join(loop)} change nothing",
            "without iterations there is no loop",
            "add --iterations 8",
        )
    cache = _path(settings.pop("reference_cache", None))
    eval_options = make_eval_options(find_languages(settings.pop("lang"), languages), **settings)
    parts = (eval_options, release, Path(out), languages, server, cache, on_progress)
    evaluation = Evaluation(*parts)
    if rounds is not None:
        evaluation = IterativeEvaluation(*parts, loop=LoopOptions(rounds, **loop))
    return Evaluated(Path(out), evaluation.run())


@checked()
def optimize(
    file: Source,
    tests: Tests,
    model: str,
    out: Source | None = None,
    *,
    lang: str | None = None,
    iterations: Annotated[int, AT_LEAST_1] = 10,
    objective: str | None = None,
    repeats: Annotated[int | None, AT_LEAST_1] = None,
    base_url: str | None = None,
    limits: Limits | None = None,
    sandbox: str = "auto",
    seed: int = 0,
    progress: Progress = False,
    **options: Any,
) -> Optimized:
    """Let a model make a program more efficient, step by step.

    The same call resumes a stopped run.

    Args:
        file: The program.
        tests: A folder with NAME.in, each with or without NAME.out; or pairs of input and expected
            output.
        model: As for `evaluate`.
        out: The run folder; None: FILE.venus next to the file.
        lang: An id or an alias; None: by the file's extension.
        iterations: Number of requests to the model.
        objective: ``time``, ``memory`` or ``integral``; None: that of the model's card, else time.
        repeats: Number of times each program is measured.
        base_url: The address of the model's server.
        limits: The limits of one test; None: the defaults.
        sandbox: The name of a sandbox, or the address of a `venus serve`.
        seed: Seed of the answers.
        progress: As for `build`; the stage is ``optimize``.
        options: Any other option of ``venus optimize``, with _ for -, such as
            ``private_tests="more-tests"``.

    Raises:
        UsageError: An option is unknown or invalid, or a test has no stable output.
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    require("eval")
    from venus_toolkit.eval.loop.own_program import plan_optimisation

    path, on_progress = Path(file), progress_callback(progress)
    arguments = {"lang": lang, "objective": objective, "repeats": repeats, "base_url": base_url}
    settings = {name: value for name, value in (arguments | options).items() if value is not None}
    settings |= {"model": model, "sandbox": sandbox, "seed": seed}
    names = (
        "lang",
        "repeats",
        "private_tests",
        "about",
        "starter",
        "languages",
        "objective",
        "form",
        "prompts",
    )
    other_names = ("rank", "counter", "rule", "model", "sandbox", "seed", *LOOP)
    _check("optimize", settings, (*names, *other_names))
    languages = load_languages(_path(settings.pop("languages", None)))
    settings |= {name: _path(settings[name]) for name in ("about", "starter") if name in settings}
    work = Path(out) if out else path.with_name(f"{path.name}.venus")
    private = settings.pop("private_tests", None)
    optimisation = plan_optimisation(
        path,
        read_given_tests(tests),
        languages,
        out=work,
        private=() if private is None else read_given_tests(private),
        limits=limits,
        server=_server(settings),
        progress=lambda turn: on_progress("optimize", turn.number, iterations),
        iterations=iterations,
        **settings,
    )
    return Optimized(work, optimisation.run())


def _server(settings: dict[str, Any]) -> ModelOptions | None:
    """Remove the options of the model's client from the settings and return them."""
    from venus_toolkit.models.client import ModelOptions, options_for

    names = set(_fields(ModelOptions)) - {"model", "seed"}
    options = {name: settings.pop(name) for name in sorted(names & settings.keys())}
    if "timeout" in settings:
        options["timeout_s"] = settings.pop("timeout")
    return options_for(settings["model"], settings["seed"], options, temperature=0.8, concurrency=8)


def _check(function: str, settings: dict[str, Any], known: Iterable[str]) -> None:
    """Reject unknown options and values of the wrong type; paths become text.

    Raises:
        UsageError: An option is unknown (the message names the nearest one) or has the wrong type.
    """
    from venus_toolkit.models.client import ModelOptions

    names = {*known, *_fields(ModelOptions), "timeout"}
    see = f"see venus {'eval' if function == 'evaluate' else function} --help"
    for name in settings:
        if name not in names:
            fix = nearest(name, names) + see
            raise UsageError(f"{function}() has no option {name}", "there is no such option", fix)
    for name, value in settings.items():
        if name in OWN:
            check_value(name, OWN[name], value, see)
        elif isinstance(value, Path):
            settings[name] = str(value)


def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _path(value: Source | None) -> Path | None:
    return Path(value) if value else None
