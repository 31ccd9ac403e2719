"""Which reader and which rule decides how many tasks.

    python -m tools.ablate contests=FOLDER packages=FOLDER [--rules layouts] [--names]

KIND=FOLDER has problem folders as the converters in tools/real write them; use the development part
without what is kept aside. Every rule is switched off by itself: a function gives nothing, a
pattern never matches, an alternative of a grammar is never taken. A rule decides a task when
without it the layout of its inputs, its sections and samples, or (``--derive``, slower) the
promises that are checked or the band of the confidence become others, or none. A rule that decides
none goes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import click

from tools.real.inputs import problems
from venus_toolkit.builders.inputs import layouts, statements
from venus_toolkit.builders.inputs.derive import NotDerived, derive
from venus_toolkit.builders.inputs.layouts import signature
from venus_toolkit.builders.inputs.layouts.find_layout import (
    Evidence,
    NoLayout,
    find_layout,
    rate_layout,
)
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.records import Expectation, Problem, Solution

INPUTS = "venus_toolkit.builders.inputs"
NO_TERMINAL = r'"\u0001"'  # takes the place of an alternative of a grammar
ALTERNATIVE = re.compile(r"^(?P<rule>[?_!]*\w+)(?:\.\d+)?:|^ +\|", re.MULTILINE)
WORD = re.compile(r"^(?P<word>_?[A-Z]\w*)(?:\.\d+)?: (?P<shown>.*(?:\n[ ]+.*)*)", re.MULTILINE)
NO_WORD = r"/(?!)\x01/"
BANDS = (0.25, 0.9)
KEPT_INPUTS = 40  # given inputs of a task that are read


def nothing(*_: object, **__: object) -> tuple[()]:
    """Stand in for a function that finds things."""
    return ()


def first_argument(text: Any, *_: object) -> Any:
    """Stand in for a function that changes things."""
    return text


# Functions by what stands in for them; patterns of the modules are switched off one by one.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layouts.format_block:layouts": nothing,
    "layouts.format_block:_counted_up": lambda parts, _: list(parts),
    "layouts.format_block:_is_placeholder": lambda _: False,
    "layouts.format_block:_split": first_argument,
    "layouts.describe:candidates": nothing,
    "layouts.describe:named": first_argument,
    "layouts.search:layouts": nothing,
    "layouts.search:_fixed": nothing,
    "layouts.search:_group": nothing,
    "layouts.search:_choice": nothing,
    "layouts.search:_lists": nothing,
    "layouts.find_layout:_beginnings": nothing,
    "layouts.find_layout:_is_text": lambda *_: False,
    "layouts.signature:_rows": lambda _: {},
    "layouts.signature:_node_of_values": lambda *_: None,
    "statements:looks_like_latex": lambda _: False,
    "statements:looks_like_markdown": lambda _: False,
    "statements:numbered": lambda _: "",
    "statements:named_examples": nothing,
    "statements.sections:labelled": lambda _: None,
    "statements.sections:bare_text": lambda _: None,
    "statements.blocks:_with_headings": lambda block: [block],
    "statements.examples:_operations": lambda _: [],
    "statements.latex_reader:_expanded": first_argument,
    "statements.html_reader:without_comments": first_argument,
    "statements.markdown_reader:without_comments": first_argument,
}


class AblatedTask(NamedTuple):
    """A problem with its given inputs and accepted programs."""

    problem: Problem
    given: list[str]
    programs: list[Solution]


class Rule(NamedTuple):
    """Something that reads, and how it is switched off."""

    name: str
    off: Callable[[], contextlib.AbstractContextManager[object]]


def tasks(folder: Path) -> Iterator[AblatedTask]:
    """Yield the problems of a folder, with their shortest given inputs."""
    for completed in problems(folder):
        if not isinstance(completed, Rejected):
            entry = completed.entry
            right = [each for each in entry.solutions if each.expected == Expectation.ACCEPTED]
            given = sorted((test.stdin for test in entry.tests), key=len)[:KEPT_INPUTS]
            yield AblatedTask(described(completed), given, right)


def rules() -> Iterator[Rule]:
    """Yield the functions above, the patterns of the readers, and the alternatives of their grammars."""
    for name, stand_in in FUNCTIONS.items():
        module, _, attribute = name.partition(":")
        yield Rule(name, functools.partial(mock.patch, f"{INPUTS}.{module}.{attribute}", stand_in))
    for package in (layouts, statements):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.glob("*.py")):
            yield from _patterns(importlib.import_module(f"{package.__name__}.{path.stem}"))
        for path in sorted(folder.glob("*.lark")):
            yield from _alternatives(path)


def _patterns(module: Any) -> Iterator[Rule]:
    for attribute, value in vars(module).items():
        if isinstance(value, re.Pattern) and attribute.isupper():
            name = f"{module.__name__.removeprefix(INPUTS + '.')}:{attribute}"
            # Its groups are named where it is used.
            never = re.compile(f"(?!)(?:{value.pattern})", value.flags)
            yield Rule(name, functools.partial(mock.patch.object, module, attribute, never))


def _alternatives(path: Path) -> Iterator[Rule]:
    """Yield a rule for each alternative of a grammar, and for each of its words."""
    text = path.read_text(encoding="utf-8")
    for match in WORD.finditer(text):
        changed = f"{text[: match.start('shown')]}{NO_WORD}{text[match.end() :]}"
        name = f"{path.name}:{match['word']}"
        yield Rule(name, functools.partial(_other_text, path, changed))
    rule = ""
    for match in ALTERNATIVE.finditer(text):
        rule = match["rule"] or rule
        if rule.strip("_?!").isupper():
            continue
        rest = text[match.end() :].partition("\n")[0]
        for alternative in re.findall(r"(?:[^|\"(]|\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\")*\))+", rest):
            begin = match.end() + rest.index(alternative)
            changed = f"{text[:begin]} {NO_TERMINAL} {text[begin + len(alternative) :]}"
            yield Rule(
                f"{path.name}:{rule}:{alternative.strip()}",
                functools.partial(_other_text, path, changed),
            )


@contextlib.contextmanager
def _other_text(path: Path, text: str) -> Iterator[None]:
    """Inside of it, a file has another text."""
    read = Path.read_text

    def read_text(self: Path, *arguments: Any, **options: Any) -> str:
        return text if self == path else read(self, *arguments, **options)

    with mock.patch.object(Path, "read_text", read_text):
        yield


def forget() -> None:
    """Empty the caches of the readers."""
    for name, module in list(sys.modules.items()):
        if name.startswith(INPUTS):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def outcome(task: AblatedTask, derived: bool) -> tuple[object, ...]:
    """Return what is read of a task; of one that cannot be read, why."""
    try:
        statement = statements.parse_statement(task.problem.statement)
        samples = [sample.stdin for sample in statement.samples]
        evidence = Evidence(statement, samples, task.given)
        if task.problem.style == "function":
            starter = task.problem.starter_code.get("python", "")
            inputs = [*samples, *task.given]
            layout = signature.layout_of(starter, statement.text, inputs)
            rated = rate_layout(layout, evidence)
        else:
            rated = find_layout(evidence)
        if not derived:
            return statement, rated.layout, rated.factor
        result = derive(task.problem, task.given, task.programs)
        return rated.layout, result.spec.readings, sum(result.confidence >= band for band in BANDS)
    except (NoLayout, NotDerived):
        return ()
    except Exception as error:
        # Half a grammar may fail in any way, which is what is counted.
        return (type(error).__name__,)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how many tasks of each kind every rule decides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", metavar="KIND=FOLDER")
    parser.add_argument("--rules", default="", help="only those whose name has this in it")
    parser.add_argument("--derive", action="store_true", help="compare promises and bands as well")
    parser.add_argument("--names", action="store_true", help="name the tasks that are decided")
    asked = parser.parse_args(arguments)
    kinds = dict(pair.split("=", 1) for pair in asked.folders)
    data = {kind: list(tasks(Path(folder))) for kind, folder in kinds.items()}
    whole = {kind: [outcome(task, asked.derive) for task in data[kind]] for kind in data}
    click.echo("\t".join(["rule", *(f"{kind} (of {len(data[kind])})" for kind in data)]))
    for rule in rules():
        if asked.rules not in rule.name:
            continue
        decided: dict[str, list[str]] = {}
        with rule.off():
            forget()
            for kind in data:
                pairs = zip(data[kind], whole[kind], strict=True)
                decided[kind] = [
                    task.problem.slug
                    for task, before in pairs
                    if outcome(task, asked.derive) != before
                ]
        forget()
        click.echo("\t".join([rule.name, *(str(len(slugs)) for slugs in decided.values())]))
        if asked.names:
            for kind, slugs in decided.items():
                click.echo(f"  {kind}: {' '.join(slugs)}")


if __name__ == "__main__":
    main()
