"""Count the problems of a source whose runners compile and reproduce the known outputs.

    python -m tests.runners.agreement "columns:../shared/data/humaneval-x?map=humaneval-x"

Each solution is inserted into the runner of its language and runs on the tests whose outputs come
with the problem. A problem agrees if the solutions in all languages reproduce all these outputs. In
a language without a solution, the generated starter code must compile; its functions only fail.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Verdict
from venus_toolkit.execution.judging.batch import BatchSandbox, judge_batch
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

LIMITS = Limits(wall_ns=60 * NS_PER_S, cpu_ns=30 * NS_PER_S, memory_bytes=1024 * MIB)
WIDTH = 300
EMPTY = re.compile(r"(?<!struct \{)(?<=\{)\n([ \t]+)\n")  # the body of a function in starter code
FAILS = {
    "cpp": "throw 0;",
    "go": 'panic("")',
    "java": "throw new RuntimeException();",
    "rust": "todo!()",
}


class Found(NamedTuple):
    """The result of one problem; `failures` has the reasons, by language."""

    slug: str
    unsupported: str
    compiles: bool
    known: int
    failures: Mapping[str, str]


def try_problem(entry: Entry, languages: Mapping[str, Language], sandbox: Sandbox) -> Found:
    """Return the result of one problem in all languages."""
    completed = complete(entry, languages)
    slug = entry.problem.slug
    if completed.missing:
        return Found(slug, next(iter(completed.missing.values())), False, 0, {})
    said = {
        name: _try_language(completed, language, sandbox) for name, language in languages.items()
    }
    failures = {name: reason for name, reason in said.items() if reason}
    compiles = not any(reason.startswith(Verdict.COMPILE_ERROR) for reason in failures.values())
    return Found(
        slug, "", compiles, sum(test.stdout is not None for test in completed.entry.tests), failures
    )


def _try_language(completed: FunctionProblem, language: Language, sandbox: Sandbox) -> str:
    problem = completed.entry.problem
    codes = [
        solution.code for solution in completed.entry.solutions if solution.language == language.id
    ]
    starter = EMPTY.sub(rf"\n\1{FAILS.get(language.id, '')}\n", problem.starter_code[language.id])
    compiled = sandbox.compile(
        program_of(language, (codes or [starter])[0], runner=problem.runners[language.id])
    )
    tests = [test for test in completed.entry.tests if test.stdout is not None]
    if not compiled.ok:
        return f"{Verdict.COMPILE_ERROR}: {compiled.log.strip()[:WIDTH]}"
    if not codes or not tests:
        return ""
    lines = tests[0].stdin.count("\n")
    checker = Checker(problem.comparison, sandbox, problem.evaluator)
    found = judge_batch(BatchSandbox(sandbox, lines), compiled, tests, checker, LIMITS)
    return (
        ""
        if found.verdict == Verdict.ACCEPTED
        else f"{found.verdict} on {found.failing_test}: {found.reason}"
    )


def summary(found: list[Found]) -> Iterator[str]:
    """Yield the counts, one per line."""
    supported = [each for each in found if not each.unsupported]
    known = [each for each in supported if each.known]
    agree = [each for each in known if not each.failures]
    compiling = [each for each in supported if each.compiles]
    yield f"problems                      {len(found)}"
    yield f"with supported types          {len(supported)}"
    yield f"compile in every language     {len(compiling)}, {_share(compiling, supported)}"
    yield f"with known outputs            {len(known)}, {sum(each.known for each in known)} outputs"
    yield f"agree with them everywhere    {len(agree)}, {_share(agree, known)}"


def _share(part: list[Found], whole: list[Found]) -> str:
    return f"{len(part) / len(whole):.1%}" if whole else "none"


def main() -> None:
    """Try the problems of a source and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source")
    parser.add_argument("--lang", action="append", default=[], help="default: all")
    parser.add_argument("--only", action="append", default=[], metavar="SLUG")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th problem")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    languages = {
        name: each
        for name, each in load_languages().items()
        if not asked.lang or name in asked.lang
    }
    entries = [
        each for each in choose_source(asked.source).read(languages) if isinstance(each, Entry)
    ]
    entries = [each for each in entries if not asked.only or each.problem.slug in asked.only][
        :: asked.every
    ]
    with open_sandbox("local") as sandbox, ThreadPoolExecutor(asked.jobs) as pool:
        found = []
        for each in pool.map(lambda entry: try_problem(entry, languages, sandbox), entries):
            found.append(each)
            for name, reason in {"": each.unsupported, **each.failures}.items():
                if reason:
                    print(
                        f"{each.slug} {name} {' '.join(reason.split())}",
                        file=sys.stderr,
                        flush=True,
                    )
    print("\n".join(summary(found)))


if __name__ == "__main__":
    main()
