"""The documentation is correct: commands, options and link targets exist, and nothing is missing."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from venus_toolkit.cli import venus

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FAMILIES = ("limit",)


class Named(NamedTuple):
    """A command and the words of its command line."""

    words: tuple[str, ...]
    command: click.Command


def commands(group: click.Group = venus, words: tuple[str, ...] = ("venus",)) -> Iterator[Named]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        yield Named((*words, name), command)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))


COMMANDS = list(commands())
IDS = [" ".join(named.words) for named in COMMANDS]


def flags(command: click.Command) -> set[str]:
    return {
        flag
        for parameter in command.params
        for flag in (*parameter.opts, *parameter.secondary_opts)
    } | {
        "--help",
        "-h",
    }


# ------------------------------------------------------------------ command lines in pages and help


def lines_of(text: str) -> Iterator[str]:
    """Yield every `venus …` command in code blocks, with joined continuation lines, without comments."""
    for typed in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        line = re.sub(r"^\s*(\$ )?(\S*/)?(?=venus )", "", typed)
        found = re.search(r"(?:^|\| )(venus .*)", line)
        if found and not line.startswith("venus_"):
            yield re.split(r"\s{3,}| # | \| | > | && ", found.group(1))[0]


def complaint(line: str) -> str | None:
    """Return the fault of a command line, or None."""
    words = shlex.split(line)
    command: click.Command = venus
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        inner = command.get_command(click.Context(command), rest[0])
        if inner is None:
            return f"{line}: there is no command {rest[0]}"
        command, rest = inner, rest[1:]
    # the words after -- are for the user's program
    for word in rest[: rest.index("--")] if "--" in rest else rest:
        flag = word.split("=")[0]
        if re.match(r"--?[a-z]", flag) and flag not in flags(command):
            return f"{line}: there is no option {flag}"
    return None


def blocks(page: Path) -> str:
    return "\n".join(FENCE.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_pages_exist(page: Path) -> None:
    lines = list(lines_of(blocks(page)))
    assert [said for line in lines if (said := complaint(line))] == []


def test_inline_commands_exist() -> None:
    for page in PAGES:
        for inline in re.findall(r"`(venus [^`\n]+)`", page.read_text(encoding="utf-8")):
            words = re.split(r"[|…]| \.\.\.", inline)[0]
            assert complaint(words) is None, page.name


@pytest.mark.parametrize("named", COMMANDS, ids=IDS)
def test_every_help_has_a_valid_example(named: Named) -> None:
    epilog = (named.command.epilog or "").replace("\b", "")
    examples = list(lines_of(re.sub(r"^Examples?:\s*", "", epilog, flags=re.MULTILINE)))
    assert examples, f"{' '.join(named.words)} --help shows no example"
    assert [said for line in examples if (said := complaint(line))] == []
    assert any(line.startswith(" ".join(named.words)) for line in examples)


@pytest.mark.parametrize(
    "line",
    [
        "venus bild --lang cpp",
        "venus build --language cpp",
        "venus languages chek",
        "venus run a.py --stdn x",
        "venus --v",
    ],
)
def test_wrong_command_is_detected(line: str) -> None:
    assert complaint(line)


def test_commands_are_found_in_any_form() -> None:
    text = (
        "$ venus doctor\n.venv/bin/venus build --lang cpp \\\n  --out o\npython x.py | venus run "
        "a.py --stdin -\n"
    )
    text += (
        "venus_toolkit/\nvenus run a.py    time of one program\nvenus doctor --json > m.json\n"
        "the venus run\n"
    )
    assert list(lines_of(text)) == [
        "venus doctor",
        "venus build --lang cpp --out o",
        "venus run a.py --stdin -",
        "venus run a.py",
        "venus doctor --json",
    ]


# ------------------------------------------------------------------ completeness


def all_pages() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("named", COMMANDS, ids=IDS)
def test_every_command_is_documented(named: Named) -> None:
    group, name = " ".join(named.words[:-1]), named.words[-1]
    found = re.search(rf"{group} (\w+\|)*{name}\b", all_pages())
    assert found, f"no page mentions `{' '.join(named.words)}`"


def is_mentioned(flag: str, text: str) -> bool:
    """Return whether a text has a flag, the plan's key of the same name, or its family (`--limit-*`)."""
    name = flag.removeprefix("--")
    key = name.replace("-", "_")
    family = name.split("-")[0]
    return bool(
        re.search(rf"--{name}\b(?!-)", text)
        or re.search(rf"^{key} *=", text, flags=re.MULTILINE)
        or (family in FAMILIES and re.search(rf"(--{family}-|\b{family}_)[*…]", text))
    )


@pytest.mark.parametrize("named", COMMANDS, ids=IDS)
def test_every_option_is_documented(named: Named) -> None:
    text = all_pages()
    long = sorted(flag for flag in flags(named.command) - {"--help"} if flag.startswith("--"))
    assert [flag for flag in long if not is_mentioned(flag, text)] == []


@pytest.mark.parametrize("named", COMMANDS, ids=IDS)
def test_every_option_has_help(named: Named) -> None:
    assert named.command.help
    for parameter in named.command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


@pytest.mark.parametrize("named", COMMANDS, ids=IDS)
def test_command_summaries_are_not_truncated(named: Named) -> None:
    assert not named.command.get_short_help_str(63).endswith("..."), (
        "end the first sentence earlier"
    )


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_page_is_reached_from_the_readme(page: Path) -> None:
    assert f"docs/{page.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------ lines


def long_lines(text: str) -> list[str]:
    """Return the lines of prose with more than 100 characters; tables and code may be longer."""
    prose = re.sub(r"^[ ]*```.*?^[ ]*```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if not re.match(r" {4}| *\|", line)]
    return [line for line in lines if len(re.sub(r"`[^`]{80,}`", "", line)) > 100]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_is_wrapped(page: Path) -> None:
    assert long_lines(page.read_text(encoding="utf-8")) == []


def test_long_line_is_detected() -> None:
    wide = "word " * 21
    assert long_lines(f"{wide}\n- {wide}\n") == [wide, f"- {wide}"]
    assert long_lines(f"| {wide} |\n```\n{wide}\n```\n- `{wide}` is code\n") == []


# ------------------------------------------------------------------ links and names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            there = (page.parent / path) if path else page
            assert there.exists(), target
            assert not anchor or anchor in anchors(there), target


def test_site_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """MkDocs runs strictly, so broken links and anchors and pages missing in the navigation fail."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(tmp_path)],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    for page in tmp_path.rglob("*.html"):
        assert not re.search(
            r"<(script|link|img)[^>]*(src|href)=\"https?://", page.read_text(encoding="utf-8")
        ), page.name


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_pages_exist(page: Path) -> None:
    for name in re.findall(
        r"(?:docs|tests|tools|builders|languages|venus_toolkit)/[\w./-]+\.(?:c|md|py)\b",
        page.read_text(encoding="utf-8"),
    ):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_nox_sessions_exist(page: Path) -> None:
    sessions = re.findall(
        r"^@nox.session(?:\(name=\"([a-z-]+)\".*|.*\ndef (\w+))",
        (ROOT / "noxfile.py").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert len(sessions) > 9
    for name in re.findall(r"\bnox\s+-s\s+([a-z-]+)", page.read_text(encoding="utf-8")):
        assert name in {one or other for one, other in sessions}, name


def test_pages_in_error_messages_exist() -> None:
    sources = [
        path for folder in ("venus_toolkit", "builders") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {
        name
        for path in sources
        for name in re.findall(r"docs/[\w-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_readme_begins_with_the_two_commands() -> None:
    """It begins with one sentence, then `make demo`, `make test` and their output."""
    first = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:60])
    assert "make demo" in first
    assert "make test" in first
    assert "train" in first
    assert "test" in first
