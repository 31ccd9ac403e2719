"""`venus optimize`: somebody's own program through the iterative loop, and what came of it.

The tests are what `venus run` reads. Half of them, or all of them where there is a second folder, are public: they give
the feedback and decide what is kept. The private ones then have the last word: of the programs that were kept the last
one that passes them is handed out, and before and after are measured on them in turns.

Where a test has no expected output, what the program prints now is what it has to print: it is run twice, and the two
have to agree.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from venus_toolkit import __version__
from venus_toolkit.engine import Seat
from venus_toolkit.errors import SandboxError, UsageError
from venus_toolkit.eval.acceptance import false_alarms
from venus_toolkit.eval.generate import Model, open_model
from venus_toolkit.eval.iterate import PlaceBench
from venus_toolkit.eval.optimise import NO_ORIGINAL, Decision, LoopOptions, Trajectory, Turn
from venus_toolkit.eval.options import EvalOptions
from venus_toolkit.eval.private import NONE, Split, halved
from venus_toolkit.eval.tasks import Head, Task
from venus_toolkit.eval.workplace import Failure, Measured, Workplace
from venus_toolkit.language import Language
from venus_toolkit.llm import ModelOptions
from venus_toolkit.prompts import render_program
from venus_toolkit.records import Comparison, Limits, Problem, TestCase, Verdict, digest, to_plain
from venus_toolkit.sandbox import Program, open_sandbox
from venus_toolkit.signatures import fill
from venus_toolkit.store import MANIFEST, Store
from venus_toolkit.supervisor import Cores

Known = TypeVar("Known")
GIVEN_APART = "given"
SHOWN_EXAMPLES = 2
SHOWN_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Optimisation:
    """A program of one's own, and how to better it.

    Args:
        file: The program.
        code: Its text.
        language: Its language.
        about: What it does, in words; may be empty.
        starter: Starter code, where the program is a function or class.
        runner: Its runner, then.
        tests: What it is tried on.
        private: Further tests; empty: half of `tests`.
        limits: Of one test.
        options: Of the evaluation.
        loop: How the loop runs.
        out: The run folder.
        server: Where the model is; None for a replay.
        progress: Told each iteration when it is decided.
    """

    file: Path
    code: str
    language: Language
    about: str
    starter: str
    runner: str | None
    tests: tuple[TestCase, ...]
    private: tuple[TestCase, ...]
    limits: Limits
    options: EvalOptions
    loop: LoopOptions
    out: Path
    server: ModelOptions | None = None
    progress: Callable[[Turn], None] = field(default=lambda _: None)

    def run(self) -> dict[str, Any]:
        """Run the loop, or go on; returns the manifest.

        Raises:
            UsageError: The options make no sense, the folder is another program's, or a test has no stable output.
            ToolchainError: The language is not installed.
            SandboxError: The sandbox failed.
        """
        if self.loop.mode == NO_ORIGINAL and not self.about:
            why = f"without the code of {self.file.name} nothing says what it does"
            raise UsageError(
                "the mode no-original needs a description", why, "add --about FILE, or choose another mode"
            )
        with Store(self.out) as store, open_model(self.options.model, self.server, store) as model:
            self._claim(store)
            with open_sandbox(self.options.sandbox, [self.language]) as sandbox:
                return self._run(Workplace(self.options, sandbox, store, [self.language]), model)

    def _claim(self, store: Store) -> None:
        """Remember whose folder this is.

        Raises:
            UsageError: It is another's.
        """
        own = {"program": digest(self.code), "objective": self.options.objective}
        own |= {"model": self.options.model, "mode": self.loop.mode}
        before = store.get("run", "identity")
        if before is not None and before != own:
            changed = [name for name in {**before, **own} if before.get(name) != own.get(name)]
            what = f"{self.out} holds another optimisation"
            raise UsageError(what, f"another {', '.join(changed)}", "choose another --out")
        store.put("run", "identity", own)

    # -------------------------------------------------------------- the loop

    def _run(self, place: Workplace, model: Model) -> dict[str, Any]:
        seat = place.engine.seat()
        tests = self._tests(place, seat.cores)
        task = self._task(tests.public)
        trajectory = Trajectory(task, self.options, self.loop)
        bench = PlaceBench(place, task, seat)
        trajectory.begin(self.code, bench)
        self._tell(trajectory)
        while not trajectory.done:
            prompt, number = trajectory.question()
            trajectory.take(model.answer(task, prompt, number), bench)
            self._tell(trajectory)
        return self._finish(place, model, tests, trajectory, seat)

    def _tell(self, trajectory: Trajectory) -> None:
        self.progress(trajectory.stopped or trajectory.best)

    def _program(self) -> Program:
        code = fill(self.runner, self.code, self.language) if self.runner else self.code
        return Program(self.language, code)

    def _task(self, public: Sequence[TestCase]) -> Task:
        short = [t for t in public if len(t.stdin) + len(t.stdout or "") <= SHOWN_CHARACTERS]
        statement = render_program(self.language, self.about, short[:SHOWN_EXAMPLES])
        style = "function" if self.runner else "stdin"
        starters = {self.language.id: self.starter} if self.starter else {}
        about = (self.file.stem, 0, self.file.stem, statement, "Unknown", (), style, str(self.file), "unknown")
        problem = Problem(*about, self.limits, Comparison(), starter_code=starters)
        head = Head(self.language, 0, self.file.stem, "Unknown", (), self.file, 0, 0)
        return Task(head, problem, self.runner, tuple(public), ())

    def _tests(self, place: Workplace, cores: Cores) -> Split:
        """Return the tests in two sets, each with an expected output."""
        expected = {test: test for test in (*self.tests, *self.private) if test.stdout is not None}
        lacking = [test for test in (*self.tests, *self.private) if test.stdout is None]
        if lacking:
            expected |= zip(lacking, self._as_now(place, lacking, cores), strict=True)
        public, private = ([expected[test] for test in given] for given in (self.tests, self.private))
        if not private:
            return halved(public)
        known = {test.stdin for test in public}
        apart = tuple(test for test in private if test.stdin not in known)
        return Split(tuple(public), apart or tuple(private), GIVEN_APART if apart else NONE)

    def _as_now(self, place: Workplace, tests: Sequence[TestCase], cores: Cores) -> list[TestCase]:
        """Return tests with what the program prints now.

        Raises:
            UsageError: It does not end well, or prints something else the second time.
        """
        key = digest(list(tests), self.code, place.identity(self._program()))
        found = place.store.get("outputs", key)
        if found is None:
            first, second = (self._printed(place, tests, cores) for _ in range(2))
            for test, one, other in zip(tests, first, second, strict=True):
                if one != other:
                    why = f"on test {test.test_id} it prints something else each time, and there is no .out file"
                    fix = f"write what is expected into {test.test_id}.out"
                    raise UsageError(f"nobody can say what {self.file.name} has to print", why, fix)
            found = first
            place.store.put("outputs", key, found)
        return [replace(test, stdout=stdout) for test, stdout in zip(tests, found, strict=True)]

    def _printed(self, place: Workplace, tests: Sequence[TestCase], cores: Cores) -> list[str]:
        compiled = place.sandbox.compile(self._program(), cores)
        what = f"nobody can say what {self.file.name} has to print"
        if not compiled.ok:
            raise UsageError(
                what, f"it does not compile: {compiled.log.strip()[-300:]}", "mend it, or write .out files"
            )
        found = []
        with place.sandbox.session(compiled, self.limits, cores) as session:
            for test, run in zip(tests, session.run([test.stdin.encode() for test in tests]), strict=True):
                if not run.clean or run.stdout_cut:
                    why = f"on test {test.test_id} it does not end well, and there is no .out file"
                    raise UsageError(what, why, f"write what is expected into {test.test_id}.out")
                found.append(run.stdout.decode("utf-8", "replace"))
        return found

    # -------------------------------------------------------------- what came of it

    def _finish(
        self, place: Workplace, model: Model, tests: Split, trajectory: Trajectory, seat: Seat
    ) -> dict[str, Any]:
        """Write the best program, the diff, and the manifest last; returns the manifest."""
        private = replace(trajectory.task, tests=tests.private)
        bench = PlaceBench(place, private, seat)
        chosen = self._chosen(trajectory, bench)
        both = list(dict.fromkeys([self.code, chosen.code]))
        public = _known(PlaceBench(place, trajectory.task, seat).measure(both)) if chosen.passed else []
        measured = _known(bench.measure(both)) if chosen.passed else []
        best, patch = f"best{self.file.suffix}", difference(self.code, chosen.code, self.file.name)
        place.store.write_text(best, chosen.code)
        place.store.write_text("best.diff", patch)
        table = [_plain_turn(turn) for turn in trajectory.turns]
        place.store.write_text("iterations.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table))
        manifest = {
            "kind": "optimisation",
            "toolkit": __version__,
            "partial": trajectory.stopped is not None,
            "stopped": trajectory.stopped.reason if trajectory.stopped else "",
            "file": str(self.file),
            "language": self.language.id,
            "options": to_plain(self.options),
            "loop": to_plain(self.loop),
            "false_alarms": false_alarms(self.options.measure.repeats),
            "tests": {"public": len(tests.public), "private": len(tests.private), "private_from": tests.origin},
            "best": {**chosen.facts(), "file": best, "diff": "best.diff", "changed": chosen.code != self.code},
            "public": _before_and_after(public),
            "private": _before_and_after(measured),
            "iterations": table,
            "environment": place.environment(),
        }
        place.store.write_text(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        return {**manifest, "patch": patch, "model_costs": to_plain(model.costs)}

    def _chosen(self, trajectory: Trajectory, bench: PlaceBench) -> _Chosen:
        """Return the last program that was kept and passes the private tests, else the original."""
        kept = [turn for turn in trajectory.turns if turn.decision in (Decision.STARTED, Decision.ACCEPTED)]
        refused: list[Mapping[str, object]] = []
        for turn in reversed(kept):
            assert turn.code is not None
            if not turn.passed:
                continue
            judged = _known(bench.judge(turn.code))
            if judged.verdict == Verdict.ACCEPTED:
                return _Chosen(turn.code, turn.number, True, tuple(refused))
            refused.append({"iteration": turn.number, "verdict": str(judged.verdict), "reason": judged.reason})
        return _Chosen(self.code, 0, False, tuple(refused))


class _Chosen(NamedTuple):
    """A program, the iteration that it is from, and what was kept later but fails the private tests."""

    code: str
    iteration: int
    passed: bool
    refused: tuple[Mapping[str, object], ...]

    def facts(self) -> dict[str, Any]:
        return {"iteration": self.iteration, "passed": self.passed, "refused": list(self.refused)}


def difference(old: str, new: str, name: str) -> str:
    """Return what changes, as a patch; empty where nothing does."""
    before, after = ([f"{line}\n" for line in text.splitlines()] for text in (old, new))
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def _plain_turn(turn: Turn) -> dict[str, Any]:
    said = turn.completion
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
        "answer": said.text if said else None,
        "prompt_tokens": said.prompt_tokens if said else None,
        "completion_tokens": said.completion_tokens if said else None,
    }


def _before_and_after(measured: Sequence[Measured]) -> dict[str, Any]:
    """Return the totals of both programs; they are the same where nothing changed."""
    totals = [to_plain(each.total) for each in measured]
    return {"before": totals[0] if totals else None, "after": totals[-1] if totals else None}


def _known(found: Known | Failure) -> Known:
    """Return a result of the sandbox.

    Raises:
        SandboxError: There is none.
    """
    if isinstance(found, Failure):
        fix = "what was finished is kept: type the same command to go on, or see venus doctor"
        raise SandboxError("the programs could not be tried", found.reason, fix)
    return found
