"""Inputs from generators: seeds, variety, and failing generators and validators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from venus_toolkit.builders.inputs import run_generator as module
from venus_toolkit.builders.inputs.run_generator import (
    SIZES,
    GeneratedTests,
    generate,
    generate_pool,
    pool_counts,
    refusals,
    requests,
)
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, OutputComparison, Problem
from venus_toolkit.execution.judging import generators
from venus_toolkit.execution.judging.generators import families
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)


# ------------------------------------------------------------------ requests


@pytest.mark.parametrize("count", [5, 7, 20, 100])
def test_every_size_is_requested(count: int) -> None:
    asked = requests(count, 0)
    sizes = Counter(size for size, _ in asked)
    assert len(asked) == len(set(asked)) == count
    assert set(sizes) == set(SIZES)
    assert sizes["large"] <= max(1, 0.15 * count)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_few_requests_take_the_last_sizes(count: int) -> None:
    asked = requests(count, 0)
    assert len(asked) == count
    assert asked[-1][0] == "large"


def test_seed_shifts_all_requests() -> None:
    assert [seed for _, seed in requests(20, 7)] == [seed + 7 for _, seed in requests(20, 0)]


# ------------------------------------------------------------------ generated tests


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if PROBLEM:
        pytest.skip(f"programs cannot be isolated: {PROBLEM}")
    with open_sandbox("local") as place:
        yield place


@pytest.fixture(autouse=True)
def one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(
        wall_ns=2 * NS_PER_S, cpu_ns=NS_PER_S, memory_bytes=128 * MIB, output_bytes=4 * MIB
    )
    monkeypatch.setattr(module, "LIMITS", limits)
    monkeypatch.setattr(generators, "LIMITS", limits)


def generated(sandbox: Sandbox, code: str | None, count: int = 4, seed: int = 0) -> GeneratedTests:
    problem = Problem(
        "p",
        1,
        "P",
        "",
        "Easy",
        (),
        "stdin",
        "user",
        "MIT",
        Limits(),
        OutputComparison(),
        generator=code,
    )
    return generate(sandbox, problem, count, seed)


VARIED = (
    "import random\ndef generate(seed, size):\n    return f'{size} "
    "{random.Random(seed).random()}\\n'\n"
)

HARD = VARIED.replace("return", "hard = size == 'worst'\n    return")


def test_tests_record_size_and_seed(sandbox: Sandbox) -> None:
    result = generated(sandbox, HARD, 8)
    assert not result.dropped
    assert [(test.test_id, test.size, test.seed) for test in result.tests] == [
        (f"{size}-{seed}", size, seed) for size, seed in requests(8, 0)
    ]
    assert all(test.stdin.startswith(f"{test.size} ") for test in result.tests)
    assert {test.stdout for test in result.tests} == {None}


def test_same_seed_gives_same_inputs(sandbox: Sandbox) -> None:
    assert generated(sandbox, VARIED, 8, 3) == generated(sandbox, VARIED, 8, 3)
    assert generated(sandbox, VARIED, 8, 3).tests != generated(sandbox, VARIED, 8, 4).tests


def test_printed_text_is_not_an_input(sandbox: Sandbox) -> None:
    """Only the return value counts."""
    result = generated(
        sandbox, "def generate(seed, size):\n    print('noise')\n    return f'{seed}{size}\\n'\n"
    )
    assert [test.stdin for test in result.tests] == [
        f"{seed}{size}\n" for size, seed in requests(4, 0)
    ]


def test_line_ends_and_letters_are_unchanged(sandbox: Sandbox) -> None:
    result = generated(sandbox, "def generate(seed, size):\n    return f'{size}\\r\\nΩ\\x00\\n'\n")
    assert [test.stdin for test in result.tests] == [
        f"{size}\r\nΩ\x00\n" for size, _ in requests(4, 0)
    ]


def test_equal_inputs_are_kept_once(sandbox: Sandbox) -> None:
    result = generated(sandbox, "def generate(seed, size):\n    return '1\\n'\n")
    assert [test.test_id for test in result.tests] == ["small-0"]
    assert set(result.dropped.values()) == {"the same input as small-0"}


# ------------------------------------------------------------------ generators that fail


NOT_UTF8 = """import contextlib, os
    for fd in (1, 3):
        with contextlib.suppress(OSError):
            os.write(fd, b"\\xff")
    return 'x'"""


@pytest.mark.parametrize(
    ("body", "reason_prefix"),
    [
        ("return 1 / 0", "the generator crashed: ZeroDivisionError: division by zero"),
        ("return 7", "the generator crashed: TypeError: generate() returned int, expected str"),
        (
            "return b'7'",
            "the generator crashed: TypeError: generate() returned bytes, expected str",
        ),
        (
            "return None",
            "the generator crashed: TypeError: generate() returned NoneType, expected str",
        ),
        ("raise SystemExit(3)", "the generator crashed: "),
        ("raise SystemExit", "the generator crashed: "),
        ("import os; os.kill(os.getpid(), 9)", "the generator crashed: no message"),
        ("while True: pass", "the generator ran into its"),
        ("import time; time.sleep(60)", "the generator ran into its wall limit"),
        ("return 'x' * (5 << 20)", "the generator ran into its output limit"),
        ("while True: print('x' * 1000)", "the generator ran into its"),
        (
            "x = []\n    while True: x.append(bytearray(1 << 20))",
            "the generator ran into its memory limit",
        ),
        (NOT_UTF8, "the generator printed bytes that are not UTF-8"),
        ("return '\\udcff'", "the generator crashed: UnicodeEncodeError"),
        ("return ''.join(open('/etc/shadow'))", "the generator crashed: "),
    ],
    ids=lambda text: text[:40],
)
def test_failing_generator_drops_with_a_reason(
    sandbox: Sandbox, body: str, reason_prefix: str
) -> None:
    result = generated(sandbox, f"def generate(seed, size):\n    {body}\n", count=6)
    assert result.tests == ()
    assert len(result.dropped) == module.PATIENCE, "generation stops after three failures in a row"
    for reason in result.dropped.values():
        assert reason.startswith(reason_prefix)


def test_separate_failures_lose_only_themselves(sandbox: Sandbox) -> None:
    result = generated(
        sandbox,
        "def generate(seed, size):\n    assert seed % 2\n    return f'{size}{seed}\\n'\n",
        20,
    )
    assert len(result.tests) + len(result.dropped) == 20
    assert {test.seed % 2 for test in result.tests if test.seed is not None} == {1}
    assert {reason.split(":")[0] for reason in result.dropped.values()} == {"the generator crashed"}


@pytest.mark.parametrize(
    ("code", "reason_prefix"),
    [
        (None, "the problem has no generator: generator.py is missing"),
        ("", "the problem has no generator: generator.py is missing"),
        ("def generate(:\n", "the generator does not compile: "),
    ],
)
def test_missing_or_broken_generator(
    sandbox: Sandbox, code: str | None, reason_prefix: str
) -> None:
    with pytest.raises(SourceError) as caught:
        generated(sandbox, code)
    assert str(caught.value).startswith(reason_prefix)
    assert caught.value.fix


def test_generator_without_the_function(sandbox: Sandbox) -> None:
    result = generated(sandbox, "def generator(seed, size):\n    return ''\n")
    for reason in result.dropped.values():
        assert reason.startswith("the generator crashed: NameError: name 'generate' is not defined")


# ------------------------------------------------------------------ the hardest inputs


def test_large_replaces_worst_for_older_generators(sandbox: Sandbox) -> None:
    result = generated(sandbox, VARIED, 8)
    assert {test.size for test in result.tests} == {"small", "boundary", "random", "large"}
    assert result.tests[-1].seed is not None
    assert result.tests[-1].seed >= module.INSTEAD_OF_WORST, "the recorded seed replays it"


def test_worst_is_requested_if_known(sandbox: Sandbox) -> None:
    assert [test.size for test in generated(sandbox, HARD, 8).tests][-1] == "worst"


# ------------------------------------------------------------------ families

NAMES = ("tiny", "multiscale", "max")
FAMILIAR = f"""import random
FAMILIES = {NAMES!r}
calls = 0
def generate(seed, size):
    global calls
    calls += 1
    return f"{{size}} {{random.Random(seed).randrange(60 if size == 'tiny' else 10**9)}}\\n"
"""


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (FAMILIAR, NAMES),
        (VARIED, ()),
        ("FAMILIES = (1, 2)\n", ()),
        ("FAMILIES = make()\n", ()),
        ("FAMILIES = (\n", ()),
        ("FAMILIES = 7\n", ()),
        ("# FAMILIES\n" + "(" * 5000, ()),
        (None, ()),
    ],
)  # fmt: skip
def test_families_are_read_from_the_code(code: str | None, names: tuple[str, ...]) -> None:
    assert families(code) == names


def test_pool_has_every_family_and_the_largest_last() -> None:
    counts = pool_counts(3000, (*NAMES, "corner", "replay", "middle"))
    assert sum(counts.values()) == pytest.approx(3000, abs=5)
    assert list(counts)[-2:] == ["max", "corner"]
    assert 24 <= counts["max"] <= 40
    assert counts["tiny"] > 700


def test_duplicates_and_refused_candidates_are_replaced(sandbox: Sandbox) -> None:
    even = (
        "def validate(stdin):\n    assert int(stdin.split()[1]) % 2 == 0, 'odd'\n    return True\n"
    )
    result = generate_pool(sandbox, FAMILIAR, even, 40, 0, ["tiny 2\n"])
    texts = [test.stdin for test in result.tests]
    assert len(set(texts)) == len(texts)
    assert "tiny 2\n" not in texts
    assert all(int(text.split()[1]) % 2 == 0 for text in texts)
    sizes = Counter(test.size for test in result.tests)
    assert sizes["multiscale"] == pool_counts(40, NAMES)["multiscale"]
    assert all(test.stdin.startswith(f"{test.size} ") for test in result.tests)
    assert any(
        "the validator refuses it: AssertionError: odd" in reason
        for reason in result.dropped.values()
    )


def test_inputs_that_are_drawn_often_come_first(sandbox: Sandbox) -> None:
    often = FAMILIAR.replace("return f", "return f'{size} 7' if seed % 3 == 2 else f")
    texts = [test.stdin for test in generate_pool(sandbox, often, None, 40, 0).tests]
    assert texts.index("tiny 7") == 0


def test_input_does_not_depend_on_other_requests(sandbox: Sandbox) -> None:
    asked = [generators.Request("tiny", seed) for seed in range(5)]
    together = list(generators.run_generator(sandbox, FAMILIAR, asked, None, 3))
    assert together == list(generators.run_generator(sandbox, FAMILIAR, asked))


def test_failing_request_does_not_affect_others(sandbox: Sandbox) -> None:
    code = (
        "import os\ndef generate(seed, size):\n    if seed == 1: os._exit(1)\n    return f'{6 // "
        "(seed - 2)}\\n'\n"
    )
    asked = [generators.Request("tiny", seed) for seed in range(5)]
    result = list(generators.run_generator(sandbox, code, asked, None, 5))
    assert [answer.text for answer in result] == ["-3\n", None, None, "6\n", "3\n"]
    assert "ZeroDivisionError" in result[2].reason


# ------------------------------------------------------------------ validators


@pytest.mark.parametrize(
    ("code", "verdicts"),
    [
        ("def validate(stdin):\n    return stdin == 'yes\\n'\n", [None, "the validator refuses it"]),
        ("def validate(stdin):\n    print('noise')\n    assert stdin == 'yes\\n', 'not yes'\n "
            "   return 1\n",
         [None, "the validator refuses it: AssertionError: not yes"]),
        ("def validate(stdin):\n    raise SystemExit(0)\n", ["the validator crashed"] * 2),
        ("def check(stdin):\n    return True\n",
         ["the validator refuses it: NameError: name 'validate' is not defined"] * 2),
    ],
)  # fmt: skip
def test_validator_verdicts(sandbox: Sandbox, code: str, verdicts: list[str | None]) -> None:
    assert refusals(sandbox, code, ["yes\n", "no\n"]) == verdicts


def test_endless_validator_refuses(sandbox: Sandbox) -> None:
    (reason,) = refusals(sandbox, "def validate(stdin):\n    while True: pass\n", ["yes\n"])
    assert str(reason).startswith("the validator ran into its")


def test_validator_crash_refuses_one_input(sandbox: Sandbox) -> None:
    code = (
        "import os\ndef validate(stdin):\n    if stdin == 'die': os._exit(0)\n    return stdin "
        "== 'yes'\n"
    )
    verdicts = refusals(sandbox, code, ["yes", "die", "yes", "no"])
    assert verdicts == [None, "the validator crashed", None, "the validator refuses it"]


def test_validator_that_does_not_compile(sandbox: Sandbox) -> None:
    with pytest.raises(SourceError, match="the validator does not compile"):
        refusals(sandbox, "def validate(:\n", ["x"])
