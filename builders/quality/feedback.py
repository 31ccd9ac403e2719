"""Rounds in which a language model looks for gaps in the tests.

In each round the model sees wrong programs that the tests accept. It answers with inputs (literal
ones, or a generator) and with plausible wrong programs of its own. Nothing in an answer is trusted.
An input counts if the validator allows it, all canonical solutions agree on it, and it kills a
program that no other test kills. A program of the model counts once such an input has killed it, as
one more program to kill, never as a solution. The next prompt reports the outcome in a bounded
number of lines. Code of the model runs only in the sandbox.

    result = ModelFeedback(model, options).improve(bench, examiner, tests, missed)
    result.tests, result.killers, result.rounds
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from venus_toolkit.builders.inputs.model import (
    PYTHON,
    problem_of,
    template,
    unusable,
    write_program,
)
from venus_toolkit.builders.quality.kills import (
    TARGETED,
    InputRequest,
    InputSource,
    ProblemPrograms,
)
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.quality.mutants import Mutant
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import ModelRound
from venus_toolkit.core.records import Expectation, Solution, TestCase
from venus_toolkit.models.client import Completion, Generator, Message, Prompt
from venus_toolkit.models.markdown import blocks, plain_block

LONGEST_LINE = 240  # characters of a line in a prompt
WRONG = "wrong-"  # marks the block of a wrong program: ``wrong-python``


class Attack(NamedTuple):
    """The outcome of inputs tried on programs.

    tests are the inputs that kill a program, dead maps each killed program to the ids of those
    tests, and disputed has the ids of inputs without an agreed output.
    """

    tests: tuple[TestCase, ...]
    dead: Mapping[str, set[str]]
    disputed: frozenset[str]

    def joined(self, more: Attack) -> Attack:
        """Return the outcome of this and another attack."""
        return Attack(
            (*self.tests, *more.tests), {**self.dead, **more.dead}, self.disputed | more.disputed
        )


class Examiner(Protocol):
    """Tries inputs and programs: the examination of a problem's tests."""

    def attack(self, inputs: InputSource, names: Sequence[str]) -> Attack:
        """Try inputs on programs; an input becomes a test only if all canonical solutions agree."""
        ...

    def admit(self, killer: Solution, tests: Sequence[TestCase]) -> str:
        """Add a possibly wrong program to those to kill, or return the reason for a refusal."""
        ...

    def known(self, name: str) -> Mutant | Solution:
        """Return a program by its name."""
        ...


class AttackAnswer(NamedTuple):
    """The usable parts of a model's answer, and complaints about the unusable ones.

    The parts are inputs, a generator, and programs with their languages.
    """

    inputs: tuple[str, ...]
    generator: str | None
    programs: tuple[tuple[str, str], ...]
    complaints: tuple[str, ...]


@dataclass
class Metered:
    """A model with a token count.

    Cached answers count too, so that a resumed build reports the same.
    """

    model: Generator
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order."""
        completions = self.model.complete(prompts)
        self.prompt_tokens += sum(completion.prompt_tokens or 0 for completion in completions)
        self.completion_tokens += sum(
            completion.completion_tokens or 0 for completion in completions
        )
        return completions

    def counted(self, one: ModelRound) -> ModelRound:
        """Return a round with the token counts so far."""
        return one._replace(
            prompt_tokens=self.prompt_tokens, completion_tokens=self.completion_tokens
        )


@dataclass
class ModelRounds:
    """The state of the rounds with a model, and their result.

    Attributes:
        open: The programs that no test kills yet.
        known: The names of inputs that are tests or were tried, by input.
        shown: How often each program was shown.
        own: The model's wrong programs.
        told: The report on the last answer for the next prompt, in lines.
        tests: The added tests.
        rounds: The figures of each round.
    """

    open: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    told: list[str] = field(default_factory=list)
    tests: list[TestCase] = field(default_factory=list)
    rounds: list[ModelRound] = field(default_factory=list)

    @property
    def killers(self) -> list[str]:
        """The model's wrong programs that its tests kill, by name."""
        return sorted(self.own.difference(self.open))

    def next_shown(self) -> list[str]:
        """Return the programs to show next: the least shown ones, in their order."""
        most_shown = 4  # programs in a prompt
        chosen = sorted(self.open, key=lambda name: self.shown.get(name, 0))[:most_shown]
        self.shown |= {name: self.shown.get(name, 0) + 1 for name in chosen}
        return chosen


class ModelFeedback:
    """Rounds with one model; `options` bounds their number and how much of an answer is tried."""

    def __init__(self, model: Generator, options: QualityOptions) -> None:
        self.model, self.options = model, options

    def improve(
        self,
        bench: ProblemPrograms,
        examiner: Examiner,
        tests: Sequence[TestCase],
        missed: Sequence[str],
    ) -> ModelRounds:
        """Return the tests that a model adds to those of a problem, and the figures of each round.

        Args:
            bench: Runs programs and generators.
            examiner: Tries their inputs.
            tests: The tests so far, agreed on by all canonical solutions.
            missed: The names of wrong programs that these tests accept.
        """
        state = ModelRounds(list(missed), {test.stdin: test.test_id for test in tests})
        model = Metered(self.model)
        validator, reason = self._validator(model, bench, tests)
        if validator is None:
            # Without a validator, a disallowed input could become a test.
            state.rounds.append(model.counted(ModelRound(0, reason=reason)))
            return state
        for number in range(1, self.options.rounds + 1):
            metered = Metered(self.model) if number > 1 else model
            result = self._round(metered, bench, examiner, state, number, validator, tests)
            state.rounds.append(metered.counted(result))
            if result.reason or not (state.open or result.added):
                break
        return state

    def _validator(
        self, model: Metered, bench: ProblemPrograms, tests: Sequence[TestCase]
    ) -> tuple[str | None, str]:
        """Return the problem's validator, else one by the model that allows the known tests.

        If there is neither, return None and the reason.
        """
        if bench.problem.validator:
            return bench.problem.validator, ""
        samples = 20  # known inputs that a written validator has to allow
        known = [test.stdin for test in sorted(tests, key=size_of)[:samples]]
        trial = lambda code: bench.try_validator(code, known)  # noqa: E731
        written = write_program("validator", model, bench.problem, known, trial)
        return written.code, f"no validator: {written.reason}"

    def _round(
        self, model: Metered, bench: ProblemPrograms, examiner: Examiner, state: ModelRounds, number: int,
        validator: str, tests: Sequence[TestCase],
    ) -> ModelRound:  # fmt: skip
        """Ask once, try the answer, and note its outcome for the next round."""
        shown = state.next_shown()
        (answer,) = model.complete([self._prompt(bench, examiner, state, shown, tests)])
        if answer.text is None:
            return ModelRound(number, len(shown), reason=answer.reason)
        parsed = read_attack(answer.text, bench)
        programs = parsed.programs[: self.options.programs]
        state.told = list(parsed.complaints)
        fresh = []
        for place, (language, code) in enumerate(programs, 1):
            name = f"{bench.problem.slug}~model-{number}-{place}"
            killer = Solution(name, bench.problem.slug, language, code, Expectation.WRONG, "model")
            reason = examiner.admit(killer, (*tests, *state.tests))
            if reason:
                state.told.append(f"your program {place}: {reason}")
            else:
                fresh.append(name)
        state.own.update(fresh)
        state.open += fresh
        proposed = bench.propose(
            parsed.generator,
            parsed.inputs[: self.options.targeted],
            validator,
            self.options.targeted,
        )
        inputs = []
        for place, (text, reason) in enumerate(proposed, 1):
            reason = f"the same input as {state.known[text]}" if text in state.known else reason
            if text is None or reason:
                state.told.append(f"input {place} is not used: {reason}")
            else:
                state.known[text] = name = f"{TARGETED}-{number}-{place}"
                inputs.append(TestCase(name, text, size=TARGETED))
        attack = self._attack(examiner, state, tuple(inputs), fresh, number)
        state.told += _outcomes(inputs, attack)
        killers = tuple(name for name in fresh if name not in state.open)
        state.told += [
            f"{name} is not refuted: it may be right" for name in fresh if name in state.open
        ]
        return ModelRound(
            number, len(shown), len(proposed), len(proposed) - len(inputs), len(attack.disputed),
            tuple(test.test_id for test in attack.tests), tuple(sorted(attack.dead)), len(programs), killers,
        )  # fmt: skip

    def _attack(
        self,
        examiner: Examiner,
        state: ModelRounds,
        inputs: tuple[TestCase, ...],
        fresh: Sequence[str],
        number: int,
    ) -> Attack:
        """Try a model's inputs on all open programs, and generated inputs on its new programs."""
        total, left = Attack((), {}, frozenset()), inputs
        tries = 3
        for _ in range(tries):
            # An attack picks one of several inputs with the same kills. If that one is disputed,
            # the next try picks another.
            left = tuple(test for test in left if test.test_id not in total.disputed)
            if not (left and state.open):
                break
            more = examiner.attack(left, state.open)
            total = total.joined(more)
            state.open = [name for name in state.open if name not in total.dead]
            if not more.disputed:
                break
        first_seed = 3_000_000  # shares no seed with the pool and the other batches
        if own := [name for name in fresh if name in state.open]:
            seed = first_seed + self.options.seed + number * self.options.batch
            total = total.joined(
                examiner.attack(InputRequest(self.options.batch, seed), own)._replace(
                    disputed=frozenset()
                )
            )
            state.open = [name for name in state.open if name not in total.dead]
        state.tests += total.tests
        return total

    def _prompt(
        self,
        bench: ProblemPrograms,
        examiner: Examiner,
        state: ModelRounds,
        shown: Sequence[str],
        tests: Sequence[TestCase],
    ) -> Prompt:
        targets = []
        for name in shown:
            program = examiner.known(name)
            fence = bench.languages[program.language].fences[0]
            targets.append({"name": name, **_excerpt(program, fence)})
        known = [
            test.stdin for test in sorted(tests, key=lambda test: (size_of(test), test.test_id))
        ]
        most_lines = 24  # lines about the last answer
        # Addresses differ between runs; a prompt must not, or a resumed build would ask again.
        address = re.compile(r"0x[0-9a-fA-F]{4,16}")
        text = template("attack.md.j2").render(
            **problem_of(bench.problem, known),
            targets=targets,
            told=[address.sub("…", line)[:LONGEST_LINE] for line in state.told[:most_lines]],
            inputs=self.options.targeted,
            programs=self.options.programs,
            size=TARGETED,
            languages=sorted(
                WRONG + bench.languages[name].fences[0]
                for name in bench.languages
                if bench.can_run(name)
            ),
        )
        return (Message("user", text),)


def read_attack(answer: str, bench: ProblemPrograms) -> AttackAnswer:
    """Return the blocks of an answer by their marks: ``input``, ``python``, ``wrong-LANGUAGE``."""
    fences = {
        fence: name
        for name, language in bench.languages.items()
        for fence in language.fences
        if bench.can_run(name)
    }
    inputs, generators, programs, complaints = (
        list[str](),
        list[str](),
        list[tuple[str, str]](),
        list[str](),
    )
    for block in blocks(answer):
        mark = block.info.lower()
        if not block.closed:
            complaints.append("the last block is not closed: the answer was cut off")
        elif mark == "input":
            inputs.append(block.code + "\n")
        elif mark.startswith(WRONG) and mark.removeprefix(WRONG) in fences:
            programs.append((fences[mark.removeprefix(WRONG)], block.code + "\n"))
        elif mark in PYTHON and mark:
            reason = unusable(block.code, "generate")
            complaints += [f"the {mark} block is not used: {reason}"] if reason else []
            generators += [] if reason else [block.code + "\n"]
        else:
            complaints.append(f"a block marked {mark[:40]!r} is not used")
    if len(generators) > 1:
        complaints.append(
            f"it has {len(generators)} blocks that define generate(), only the last one is used"
        )
    if not (inputs or generators or programs or complaints):
        complaints.append("it has no fenced block")
    return AttackAnswer(
        tuple(inputs), generators[-1] if generators else None, tuple(programs), tuple(complaints)
    )


def _outcomes(inputs: Sequence[TestCase], attack: Attack) -> list[str]:
    """Return a line about the outcome of each input.

    Useless inputs come first: the prompt may truncate the list.
    """
    lines: dict[bool, list[str]] = {False: [], True: []}
    for test in inputs:
        killed = sorted(name for name, ids in attack.dead.items() if test.test_id in ids)
        outcome = "it refutes nothing that other tests do not"
        if test.test_id in attack.disputed:
            outcome = "right solutions disagree on it, or fail"
        elif killed:
            outcome = f"it refutes {', '.join(killed)}"
        lines[bool(killed)].append(f"{test.stdin[:80]!r}: {outcome}")
    return [*lines[False], *lines[True]]


def _excerpt(program: Mutant | Solution, fence: str) -> dict[str, str]:
    """Return a program for a prompt; a long one is cut to the part around the mutant's change."""
    code, line, change = program.code, 0, ""
    if isinstance(program, Mutant):
        line = program.line
        change = (
            f"line {line} of a right solution, {program.before!r}, was changed to {program.after!r}"
        )
    longest = 4_000  # characters of a program
    if len(code) > longest:
        middle = sum(map(len, code.splitlines(keepends=True)[: max(0, line - 1)]))
        start = max(0, min(middle - longest // 2, len(code) - longest))
        code = f"…\n{code[start : start + longest]}\n…"
    return {"change": change[:LONGEST_LINE], "code": plain_block(code, fence)}
