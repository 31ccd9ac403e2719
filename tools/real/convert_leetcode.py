"""Converts function problems to problem folders.

They have statements and accepted programs in several languages, but no wrong ones.

    python -m tools.real.convert_leetcode --repository GIT --out FOLDER --problems 80 [--people GIT]

GIT is a (bare) git directory of doocs/leetcode. The output is OUT/PART/leetcode/SLUG, problems with
an oracle first. The starter code is the signature of the first Python program. With --people and
the git directory of konszymanski/leetcode-dataset, only problems with posted programs are written;
these unlabelled Python programs are added.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt

from tools.real.folders import Repository, write_problem
from tools.real.oracles.__main__ import oracles
from tools.real.split import PARTS, function_for_development, in_part, shuffled
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.builders.reading.values import slugify
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution

POSTED = re.compile(r"human_\w+/[0-9]{4}-([^/]+)/[^/]+\.txt")
PLACE = re.compile(r"solution/[0-9-]{9}/([0-9]{4})\.([^/]+)/README_EN\.md")
FENCES = {
    "python": "python",
    "java": "java",
    "cpp": "cpp",
    "go": "go",
    "rust": "rust",
    "js": "javascript",
}


def starter(code: str) -> str | None:
    """Return the one class of a Python program without the bodies of its functions, or None."""
    try:
        classes = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)]
    except SyntaxError:
        return None
    if len(classes) != 1:
        return None
    for node in classes[0].body:
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    public = [node for node in classes[0].body if isinstance(node, ast.FunctionDef)]
    typed = all(method.returns or method.name == "__init__" for method in public)
    classes[0].body = list(public)
    return ast.unparse(classes[0]) + "\n" if public and typed else None


def programs(page: str) -> Iterator[Solution]:
    """Yield the programs of a page: its fenced blocks in supported languages."""
    counts: Counter[str] = Counter()
    for token in MarkdownIt().parse(page.partition("## Solutions")[2]):
        language = FENCES.get(token.info.strip()) if token.type == "fence" else None
        if language:
            counts[language] += 1
            yield Solution(
                f"{language}/{counts[language]}", "", language, token.content, Expectation.ACCEPTED
            )


def posted(repository: Repository) -> dict[str, list[str]]:
    """Return the files of posted programs by the slug of their problem."""
    files: dict[str, list[str]] = {}
    for match in filter(None, map(POSTED.fullmatch, repository.paths)):
        files.setdefault(match[1], []).append(match[0])
    return files


def programs_of_people(repository: Repository, files: Iterable[str]) -> Iterator[Solution]:
    """Yield the distinct programs in these files; skip texts without a class in Python 3."""
    seen: set[str] = set()
    for file in files:
        code = repository.read(file)
        try:
            classes = any(isinstance(node, ast.ClassDef) for node in ast.parse(code).body)
        except (SyntaxError, ValueError):
            continue
        if classes and code not in seen:
            seen.add(code)
            yield Solution(f"python/posted_{len(seen)}", "", "python", code, Expectation.UNKNOWN)


def main() -> None:
    """Convert up to `--problems` problems."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", type=Path, required=True, metavar="GIT")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("--problems", type=int, default=80)
    parser.add_argument("--people", type=Path, metavar="GIT")
    options = parser.parse_args()
    people = Repository(options.people) if options.people else None
    of_people = posted(people) if people else {}
    repository, languages, known, done = (
        Repository(options.repository),
        load_languages(),
        oracles(),
        0,
    )
    places = {
        slugify(m[2].replace("'", "")): m for m in map(PLACE.fullmatch, repository.paths) if m
    }
    slugs = [
        slug
        for slug, place in places.items()
        if in_part(slug, function_for_development(int(place[1])), options.part)
    ]
    slugs = [slug for slug in slugs if slug in of_people or not people]
    for slug in sorted(shuffled(slugs), key=lambda slug: slug not in known):
        if done >= options.problems:
            break
        page = repository.read(places[slug][0])
        text = (
            page.partition("<!-- description:start -->")[2]
            .partition("<!-- description:end -->")[0]
            .strip()
        )
        solutions = list(programs(page))
        signature = next((starter(s.code) for s in solutions if s.language == "python"), None)
        if not text or len(solutions) < 3 or signature is None:
            continue
        folder = options.out / options.part / "leetcode" / slug
        if people:
            solutions += programs_of_people(people, of_people[slug])
        problem = new_problem(
            slug, text, title=places[slug][2], style="function", source="leetcode"
        )
        write_problem(folder, problem, solutions, (), languages)
        (folder / "starter").mkdir(exist_ok=True)
        (folder / "starter" / "python.py").write_text(signature, encoding="utf-8")
        done += 1


if __name__ == "__main__":
    main()
