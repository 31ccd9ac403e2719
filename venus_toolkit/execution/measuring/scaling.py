"""How a program's cost grows with its input.

Runs at growing sizes until they get dear, and a fit to their costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.judging.generators import Request, run_generator, sizes
from venus_toolkit.execution.measuring.complexity import LEAST_SIZES, Complexity, Growth, complexity
from venus_toolkit.execution.measuring.counting import Counter, open_counter
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

SMALLEST = 8
LARGEST = 1 << 20
MOST_SIZES = 7  # the largest ones are fitted
SEEDS = (1, 2)
# instructions; twice the size, of a program that is quadratic, takes the emulator half a minute
DEAR = 1_500_000_000


class Cost(NamedTuple):
    """What the inputs of one size cost.

    Instructions of all together, and the largest peak of memory in bytes.
    """

    instructions: int
    peak_bytes: int


class Growing(NamedTuple):
    """How a program's cost grows with one size, where the others are kept.

    The points and what was fitted to them.

    Attributes:
        name: The size; "" for all of them at once.
        sizes: Ascending.
        costs: At each size.
        instructions: None: there were too few sizes.
        memory: The same of the peak.
        reason: Why there were too few, or why there are none beyond the largest.
    """

    name: str
    sizes: tuple[int, ...]
    costs: tuple[Cost, ...]
    instructions: Complexity | None
    memory: Complexity | None
    reason: str = ""


def grow(
    sandbox: Sandbox,
    compiled: Compiled,
    generator: str,
    counter: Counter,
    limits: Limits,
    cores: Cores | None = None,
) -> Iterator[Growing]:
    """Yield how the costs of a program grow with each size that a generator takes.

    Raises:
        UsageError: The generator takes no sizes.
        SourceError: The generator does not compile.
        SandboxError: The sandbox failed.
    """
    known = sizes(generator)
    if not known:
        reason = 'it lists no SIZES, such as SIZES = {"": 200000, "n": 200000}'
        raise UsageError(
            "the generator does not say which sizes it takes", reason, "see docs/generation.md"
        )

    def cost_at(name: str, size: int) -> Cost | str:
        asked = f"{name}={size}" if name else str(size)
        generated = list(
            run_generator(sandbox, generator, [Request(asked, seed) for seed in SEEDS], cores)
        )
        missing = next((one.reason for one in generated if one.text is None), None)
        if missing:
            return f"there is no input of size {asked}: {missing}"
        inputs = [(one.text or "").encode("utf-8", "surrogatepass") for one in generated]
        with sandbox.session(compiled, limits, cores) as session:
            runs = list(session.run(inputs))
        bad = next((run for run in runs if not run.clean), None)
        if bad:
            return (
                f"at size {size} it does not end well ({bad.limit or f'exit code {bad.exit_code}'})"
            )
        counted = list(counter.count(sandbox, compiled, inputs, limits, cores))
        total = 0
        for run in counted:
            if run.instructions is None:
                return f"at size {size} {run.uncounted}"
            total += run.instructions
        return Cost(total, max(run.peak_bytes for run in runs))

    for name, largest in known.items():
        yield growing(name, largest, lambda size, name=name: cost_at(name, size))  # type: ignore[misc]


def complexity_of(
    sandbox: Sandbox, cores: Cores, program: Program, generator: str, limits: Limits, kind: str
) -> Complexity | None:
    """Return how the instructions of a program grow with its input.

    None where that cannot be found out.

    Of the sizes that the generator takes the first one counts, in derived ones that of everything
    at once. `kind` is what `open_counter` takes.

    Raises:
        SandboxError: The sandbox failed.
    """
    compiled, counter = sandbox.compile(program, cores), open_counter(kind)
    if counter is None or not compiled.ok or not sizes(generator):
        return None
    try:
        growths = next(grow(sandbox, compiled, generator, counter, limits, cores))
    except SourceError:
        return None  # a generator that does not compile: what tests there are came some other way
    # Small inputs cost hardly more than none: that this is all there were is no sign of a cost that
    # stays the same.
    short = (
        growths.reason and growths.instructions and growths.instructions.growth is Growth.CONSTANT
    )
    return None if short else growths.instructions


def growing(name: str, largest: int, cost_at: Callable[[int], Cost | str]) -> Growing:
    """Return how costs grow up to the largest size, or up to where they get dear.

    A text says why there is none.
    """
    measured: dict[int, Cost] = {}
    reason, end = "", min(largest, LARGEST)
    for size in _doubled(end):
        reason = _add(measured, size, cost_at)
        if reason:
            break
    if len(measured) < LEAST_SIZES and measured:
        # What grows this fast is looked at in steps of one length.
        last = max(measured)
        for size in _stepped(last):
            reason = _add(measured, size, cost_at) or reason
        first = sorted(set(_stepped(last)) & measured.keys())
        measured = (
            {size: measured[size] for size in first} if len(first) >= LEAST_SIZES else measured
        )
    points = sorted(measured.items())[-MOST_SIZES:]
    asked, costs = tuple(size for size, _ in points), tuple(cost for _, cost in points)
    if len(points) < LEAST_SIZES:
        reason = (
            reason
            or f"sizes go up to {largest} only: no {LEAST_SIZES} that double begin at {SMALLEST}"
        )
        return Growing(name, asked, costs, None, None, reason)
    return Growing(
        name,
        asked,
        costs,
        complexity(asked, [one_cost.instructions for one_cost in costs]),
        complexity(asked, [one_cost.peak_bytes for one_cost in costs]),
        reason,
    )


def _add(costs: dict[int, Cost], size: int, cost_at: Callable[[int], Cost | str]) -> str:
    """Add the cost of a size; returns why no larger one is to be tried."""
    cost = cost_at(size)
    if isinstance(cost, str):
        return cost
    costs[size] = cost
    return (
        f"beyond size {size} a run takes too many instructions" if cost.instructions > DEAR else ""
    )


def _doubled(largest: int) -> Sequence[int]:
    """Return sizes that double up to the largest, ascending."""
    return sorted(
        size for power in range(largest.bit_length()) if (size := largest >> power) >= SMALLEST
    )


def _stepped(last: int) -> Sequence[int]:
    """Return sizes at equal distances from half of the last one to it."""
    step = max(1, last // (2 * (LEAST_SIZES - 1)))
    return [size for size in range(last - step * (LEAST_SIZES - 1), last + 1, step) if size > 0]
