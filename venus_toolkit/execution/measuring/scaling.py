"""Measures how a program's cost grows with its input: runs at growing sizes, and a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.judging.generators import Request, run_generator, sizes
from venus_toolkit.execution.measuring.complexity import MIN_SIZES, Complexity, Growth, complexity
from venus_toolkit.execution.measuring.counting import Counter, open_counter
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

SMALLEST = 8
LARGEST = 1 << 20
MAX_SIZES = 7  # sizes in a fit: the largest ones
SEEDS = (1, 2)  # of the inputs of each size
# If a size takes more instructions than this, larger ones are not tried: at twice the size, a
# quadratic program takes half a minute in the emulator.
MAX_INSTRUCTIONS = 1_500_000_000


class Cost(NamedTuple):
    """The cost of all inputs of one size: the sum of instructions, and the largest peak memory."""

    instructions: int
    peak_bytes: int


class SizeGrowth(NamedTuple):
    """The growth of a program's cost with one size, while the others are constant.

    Attributes:
        name: The name of the size; "" for all of them at once.
        sizes: The measured sizes, ascending.
        costs: The cost at each size.
        instructions: The growth of instructions; None: too few sizes.
        memory: The growth of peak memory; None: too few sizes.
        reason: Why there are too few sizes, or why the sizes end where they do.
    """

    name: str
    sizes: tuple[int, ...]
    costs: tuple[Cost, ...]
    instructions: Complexity | None
    memory: Complexity | None
    reason: str = ""


def measure_growth(
    sandbox: Sandbox,
    compiled: Compiled,
    generator: str,
    counter: Counter,
    limits: Limits,
    cores: Cores | None = None,
) -> Iterator[SizeGrowth]:
    """Yield the growth of a program's costs for each size that a generator lists.

    Raises:
        UsageError: The generator lists no sizes.
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
        argument = f"{name}={size}" if name else str(size)
        generated = list(
            run_generator(sandbox, generator, [Request(argument, seed) for seed in SEEDS], cores)
        )
        failure = next((result.reason for result in generated if result.text is None), None)
        if failure:
            return f"there is no input of size {argument}: {failure}"
        inputs = [(result.text or "").encode("utf-8", "surrogatepass") for result in generated]
        with sandbox.session(compiled, limits, cores) as session:
            runs = list(session.run(inputs))
        failed = next((run for run in runs if not run.clean), None)
        if failed:
            return f"it fails at size {size} ({failed.limit or f'exit code {failed.exit_code}'})"
        total = 0
        for run in list(counter.count(sandbox, compiled, inputs, limits, cores)):
            if run.instructions is None:
                return f"at size {size} {run.uncounted}"
            total += run.instructions
        return Cost(total, max(run.peak_bytes for run in runs))

    for name, largest in known.items():
        yield growth_of_costs(name, largest, lambda size, name=name: cost_at(name, size))  # type: ignore[misc]


def complexity_of(
    sandbox: Sandbox, cores: Cores, program: Program, generator: str, limits: Limits, kind: str
) -> Complexity | None:
    """Return how the instructions of a program grow with its input; None if unknown.

    Only the first size that the generator lists is used; a generator derived from a specification
    first lists ``""``, which stands for all sizes at once. `kind` is an argument of `open_counter`.

    Raises:
        SandboxError: The sandbox failed.
    """
    compiled, counter = sandbox.compile(program, cores), open_counter(kind)
    if counter is None or not compiled.ok or not sizes(generator):
        return None
    try:
        growths = next(measure_growth(sandbox, compiled, generator, counter, limits, cores))
    except SourceError:
        return None  # the generator does not compile
    # Small inputs cost little more than process start, so a constant fit to them proves nothing.
    short = (
        growths.reason and growths.instructions and growths.instructions.growth is Growth.CONSTANT
    )
    return None if short else growths.instructions


def growth_of_costs(name: str, largest: int, cost_at: Callable[[int], Cost | str]) -> SizeGrowth:
    """Return the growth of costs up to the largest size, or up to `MAX_INSTRUCTIONS`.

    `cost_at` returns the cost of a size, or the reason why it is unknown.
    """
    measured: dict[int, Cost] = {}
    reason, end = "", min(largest, LARGEST)
    for size in _doubling_sizes(end):
        reason = _add(measured, size, cost_at)
        if reason:
            break
    if len(measured) < MIN_SIZES and measured:
        # The cost grows fast, so equal steps replace doubling.
        last = max(measured)
        for size in _even_sizes(last):
            reason = _add(measured, size, cost_at) or reason
        even = sorted(set(_even_sizes(last)) & measured.keys())
        measured = {size: measured[size] for size in even} if len(even) >= MIN_SIZES else measured
    points = sorted(measured.items())[-MAX_SIZES:]
    fitted_sizes, costs = tuple(size for size, _ in points), tuple(cost for _, cost in points)
    if len(points) < MIN_SIZES:
        reason = (
            reason
            or f"sizes go up to {largest} only: a fit needs {MIN_SIZES} sizes, doubling from {SMALLEST}"
        )
        return SizeGrowth(name, fitted_sizes, costs, None, None, reason)
    return SizeGrowth(
        name,
        fitted_sizes,
        costs,
        complexity(fitted_sizes, [cost.instructions for cost in costs]),
        complexity(fitted_sizes, [cost.peak_bytes for cost in costs]),
        reason,
    )


def _add(costs: dict[int, Cost], size: int, cost_at: Callable[[int], Cost | str]) -> str:
    """Add the cost of a size; returns why larger sizes must not run, or ""."""
    cost = cost_at(size)
    if isinstance(cost, str):
        return cost
    costs[size] = cost
    return (
        f"beyond size {size} a run takes too many instructions"
        if cost.instructions > MAX_INSTRUCTIONS
        else ""
    )


def _doubling_sizes(largest: int) -> Sequence[int]:
    """Return sizes that double up to the largest, ascending."""
    return sorted(
        size for power in range(largest.bit_length()) if (size := largest >> power) >= SMALLEST
    )


def _even_sizes(last: int) -> Sequence[int]:
    """Return sizes in equal steps from half of `last` to `last`."""
    step = max(1, last // (2 * (MIN_SIZES - 1)))
    return [size for size in range(last - step * (MIN_SIZES - 1), last + 1, step) if size > 0]
