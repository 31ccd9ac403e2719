"""Overhead of the batch reward compared with compiling and running the same programs, interleaved.

The sandbox alone does the same runs as the reward: each answer once for judging, and each passing
answer and the original of each prompt `repeats` times for measuring. It uses as many cores as the
reward, prompt by prompt, but compares no outputs and computes no rewards. Answers differ in a
comment, so that no two share a compilation or a verdict. On a busy machine, the ratio of total CPU
times is more reliable than that of wall times.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.building import thought
from tests.training.posed import LANGUAGES, LIMITS, Posed, reference, sums, write_posed
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.engine.work_queue import WorkQueue
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models.answers import read_answer
from venus_toolkit.training.reward.grading import Grader, TaskAnswer
from venus_toolkit.training.reward.rewards import RewardOptions

REPEATS = 2
SOURCES = {
    "python": "n = int(input())\ns = 0\nfor i in range(n + 1):\n    s += i\nprint(s)\n",
    "cpp": '#include <cstdio>\nint main() {\n  long long n, s = 0;\n  std::scanf("%lld", &n);\n'
    '  for (volatile long long i = 0; i <= n; i = i + 1) s += i;\n  std::printf("%lld\\n", '
    "s);\n}\n",
}


class RewardOverhead(NamedTuple):
    """Median seconds for the rewards of a step and for the sandbox alone, and median ratios."""

    language: str
    answers: int
    tests: int
    direct_s: float
    reward_s: float
    ratio: float
    cpu_ratio: float


class Times(NamedTuple):
    """Wall seconds, and CPU seconds of this process and all its children."""

    wall_s: float
    cpu_s: float


def reward_overhead(
    folder: Path, language: str, answers: int, tests: int, group: int, rounds: int
) -> RewardOverhead:
    """Measure both, interleaved; `group` is the number of answers to a prompt."""
    posed = [_posed(number, language, tests) for number in range(max(1, answers // group))]
    release = write_posed(folder, *posed)
    totals: list[tuple[Times, Times]] = []
    with open_sandbox("local", [LANGUAGES[language]]) as sandbox:
        for number in range(rounds):
            ways = (_direct, _reward) if number % 2 == 0 else (_reward, _direct)
            costs = {
                way: way(
                    sandbox,
                    release,
                    posed,
                    _answered(posed, language, answers, f"{number} {way.__name__}"),
                )
                for way in ways
            }
            totals.append((costs[_direct], costs[_reward]))
    return RewardOverhead(
        language,
        answers,
        tests,
        statistics.median(direct.wall_s for direct, _ in totals),
        statistics.median(reward.wall_s for _, reward in totals),
        statistics.median(reward.wall_s / direct.wall_s for direct, reward in totals),
        statistics.median(reward.cpu_s / direct.cpu_s for direct, reward in totals),
    )


def _times(work: Callable[[], Any]) -> Times:
    before, start = os.times(), time.monotonic()
    work()
    after, wall_s = os.times(), time.monotonic() - start
    return Times(wall_s, sum(after[:4]) - sum(before[:4]))


def _posed(number: int, language: str, tests: int) -> Posed:
    rng = random.Random(number)
    chosen = sums(sorted(rng.sample(range(1000, 20_000), tests)))
    original = _marked(language, f"original {number}")
    return Posed(f"sum-{number}", chosen, {language: (original,)}, statement="Sum up.")


def _marked(language: str, mark: str) -> str:
    return f"{LANGUAGES[language].comment} {mark}\n{SOURCES[language]}"


def _answered(posed: Sequence[Posed], language: str, answers: int, mark: str) -> list[TaskAnswer]:
    chosen = LANGUAGES[language]
    return [
        TaskAnswer(
            reference(posed[number % len(posed)], language),
            thought("Think.", _marked(language, f"{mark} {number}"), chosen),
        )
        for number in range(answers)
    ]


def _reward(
    sandbox: Sandbox, release: Release, _: Sequence[Posed], answers: Sequence[TaskAnswer]
) -> Times:
    def work() -> None:
        with Grader(release, sandbox, RewardOptions(measure=MeasureOptions(REPEATS))) as grader:
            assert all(reward.reward and reward.passed for reward in grader.grade(answers))

    return _times(work)


def _direct(
    sandbox: Sandbox, _: Release, posed: Sequence[Posed], answers: Sequence[TaskAnswer]
) -> Times:
    """Do only the compilations and runs: all answers once, then those of each prompt interleaved."""
    by_slug = {problem.slug: problem for problem in posed}
    language = LANGUAGES[answers[0].reference.config]
    programs: dict[str, list[Program]] = {
        problem.slug: [Program(language, problem.solutions[language.id][0])] for problem in posed
    }
    for answer in answers:
        code = read_answer(answer.text, language).code
        assert code
        programs[answer.reference.title].append(Program(language, code))

    def run(work: tuple[str, Program], worker: Worker) -> None:
        slug, program = work
        compiled = sandbox.compile(program, worker.cores)
        with sandbox.session(compiled, LIMITS, worker.cores) as session:
            for result in session.run([test.stdin.encode() for test in by_slug[slug].tests]):
                assert result.clean

    def measure_interleaved(slug: str, worker: Worker) -> None:
        for _ in range(REPEATS):
            for program in programs[slug]:
                run((slug, program), worker)

    def work() -> None:
        workers = WorkQueue(LocalEngine(sandbox), share_cores=True)
        for jobs in (
            [partial(run, (slug, program)) for slug in programs for program in programs[slug]],
            [partial(measure_interleaved, slug) for slug in programs],
        ):
            for future in [workers.submit(job) for job in jobs]:
                future.result()
        workers.close()

    return _times(work)
