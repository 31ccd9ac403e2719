"""Counts the tasks that each reader and each rule decides.

    python -m tools.ablate contests=FOLDER packages=FOLDER [--rules layouts] [--names]

KIND=FOLDER has problem folders as written by the converters in tools/real; use their part ``dev``
only. Every rule is switched off separately: a function returns nothing, a pattern never matches, an
alternative of a grammar is never chosen. A rule decides a task if switching it off changes the
layout of its inputs, its sections, its samples, or (``--derive``, slower) the checked promises or
the confidence band. Remove a rule that decides no task.
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
NO_TERMINAL = r'"\u0001"'  # replaces an alternative of a grammar and matches no sentence
ALTERNATIVE = re.compile(r"^(?P<rule>[?_!]*\w+)(?:\.\d+)?:|^ +\|", re.MULTILINE)
WORD = re.compile(r"^(?P<word>_?[A-Z]\w*)(?:\.\d+)?: (?P<shown>.*(?:\n[ ]+.*)*)", re.MULTILINE)
NO_WORD = r"/(?!)\x01/"
BANDS = (0.25, 0.9)  # confidences, from 0 to 1
MAX_INPUTS = 40  # inputs to read of each task, the shortest ones


def nothing(*_: object, **__: object) -> tuple[()]:
    """Stand in for a function that yields what it finds: it finds nothing."""
    return ()


def first_argument(text: Any, *_: object) -> Any:
    """Stand in for a function that changes a text: it returns the text unchanged."""
    return text


# The replacements that switch functions off.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layouts.format_block:layouts": nothing,
    "layouts.format_block:_fold_runs": lambda parts, _: list(parts),
    "layouts.format_block:_is_placeholder": lambda _: False,
    "layouts.format_block:_split": first_argument,
    "layouts.describe:candidates": nothing,
    "layouts.describe:name_values": first_argument,
    "layouts.search:layouts": nothing,
    "layouts.search:_boards": nothing,
    "layouts.search:_group": nothing,
    "layouts.search:_choice": nothing,
    "layouts.search:_lists": nothing,
    "layouts.find_layout:_prefix_lengths": nothing,
    "layouts.find_layout:_is_text": lambda *_: False,
    "layouts.signature:_rows": lambda _: {},
    "layouts.signature:_node_of_values": lambda *_: None,
    "statements:looks_like_latex": lambda _: False,
    "statements:looks_like_markdown": lambda _: False,
    "statements:numbered": lambda _: "",
    "statements:named_examples": nothing,
    "statements.sections:labelled_part": lambda _: None,
    "statements.sections:bare_text": lambda _: None,
    "statements.blocks:_with_headings": lambda block: [block],
    "statements.examples:_operations": lambda _: [],
    "statements.latex_reader:_expand_macros": first_argument,
    "statements.html_reader:without_comments": first_argument,
    "statements.markdown_reader:without_comments": first_argument,
}


class AblatedTask(NamedTuple):
    """A problem with inputs of its tests and its accepted programs."""

    problem: Problem
    inputs: list[str]
    programs: list[Solution]


class Rule(NamedTuple):
    """A rule of a reader, and a context manager that switches it off."""

    name: str
    off: Callable[[], contextlib.AbstractContextManager[object]]


def tasks(folder: Path) -> Iterator[AblatedTask]:
    """Yield the problems of a folder, with the shortest inputs of their tests."""
    for problem in problems(folder):
        if not isinstance(problem, Rejected):
            entry = problem.entry
            accepted = [s for s in entry.solutions if s.expected == Expectation.ACCEPTED]
            inputs = sorted((test.stdin for test in entry.tests), key=len)[:MAX_INPUTS]
            yield AblatedTask(described(problem), inputs, accepted)


def rules() -> Iterator[Rule]:
    """Yield the `FUNCTIONS`, the patterns of the readers, and the alternatives of grammars."""
    for name, replacement in FUNCTIONS.items():
        module, _, attribute = name.partition(":")
        off = functools.partial(mock.patch, f"{INPUTS}.{module}.{attribute}", replacement)
        yield Rule(name, off)
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
            # Never matches, but keeps the groups, which callers name.
            never = re.compile(f"(?!)(?:{value.pattern})", value.flags)
            yield Rule(name, functools.partial(mock.patch.object, module, attribute, never))


def _alternatives(path: Path) -> Iterator[Rule]:
    """Yield a rule for each alternative of a grammar, and for each of its words."""
    text = path.read_text(encoding="utf-8")
    for match in WORD.finditer(text):
        changed = f"{text[: match.start('shown')]}{NO_WORD}{text[match.end() :]}"
        name = f"{path.name}:{match['word']}"
        yield Rule(name, functools.partial(_replace_text, path, changed))
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
                functools.partial(_replace_text, path, changed),
            )


@contextlib.contextmanager
def _replace_text(path: Path, text: str) -> Iterator[None]:
    """Within the context, reading a file returns another text."""
    read = Path.read_text

    def read_text(self: Path, *arguments: Any, **options: Any) -> str:
        return text if self == path else read(self, *arguments, **options)

    with mock.patch.object(Path, "read_text", read_text):
        yield


def clear_caches() -> None:
    """Empty the caches of the readers."""
    for name, module in list(sys.modules.items()):
        if name.startswith(INPUTS):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def outcome(task: AblatedTask, derived: bool) -> tuple[object, ...]:
    """Return everything that the readers read of a task, or the type of their error."""
    try:
        statement = statements.parse_statement(task.problem.statement)
        samples = [sample.stdin for sample in statement.samples]
        evidence = Evidence(statement, samples, task.inputs)
        if task.problem.style == "function":
            starter = task.problem.starter_code.get("python", "")
            inputs = [*samples, *task.inputs]
            layout = signature.layout_of(starter, statement.text, inputs)
            rated = rate_layout(layout, evidence)
        else:
            rated = find_layout(evidence)
        if not derived:
            return statement, rated.layout, rated.factor
        result = derive(task.problem, task.inputs, task.programs)
        return rated.layout, result.spec.readings, sum(result.confidence >= band for band in BANDS)
    except (NoLayout, NotDerived):
        return ()
    except Exception as error:
        # A part of a grammar may fail in any way, and that counts as a decision, too.
        return (type(error).__name__,)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the number of tasks of each kind that every rule decides."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", metavar="KIND=FOLDER")
    parser.add_argument("--rules", default="", help="only rules whose name contains this text")
    parser.add_argument(
        "--derive", action="store_true", help="also compare promises and confidence bands"
    )
    parser.add_argument("--names", action="store_true", help="list the tasks that a rule decides")
    options = parser.parse_args(arguments)
    kinds = dict(pair.split("=", 1) for pair in options.folders)
    data = {kind: list(tasks(Path(folder))) for kind, folder in kinds.items()}
    baseline = {kind: [outcome(task, options.derive) for task in data[kind]] for kind in data}
    click.echo("\t".join(["rule", *(f"{kind} (of {len(data[kind])})" for kind in data)]))
    for rule in rules():
        if options.rules not in rule.name:
            continue
        decided: dict[str, list[str]] = {}
        with rule.off():
            clear_caches()
            for kind in data:
                pairs = zip(data[kind], baseline[kind], strict=True)
                decided[kind] = [
                    task.problem.slug
                    for task, before in pairs
                    if outcome(task, options.derive) != before
                ]
        clear_caches()
        click.echo("\t".join([rule.name, *(str(len(slugs)) for slugs in decided.values())]))
        if options.names:
            for kind, slugs in decided.items():
                click.echo(f"  {kind}: {' '.join(slugs)}")


if __name__ == "__main__":
    main()
