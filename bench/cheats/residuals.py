"""The gain of programs that falsify their own figures, compared with their honest twins.

A cheat does the same work as its twin or holds the same memory, and prints the same. Its residual
factor is the figure of the twin divided by its own: 1 means no gain, 10 means that only a tenth of
its cost was measured. Runs of both are interleaved in measuring sessions, and the smallest figure
of each counts. A cheat that ends in an error gains nothing, and one whose sources disagree is
flagged: such figures are neither published nor ranked.

For a forged instruction count, the factor is that of the count if the toolkit accepts it next to
the CPU time (execution/measuring/agreement.py), with the twin as the trusted program, else 1.

A secret is stored in one run and read in another: all answers of a program have to be the same,
before and after, in the session that judges and in the one that measures.

A memo is a result that a program stores for an input and looks up in later runs. Its factor is that
of a whole measurement (judged run and repeats), and it is flagged if its repeats disagree.

The cheats are the programs in ``programs/``. A program describes them in TOML, in the lines that
begin with ``//:`` or ``#:``:

    about     the falsified figure: "memory", "cpu", "count", "secret", or "memo"; for all or for one
    cheats    a table for each cheat:
        name      the word of the input that selects it
        does      the action
        stops     the measure that prevents a gain
        open      the sandboxes that do not stop it, with its largest gain: a factor, or the reader of a secret
        twin      the word that selects the honest twin; by default "plain"
        before    the word for an earlier run in the same session
        input_mib, mib, ms, millions   the size of the input, of the memory, and of the work

So a new cheat is a new file, or a line and a function in an old one. "memory" reads "WORD MIB MS",
"cpu" and "count" read "WORD MILLIONS 0", "secret" reads "ACT WORD NUMBER". A program prints the
same as its twin, or exits with 4 if an operation is refused.
"""

from __future__ import annotations

import contextlib
import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.cheats.memo import CHEATS, remembering
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Measurement, Run, TestCase
from venus_toolkit.execution.engine.assessment import assess_panel, panel_of
from venus_toolkit.execution.measuring.agreement import band_of, objection
from venus_toolkit.execution.measuring.counting import require_counter
from venus_toolkit.execution.measuring.measure import out_of_the_way
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES, MeasureOptions
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, cgroups
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
SECTION = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)
LIMITS = Limits(
    wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S, memory_bytes=512 * MIB, output_bytes=64 * MIB
)
MOST = 1.03
"""The factor above which a cheat gains something."""
OBJECTIVES = {"memory": ("peak", "integral"), "cpu": ("cpu",), "count": ("cpu",)}
ROUNDS = 3
COLUMNS = {"local": "`local`", "docker": "`docker`", "ungrouped": "`local`, no control group"}


@dataclass(frozen=True)
class Cheat:
    """A cheat of a program; the module docstring explains the fields."""

    source: Path
    about: str
    name: str
    does: str
    stops: str = ""
    open: Mapping[str, float | str] = field(default_factory=dict, compare=False)
    twin: str = "plain"
    before: str = ""
    mib: float = 48
    ms: int = 300
    input_mib: int = 0
    millions: int = 120

    @property
    def family(self) -> str:
        """The name of its program."""
        return self.source.stem

    def stdin(self, word: str) -> bytes:
        """Return the input that makes the program do `word`."""
        numbers = f"{self.mib} {self.ms}" if self.about == "memory" else f"{self.millions} 0"
        return f"{word} {numbers}\n".ljust(self.input_mib * MIB).encode()


def cheats() -> list[Cheat]:
    """Return every cheat of every program, programs by name."""
    return [cheat for source in sorted(PROGRAMS.iterdir()) for cheat in parse(source)]


def parse(source: Path) -> list[Cheat]:
    """Return the cheats that a program describes."""
    head = tomllib.loads("".join(re.findall(r"^(?://|#):(.*\n)", source.read_text(), re.MULTILINE)))
    return [Cheat(source, **{"about": head.get("about"), **row}) for row in head.get("cheats", ())]


def compiled(sandbox: Sandbox, source: Path) -> Compiled:
    """Compile one of the programs."""
    language = load_languages()["python" if source.suffix == ".py" else "cpp"]
    binary = sandbox.compile(Program(language, source.read_text()))
    assert binary.ok, binary.log
    return binary


# ------------------------------------------------------------------ memory and processor time


def least(runs: Sequence[Run], objective: str) -> float:
    """Return the lowest figure of an objective over runs."""
    figures = {
        "peak": lambda run: run.peak_bytes,
        "cpu": lambda run: run.cpu_ns,
        "integral": lambda run: run.integral_byte_ns,
        "mean": lambda run: run.integral_byte_ns / run.wall_ns,
    }
    return min(map(figures[objective], runs))


def factor(twins: Sequence[Run], own: Sequence[Run], objective: str) -> float:
    """Return the ratio of the twin's figure to the cheat's.

    For the integral, the smaller of the ratios of total and mean memory: filling memory faster
    lowers the total, running longer lowers the mean, and both are honest.
    """
    of = ("integral", "mean") if objective == "integral" else (objective,)
    return min(least(twins, figure) / least(own, figure) for figure in of)


def take_turns(sandbox: Sandbox, cheat: Cheat, rounds: int) -> dict[bytes, list[Run]]:
    """Run a cheat and its twin, interleaved; return the runs by input."""
    program = compiled(sandbox, cheat.source)
    runs: dict[bytes, list[Run]] = {cheat.stdin(cheat.twin): [], cheat.stdin(cheat.name): []}
    before = {cheat.stdin(cheat.name): [cheat.stdin(cheat.before)]} if cheat.before else {}
    cores = quiet_cores()
    with out_of_the_way(cores):
        for turn in range(rounds):
            with sandbox.session(program, LIMITS, cores, Sampling(NS_BETWEEN_SAMPLES)) as session:
                for stdin in list(runs)[:: 1 if turn % 2 == 0 else -1]:
                    *_, run = session.run([*before.get(stdin, []), stdin])
                    runs[stdin].append(run)
    return runs


@dataclass(frozen=True)
class Gain:
    """The gain of a cheat.

    Attributes:
        factors: Residual factors by objective.
        ended: The reason for missing factors.
        claimed: The factor that the forged count claims.
        flagged: Whether its sources disagree, so that the factors gain nothing.
    """

    factors: Mapping[str, float]
    ended: str = ""
    claimed: float | None = None
    flagged: bool = False

    @property
    def worst(self) -> float:
        """The largest factor; 1 means no gain."""
        return 1.0 if self.flagged else max(self.factors.values(), default=1.0)

    def __str__(self) -> str:
        factors = ", ".join(
            f"{objective} {factor:.2f}" for objective, factor in self.factors.items()
        )
        outcome = self.ended or (f"flagged ({factors})" if self.flagged else factors)
        return outcome if self.claimed is None else f"{outcome} of {self.claimed:,.1f}"


def gain(cheat: Cheat, runs: Mapping[bytes, Sequence[Run]]) -> Gain:
    """Return the gain of a cheat in these runs."""
    twins, own = runs[cheat.stdin(cheat.twin)], runs[cheat.stdin(cheat.name)]
    assert all(run.clean for run in twins), twins
    right = [run for run in own if run.clean and run.stdout == twins[0].stdout]
    if not right:
        limit = own[0].limit
        return Gain(
            {}, f"{limit} limit" if limit else "refused" if own[0].exit_code == 4 else "wrong"
        )
    published = [run for run in right if not run.disagreement]
    factors = {
        objective: factor(twins, published or right, objective)
        for objective in OBJECTIVES[cheat.about]
    }
    return Gain(factors, flagged=not published)


def measured(sandbox: Sandbox, cheat: Cheat, rounds: int = ROUNDS) -> Gain:
    """Return the gain of a cheat with memory, CPU time or its count in a sandbox."""
    runs = take_turns(sandbox, cheat, rounds)
    return forged(sandbox, cheat, runs) if cheat.about == "count" else gain(cheat, runs)


def remembered(sandbox: Sandbox, cheat: Cheat) -> Gain:
    """Return the gain of a cheat in a measurement from remembering a new input."""
    language, test = (
        load_languages()["cpp"],
        TestCase("new", f"{time.time_ns() % NS_PER_S}\n", None),
    )

    def measurement(when: str) -> Measurement:
        panel = panel_of([Program(language, remembering(when))], [test], LIMITS, MeasureOptions())
        measured = (
            assess_panel(sandbox, quiet_cores(), panel, any_answer=True).programs[0].measurement
        )
        assert measured
        assert measured.cpu_ns
        return measured

    twin, own = measurement("false"), measurement(CHEATS[cheat.name])
    assert twin.cpu_ns
    assert own.cpu_ns
    return Gain({"cpu": twin.cpu_ns / own.cpu_ns}, flagged=not own.repeats_agree)


def forged(sandbox: Sandbox, cheat: Cheat, runs: Mapping[bytes, Sequence[Run]]) -> Gain:
    """Return the gain of a cheat from a forged count; `runs` are the measured runs by input."""
    native = gain(cheat, runs)
    if native.ended:
        return native
    counter, program = require_counter("emulated", sandbox), compiled(sandbox, cheat.source)
    stdins = [cheat.stdin(cheat.twin), cheat.stdin(cheat.name)]
    counted = list(counter.count(sandbox, program, stdins, LIMITS))
    twin, own = (
        Measurement(cpu_ns=round(least(runs[stdin], "cpu")), instructions=run.instructions)
        for stdin, run in zip(stdins, counted, strict=True)
    )
    assert twin.instructions, counted[0].uncounted
    if own.instructions is None or counted[1].stdout != counted[0].stdout:
        return Gain({}, "no count")
    claimed = twin.instructions / own.instructions
    believed = not objection(own, [twin], band_of([twin]))
    return Gain({"count": claimed if believed else 1.0}, claimed=claimed)


# ------------------------------------------------------------------ secrets

# Actions in the two sessions, each with a key, since some keys can be read only once. A secret
# stored under 2 is also readable under 3 and 4.
JUDGED = (("read", 0), ("plain", 0), ("read", 1), ("store", 2), ("read", 2))
MEASURED = (("read", 3), ("read", 4))


def answers(sandbox: Sandbox, cheat: Cheat) -> list[bytes]:
    """Return what a program reads before and after a secret is stored, judged and then measured."""
    program = compiled(sandbox, cheat.source)
    quiet = quiet_cores()
    outputs, number = [], time.time_ns() // NS_PER_S * 10
    # The same CPU as when it is measured, or its number would differ between the sessions.
    for cores, acts in ((Cores(quiet.program, quiet.program), JUDGED), (quiet, MEASURED)):
        stdins = [f"{act} {cheat.name} {number + about}\n".encode() for act, about in acts]
        with sandbox.session(program, LIMITS, cores) as session:
            runs = zip(stdins, session.run(stdins), strict=True)
            outputs += [run.stdout for stdin, run in runs if stdin.startswith(b"read")]
    return outputs


def told(outputs: Sequence[bytes]) -> str:
    """Return the reader of a secret: "nobody", "the next run", or "the next session"."""
    if len(set(outputs)) == 1:
        return "nobody"
    return "the next run" if len(set(outputs[:3])) > 1 else "the next session"


# ------------------------------------------------------------------ the table


@contextlib.contextmanager
def opened(name: str) -> Iterator[Sandbox]:
    """Open a sandbox; ``ungrouped`` is ``local`` without control groups."""
    with pytest.MonkeyPatch.context() as patch:
        if name == "ungrouped":
            patch.setattr(cgroups, "make_cgroup", lambda *_: None)
        with open_sandbox("local" if name == "ungrouped" else name) as sandbox:
            yield sandbox


def results(name: str, chosen: Sequence[Cheat]) -> Iterator[tuple[Cheat, str]]:
    """Yield each cheat with a text about its gain in a sandbox."""
    with opened(name) as sandbox:
        for cheat in chosen:
            if cheat.about == "secret":
                yield cheat, told(answers(sandbox, cheat))
            else:
                how = remembered if cheat.about == "memo" else measured
                yield cheat, str(how(sandbox, cheat))


def table(
    columns: Mapping[str, Mapping[Cheat, str]], old: str = "", chosen: Sequence[Cheat] | None = None
) -> str:
    """Return the table of the page; cells without a new result keep the `old` text."""
    known = {
        cells[0]: cells for cells in map(_cells, old.splitlines()) if len(cells) == 3 + len(COLUMNS)
    }
    lines = [
        f"| cheat | what it does | what stops it | {' | '.join(COLUMNS.values())} |",
        "|---" * (3 + len(COLUMNS)) + "|",
    ]
    for cheat in cheats() if chosen is None else chosen:
        title = f"`{cheat.family}/{cheat.name}`"
        before = known.get(title, ["not measured"] * (3 + len(COLUMNS)))
        rows = [columns.get(name, {}).get(cheat, before[3 + at]) for at, name in enumerate(COLUMNS)]
        lines.append("| " + " | ".join([title, cheat.does, cheat.stops, *rows]) + " |")
    return "\n".join(lines) + "\n"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
