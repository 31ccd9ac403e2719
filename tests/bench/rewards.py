"""What the batch reward adds to the sandbox: the same programs compiled and run on the same tests, by both in turns.

What is run is what the reward runs: each answer once to be judged, each that passes and the original to each prompt
`repeats` times to be measured. The sandbox alone does that on as many cores, in the order of the prompts, compares
nothing and sums nothing up. Answers differ in a comment, so that nothing is compiled or judged once for several.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.training.posed import LANGUAGES, LIMITS, Posed, reference, sums, write_posed
from venus_toolkit.answers import read_answer, thought
from venus_toolkit.engine import Engine
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.release import Release
from venus_toolkit.sandbox import Program, Sandbox, open_sandbox
from venus_toolkit.supervisor import Cores
from venus_toolkit.training.grading import Answered, Grader
from venus_toolkit.training.reward_options import RewardOptions

REPEATS = 2
SOURCES = {
    "python": "n = int(input())\ns = 0\nfor i in range(n + 1):\n    s += i\nprint(s)\n",
    "cpp": '#include <cstdio>\nint main() {\n  long long n, s = 0;\n  std::scanf("%lld", &n);\n'
    '  for (volatile long long i = 0; i <= n; i = i + 1) s += i;\n  std::printf("%lld\\n", s);\n}\n',
}


class Added(NamedTuple):
    """Seconds for the rewards of a step and for the sandbox alone, medians, and the median of the rounds' ratios."""

    language: str
    answers: int
    tests: int
    direct_s: float
    reward_s: float
    ratio: float


def added(folder: Path, language: str, answers: int, tests: int, group: int, rounds: int) -> Added:
    """Measure both in turns; `group` answers belong to a prompt."""
    posed = [_posed(number, language, tests) for number in range(max(1, answers // group))]
    release = write_posed(folder, *posed)
    found: list[tuple[float, float]] = []
    with open_sandbox("local", [LANGUAGES[language]]) as sandbox:
        for number in range(rounds):
            ways = (_direct, _reward) if number % 2 == 0 else (_reward, _direct)
            taken = {
                way: way(sandbox, release, posed, _answered(posed, language, answers, f"{number} {way.__name__}"))
                for way in ways
            }
            found.append((taken[_direct], taken[_reward]))
    direct, reward = (statistics.median(each) for each in zip(*found, strict=True))
    ratio = statistics.median(reward / direct for direct, reward in found)
    return Added(language, answers, tests, direct, reward, ratio)


def _posed(number: int, language: str, tests: int) -> Posed:
    chance = random.Random(number)
    chosen = sums(sorted(chance.sample(range(1000, 20_000), tests)))
    original = _marked(language, f"original {number}")
    return Posed(f"sum-{number}", chosen, {language: (original,)}, statement="Sum up.")


def _marked(language: str, mark: str) -> str:
    return f"{LANGUAGES[language].comment} {mark}\n{SOURCES[language]}"


def _answered(posed: Sequence[Posed], language: str, answers: int, mark: str) -> list[Answered]:
    chosen = LANGUAGES[language]
    return [
        Answered(
            reference(posed[number % len(posed)], language),
            thought("Think.", _marked(language, f"{mark} {number}"), chosen),
        )
        for number in range(answers)
    ]


def _reward(sandbox: Sandbox, release: Release, _: Sequence[Posed], answers: Sequence[Answered]) -> float:
    start = time.monotonic()
    with Grader(release, sandbox, RewardOptions(measure=MeasureOptions(REPEATS))) as grader:
        graded = grader.grade(answers)
    taken = time.monotonic() - start
    assert all(each.reward and each.outcome.passed for each in graded)
    return taken


def _direct(sandbox: Sandbox, _: Release, posed: Sequence[Posed], answers: Sequence[Answered]) -> float:
    """Seconds for the same compilations and runs, and nothing else: all are run, then each prompt's in turns."""
    by_slug = {each.slug: each for each in posed}
    language = LANGUAGES[answers[0].reference.config]
    programs: dict[str, list[Program]] = {
        each.slug: [Program(language, each.solutions[language.id][0])] for each in posed
    }
    for answer in answers:
        code = read_answer(answer.text, language).code
        assert code
        programs[answer.reference.title].append(Program(language, code))

    def run(work: tuple[str, Program], cores: Cores) -> None:
        slug, program = work
        compiled = sandbox.compile(program, cores)
        with sandbox.session(compiled, LIMITS, cores) as session:
            for done in session.run([test.stdin.encode() for test in by_slug[slug].tests]):
                assert done.clean

    def take_turns(slug: str, cores: Cores) -> None:
        for _ in range(REPEATS):
            for program in programs[slug]:
                run((slug, program), cores)
        for program in programs[slug]:
            sandbox.discard(sandbox.compile(program))

    engine = Engine()
    start = time.monotonic()
    list(engine.judging(run, [(slug, each) for slug, listed in programs.items() for each in listed]))
    list(engine.judging(take_turns, programs))
    return time.monotonic() - start
