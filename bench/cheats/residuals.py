"""What programs gain that bend their own figures: every cheat beside its honest twin.

A cheat does the same as its twin or holds the same memory, and prints the same. Its residual factor
is the figure of the twin divided by its own: 1 where it gains nothing, 10 where a tenth of what it
took was seen. They take turns in sessions as a measurement opens them, and the smallest figure of
each counts. A cheat that ends in an error gains nothing, and one whose sources disagree is flagged:
such figures are never published nor ranked.

A forged count of instructions is worth what is believed of it beside the CPU time
(execution/measuring/agreement.py), with the twin as the trusted program: 1 where time decides.

A secret is read in one run and stored in another: all answers of a program have to be the same,
before and after, in the session that judges and in the one that measures.

A memo is what a program computed for an input and looks up in later runs on it. Its factor is that
of a whole measurement, judged run and repeats, and it is flagged where its repeats disagree.

The cheats are the programs in ``programs/``. A program says in TOML, in the lines that begin with
``//:`` or ``#:``, what it can do:

    about     what is bent: "memory", "cpu", "count", "secret", or "memo"; for all of them or for one
    cheats    one table each:
        name      the word of the input that makes the program do it
        does      what it does instead
        stops     what keeps it from gaining by that
        open      the sandboxes where it is not stopped, and what it gains there at most: a factor, or who is told
        twin      the word for the same done plainly; by default "plain"
        before    what is done in a run before, of the same session
        input_mib, mib, ms, millions   the size of the input, of the memory, and of the work

So a new cheat is a new file, or a line and a function in an old one. "memory" reads "WORD MIB MS",
"cpu" and "count" read "WORD MILLIONS 0", "secret" reads "ACT WORD NUMBER". A program prints the
same as its twin, or exits with 4 where it was refused.
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
"""The factor from which on a cheat gains something."""
OBJECTIVES = {"memory": ("peak", "integral"), "cpu": ("cpu",), "count": ("cpu",)}
ROUNDS = 3
COLUMNS = {"local": "`local`", "docker": "`docker`", "ungrouped": "`local`, no control group"}


@dataclass(frozen=True)
class Cheat:
    """One of the things that a program can do; its fields are explained above."""

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
    """Return the cheats that a program says it knows."""
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
    """Return the least that runs took of something, as a measurement reports it."""
    figures = {
        "peak": lambda run: run.peak_bytes,
        "cpu": lambda run: run.cpu_ns,
        "integral": lambda run: run.integral_byte_ns,
        "mean": lambda run: run.integral_byte_ns / run.wall_ns,
    }
    return min(map(figures[objective], runs))


def factor(twins: Sequence[Run], own: Sequence[Run], objective: str) -> float:
    """Return how many times the figure of a cheat its twin's is.

    Of the integral what is smaller over all and on average: who fills memory faster has less of the
    one, who is slower has less of the other, and both are honest.
    """
    of = ("integral", "mean") if objective == "integral" else (objective,)
    return min(least(twins, figure) / least(own, figure) for figure in of)


def take_turns(sandbox: Sandbox, cheat: Cheat, rounds: int) -> dict[bytes, list[Run]]:
    """Run a cheat and its twin in turn; returns the runs by their input."""
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
    """What a cheat gains: factors by objective, or why it has none (`ended`).

    Claimed: what its forged count says.

    flagged: its sources disagree, so the factors gain nothing.
    """

    factors: Mapping[str, float]
    ended: str = ""
    claimed: float | None = None
    flagged: bool = False

    @property
    def worst(self) -> float:
        """The largest factor; 1 where it gains nothing."""
        return 1.0 if self.flagged else max(self.factors.values(), default=1.0)

    def __str__(self) -> str:
        factors = ", ".join(
            f"{objective} {factor:.2f}" for objective, factor in self.factors.items()
        )
        outcome = self.ended or (f"flagged ({factors})" if self.flagged else factors)
        return outcome if self.claimed is None else f"{outcome} of {self.claimed:,.1f}"


def gain(cheat: Cheat, runs: Mapping[bytes, Sequence[Run]]) -> Gain:
    """Return what a cheat gained in these runs."""
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
    """Return what a cheat with memory, processor time or its count gains in a sandbox."""
    runs = take_turns(sandbox, cheat, rounds)
    return forged(sandbox, cheat, runs) if cheat.about == "count" else gain(cheat, runs)


def remembered(sandbox: Sandbox, cheat: Cheat) -> Gain:
    """Return what a cheat gains in a measurement by remembering an input that it has not met before."""
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
    """Return what a cheat gains whose count is forged.

    `runs` are those that were measured, by their input.
    """
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

# What is done in the two sessions, and what about: some things can be asked about once. A secret
# that is stored about 2 is about 3 and 4 as well.
JUDGED = (("read", 0), ("plain", 0), ("read", 1), ("store", 2), ("read", 2))
MEASURED = (("read", 3), ("read", 4))


def answers(sandbox: Sandbox, cheat: Cheat) -> list[bytes]:
    """Return what a program reads.

    Before and after a secret is stored, judged, and then measured.
    """
    program = compiled(sandbox, cheat.source)
    quiet = quiet_cores()
    outputs, number = [], time.time_ns() // NS_PER_S * 10
    # The same processor as when it is measured: which one it is says nothing on a machine with more
    # of them.
    for cores, acts in ((Cores(quiet.program, quiet.program), JUDGED), (quiet, MEASURED)):
        stdins = [f"{act} {cheat.name} {number + about}\n".encode() for act, about in acts]
        with sandbox.session(program, LIMITS, cores) as session:
            runs = zip(stdins, session.run(stdins), strict=True)
            outputs += [run.stdout for stdin, run in runs if stdin.startswith(b"read")]
    return outputs


def told(outputs: Sequence[bytes]) -> str:
    """Return who was told something: "nobody", "the next run", or "the next session"."""
    if len(set(outputs)) == 1:
        return "nobody"
    return "the next run" if len(set(outputs[:3])) > 1 else "the next session"


# ------------------------------------------------------------------ the table


@contextlib.contextmanager
def opened(name: str) -> Iterator[Sandbox]:
    """Open a sandbox; ``ungrouped`` is ``local`` on a machine on which no control group can be made."""
    with pytest.MonkeyPatch.context() as patch:
        if name == "ungrouped":
            patch.setattr(cgroups, "make_cgroup", lambda *_: None)
        with open_sandbox("local" if name == "ungrouped" else name) as sandbox:
            yield sandbox


def results(name: str, chosen: Sequence[Cheat]) -> Iterator[tuple[Cheat, str]]:
    """Yield what each cheat gains in a sandbox, in words."""
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
    """Return the rows of the page.

    What a sandbox has no results of stays as the `old` text has it.
    """
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
