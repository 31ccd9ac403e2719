"""Write the oracles as standalone programs, or check inputs with them.

python -m tools.real.oracles --write FOLDER       write FOLDER/SLUG.py for each oracle
python -m tools.real.oracles --check RELEASE      list the inputs of a release that oracles refuse; exit code 1 if any
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

from tools.real.oracles import contest, contest_aside, functions, functions_aside, reading
from venus_toolkit.builders.reading.values import stable_id
from venus_toolkit.dataset.release import open_release

Oracle = Callable[[str], None]
CONTESTS = (contest, contest_aside)
MODULES = (*CONTESTS, functions, functions_aside)


def oracles() -> dict[str, Oracle]:
    """Return the oracles by the slugs of their problems."""
    by_slug: dict[str, Oracle] = {}
    for module in MODULES:
        for name, oracle in vars(module).items():
            if callable(oracle) and oracle.__module__ == module.__name__:
                by_slug[name if module in CONTESTS else name.replace("_", "-")] = oracle
    return by_slug


def sources() -> Iterator[tuple[str, str]]:
    """Yield each slug with its oracle as a program with `validate` that imports none of ours."""
    head = Path(reading.__file__).read_text(encoding="utf-8")
    bodies = {
        module.__name__: Path(module.__file__ or "")
        .read_text(encoding="utf-8")
        .partition("\n\n\n")[2]
        for module in MODULES
    }
    for slug, oracle in oracles().items():
        body, extra = (
            bodies[oracle.__module__],
            "" if "_" in slug else f"{ASCII}\n",
        )
        yield (
            slug,
            (
                f"{head}\n\n{extra}{body}\n\ndef validate(stdin):\n    "
                f"{oracle.__name__}(stdin)\n    "
                "return True\n"
            ),
        )


ASCII = 'ASCII = "".join(map(chr, range(33, 127)))'


def broken(release: Path) -> Iterator[tuple[str, str, str]]:
    """Yield slug, test and reason of each published input that an oracle refuses."""
    # The sources here give no numbers, so a problem's number is derived from its slug.
    known = {stable_id(slug): (slug, oracle) for slug, oracle in oracles().items()}
    for file in open_release(release).files("tests"):
        for row in pq.read_table(file, columns=["problem_id", "test_id", "input"]).to_pylist():
            slug, oracle = known.get(row["problem_id"], ("", None))
            if oracle and (reason := refusal(oracle, row["input"])):
                yield slug, row["test_id"], reason


def refusal(oracle: Oracle, stdin: str) -> str | None:
    """Return the reason why an oracle refuses an input, or None."""
    try:
        oracle(stdin)
    except (ValueError, TypeError, LookupError) as error:
        return str(error) or type(error).__name__
    return None


def main() -> int:
    """Write the oracles, check a release, or both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--check", type=Path, metavar="RELEASE")
    options = parser.parse_args()
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for slug, source in sources():
            (options.write / f"{slug}.py").write_text(source, encoding="utf-8")
    failures = list(broken(options.check)) if options.check else []
    for slug, test, reason in failures:
        print(f"{slug} {test}: {reason}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
