"""A model's additions to tests: allowed, agreed and killing inputs, and refuted wrong programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.builders.quality.test_quality import (
    LIMITS,
    OPTIONS,
    PROBLEM,
    SOLUTIONS,
    WEAK,
    WRONG,
    agree,
    problem,
)
from tests.model_server import Fault, ModelServer, Script, serving
from venus_toolkit.builders.quality.assess import Examination, QualityAssessment
from venus_toolkit.builders.quality.feedback import Attack, ModelFeedback, read_attack
from venus_toolkit.builders.quality.kills import ProblemPrograms
from venus_toolkit.builders.quality.mutants import Mutant
from venus_toolkit.builders.quality.score import Rate, quality_facts
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, TestCase
from venus_toolkit.core.store import Store
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.engine.local_engine import LocalWorker
from venus_toolkit.execution.judging.generators import GeneratedInput
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.models.client import ChatGenerator, Completion, ModelOptions, Prompt

LANGUAGES = load_languages()
# Its two numbers always differ, so no generated input kills `wrong_more`.
BLIND = (
    'import random\ndef generate(seed, size):\n    return "%d %d\\n" % (seed % 90, seed % 90 + 1 '
    "+ len(size))\n"
)
VALIDATE = (
    "def validate(stdin):\n    a, b = map(int, stdin.split())\n    assert a >= 0, 'a is too "
    "low'\n    return True\n"
)
ZERO = "a, b = map(int, input().split())\nprint('yes' if a >= b and a else 'no')\n"
NOTHING = "I have nothing more."


class ExaminationRun(NamedTuple):
    """An assessment, and the prompts that the server received."""

    assessment: QualityAssessment
    prompts: list[str]


def block(mark: str, text: str) -> str:
    return f"```{mark}\n{text}```\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if PROBLEM is not None:
        pytest.skip(f"programs cannot be isolated: {PROBLEM}")
    with open_sandbox("local") as place:
        yield place


@pytest.fixture(scope="module")
def examine(
    sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., ExaminationRun]:
    """Return a function that examines a problem with a scripted model; all tests share a journal."""
    journal = tmp_path_factory.mktemp("kept")

    def run(
        script: Script | ModelServer,
        cache: Path,
        subject: Problem | None = None,
        agreeing: Any = agree,
        **options: Any,
    ) -> ExaminationRun:
        subject = subject or replace(problem(BLIND), validator=VALIDATE)
        how = replace(OPTIONS, mutants=0, batch=2, rounds=2, **options)
        with (
            Store(journal) as store,
            nullcontext(script) if isinstance(script, ModelServer) else serving(script) as server,
        ):
            before = len(server.asked)
            executor = Executor(sandbox, [LANGUAGES["python"]], journal=store)
            bench = ProblemPrograms(
                executor, LocalWorker(sandbox, Cores()), subject, lambda _: LIMITS
            )
            with ChatGenerator(
                ModelOptions(server.base_url, "m", tries=1, timeout_s=10), cache
            ) as model:
                assessment = Examination(bench, SOLUTIONS, how, ModelFeedback(model, how)).run(
                    WEAK, agreeing
                )
            return ExaminationRun(
                assessment, [body["messages"][-1]["content"] for body in server.asked[before:]]
            )

    return run


def test_killing_input_is_added_and_reported(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    first = (
        block("input", "4 4\n")
        + block("input", "-1 4\n")
        + block("input", "5 3\n")
        + block("input", "9 1\n")
    )
    assessment, prompts = examine([first, NOTHING], tmp_path)
    assert WRONG.strip() in prompts[0]
    (added,) = (test for test in assessment.tests if test not in WEAK)
    assert (added.stdin, added.stdout, added.adds) == (
        "4 4\n",
        "yes\n",
        "kills at-least/python/wrong_more",
    )
    quality = assessment.quality
    assert (quality.before.wrong, quality.after.wrong, quality.missed) == (
        Rate(0, 1),
        Rate(1, 1),
        (),
    )
    one, two = quality.rounds
    assert (one.inputs, one.refused, one.disputed, one.programs) == (4, 2, 0, 0)
    assert (one.added, one.kills) == (("targeted-1-1",), ("at-least/python/wrong_more",))
    assert (one.prompt_tokens, one.completion_tokens) == (10, 5)
    assert (two.shown, two.added) == (0, ()), "no program was missed, and the answer added nothing"
    for complaint in (
        "AssertionError: a is too low",
        "the same input as small-0",
        "refutes at-least/python/wrong_more",
    ):
        assert complaint in prompts[1]
    assert "refutes nothing that other tests do not" in prompts[1]
    assert quality_facts([quality])["model"]["added"] == 1


def test_model_program_joins_the_programs_to_kill(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    generate = (
        "def generate(seed, size):\n    assert size == 'targeted'\n    return f'0 {-seed}\\n'\n"
    )
    right = "a, b = map(int, input().split())\nprint('no' if b > a else 'yes')\n"
    answer = (
        block("wrong-python", ZERO)
        + block("wrong-py", right)
        + block("wrong-python", "def broken(:\n")
    )
    assessment, prompts = examine(
        [answer + block("python", generate), NOTHING], tmp_path, targeted=4
    )
    one = assessment.quality.rounds[0]
    assert (one.programs, one.killers) == (3, ("at-least~model-1-1",))
    assert {"at-least~model-1-1", "at-least/python/wrong_more"} <= set(one.kills)
    assert assessment.quality.after.wrong == Rate(1, 1), (
        "a program of the model is not a known wrong solution, so no rate counts it"
    )
    assert "at-least~model-1-2 is not refuted" in prompts[1]
    assert "your program 3: it does not compile" in prompts[1]
    assert right.strip() in prompts[1], "an unrefuted program is shown again"


def test_reduction_keeps_tests_of_the_model(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    answer = block("wrong-python", ZERO) + block("input", "0 0\n") + block("input", "0 -2\n")
    assessment = examine(
        [answer, NOTHING], tmp_path, reduce=True, depth=1, largest=0, at_least=0
    ).assessment
    assert any(test.stdin.startswith("0 ") for test in assessment.tests)


def test_next_prompt_lists_faults_of_the_answer(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    disputed = lambda inputs: [test for test in agree(inputs) if test.stdin != "7 7\n"]  # noqa: E731
    crash = "def generate(seed, size):\n    return 1 / 0\n"
    answer = (
        block("python", crash)
        + block("input", "7 7\n")
        + block("wrong-python", WRONG)
        + block("sql", "select")
    )
    assessment, prompts = examine(
        [answer + block("wrong-python", ZERO), NOTHING], tmp_path, agreeing=disputed
    )
    assert assessment.tests == WEAK
    assert assessment.quality.rounds[0].disputed == 1
    for complaint in (
        "division by zero",
        "right solutions disagree on it",
        "it is known already",
        "marked 'sql'",
    ):
        assert complaint in prompts[1]


def test_cached_answers_send_no_request(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    with serving([block("input", "4 4\n"), NOTHING]) as server:
        first, again = examine(server, tmp_path), examine(server, tmp_path)
    assert (len(first.prompts), len(again.prompts)) == (2, 0)
    assert first.assessment == again.assessment, "tokens of cached answers count"


def test_failing_server_ends_the_rounds(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    assessment, prompts = examine([Fault(404, "{}")], tmp_path)
    assert (len(prompts), assessment.tests) == (1, WEAK)
    assert "404" in assessment.quality.rounds[0].reason


def test_missing_validator_is_written_by_the_model(
    examine: Callable[..., ExaminationRun], tmp_path: Path
) -> None:
    subject = problem(BLIND)
    assessment = examine(
        [block("python", VALIDATE), block("input", "4 4\n"), NOTHING], tmp_path / "a", subject
    ).assessment
    assert assessment.quality.rounds[0].added == ("targeted-1-1",)
    assert assessment.quality.rounds[0].prompt_tokens == 20
    trusting = "def validate(stdin):\n    return True\n"
    assessment, prompts = examine([block("python", trusting)], tmp_path / "b", subject)
    assert (len(prompts), assessment.tests) == (3, WEAK)
    assert assessment.quality.rounds[0].reason.startswith("no validator: ")


# ------------------------------------------------------------------ without a sandbox

LONG = replace(problem(), validator=VALIDATE, statement="word " * 40_000)
BENCH: Any = SimpleNamespace(
    languages=LANGUAGES,
    can_run=lambda name: name in ("python", "cpp"),
    problem=LONG,
    propose=lambda *_: [],
)


class Silent:
    """A model with empty answers, and an examiner in which no program is killed."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        self.prompts += [prompt[-1].content for prompt in prompts]
        return [Completion("Nothing.", prompt_tokens=None) for _ in prompts]

    def known(self, name: str) -> Mutant:
        code = "int x;\n" * 2_000 + f"int {name};\n" + "int y;\n" * 2_000
        return Mutant(name, "parent", "cpp", "operator", 2_001, name, "x", code)


def test_disputed_input_is_replaced_by_an_equivalent_one() -> None:
    class Quarrel(Silent):
        def attack(self, inputs: Sequence[TestCase], names: Sequence[str]) -> Attack:
            first = inputs[0]
            if len(inputs) > 1:
                return Attack((), {}, frozenset({first.test_id}))
            return Attack((first,), {"p0": {first.test_id}}, frozenset())

    model: Any = Quarrel()
    bench = SimpleNamespace(
        **{**vars(BENCH), "propose": lambda *_: [GeneratedInput("1 1\n"), GeneratedInput("2 2\n")]}
    )
    rounds = ModelFeedback(model, replace(OPTIONS, rounds=1)).improve(bench, model, WEAK, ["p0"])
    assert [test.stdin for test in rounds.tests] == ["2 2\n"]
    assert (rounds.rounds[0].disputed, rounds.rounds[0].kills) == (1, ("p0",))


def test_prompts_are_bounded_and_rotate_programs() -> None:
    model: Any = Silent()
    names = [f"p{number}" for number in range(6)]
    rounds = ModelFeedback(model, replace(OPTIONS, rounds=3)).improve(BENCH, model, WEAK, names)
    shown = [
        [name for name in names if f"`{name}`: line 2001 of a right solution, {name!r}" in prompt]
        for prompt in model.prompts
    ]
    assert shown == [["p0", "p1", "p2", "p3"], ["p0", "p1", "p4", "p5"], ["p2", "p3", "p4", "p5"]]
    assert "int p0;" in model.prompts[0], "the excerpt of a long program contains the change"
    assert all(len(prompt) < 45_000 for prompt in model.prompts)
    assert "180000 characters are left out" in model.prompts[0]
    assert "it has no fenced block" in model.prompts[1]
    assert [model_round.shown for model_round in rounds.rounds] == [4, 4, 4]


def test_answer_blocks_are_read() -> None:
    text = (
        block("input", "1\n2\n")
        + block("wrong-c++", "int main() {}\n")
        + block("Python", "def generate(s, z): ...\n")
    )
    parsed = read_attack(f"Look:\n{text}", BENCH)
    assert parsed == (("1\n2\n",), "def generate(s, z): ...\n", (("cpp", "int main() {}\n"),), ())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no code at all", "no fenced block"),
        ("```input\n1 2\n", "cut off"),
        (block("python", "def make(): ...\n"), "does not define generate()"),
        (block("python", "def generate(:\n"), "not Python"),
        (block("wrong-rust", "fn main() {}\n"), "marked 'wrong-rust' is not used"),
        (block("", "1 2\n"), "marked '' is not used"),
        (2 * block("python", "def generate(s, z): ...\n"), "only the last one is used"),
    ],
)
def test_unusable_answer_has_a_complaint(text: str, complaint: str) -> None:
    parsed = read_attack(text, BENCH)
    assert any(complaint in line for line in parsed.complaints)
