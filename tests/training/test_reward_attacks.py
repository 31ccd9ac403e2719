"""Attacks on the reward: programs and answers that try to gain without a better program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation, thought
from tests.runners.support import INT, function
from tests.training.posed import (
    FORMULA,
    GENERATOR,
    LANGUAGES,
    LOOP,
    Posed,
    answer,
    reference,
    sums,
    write_posed,
)
from venus_toolkit.core.records import OutputComparison, Run, TestCase
from venus_toolkit.execution.engine.local_engine import LocalWorker
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.measuring.measure import _OutputCheck as OutputCheck
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions, Rejection
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.signatures import render_runner
from venus_toolkit.training.reward.grading import AnswerOutcome, Grader, TaskAnswer
from venus_toolkit.training.reward.rewards import RewardOptions

pytestmark = needs_isolation
# The strict rule: with two repeats, noise would decide whether programs tie.
OPTIONS = RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu", rule="strict", fresh=2)
# Large inputs, so that starting Python is a small part of a run: an instant answer scores 0.7.
LARGE = GENERATOR.replace("500000, 650000", "1000000, 1100000")
MADE = Posed("made", sums((1_000_001, 1_050_002)), generator=LARGE)
TABLE = {test.stdin.strip(): (test.stdout or "").strip() for test in MADE.tests}
READ = "n = int(input())\n"
SUM = "s = 0\nfor i in range(n + 1):\n    s += i\n"

# Attacks with their verdicts. Accepted ones do the same work as the original.
ATTACKS: Mapping[str, tuple[str, str]] = {
    "stops by the clock": (
        "wrong_answer",
        f"import time\nend = time.perf_counter() + 0.002\n{READ}s = 0\nfor i in range(n + "
            "1):\n    s += i\n"
        "    if time.perf_counter() > end:\n        break\nprint(s)\n",
    ),
    "stops by a timer": (
        "wrong_answer",
        f"import os, signal\n{READ}def stop(*_):\n    print(s, flush=True)\n    os._exit(0)\n"
        "signal.signal(signal.SIGALRM, stop)\nsignal.setitimer(signal.ITIMER_REAL, 0.002)\n"
            f"{SUM}print(s)\n",
    ),
    "knows the published tests": ("wrong_answer", f"{READ}print({TABLE!r}.get(str(n), 0))\n"),
    "knows them, and computes the others": (
        "accepted",
        f"{READ}known = {TABLE!r}\nif str(n) in known:\n    print(known[str(n)])\nelse:\n"
        "    s = 0\n    for i in range(n + 1):\n        s += i\n    print(s)\n",
    ),
    "prints at exit": (
        "accepted",
        f"import atexit\n{READ}def work():\n    global s, i\n    s = 0\n    for i in range(n "
            "+ 1):\n        s += i\n"
        "    print(s)\natexit.register(work)\n",
    ),
    "leaves the work to a child": (
        "wrong_answer",
        f"import os\n{READ}if os.fork():\n    os._exit(0)\nos.setsid()\n{SUM}print(s)\n",
    ),
    "lets a child do the work and waits": (
        "accepted",
        f"import os\n{READ}child = os.fork()\nif child:\n    os.waitpid(child, 0)\n    "
            f"os._exit(0)\n{SUM}print(s)\n",
    ),
    "lets unreaped children do the work": (
        "accepted",
        f"import mmap, os, signal\n{READ}shared = mmap.mmap(-1, 4096)\n"
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for start in range(0, n + 1, 250000):\n    if os.fork() == 0:\n        s = "
            "int.from_bytes(shared[:8], 'big')\n"
        "        for i in range(start, min(start + 250000, n + 1)):\n            s += i\n"
        "        shared[:8] = s.to_bytes(8, 'big')\n        os._exit(0)\n"
        "    try:\n        os.wait()\n    except ChildProcessError:\n        pass\n"
        "print(int.from_bytes(shared[:8], 'big'))\n",
    ),
    "keeps answers for the next run": (
        "accepted",
        "import glob, os\n"
        f"{READ}places = ['/tmp', '/dev/shm', '/var/tmp', os.getcwd(), os.path.expanduser('~')]\n"
        "for place in places:\n    try:\n        print(open(f'{place}/kept{n}').read())\n    "
            "    os._exit(0)\n"
        f"    except OSError:\n        pass\n{SUM}"
        "for place in places:\n    try:\n        open(f'{place}/kept{n}', 'w').write(str(s))\n"
        "    except OSError:\n        pass\nprint(s)\n",
    ),
    "needs a file of an earlier run": (
        "runtime_error",
        "import os\n"
        f"{READ}mine = '/tmp/seen'\nseen = os.path.exists(mine)\nopen(mine, 'w').close()\n"
            "assert seen\nprint(n)\n",
    ),
    "patches its tools": (
        "wrong_answer",
        "import builtins, io, json, os, sys, time\n"
        "time.perf_counter = time.time = time.monotonic = lambda: 0.0\njson.dumps = lambda "
            "*_, **__: 'true'\n"
        "builtins.print = lambda *_, **__: None\nsys.stdout = io.StringIO()\nos.times = "
            "lambda: (0, 0, 0, 0, 0)\n"
        "sys.stdout.write('passed')\n",
    ),
    "claims that it passed": ("wrong_answer", 'print("accepted")\nprint("All tests passed")\nprint("OK")\n'),
    "exits with 0 and prints nothing": ("wrong_answer", "import os\nos._exit(0)\n"),
    "looks for expected outputs": (
        "wrong_answer",
        f"import os\n{READ}found = []\n"
        "for place in ('.', '..', '/tmp', '/work', '/dev/shm', '/proc/1/fd', '/proc/1/cwd'):\n"
        "    try:\n        for file in os.listdir(place):\n            "
            "found.append(open(f'{place}/{file}').read())\n"
        "    except (OSError, ValueError):\n        pass\nprint(found[-1] if found else 0)\n",
    ),
    "asks where it runs": (
        "accepted",
        "import os, sys\n"
        f"{READ}told = ' '.join([*sys.argv, *os.environ, *os.environ.values(), os.getcwd(), "
            "*os.listdir('.'),"
        " *os.listdir('/tmp'), open('/proc/self/cmdline').read(),"
        " *(open(each).read() for each in ['/proc/1/comm'] if os.path.exists(each))]).lower()\n"
        "if any(word in told for word in ('public', 'private', 'hidden', 'fresh', 'judge', "
            "'measure', 'reward')):\n"
        f"    print(0)\n    os._exit(0)\n{SUM}print(s)\n",
    ),
    "is the original": ("accepted", LOOP),
    "is honest": ("accepted", FORMULA),
}  # fmt: skip


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("local") as opened:
        yield opened


@pytest.fixture(scope="module")
def grader(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    with Grader(write_posed(tmp_path_factory.mktemp("release"), MADE), sandbox, OPTIONS) as opened:
        yield opened


@pytest.fixture(scope="module")
def graded(grader: Grader) -> dict[str, AnswerOutcome]:
    """All attacks in one batch."""
    outcomes = grader.grade([answer(MADE, code) for _, code in ATTACKS.values()])
    return dict(zip(ATTACKS, outcomes, strict=True))


@pytest.mark.serial  # shares the batch with the next test, which measures time
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_get_their_verdicts(name: str, graded: dict[str, AnswerOutcome]) -> None:
    expected, _ = ATTACKS[name]
    outcome, reward = graded[name], graded[name].reward
    assert outcome.verdict == expected, outcome.reason
    assert reward
    assert reward.correctness == (0.5 if expected == "accepted" else -1.0)
    assert expected == "accepted" or reward.efficiency == 0.0, (
        "efficiency counts only if all tests pass"
    )


@pytest.mark.serial
@pytest.mark.parametrize(
    "name", [name for name, (expected, _) in ATTACKS.items() if expected == "accepted"]
)
def test_attacks_gain_less_than_a_better_program(
    name: str, graded: dict[str, AnswerOutcome]
) -> None:
    """Tricks cost at least as much as the original; the margin allows for a busy machine."""
    reward, honest = graded[name].reward, graded["is honest"].reward
    assert reward
    assert honest
    assert honest.efficiency > 0.6
    assert name == "is honest" or reward.efficiency < honest.efficiency - 0.15


# ------------------------------------------------------------------ runs look alike

PROBE = """import hashlib, json, os, resource, sys
seen = {
    "argv": sys.argv, "environment": sorted(os.environ.items()), "folder": os.getcwd(),
    "files": sorted(os.listdir(".")), "tmp": os.listdir("/tmp"), "root": sorted(os.listdir("/")),
    "user": os.geteuid() > 0, "umask": os.umask(0o22), "descriptors": sorted(os.listdir("/proc/self/fd")),
    "command": open("/proc/self/cmdline").read(),
    "limits": [resource.getrlimit(each) for each in range(10)], "parent": os.getppid(),
    "mounts": sorted(line.split()[1] for line in open("/proc/mounts")), "host": os.uname().nodename,
    "path": sys.path, "priority": os.getpriority(os.PRIO_PROCESS, 0), "cores": sorted(os.sched_getaffinity(0)),
}
input()
print(json.dumps(seen, sort_keys=True))
"""


def test_program_cannot_tell_runs_apart(grader: Grader, sandbox: Sandbox) -> None:
    cores = Cores(0, 0)
    task = grader.tasks.find(reference(MADE), LocalWorker(sandbox, cores))
    seen: list[bytes] = []

    class AcceptAll:
        def passes(self, answers: list[Any]) -> list[bool]:
            return [True for _ in answers]

        comparison = task.task.comparison

    program = Program(LANGUAGES["python"], PROBE)
    compiled = sandbox.compile(program, cores)
    checker: Any = AcceptAll()
    judgement = judge(
        sandbox, compiled, task.task.tests, checker, task.task.limits, cores=cores,
        on_run=lambda _, run: seen.append(run.stdout),
    )  # fmt: skip
    assert judgement.verdict == "accepted", judgement.reason
    measure_interleaved(
        sandbox,
        [compiled],
        task.measured_on,
        task.task.limits,
        OPTIONS.measure,
        cores=cores,
        on_run=lambda _, __, run: seen.append(run.stdout),
    )
    assert len(seen) == len(task.task.tests) + 2 * len(task.measured_on)
    assert len(set(seen)) == 1, "a program can tell the runs apart"


def test_tests_are_shuffled(grader: Grader) -> None:
    """A program may count earlier runs by its process id, so public tests must not come first."""
    tests = grader.tasks.find(reference(MADE), LocalWorker(grader.sandbox, Cores(0, 0))).task.tests
    public = [test.test_id.startswith("t") for test in tests]
    assert public != sorted(public)
    assert public != sorted(public, reverse=True)


# ------------------------------------------------------------------ right when judged, wrong when measured


def rejections(
    printed: str, checker: Checker | None = None, **changes: Any
) -> dict[int, Rejection]:
    """Return the rejections of a measured run with this output."""
    nowhere: Any = None
    check = OutputCheck(checker or Checker(OutputComparison(), nowhere), LANGUAGES["python"])
    ended = {"exit_code": 0, "signal": None, "limit": None, "stdout": printed.encode(), **changes}
    figures = dict.fromkeys(Run.__dataclass_fields__, 0) | {
        "stdout_cut": False,
        "stderr_cut": False,
        "stderr": b"",
    }
    check.add(1, sums((3,))[0], Run(**{**figures, **ended}))  # type: ignore[arg-type]
    return dict(check.evaluate())


def test_output_of_measured_runs_is_checked() -> None:
    assert rejections("6\n") == {}
    assert rejections("7\n")[1].verdict == "wrong_answer"
    assert rejections("")[1].verdict == "wrong_answer"
    assert rejections("6\n", exit_code=1)[1].verdict == "runtime_error"


def test_evaluator_checks_measured_runs(sandbox: Sandbox) -> None:
    code = "def evaluate(expected, actual):\n    return bool(actual.strip())\n"
    checker = Checker(OutputComparison("evaluator"), sandbox, code)
    assert rejections("7\n", checker) == {}
    assert rejections("", checker)[1].verdict == "wrong_answer", "an empty output is checked too"


# ------------------------------------------------------------------ answers, not programs

RIGHT, WRONG = "```python\n" + FORMULA + "```", "```python\nprint(int(input()) * 0)\n```"
CALL = "```python\nprint(0)\n```"


STUFFED = [
    (f"<thinking>a</thinking><solution>{RIGHT}</solution>", 1, 0.5),
    (f"<thinking>a</thinking><solution>{RIGHT}</solution><solution>{WRONG}</solution>", -1, -1),
    (f"<thinking>a</thinking><solution>{WRONG}</solution><solution>{RIGHT}</solution>", -1, 0.5),
    (f"<thinking>a</thinking><solution>{RIGHT}\n{WRONG}</solution>", -1, -1),
    (f"<thinking>a</thinking><solution>{RIGHT}\n{CALL}</solution>", -1, 0.5),
    (f"<thinking>a</thinking><thinking>b</thinking><solution>{RIGHT}</solution>", -1, 0.5),
    (f"<solution><thinking>a</thinking>\n{RIGHT}</solution>", -1, 0.5),
    (f"<thinking>a</thinking><solution>{RIGHT}", -1, 0.5),
    (f"<thinking>a</thinking><solution>{RIGHT[:-8]}", -1, -1),
    (f"<thinking>{RIGHT}</thinking><solution>as above</solution>", 1, -1),
    ("<thinking>a</thinking><solution></solution>", -1, -1),
]


def test_several_solutions_lose_the_form_reward(grader: Grader) -> None:
    graded = grader.grade([TaskAnswer(reference(MADE), text) for text, _, _ in STUFFED])
    for (text, form, correctness), outcome in zip(STUFFED, graded, strict=True):
        assert outcome.reward
        assert (outcome.reward.form, outcome.reward.correctness) == (form, correctness), text


def test_copied_prompt_gains_nothing(grader: Grader) -> None:
    """The prompt contains the form and the original; copying either gains no more."""
    form = (
        "<thinking>\nwhat costs most, and what you do about it\n</thinking>\n<solution>\n"
        "```python\nthe whole solution"
    )
    prompt = (
        f"## Original solution\n\n```python\n{LOOP}```\n\n## Answer\n\n{form}\n```\n</solution>"
    )
    whole, example, nothing = grader.grade(
        [
            TaskAnswer(reference(MADE), prompt),
            TaskAnswer(reference(MADE), f"{form}\n```\n</solution>"),
            TaskAnswer(reference(MADE), thought("It is good already.", LOOP, LANGUAGES["python"])),
        ]
    )
    assert whole.reward
    assert example.reward
    assert nothing.reward
    assert whole.reward.score == pytest.approx(-0.7)
    assert example.reward.score == pytest.approx(-0.3)
    assert nothing.reward.score == pytest.approx(0.45), (
        "form and correctness, nothing for efficiency"
    )


# ------------------------------------------------------------------ inside a runner

SOLVE = function(INT, INT)
CLASS = "class Solution:\n    def solve(self, a):\n"


BODIES = [
    (f"{CLASS}        return a * (a + 1) // 2\n", 0.5),
    ("class Same(int):\n    def __eq__(self, _):\n        return True\n    def "
        "__hash__(self):\n        return 0\n"
     f"{CLASS}        return Same(7)\n", -1),
    ("import json, sys\njson.dumps = lambda *_, **__: 'true'\nsys.stdout.write('500000500000')\n"
     f"{CLASS}        return 0\n", -1),
    (f"import os\n{CLASS}        os.write(1, b'0\\n')\n        os._exit(0)\n", -1),
    (f"import inspect\n{CLASS}        frames = [f.frame.f_locals for f in inspect.stack()]\n"
     "        return next((v for f in frames for k, v in f.items() if 'expected' in k), 0)\n", -1),
]  # fmt: skip


def test_function_cannot_exploit_its_runner(sandbox: Sandbox, tmp_path: Path) -> None:
    runner = render_runner(SOLVE, LANGUAGES["python"])
    slow = f"{CLASS}        return sum(range(a + 1))\n"
    tests = tuple(
        TestCase(f"t{n}", f"{n}\n", f"{n * (n + 1) // 2}\n") for n in (1, 4, 1000, 300_000)
    )
    more = {"style": "function", "test_case_runners": runner}
    posed = Posed("solve", tests, {"python": (slow,)}, more=more)
    with Grader(write_posed(tmp_path, posed), sandbox, OPTIONS) as grader:
        graded = grader.grade([answer(posed, body) for body, _ in BODIES])
    for (body, correctness), outcome in zip(BODIES, graded, strict=True):
        assert outcome.reward
        assert outcome.reward.correctness == correctness, body
