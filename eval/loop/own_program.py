"""`venus optimize`: runs the iterative loop on a user's own program.

The tests are given as for `venus run`. Half of them, or all of them if there is a second folder,
are public: the loop uses them for feedback and decisions. The private tests choose the result: the
last accepted program that passes them. The original and the result are measured on them in
interleaved runs.

If a test has no expected output, the output of the original program is expected. The program is run
twice, and both outputs must agree.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from venus_toolkit.core import __version__
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, find_language, language_of_file
from venus_toolkit.core.records import (
    Limits,
    OutputComparison,
    TestCase,
    Verdict,
    digest,
    json_lines,
    to_plain,
)
from venus_toolkit.core.store import MANIFEST, Store
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.eval.asking.generate import open_model
from venus_toolkit.eval.asking.prompting import make_eval_options
from venus_toolkit.eval.asking.tasks import EvaluationTask, TaskKey
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import claim_folder
from venus_toolkit.eval.loop.analysis import analyse
from venus_toolkit.eval.loop.iterative_loop import (
    FALSE_ALARMS,
    INDEPENDENT,
    NO_ORIGINAL,
    UNTRIED,
    Decision,
    LoopOptions,
    LoopTurn,
    TaskExecutor,
    Trajectory,
)
from venus_toolkit.eval.loop.private_tests import NONE, SplitTests, halved
from venus_toolkit.eval.scoring.hacks import find_hacks
from venus_toolkit.eval.scoring.results import FIGURES
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, known
from venus_toolkit.execution.engine.work import vote
from venus_toolkit.execution.judging.files import program_runner, read_text
from venus_toolkit.execution.measuring.rounds import Measured
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.client import ModelOptions
from venus_toolkit.models.prompts import DIFF, render_program


@dataclass(frozen=True, slots=True)
class Optimisation:
    """The optimisation of a user's own program."""

    file: Path
    code: str
    language: Language
    about: str  # a description of the program; may be empty
    starter: str  # starter code if the program is a function or class
    runner: str | None  # its runner in that case
    tests: tuple[TestCase, ...]
    private: tuple[TestCase, ...]  # empty: half of `tests`
    limits: Limits  # of one test
    options: EvalOptions
    loop: LoopOptions
    out: Path
    server: ModelOptions | None = None  # None for a replay
    # receives each iteration after its decision
    progress: Callable[[LoopTurn], None] = field(default=lambda _: None)

    def run(self) -> dict[str, Any]:
        """Start or resume the loop; return the manifest.

        Raises:
            UsageError: The options are invalid, the folder belongs to another program, or a test
                has no stable output.
            ToolchainError: The language is not installed.
            SandboxError: The sandbox failed.
        """
        self.loop.check_rank(self.options.rank)
        if self.loop.mode in (NO_ORIGINAL, INDEPENDENT) and not self.about:
            reason = f"without the code of {self.file.name}, the prompt does not say what it does"
            raise UsageError(
                f"the mode {self.loop.mode} needs a description",
                reason,
                "add --about FILE, or choose another mode",
            )
        options = self.options
        identity = {"program": digest(self.code)[:12], "objective": options.objective}
        identity |= {"model": options.model, "mode": self.loop.mode, **self.loop.feedback_identity}
        with Store(self.out) as store, open_model(options.model, self.server, store) as model:
            claim_folder(store, identity, "optimisation")
            with (
                open_sandbox(options.sandbox, [self.language]) as sandbox,
                closing(options.open_executor(sandbox, [self.language], store)) as executor,
            ):
                worker = executor.engine.worker()
                tests = self._tests(executor, worker)
                on_public = TaskExecutor(executor, self._task(tests.public), options, worker)
                trajectory = Trajectory(on_public.task, options, self.loop)
                trajectory.begin(self.code, on_public)
                self.progress(trajectory.stopped or trajectory.best)
                while not trajectory.done:
                    prompt, number = trajectory.question()
                    trajectory.take(model.answer(on_public.task, prompt, number), on_public)
                    self.progress(trajectory.stopped or trajectory.best)
                manifest = self._finish(store, tests, trajectory, on_public)
                return {**manifest, "model_costs": to_plain(model.costs)}

    def _task(self, public: Sequence[TestCase]) -> EvaluationTask:
        # The prompt shows public tests only: a test that the model has seen is not private.
        examples = public if self.loop.feedback == DIFF else ()
        # At most 1000 characters of input and output, to keep prompts short.
        short = [test for test in examples if len(test.stdin) + len(test.stdout or "") <= 1000]
        name = self.file.stem
        key = TaskKey(
            language=self.language,
            problem_id=0,
            title=name,
            difficulty="Unknown",
            tags=(),
            file=self.file,
            group=0,
            row=0,
        )
        return EvaluationTask(
            problem_id=0,
            title=name,
            language=self.language,
            runner=self.runner,
            tests=tuple(public),
            tests_sha256="",
            comparison=OutputComparison(),
            evaluator=None,
            limits=self.limits,
            key=key,
            statement=render_program(self.language, self.about, short[:2]),
            style="function" if self.runner else "stdin",
            starter=self.starter,
        )

    def _tests(self, executor: Executor, worker: Worker) -> SplitTests:
        """Return the public and the private tests, all with an expected output."""
        expected = {test: test for test in (*self.tests, *self.private) if test.stdout is not None}
        missing = [test for test in (*self.tests, *self.private) if test.stdout is None]
        if missing:
            expected |= zip(missing, self._add_outputs(executor, missing, worker), strict=True)
        public, private = (
            [expected[test] for test in group] for group in (self.tests, self.private)
        )
        if not private:
            return halved(public)
        inputs = {test.stdin for test in public}
        # An input that the loop has seen cannot be private.
        unseen = tuple(test for test in private if test.stdin not in inputs)
        return SplitTests(tuple(public), unseen or tuple(private), "given" if unseen else NONE)

    def _add_outputs(
        self, executor: Executor, tests: Sequence[TestCase], worker: Worker
    ) -> list[TestCase]:
        """Return tests with the output of the original program as the expected output.

        Raises:
            UsageError: The program fails, or its output differs between two runs.
        """
        program = whole_program(self.language, self.runner, self.code)

        def find_outputs() -> list[str]:
            # Not `executor.vote`, whose journal would return the first answer again.
            first, second = (
                known(executor.run(worker, vote, program, tests, self.limits, None), UNTRIED)
                for _ in range(2)
            )
            for test, *votes in zip(tests, first.of_each, second.of_each, strict=True):
                failures = [
                    f"does not exit normally ({vote_of_run.reason})"
                    for vote_of_run in votes
                    if vote_of_run.kind != "answer"
                ]
                if votes[0].output != votes[1].output:
                    failures.append("prints a different output each time")
                if failures:
                    raise UsageError(
                        f"the expected output of {self.file.name} is not known",
                        f"on test {test.test_id} it {failures[0]}, and there is no .out file",
                        f"write the expected output into {test.test_id}.out",
                    )
            return [first.outputs[vote_on_test.output] for vote_on_test in first.of_each]

        def key() -> str:
            return digest(list(tests), executor.identity(program))

        outputs = known(executor.once("outputs", key, find_outputs), UNTRIED)
        return [replace(test, stdout=output) for test, output in zip(tests, outputs, strict=True)]

    def _finish(
        self, store: Store, tests: SplitTests, trajectory: Trajectory, on_public: TaskExecutor
    ) -> dict[str, Any]:
        """Write the best program, the diff and, last, the manifest; return it with the diff."""
        on_private = replace(
            on_public, task=replace(on_public.task, tests=tests.private), judged={}
        )
        rows = self._rows(trajectory, on_private, tests.origin)
        code, facts, measured = self._choose(trajectory, on_public, on_private)
        totals = [
            [to_plain(program.total) for program in programs] or [None] for programs in measured
        ]
        before_and_after = {
            name: {"before": figures[0], "after": figures[-1]}
            for name, figures in zip(("public", "private"), totals, strict=True)
        }
        best, patch = f"best{self.file.suffix}", difference(self.code, code, self.file.name)
        store.write_text(best, code)
        store.write_text("best.diff", patch)
        iterations = [_plain_turn(turn) for turn in trajectory.turns]
        store.write_text("iterations.jsonl", json_lines(iterations))
        manifest = {
            "kind": "optimisation",
            "toolkit": __version__,
            "partial": trajectory.stopped is not None,
            "stopped": trajectory.stopped.reason if trajectory.stopped else "",
            "file": str(self.file),
            "language": self.language.id,
            "options": to_plain(self.options),
            "loop": to_plain(self.loop),
            "false_alarms": FALSE_ALARMS,
            "tests": {
                "public": len(tests.public),
                "private": len(tests.private),
                "private_from": tests.origin,
            },
            "best": {**facts, "file": best, "diff": "best.diff", "changed": code != self.code},
            **before_and_after,
            "hacks": find_hacks(rows)._asdict(),
            "analysis": analyse(self.loop.analysis, rows, self.options.seed),
            "iterations": iterations,
            "environment": on_public.executor.environment(),
        }
        store.write_json(MANIFEST, manifest)
        return {**manifest, "patch": patch}

    def _rows(
        self, trajectory: Trajectory, on_private: TaskExecutor, origin: str
    ) -> list[dict[str, Any]]:
        """Return a row for each iteration, with columns of an evaluation.

        Accepted programs are judged on the private tests, and those that pass are measured
        interleaved.
        """
        passed: dict[str, bool] = {}
        for turn in trajectory.turns:
            if turn.code is not None and turn.passed and turn.code not in passed:
                program = on_private.task.program(turn.code)
                suite, worker = on_private.task.suite, on_private.worker
                judged = known(on_private.executor.judge(worker, suite, program), UNTRIED)
                on_private.judged[turn.code] = judged
                passed[turn.code] = judged.judgement.verdict == Verdict.ACCEPTED
        passing = [code for code, passes in passed.items() if passes]
        totals: dict[str | None, Any] = {}
        if passing:
            assessment = on_private.assess(passing[-1], passing[:-1])
            last = assessment.programs[0].measured
            measured = [*assessment.references, *([last] if last else [])]
            for code, figures in zip(passing, measured, strict=False):
                # A program that fails a test during measurement does not pass.
                passed[code] = figures.rejection is None
                totals[code] = to_plain(figures.total)
        about = {"task": self.file.stem, "title": self.file.stem, "sample": 0, "start": "given"}
        about |= {"difficulty": "unknown", "objective": self.options.objective}
        about |= {"private_from": origin, "time_figure": self.options.time_figure}
        return [
            {
                **about,
                "iteration": turn.number,
                "decision": str(turn.decision),
                "public_passed": turn.passed,
                "passed": passed.get(turn.code) if turn.code is not None else None,
                **dict.fromkeys(FIGURES),
                **totals.get(turn.code, {}),
                **_public(turn),
            }
            for turn in trajectory.turns
        ]

    def _choose(
        self, trajectory: Trajectory, on_public: TaskExecutor, on_private: TaskExecutor
    ) -> tuple[str, dict[str, Any], list[list[Measured]]]:
        """Return the last accepted program that passes the private tests, else the original.

        Also returns facts about the returned program, and the figures of the original and of that
        program on the public and on the private tests. The facts are its iteration, whether it
        passes, and the later programs that the loop accepted but that fail. A program that fails a
        test during measurement does not pass.
        """
        refused: list[dict[str, object]] = []
        for turn in reversed(trajectory.turns):
            if turn.decision not in (Decision.STARTED, Decision.ACCEPTED) or not turn.passed:
                continue
            assert turn.code is not None
            # An unchanged program is measured once.
            original = [self.code] if turn.code != self.code else []
            measured: list[list[Measured]] = []
            for task_executor in (on_private, on_public):
                assessment = task_executor.assess(turn.code, original)
                (result,) = assessment.programs
                if result.measured is None or not result.passed:
                    judgement = result.judgement
                    refused.append(
                        {
                            "iteration": turn.number,
                            "verdict": str(judgement.verdict),
                            "reason": judgement.reason,
                        }
                    )
                    break
                measured.insert(0, [*assessment.references, result.measured])
            else:
                facts = {"iteration": turn.number, "passed": True, "refused": refused}
                return turn.code, facts, measured
        return self.code, {"iteration": 0, "passed": False, "refused": refused}, [[], []]


def plan_optimisation(
    file: Path,
    tests: Sequence[TestCase],
    languages: Mapping[str, Language],
    *,
    out: Path,
    private: Sequence[TestCase] = (),
    limits: Limits | None = None,
    server: ModelOptions | None = None,
    progress: Callable[[LoopTurn], None] = lambda _: None,
    **flags: Any,
) -> Optimisation:
    """Return the optimisation of a program in a file.

    Args:
        file: The program; its extension determines the language unless the flag ``lang`` is set.
        tests: The tests of the loop; without `private`, half of them are private.
        languages: All languages by id.
        out: The run folder.
        private: The private tests.
        limits: The limits of one test; None: the defaults.
        server: The endpoint and options of the model; None for a replay.
        progress: Receives each iteration after its decision.
        flags: The other options of ``venus optimize``; None or absent means the default.

    Raises:
        UsageError: A file cannot be read, or an option is invalid.
        LanguageError: The language is not known.
    """
    settings = {name: value for name, value in flags.items() if value is not None}
    lang, starter, about = (settings.pop(name, None) for name in ("lang", "starter", "about"))
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    loop = {
        name: settings.pop(name)
        for name in ("mode", "min_gain", "remembered", "feedback", "analysis")
        if name in settings
    }
    iterations = settings.pop("iterations", 10)
    options = make_eval_options([language], data=str(file), **settings)
    return Optimisation(
        file=file,
        code=read_text(file, "program"),
        language=language,
        about=read_text(about, "description") if about else "",
        starter=read_text(starter, "starter code") if starter else "",
        runner=program_runner(starter, language, languages) if starter else None,
        tests=tuple(tests),
        private=tuple(private),
        limits=limits or Limits(),
        options=options,
        loop=LoopOptions(iterations, **loop),
        out=out,
        server=server,
        progress=progress,
    )


def difference(old: str, new: str, name: str) -> str:
    """Return the changes as a patch; empty if the texts are equal."""
    # Not `splitlines`: in a patch only a line feed ends a line.
    before, after = (
        [f"{line}\n" for line in text.removesuffix("\n").split("\n")] for text in (old, new)
    )
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def _public(turn: LoopTurn) -> dict[str, Any]:
    """Return the figures of the best program after an iteration on the public tests."""
    total = turn.measured.total if turn.measured else None
    return {f"public_{name}": getattr(total, name) if total else None for name in FIGURES}


def _plain_turn(turn: LoopTurn) -> dict[str, Any]:
    completion = turn.completion
    return {
        "iteration": turn.number,
        "decision": str(turn.decision),
        "reason": turn.reason,
        "verdict": str(turn.judged.verdict) if turn.judged else None,
        "gain": turn.gain,
        "passed": turn.passed,
        "tried": to_plain(turn.tried.total) if turn.tried else None,
        "best": to_plain(turn.measured.total) if turn.measured else None,
        "candidate": turn.candidate,
        "answer": (completion.unfinished if completion.text is None else completion.text)
        if completion
        else None,
        "prompt_tokens": completion.prompt_tokens if completion else None,
        "completion_tokens": completion.completion_tokens if completion else None,
        "reasoning": completion.reasoning if completion else None,
        "reasoning_tokens": completion.reasoning_tokens if completion else None,
    }
