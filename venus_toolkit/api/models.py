"""Models: evaluated on a release, and asked to make a program of one's own more efficient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from venus_toolkit.api.arguments import Source, Tests, checked, read_given_tests
from venus_toolkit.api.notebook import Progress, shown, table
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

# Options that are no field of a record, which its annotation checks.
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
    """An evaluation.

    Attributes:
        out: Its folder, with ``results.parquet``, one row for each sample.
        manifest: What ``venus eval --json`` prints.
    """

    out: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def scores(self) -> Mapping[str, Any]:
        """The scores over all tasks, shares from 0 to 1; intervals are estimate, low, high."""
        return dict(self.manifest["scores"][0])

    @property
    def partial(self) -> bool:
        """Whether something is missing: the same call goes on."""
        return bool(self.manifest["partial"])

    def to_arrow(self) -> pa.Table:
        """Return the samples as an Arrow table."""
        import pyarrow.parquet as parquet

        return parquet.read_table(self.out / "results.parquet")

    def to_pandas(self) -> pd.DataFrame:
        """Return the samples as a frame."""
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
    """What became of a program.

    Attributes:
        out: The run folder, with the best program, its diff and all iterations.
        manifest: What ``venus optimize --json`` prints.
    """

    out: Path
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def improved(self) -> bool:
        """Whether a better program was found."""
        return bool(self.manifest["best"]["changed"])

    @property
    def code(self) -> str:
        """The best program; the original where none is better."""
        return (self.out / str(self.manifest["best"]["file"])).read_text(encoding="utf-8")

    @property
    def partial(self) -> bool:
        """Whether the model or the machine failed on the way: the same call goes on."""
        return bool(self.manifest["partial"])

    def to_arrow(self) -> pa.Table:
        """Return the iterations as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self.manifest["iterations"]))

    def to_pandas(self) -> pd.DataFrame:
        """Return the iterations as a frame."""
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
    """Evaluate a model: is its code correct, and how efficient is it? The same call continues a stopped evaluation.

    Args:
        model: Its name; ``replay:FILE``; ``human:best``, ``human:median`` or ``human:worst``; a
            model in this process.
        data: A release: a folder, or NAME@VERSION on the Hub.
        lang: Ids or aliases of languages.
        out: The run folder.
        suite: A benchmark with data, prompt and limits of its own, instead of `data`.
        samples: Number of answers to each task.
        tasks: Number of problems, drawn with the seed; None: all.
        iterations: How often the model improves each program; None: it is asked once.
        repeats: Number of times each program is measured.
        base_url: The address of the model's server.
        sandbox: Its name, or the address of a `venus serve`.
        seed: Of the tasks, the answers and the intervals.
        progress: As for `build`.
        options: Any other option of ``venus eval``, with _ for -, such as ``objective="memory"``.

    Raises:
        UsageError: An option is unknown or makes no sense.
        ReleaseError: There is no such release.
        ToolchainError: A language is not installed.
        SandboxError: The sandbox failed.
    """
    require("eval")
    from venus_toolkit.api.suites import find_release
    from venus_toolkit.eval.asking.prompting import make_eval_options
    from venus_toolkit.eval.eval_options import EvalOptions
    from venus_toolkit.eval.evaluate import Evaluation
    from venus_toolkit.eval.loop.iterations import Iterated
    from venus_toolkit.eval.loop.iterative_loop import LoopOptions

    named = {
        "samples": samples,
        "tasks": tasks,
        "iterations": iterations,
        "repeats": repeats,
        "base_url": base_url,
    }
    chosen = {name: value for name, value in (named | options).items() if value is not None}
    chosen |= {"model": model, "data": str(data or ""), "sandbox": sandbox, "seed": seed}
    chosen["lang"] = (lang,) if isinstance(lang, str) else tuple(lang)
    beside = (
        "languages",
        "reference_cache",
        "price_prompt",
        "price_completion",
        "repeats",
        "iterations",
    )
    of_options = set(_fields(EvalOptions)) - {"measure", "prices", "prompting"}
    _check("evaluate", chosen, (*of_options, *beside, *LOOP))
    languages = load_languages(_path(chosen.pop("languages", None)))
    release = find_release(
        None if suite is None else str(suite), chosen, languages, progress=shown(progress)
    )
    server = _server(chosen)
    loop = {name: chosen.pop(name) for name in LOOP if name in chosen}
    rounds = chosen.pop("iterations", None)
    if loop and rounds is None:
        raise UsageError(
            f"{', '.join(loop)} change nothing",
            "without iterations there is no loop",
            "add --iterations 8",
        )
    cache = _path(chosen.pop("reference_cache", None))
    asked = make_eval_options(find_languages(chosen.pop("lang"), languages), **chosen)
    arguments = (asked, release, Path(out), languages, server, cache, shown(progress))
    if rounds is None:
        return Evaluated(Path(out), Evaluation(*arguments).run())
    return Evaluated(Path(out), Iterated(*arguments, loop=LoopOptions(rounds, **loop)).run())


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

    The same call continues a stopped run.

    Args:
        file: The program.
        tests: A folder with NAME.in, each with or without NAME.out; or pairs of input and expected
            output.
        model: As for `evaluate`.
        out: The run folder; None: FILE.venus beside the file.
        lang: An id or an alias; None: by the file's extension.
        iterations: Number of requests to the model.
        objective: ``time``, ``memory`` or ``integral``; None: what the model's card says, else
            time.
        repeats: Number of times each program is measured.
        base_url: The address of the model's server.
        limits: Of one test; None: the usual ones.
        sandbox: Its name, or the address of a `venus serve`.
        seed: Of the answers.
        progress: As for `build`; the stage is ``optimize``.
        options: Any other option of ``venus optimize``, with _ for -, such as
            ``private_tests="more-tests"``.

    Raises:
        UsageError: An option is unknown or makes no sense, or a test has no stable output.
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    require("eval")
    from venus_toolkit.eval.loop.own_program import plan_optimisation

    path, report = Path(file), shown(progress)
    named = {"lang": lang, "objective": objective, "repeats": repeats, "base_url": base_url}
    chosen = {name: value for name, value in (named | options).items() if value is not None}
    chosen |= {"model": model, "sandbox": sandbox, "seed": seed}
    own = (
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
    _check("optimize", chosen, (*own, "rank", "counter", "rule", "model", "sandbox", "seed", *LOOP))
    languages = load_languages(_path(chosen.pop("languages", None)))
    chosen |= {name: _path(chosen[name]) for name in ("about", "starter") if name in chosen}
    work = Path(out) if out else path.with_name(f"{path.name}.venus")
    private = chosen.pop("private_tests", None)
    optimisation = plan_optimisation(
        path,
        read_given_tests(tests),
        languages,
        out=work,
        private=() if private is None else read_given_tests(private),
        limits=limits,
        server=_server(chosen),
        progress=lambda turn: report("optimize", turn.number, iterations),
        iterations=iterations,
        **chosen,
    )
    return Optimized(work, optimisation.run())


def _server(values: dict[str, Any]) -> ModelOptions | None:
    """Take what says how the model is asked out of the options."""
    from venus_toolkit.models.client import ModelOptions, options_for

    names = set(_fields(ModelOptions)) - {"model", "seed"}
    asked = {name: values.pop(name) for name in sorted(names & values.keys())}
    if "timeout" in values:
        asked["timeout_s"] = values.pop("timeout")
    return options_for(values["model"], values["seed"], asked, temperature=0.8, concurrency=8)


def _check(function: str, values: dict[str, Any], known: Iterable[str]) -> None:
    """Refuse options that a function does not have, or of the wrong kind; paths become text.

    Raises:
        UsageError: There is one; the message names the nearest one that exists.
    """
    from venus_toolkit.models.client import ModelOptions

    names = {*known, *_fields(ModelOptions), "timeout"}
    see = f"see venus {'eval' if function == 'evaluate' else function} --help"
    for name in values:
        if name not in names:
            fix = nearest(name, names) + see
            raise UsageError(f"{function}() has no option {name}", "there is no such option", fix)
    for name, value in values.items():
        if name in OWN:
            check_value(name, OWN[name], value, see)
        elif isinstance(value, Path):
            values[name] = str(value)


def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _path(value: Source | None) -> Path | None:
    return Path(value) if value else None
