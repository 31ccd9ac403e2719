"""Inputs from a generator: seeded, varied, and what happens when it does not do what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from venus_toolkit.builders.inputs import run_generator as module
from venus_toolkit.builders.inputs.run_generator import (
    SIZES,
    Generated,
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


# ------------------------------------------------------------------ what is asked for


@pytest.mark.parametrize("count", [5, 7, 20, 100])
def test_every_size_is_asked_for(count: int) -> None:
    asked = requests(count, 0)
    sizes = Counter(size for size, _ in asked)
    assert len(asked) == len(set(asked)) == count
    assert set(sizes) == set(SIZES)
    assert sizes["large"] <= max(1, 0.15 * count)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_few_are_asked_for(count: int) -> None:
    asked = requests(count, 0)
    assert len(asked) == count
    assert asked[-1][0] == "large"


def test_the_seed_moves_all() -> None:
    assert [seed for _, seed in requests(20, 7)] == [seed + 7 for _, seed in requests(20, 0)]


# ------------------------------------------------------------------ what comes back


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


def generated(sandbox: Sandbox, code: str | None, count: int = 4, seed: int = 0) -> Generated:
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


def test_inputs_say_how_they_were_made(sandbox: Sandbox) -> None:
    made = generated(sandbox, HARD, 8)
    assert not made.dropped
    assert [(test.test_id, test.size, test.seed) for test in made.tests] == [
        (f"{size}-{seed}", size, seed) for size, seed in requests(8, 0)
    ]
    assert all(test.stdin.startswith(f"{test.size} ") for test in made.tests)
    assert {test.stdout for test in made.tests} == {None}


def test_the_same_seed_gives_the_same_inputs(sandbox: Sandbox) -> None:
    assert generated(sandbox, VARIED, 8, 3) == generated(sandbox, VARIED, 8, 3)
    assert generated(sandbox, VARIED, 8, 3).tests != generated(sandbox, VARIED, 8, 4).tests


def test_what_a_generator_prints_is_no_input(sandbox: Sandbox) -> None:
    """Only what it returns counts, however it prints."""
    made = generated(
        sandbox, "def generate(seed, size):\n    print('noise')\n    return f'{seed}{size}\\n'\n"
    )
    assert [test.stdin for test in made.tests] == [
        f"{seed}{size}\n" for size, seed in requests(4, 0)
    ]


def test_line_ends_and_letters_are_kept(sandbox: Sandbox) -> None:
    made = generated(sandbox, "def generate(seed, size):\n    return f'{size}\\r\\nΩ\\x00\\n'\n")
    assert [test.stdin for test in made.tests] == [
        f"{size}\r\nΩ\x00\n" for size, _ in requests(4, 0)
    ]


def test_equal_inputs_are_kept_once(sandbox: Sandbox) -> None:
    made = generated(sandbox, "def generate(seed, size):\n    return '1\\n'\n")
    assert [test.test_id for test in made.tests] == ["small-0"]
    assert set(made.dropped.values()) == {"the same input as small-0"}


# ------------------------------------------------------------------ generators that fail


NOT_UTF8 = """import contextlib, os
    for fd in (1, 3):
        with contextlib.suppress(OSError):
            os.write(fd, b"\\xff")
    return 'x'"""


@pytest.mark.parametrize(
    ("body", "why"),
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
def test_a_generator_that_fails(sandbox: Sandbox, body: str, why: str) -> None:
    made = generated(sandbox, f"def generate(seed, size):\n    {body}\n", count=6)
    assert made.tests == ()
    assert len(made.dropped) == module.PATIENCE, (
        "after three failures in a row it is not asked again"
    )
    for reason in made.dropped.values():
        assert reason.startswith(why)


def test_failures_that_are_not_in_a_row_lose_only_themselves(sandbox: Sandbox) -> None:
    made = generated(
        sandbox,
        "def generate(seed, size):\n    assert seed % 2\n    return f'{size}{seed}\\n'\n",
        20,
    )
    assert len(made.tests) + len(made.dropped) == 20
    assert {test.seed % 2 for test in made.tests if test.seed is not None} == {1}
    assert {reason.split(":")[0] for reason in made.dropped.values()} == {"the generator crashed"}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (None, "the problem has no generator: generator.py is missing"),
        ("", "the problem has no generator: generator.py is missing"),
        ("def generate(:\n", "the generator does not compile: "),
    ],
)
def test_no_generator(sandbox: Sandbox, code: str | None, why: str) -> None:
    with pytest.raises(SourceError) as caught:
        generated(sandbox, code)
    assert str(caught.value).startswith(why)
    assert caught.value.fix


def test_a_generator_without_the_function(sandbox: Sandbox) -> None:
    made = generated(sandbox, "def generator(seed, size):\n    return ''\n")
    for reason in made.dropped.values():
        assert reason.startswith("the generator crashed: NameError: name 'generate' is not defined")


# ------------------------------------------------------------------ the hardest inputs


def test_a_generator_that_knows_no_worst_is_asked_for_large(sandbox: Sandbox) -> None:
    made = generated(sandbox, VARIED, 8)
    assert {test.size for test in made.tests} == {"small", "boundary", "random", "large"}
    assert made.tests[-1].seed is not None
    assert made.tests[-1].seed >= module.INSTEAD_OF_WORST, (
        "it is replayed with the seed that is written down"
    )


def test_a_generator_that_knows_worst_is_asked_for_it(sandbox: Sandbox) -> None:
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


def test_a_pool_has_every_family_and_the_largest_last() -> None:
    counts = pool_counts(3000, (*NAMES, "corner", "replay", "middle"))
    assert sum(counts.values()) == pytest.approx(3000, abs=5)
    assert list(counts)[-2:] == ["max", "corner"]
    assert 24 <= counts["max"] <= 40
    assert counts["tiny"] > 700


def test_duplicates_and_refused_candidates_are_replaced(sandbox: Sandbox) -> None:
    even = (
        "def validate(stdin):\n    assert int(stdin.split()[1]) % 2 == 0, 'odd'\n    return True\n"
    )
    made = generate_pool(sandbox, FAMILIAR, even, 40, 0, ["tiny 2\n"])
    texts = [test.stdin for test in made.tests]
    assert len(set(texts)) == len(texts)
    assert "tiny 2\n" not in texts
    assert all(int(text.split()[1]) % 2 == 0 for text in texts)
    sizes = Counter(test.size for test in made.tests)
    assert sizes["multiscale"] == pool_counts(40, NAMES)["multiscale"]
    assert all(test.stdin.startswith(f"{test.size} ") for test in made.tests)
    assert any(
        "the validator refuses it: AssertionError: odd" in why for why in made.dropped.values()
    )


def test_an_input_is_the_same_alone_and_among_others(sandbox: Sandbox) -> None:
    asked = [generators.Request("tiny", seed) for seed in range(5)]
    together = list(generators.run_generator(sandbox, FAMILIAR, asked, None, 3))
    assert together == list(generators.run_generator(sandbox, FAMILIAR, asked))


def test_what_one_request_breaks_costs_no_other(sandbox: Sandbox) -> None:
    code = (
        "import os\ndef generate(seed, size):\n    if seed == 1: os._exit(1)\n    return f'{6 // "
        "(seed - 2)}\\n'\n"
    )
    asked = [generators.Request("tiny", seed) for seed in range(5)]
    made = list(generators.run_generator(sandbox, code, asked, None, 5))
    assert [each.text for each in made] == ["-3\n", None, None, "6\n", "3\n"]
    assert "ZeroDivisionError" in made[2].reason


# ------------------------------------------------------------------ validators


@pytest.mark.parametrize(
    ("code", "said"),
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
def test_what_a_validator_says(sandbox: Sandbox, code: str, said: list[str | None]) -> None:
    assert refusals(sandbox, code, ["yes\n", "no\n"]) == said


def test_a_validator_that_never_ends_refuses(sandbox: Sandbox) -> None:
    (why,) = refusals(sandbox, "def validate(stdin):\n    while True: pass\n", ["yes\n"])
    assert str(why).startswith("the validator ran into its")


def test_a_validator_that_dies_of_one_input_says_what_it_thinks_of_others(sandbox: Sandbox) -> None:
    code = (
        "import os\ndef validate(stdin):\n    if stdin == 'die': os._exit(0)\n    return stdin "
        "== 'yes'\n"
    )
    said = refusals(sandbox, code, ["yes", "die", "yes", "no"])
    assert said == [None, "the validator crashed", None, "the validator refuses it"]


def test_a_validator_that_does_not_compile(sandbox: Sandbox) -> None:
    with pytest.raises(SourceError, match="the validator does not compile"):
        refusals(sandbox, "def validate(:\n", ["x"])
