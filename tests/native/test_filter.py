"""The system call filter and the table of docs/security.md agree on every system call."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

Program = Callable[..., list[str]]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
SECTION = re.compile(r"<!-- system calls -->\n(.*?)<!-- /system calls -->", re.DOTALL)
LAST = 469
# System calls that the oldest supported kernel headers lack; their numbers are the same on all
# architectures.
NEW = (
    "cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount "
    "listmount lsm_get_self_attr "
    "lsm_set_self_attr lsm_list_modules mseal setxattrat getxattrat listxattrat "
    "removexattrat open_tree_attr "
    "file_getattr file_setattr"
)
NUMBERS = {name: 451 + at for at, name in enumerate(NEW.split())}
# The arguments that the table gives in parentheses after a call.
ARGUMENTS = {
    "memfd_create(MFD_HUGETLB)": (0, 4), "mmap(MAP_HUGETLB)": (0, 0, 0, 0x40022), "clone(CLONE_NEWUSER)": (0x10000011,),
    "clone(CLONE_VM)": (0x111,), "fcntl(F_SETPIPE_SZ)": (1, 1031), "prctl(PR_SET_VMA)": (0x53564D41,),
    "prctl(PR_SCHED_CORE)": (62,), "socket(AF_UNIX)": (1,), "socketpair(AF_UNIX)": (1,), "socket(AF_INET)": (2,),
    "socketpair(AF_TIPC)": (30,), "preadv2(RWF_NOWAIT)": (0, 0, 0, 0, 0, 8), "pwritev2(RWF_NOWAIT)": (0, 0, 0, 0, 0, 8),
    "pidfd_open(process 1)": (1,), "prlimit64(process 1)": (1,), "sched_getaffinity(process 1)": (1,),
    "setpriority(process 1)": (0, 1), "ioprio_set(process 1)": (1, 1),
    **{f"{name}(process 1)": (2**32 - 16,) for name in ("timer_create", "clock_gettime", "clock_nanosleep")},
    "clone": (17,), "fcntl": (1, 3), "prctl": (15,), "ioprio_set": (1, 0),
}  # fmt: skip
PASS, TLS = 42, 4
WITH_PASS = {"sched_setaffinity": (0, 0, 0, 0, 0, PASS), "perf_event_open": (0, 0, 0, 0, 0, PASS)}


class Row(NamedTuple):
    """A system call of the page, with its arguments in parentheses, and the documented answer."""

    call: str
    answer: str
    by: str


def rows(text: str) -> Iterator[Row]:
    """Read the table of the page."""
    found = SECTION.search(text)
    assert found
    for line in found.group(1).splitlines()[2:]:
        calls, _, answer, by = [cell.strip() for cell in line.strip("|").split("|")]
        for call in re.findall(r"`([^`]+)`", calls):
            yield Row(call, answer, by)


@pytest.fixture(scope="session")
def numbers() -> dict[str, int]:
    """Numbers of the system calls in this machine's kernel headers, and of newer ones on the page."""
    source = "#include <asm/unistd.h>\n"
    macros = subprocess.run(
        ["gcc", "-E", "-dM", "-"], input=source, capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"^#define __NR3?2?6?4?_?([a-z]\w*) (\d+)$", macros, re.MULTILINE)
    return {**NUMBERS, **{name: int(number) for name, number in found if int(number) <= LAST}}


@pytest.fixture(scope="session")
def ask(program: Program, numbers: dict[str, int]) -> Callable[..., list[str]]:
    """Returns the answers of the filter to calls with arguments: "allow", "kill" or an errno."""

    def ask(calls: list[tuple[str, tuple[int, ...]]], *words: str) -> list[str]:
        lines = [
            " ".join(map(str, (numbers[name], *given, *(0,) * (6 - len(given)))))
            for name, given in calls
        ]
        command, text = program("filter", *words), "\n".join(lines) + "\n"
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout.split()

    return ask


def disagreements(
    text: str, numbers: dict[str, int], ask: Callable[..., list[str]], *words: str
) -> list[str]:
    """Return the system calls on which the page and the filter disagree."""
    known = [row for row in rows(text) if row.call.partition("(")[0] in numbers]
    answers = ask(
        [(row.call.partition("(")[0], ARGUMENTS.get(row.call, ())) for row in known], *words
    )
    found = []
    for row, answer in zip(known, answers, strict=True):
        without = not words or "where there is none" not in row.by
        if (row.answer == "refused" and row.by.startswith("the filter")) == (
            answer == "allow"
        ) and without:
            found.append(f"{row.call}: the page says {row.answer}, the filter {answer}")
    return found


@pytest.mark.parametrize("words", [(), ("ungrouped",)], ids=["grouped", "ungrouped"])
def test_the_page_and_the_filter_agree(
    numbers: dict[str, int], ask: Callable[..., list[str]], words: tuple[str, ...]
) -> None:
    assert disagreements(PAGE.read_text(), numbers, ask, *words) == []


def test_every_system_call_is_on_the_page(numbers: dict[str, int]) -> None:
    assert (
        sorted(set(numbers) - {row.call.partition("(")[0] for row in rows(PAGE.read_text())}) == []
    )


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("| `io_setup` |", "| `io_setup` `read` |", "read"),
        ("| refused | the filter |", "| counted | the filter |", "io_setup"),
    ],
)
def test_wrong_page_is_detected(
    numbers: dict[str, int], ask: Callable[..., list[str]], old: str, new: str, call: str
) -> None:
    text = PAGE.read_text()
    assert old in text
    assert any(
        line.startswith(f"{call}: ")
        for line in disagreements(text.replace(old, new, 1), numbers, ask)
    )


def test_calls_newer_than_the_page_are_unknown(
    ask: Callable[..., list[str]], numbers: dict[str, int]
) -> None:
    numbers["next"] = LAST + 1
    assert ask([("next", ())]) == ["38"]
    del numbers["next"]


@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        pytest.param(0x111, "1", id="VM"),
        pytest.param(0x80111, "1", id="VM with SETTLS"),
        pytest.param(0x4111, "allow", id="vfork"),
        pytest.param(0x3D0F00, "allow", id="a thread of glibc"),
        pytest.param(0x50F00, "allow", id="a thread of Go"),
        pytest.param(0x1200011, "allow", id="fork"),
        pytest.param(0x900, "1", id="VM and SIGHAND"),
    ],
)
def test_processes_cannot_share_an_address_space(
    ask: Callable[..., list[str]], flags: int, answer: str
) -> None:
    assert ask([("clone", (flags,))]) == [answer]


def test_supervisor_is_exempt(ask: Callable[..., list[str]]) -> None:
    assert ask(list(WITH_PASS.items())) == ["allow", "allow"]
    places = [
        at for at in (3, TLS) if ask([("clone", (0x111, *(0,) * (at - 1), PASS))]) == ["allow"]
    ]
    assert len(places) == 1, "only where this processor has the argument"
    (place,) = places
    assert ask([("clone", (0x80111, *(0,) * (place - 1), PASS))]) == ["1"], (
        "there it would be a real argument"
    )
