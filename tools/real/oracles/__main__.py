"""Write the oracles as programs of their own, or check inputs with them.

python -m tools.real.oracles --write FOLDER       FOLDER/SLUG.py for each
python -m tools.real.oracles --check RELEASE      the inputs of a release that break one; exit code 1 if any does
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
    found: dict[str, Oracle] = {}
    for module in MODULES:
        for name, oracle in vars(module).items():
            if callable(oracle) and oracle.__module__ == module.__name__:
                found[name if module in CONTESTS else name.replace("_", "-")] = oracle
    return found


def sources() -> Iterator[tuple[str, str]]:
    """Yield each oracle by its slug as a program with `validate`, which imports nothing of ours."""
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
    # The sources here give no numbers, so that the number of a problem is made of its slug.
    known = {stable_id(slug): (slug, oracle) for slug, oracle in oracles().items()}
    for file in open_release(release).files("tests"):
        for row in pq.read_table(file, columns=["problem_id", "test_id", "input"]).to_pylist():
            slug, oracle = known.get(row["problem_id"], ("", None))
            if oracle and (why := refusal(oracle, row["input"])):
                yield slug, row["test_id"], why


def refusal(oracle: Oracle, stdin: str) -> str | None:
    """Return why an oracle refuses an input, or None."""
    try:
        oracle(stdin)
    except (ValueError, TypeError, LookupError) as error:
        return str(error) or type(error).__name__
    return None


def main() -> int:
    """Do one or the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--check", type=Path, metavar="RELEASE")
    asked = parser.parse_args()
    if asked.write:
        asked.write.mkdir(parents=True, exist_ok=True)
        for slug, source in sources():
            (asked.write / f"{slug}.py").write_text(source, encoding="utf-8")
    found = list(broken(asked.check)) if asked.check else []
    for slug, test, why in found:
        print(f"{slug} {test}: {why}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
