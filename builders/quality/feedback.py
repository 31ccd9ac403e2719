"""Rounds in which a language model attacks what the tests miss.

In each round it is shown programs that the tests accept though they are known to be wrong, and
answers with inputs (as they are, or as a generator), and with plausible wrong programs of its own.
Nothing of that is believed. An input counts where the validator allows it, every canonical solution
agrees on it, and it kills a program that no other test kills; a program of the model counts once
such an input has killed it, as one more program to be killed, never as a solution. What became of
its answer is told to the model in the next round, in a few bounded lines. What it writes runs in
the sandbox alone.

    found = Feedback(model, options).improve(bench, examiner, tests, missed)
    found.tests, found.killers, found.rounds
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
from venus_toolkit.builders.quality.kills import TARGETED, InputRequest, ProblemPrograms, Wanted
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.quality.mutants import Mutant
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import ModelRound
from venus_toolkit.core.records import Expectation, Solution, TestCase
from venus_toolkit.models.client import Completion, Generator, Message, Prompt
from venus_toolkit.models.markdown import blocks, plain_block

LONGEST_LINE = 240  # each of so many characters
WRONG = "wrong-"  # in front of the language, in the mark of a block


class Attack(NamedTuple):
    """What inputs did to programs.

    tests are the inputs that kill a program, dead has the tests that kill each program, and
    disputed the ids of inputs without an agreed output.
    """

    tests: tuple[TestCase, ...]
    dead: Mapping[str, set[str]]
    disputed: frozenset[str]

    def joined(self, more: Attack) -> Attack:
        """Return what this and another attack came to."""
        return Attack(
            (*self.tests, *more.tests), {**self.dead, **more.dead}, self.disputed | more.disputed
        )


class Examiner(Protocol):
    """Where inputs and programs are tried: the examination of a problem's tests."""

    def attack(self, inputs: Wanted, names: Sequence[str]) -> Attack:
        """Try inputs on programs; all canonical solutions have to agree on what becomes a test."""
        ...

    def admit(self, killer: Solution, tests: Sequence[TestCase]) -> str:
        """Take a program that may be wrong among those to be killed, or return why it is of no use."""
        ...

    def known(self, name: str) -> Mutant | Solution:
        """Return a program by its name."""
        ...


class AttackAnswer(NamedTuple):
    """What an answer holds: inputs, a generator, programs by language, and what of it cannot be read."""

    inputs: tuple[str, ...]
    generator: str | None
    programs: tuple[tuple[str, str], ...]
    complaints: tuple[str, ...]


@dataclass
class Metered:
    """A model whose tokens are counted.

    Those of cached answers count too, so that a resumed build says the same.
    """

    model: Generator
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return a completion for each prompt, in order."""
        found = self.model.complete(prompts)
        self.prompt_tokens += sum(each.prompt_tokens or 0 for each in found)
        self.completion_tokens += sum(each.completion_tokens or 0 for each in found)
        return found

    def counted(self, one: ModelRound) -> ModelRound:
        """Return a round with the tokens so far."""
        return one._replace(
            prompt_tokens=self.prompt_tokens, completion_tokens=self.completion_tokens
        )


@dataclass
class ModelRounds:
    """What rounds with a model came to.

    Attributes:
        open: The programs that no test kills yet.
        known: The inputs that a test has, or that were tried, with their names.
        shown: How often each program was shown.
        own: The model's wrong programs.
        told: What the model is told of its last answer.
        tests: The tests that were added.
        rounds: What each round was worth.
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
        """Return the programs to show: those that were shown least often, in their order."""
        most_shown = 4  # programs in a prompt
        chosen = sorted(self.open, key=lambda name: self.shown.get(name, 0))[:most_shown]
        self.shown |= {name: self.shown.get(name, 0) + 1 for name in chosen}
        return chosen


class ModelFeedback:
    """Rounds with one model; `options` bounds them, and how much of each answer is tried."""

    def __init__(self, model: Generator, options: QualityOptions) -> None:
        self.model, self.options = model, options

    def improve(
        self,
        bench: ProblemPrograms,
        examiner: Examiner,
        tests: Sequence[TestCase],
        missed: Sequence[str],
    ) -> ModelRounds:
        """Return what a model adds to the tests of a problem.

        Args:
            bench: Where programs and generators run.
            examiner: Where what they make is tried.
            tests: The tests so far, agreed.
            missed: The names of wrong programs that these accept.
        """
        state = ModelRounds(list(missed), {test.stdin: test.test_id for test in tests})
        model = Metered(self.model)
        validator, reason = self._validator(model, bench, tests)
        if validator is None:
            # Without it an input that the problem does not allow could become a test.
            state.rounds.append(model.counted(ModelRound(0, reason=reason)))
            return state
        for number in range(1, self.options.rounds + 1):
            one = Metered(self.model) if number > 1 else model
            found = self._round(one, bench, examiner, state, number, validator, tests)
            state.rounds.append(one.counted(found))
            if found.reason or not (state.open or found.added):
                break
        return state

    def _validator(
        self, model: Metered, bench: ProblemPrograms, tests: Sequence[TestCase]
    ) -> tuple[str | None, str]:
        """Return the problem's validator, or one that the model writes and that allows all the tests it is tried on."""
        if bench.problem.validator:
            return bench.problem.validator, ""
        samples = 20  # inputs that a validator has to allow before it is believed
        known = [test.stdin for test in sorted(tests, key=size_of)[:samples]]
        trial = lambda code: bench.try_validator(code, known)  # noqa: E731
        written = write_program("validator", model, bench.problem, known, trial)
        return written.code, f"no validator: {written.reason}"

    def _round(
        self, model: Metered, bench: ProblemPrograms, examiner: Examiner, state: ModelRounds, number: int,
        validator: str, tests: Sequence[TestCase],
    ) -> ModelRound:  # fmt: skip
        """Ask once, try what the answer holds, and note for the next round what became of it."""
        shown = state.next_shown()
        (answer,) = model.complete([self._prompt(bench, examiner, state, shown, tests)])
        if answer.text is None:
            return ModelRound(number, len(shown), reason=answer.reason)
        held = read_attack(answer.text, bench)
        programs = held.programs[: self.options.programs]
        state.told = list(held.complaints)
        fresh = []
        for place, (language, code) in enumerate(programs, 1):
            name = f"{bench.problem.slug}~model-{number}-{place}"
            killer = Solution(name, bench.problem.slug, language, code, Expectation.WRONG, "model")
            why = examiner.admit(killer, (*tests, *state.tests))
            if why:
                state.told.append(f"your program {place}: {why}")
            else:
                fresh.append(name)
        state.own.update(fresh)
        state.open += fresh
        made = bench.propose(
            held.generator, held.inputs[: self.options.targeted], validator, self.options.targeted
        )
        inputs = []
        for place, (text, why) in enumerate(made, 1):
            why = f"the same input as {state.known[text]}" if text in state.known else why
            if text is None or why:
                state.told.append(f"input {place} is not used: {why}")
            else:
                state.known[text] = name = f"{TARGETED}-{number}-{place}"
                inputs.append(TestCase(name, text, size=TARGETED))
        found = self._attack(examiner, state, tuple(inputs), fresh, number)
        state.told += _outcomes(inputs, found)
        killers = tuple(name for name in fresh if name not in state.open)
        state.told += [
            f"{name} is not refuted: it may be right" for name in fresh if name in state.open
        ]
        return ModelRound(
            number, len(shown), len(made), len(made) - len(inputs), len(found.disputed),
            tuple(test.test_id for test in found.tests), tuple(sorted(found.dead)), len(programs), killers,
        )  # fmt: skip

    def _attack(
        self,
        examiner: Examiner,
        state: ModelRounds,
        inputs: tuple[TestCase, ...],
        fresh: Sequence[str],
        number: int,
    ) -> Attack:
        """Try a model's inputs on all that is open, and its new programs on a batch of generated ones as well."""
        found, left = Attack((), {}, frozenset()), inputs
        tries = 3  # at inputs of which some were disputed
        for _ in range(tries):
            # Of several inputs that kill the same only one is asked about: where it is disputed,
            # another may do.
            left = tuple(test for test in left if test.test_id not in found.disputed)
            if not (left and state.open):
                break
            more = examiner.attack(left, state.open)
            found = found.joined(more)
            state.open = [name for name in state.open if name not in found.dead]
            if not more.disputed:
                break
        # Of the batches that a model's programs are tried on: pool and batches have other seeds
        first_seed = 3_000_000
        if own := [name for name in fresh if name in state.open]:
            seed = first_seed + self.options.seed + number * self.options.batch
            found = found.joined(
                examiner.attack(InputRequest(self.options.batch, seed), own)._replace(
                    disputed=frozenset()
                )
            )
            state.open = [name for name in state.open if name not in found.dead]
        state.tests += found.tests
        return found

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
        most_lines = 24  # lines about the last answer,
        # Differs from run to run, and a prompt must not
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
    """Return the blocks of an answer by what they are marked as.

    ``input``, ``python``, ``wrong-LANGUAGE``.
    """
    fences = {
        fence: name
        for name, each in bench.languages.items()
        for fence in each.fences
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
            why = unusable(block.code, "generate")
            complaints += [f"the {mark} block is not used: {why}"] if why else []
            generators += [] if why else [block.code + "\n"]
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


def _outcomes(inputs: Sequence[TestCase], found: Attack) -> list[str]:
    """Return in words what became of each input that was tried, those of no use first.

    The list may be cut.
    """
    said: dict[bool, list[str]] = {False: [], True: []}
    for test in inputs:
        killed = sorted(name for name, ids in found.dead.items() if test.test_id in ids)
        outcome = "it refutes nothing that other tests do not"
        if test.test_id in found.disputed:
            outcome = "right solutions disagree on it, or fail"
        elif killed:
            outcome = f"it refutes {', '.join(killed)}"
        said[bool(killed)].append(f"{test.stdin[:80]!r}: {outcome}")
    return [*said[False], *said[True]]


def _excerpt(program: Mutant | Solution, fence: str) -> dict[str, str]:
    """Return a program as it is shown: of a long one the part around the change of a mutant."""
    code, line, change = program.code, 0, ""
    if isinstance(program, Mutant):
        line = program.line
        change = (
            f"line {line} of a right solution, {program.before!r}, was changed to {program.after!r}"
        )
    longest = 4_000  # characters of one
    if len(code) > longest:
        middle = sum(map(len, code.splitlines(keepends=True)[: max(0, line - 1)]))
        start = max(0, min(middle - longest // 2, len(code) - longest))
        code = f"…\n{code[start : start + longest]}\n…"
    return {"change": change[:LONGEST_LINE], "code": plain_block(code, fence)}
