"""Measuring and comparing a user's own programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from venus_toolkit.api.arguments import Source, Tests, check_text, checked, read_given_tests
from venus_toolkit.api.notebook import memory_curve, table
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.core.language import Language, find_language, language_of_file, load_languages
from venus_toolkit.core.options import NOT_NEGATIVE, check_value, one_of
from venus_toolkit.core.records import MIB, NS_PER_MS, Limits, Measurement, Run
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import File, Program
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class Result:
    """The result of one program.

    Attributes:
        source: The file, or ``<text>``.
        language: The id of its language.
        verdict: ``accepted``, ``wrong_answer``, ``runtime_error``, ``time_limit``,
            ``memory_limit``, ``output_limit`` or ``compile_error``.
        reason: Why it is not accepted, on one line.
        measurement: All figures with their spreads; None if a test failed.
        runs: The fastest run of each test, with the first 64 KiB of its outputs.
        rank: Its rank in a comparison; ties share a rank; None outside a comparison.
        ratio: Its cost relative to the best program of the comparison.
        within: Half of the 95 % interval of `ratio`.
        difference: The first difference from the output of another program in a comparison, on a
            test without an expected output; empty if there is none.
    """

    source: str
    language: str
    verdict: str
    reason: str
    measurement: Measurement | None = None
    runs: tuple[Run, ...] = field(default=(), repr=False)
    rank: int | None = None
    ratio: float | None = None
    within: float | None = None
    difference: str = ""

    @property
    def stdout(self) -> str:
        """Its output on the first test."""
        return self.runs[0].stdout.decode("utf-8", "replace") if self.runs else ""

    @property
    def wall_ns(self) -> int | None:
        """Wall time over all tests, in nanoseconds."""
        return self.measurement.wall_ns if self.measurement else None

    @property
    def cpu_ns(self) -> int | None:
        """CPU time over all tests, in nanoseconds."""
        return self.measurement.cpu_ns if self.measurement else None

    @property
    def peak_bytes(self) -> int | None:
        """The largest peak of memory, in bytes."""
        return self.measurement.peak_bytes if self.measurement else None

    @property
    def integral_byte_ns(self) -> float | None:
        """Memory over time, summed over all tests, in byte·ns."""
        return self.measurement.integral_byte_ns if self.measurement else None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the figures of the measurement as one flat dictionary."""
        names = (
            "source", "language", "verdict", "reason", "rank", "ratio", "within", "difference",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | (
            asdict(self.measurement) if self.measurement else {}
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame of one row with the fields of `to_dict`."""
        return Comparison((self,)).to_pandas()

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table of one row with the fields of `to_dict`."""
        return Comparison((self,)).to_arrow()

    def _repr_html_(self) -> str:
        longest = max(self.runs, key=lambda run: run.wall_ns, default=None)
        curve = memory_curve(longest.trace) if longest and longest.trace else ""
        return Comparison((self,))._repr_html_() + curve


@dataclass(frozen=True)
class Comparison(Sequence[Result]):
    """The results of several programs, the best first and unmeasured ones last."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: Any) -> Any:
        return self.results[index]

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a row per program and the fields of `Result.to_dict`."""
        require("eval")
        import pandas as pd

        return pd.DataFrame([result.to_dict() for result in self.results])

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row per program and the fields of `Result.to_dict`."""
        require("eval")
        import pyarrow as pa

        return pa.Table.from_pylist([result.to_dict() for result in self.results])

    def _repr_html_(self) -> str:
        figures = ("wall ms", "cpu ms", "peak MiB", "relative to fastest")
        return table(("rank", "program", "verdict", *figures, "reason"), map(_cells, self.results))


def _cells(result: Result) -> tuple[str, ...]:
    def in_unit(value: float | None, unit: float) -> str:
        return "" if value is None else f"{value / unit:.2f}"

    error = f" ± {result.within:.2f}" if result.within else ""
    ratio = "" if result.ratio is None else f"{result.ratio:.2f}{error}"
    figures = (
        in_unit(result.wall_ns, NS_PER_MS),
        in_unit(result.cpu_ns, NS_PER_MS),
        in_unit(result.peak_bytes, MIB),
    )
    return (str(result.rank or ""), result.source, result.verdict, *figures, ratio, result.reason)


@checked(language="lang")
def run(
    source: Source,
    lang: str | None = None,
    *,
    args: Sequence[str] = (),
    stdin: str = "",
    expected: str | None = None,
    tests: Tests | None = None,
    files: Mapping[str, bytes | str] | None = None,
    env: Mapping[str, str] | None = None,
    repeats: Annotated[int, NOT_NEGATIVE] = 3,
    limits: Limits | None = None,
    sandbox: str = "auto",
    trace: bool = False,
) -> Result:
    """Judge one program in isolation, and measure it relative to the reference program.

    Args:
        source: A file; or the text of a program, which needs `lang`.
        lang: An id or an alias of its language; None: by the file's extension.
        args: Arguments of the program.
        stdin: Its input, if there are no `tests`.
        expected: The expected output; None: only the exit code is checked.
        tests: A folder with NAME.in, each with or without NAME.out; or pairs of input and expected
            output (None: only the exit code is checked). Replaces `stdin` and `expected`.
        files: Contents of files that the program may read, by name.
        env: Its environment variables.
        repeats: Number of times it is measured; 0: it is only judged.
        limits: The limits of one test; None: the defaults.
        sandbox: The name of a sandbox, or the address of a `venus serve`.
        trace: Whether to keep the samples of memory over time, which a notebook draws.

    Raises:
        UsageError: An argument has the wrong type, the file cannot be read, or the language is not
            known.
        LanguageError: The language is unknown.
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    from venus_toolkit.execution.engine.assessment import assess_each_test, panel_of

    name, program = _program(source, lang, args, files, env)
    cases, options = read_given_tests(tests, stdin, expected), MeasureOptions(repeats)
    panel = panel_of([program], cases, limits or Limits(), options)
    with open_sandbox(sandbox, [program.language]) as backend:
        assessment = assess_each_test(backend, quiet_cores(), panel, trace=trace)
    (result,) = assessment.programs
    return Result(
        name,
        program.language.id,
        str(result.judgement.verdict),
        result.judgement.reason,
        result.measured.total if result.measured else None,
        tuple(outcome.run for outcome in assessment.outcomes),
    )


@checked(language="lang")
def compare(
    *sources: Source,
    lang: str | None = None,
    args: Sequence[str] = (),
    stdin: str = "",
    expected: str | None = None,
    tests: Tests | None = None,
    files: Mapping[str, bytes | str] | None = None,
    env: Mapping[str, str] | None = None,
    repeats: Annotated[int, NOT_NEGATIVE] = 5,
    by: str = "wall",
    limits: Limits | None = None,
    sandbox: str = "auto",
) -> Comparison:
    """Measure several programs interleaved, in any languages, and rank them; ties share a rank.

    Their outputs are also compared: see `Result.difference`. Parameters are those of `run`; `by` is
    ``wall``, ``cpu``, ``memory`` or ``integral``.

    Raises:
        UsageError: An argument has the wrong type, no program is given, a file cannot be read, a
            language is not known, or `by` is invalid.
        LanguageError: The language is unknown.
        ToolchainError: A language is not installed.
        SandboxError: The sandbox failed.
    """
    from venus_toolkit.execution.engine.assessment import RANKED_BY, assess_panel, panel_of

    check_value("by", Annotated[str, one_of(*RANKED_BY)], by, "name one")
    if not sources:
        reason, fix = "no program is given", 'type: venus_toolkit.compare("a.py", "b.py")'
        raise UsageError("there is nothing to compare", reason, fix)
    named_programs = [_program(source, lang, args, files, env) for source in sources]
    names, programs = zip(*named_programs, strict=True)
    cases, options = read_given_tests(tests, stdin, expected), MeasureOptions(repeats)
    panel = panel_of(programs, cases, limits or Limits(), options, RANKED_BY[by])
    languages = {program.language.id: program.language for program in programs}
    with open_sandbox(sandbox, list(languages.values())) as backend:
        assessment = assess_panel(backend, quiet_cores(), panel)
    results = [
        Result(
            name,
            program.language.id,
            str(result.judgement.verdict),
            result.judgement.reason,
            result.measurement,
            rank=result.standing.rank if result.standing else None,
            ratio=result.ratio,
            within=result.within,
            difference=f"from {names[difference.other]} on test {difference.test_id}: {difference.where}"
            if (difference := result.difference)
            else "",
        )
        for (name, program), result in zip(named_programs, assessment.programs, strict=True)
    ]
    return Comparison(
        tuple(sorted(results, key=lambda result: (result.ratio is None, result.ratio or 0)))
    )


def _program(
    source: Source,
    lang: str | None,
    args: Sequence[str],
    files: Mapping[str, bytes | str] | None,
    env: Mapping[str, str] | None,
) -> tuple[str, Program]:
    known = load_languages()
    language: Language
    if isinstance(source, str) and "\n" in source:
        if lang is None:
            reason = "a text has no extension"
            raise UsageError(
                "the language of the program is not known", reason, "name it: --lang python"
            )
        name, code, language = "<text>", source, find_language(lang, known)
    else:
        path = Path(source)
        language = find_language(lang, known) if lang else language_of_file(path, known)
        try:
            name, code = str(source), path.read_bytes().decode("utf-8")
        except (OSError, ValueError) as error:  # not UTF-8, or NUL in the name
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"cannot read the program {source}", reason, "name a file, or give a text"
            ) from error
    check_text("source", code)
    for file_name, content in (files or {}).items():
        if isinstance(content, str):
            check_text(f"files[{file_name!r}]", content)
    extra_files = tuple(
        File(file_name, content.encode() if isinstance(content, str) else content)
        for file_name, content in (files or {}).items()
    )
    return name, program_of(language.called_with(args, env or {}), code, extra_files)
