"""A column map guessed from the first rows of a table.

The names of columns decide first, then what they hold.

A guess is certain where every part of a map that a build needs was found in one way only, and the
sample can be read by it. Otherwise `Guess.doubts` says what a person has to decide. Nothing is
executed.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.cells import Cells
from venus_toolkit.builders.reading.drafts import read_test_cases
from venus_toolkit.builders.reading.values import expectation
from venus_toolkit.core.errors import LanguageError, SourceError
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.records import Expectation
from venus_toolkit.models.markdown import blocks

MOST_COLUMNS = 2000  # the search for what each may be takes about a millisecond

# What a column may be called, without case and punctuation; the first that is there is taken.
NAMES: dict[str, tuple[str, ...]] = {
    "slug": ("slug", "titleslug", "slugname", "taskid", "problemid", "questionid", "name", "uid", "id", "title", "url"),
    "title": ("title", "questiontitle", "problemtitle", "name"),
    "statement": (
        "statement", "problemstatement", "problemdescription", "questioncontent", "description", "question", "problem",
        "content", "prompt", "instruction", "text", "query",
    ),
    "difficulty": ("difficulty", "level"),
    "tags": ("tags", "topics", "topictags", "skilltypes", "categories"),
    "url": ("url", "link", "problemurl"),
    "date": ("date", "releasedate", "contestdate", "published", "estimateddate"),
    "time_limit": ("timelimit", "timelimits", "cputimelimit"),
    "memory_limit": ("memorylimit", "memorylimits"),
    "starter": ("startercode", "codestub", "declaration", "functionsignature", "codetemplate", "stub"),
    "solutions": (
        "solutions", "correctsolutions", "acceptedsolutions", "canonicalsolutions", "programs", "submissions", "codes",
        "solution", "canonicalsolution", "groundtruth", "referencesolution", "code", "sourcecode", "program", "source",
        "goldstandardsolution", "completion", "answer", "response",
    ),
    "language": ("language", "lang", "programminglanguage", "programlanguage"),
    "verdict": ("verdict", "status", "result", "iscorrect", "passed", "correct", "outcome"),
    "tests": ("tests", "testcases", "inputoutput", "inputoutputs", "officialtests", "cases", "examples", "testcase"),
    "input": ("input", "stdin", "in", "testinput"),
    "output": ("output", "stdout", "out", "expectedoutput", "expected", "testoutput", "answer"),
    "inputs": ("inputs", "testinputs", "stdins"),
    "outputs": ("outputs", "testoutputs", "expectedoutputs", "stdouts"),
    "asserts": ("testlist", "test", "asserts", "assertions", "testcases", "tests"),
}  # fmt: skip


class MapPart(NamedTuple):
    """A part of a map, what was taken for it, and why."""

    key: str
    column: str
    why: str


class Guess(NamedTuple):
    """A column map as the table that its TOML would be, what it rests on, and what is not certain in it."""

    table: Mapping[str, Any]
    parts: tuple[MapPart, ...]
    doubts: tuple[str, ...]

    def toml(self) -> str:
        """Return the map as it would be written into a file, with what is open in it on top."""

        def toml_of(value: Any) -> str:
            if isinstance(value, dict):
                return (
                    f"{{ {', '.join(f'{key} = {toml_of(each)}' for key, each in value.items())} }}"
                )
            # TOML has no surrogates, as which JSON escapes some characters, and escapes DEL.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

        lines = [f"# OPEN: {' '.join(doubt.split())}" for doubt in self.doubts]
        lines += [
            f"{key} = {toml_of(value)}"
            for key, value in self.table.items()
            if not isinstance(value, dict)
        ]
        for section, values in self.table.items():
            if isinstance(values, dict):
                lines += [
                    "",
                    f"[{section}]",
                    *(f"{key} = {toml_of(value)}" for key, value in values.items()),
                ]
        return "\n".join(lines).strip() + "\n"


def guess_map(
    rows: Sequence[Mapping[str, Any]], languages: Mapping[str, Language], *, more: bool = False
) -> Guess:
    """Return what the columns of a table seem to be.

    Args:
        rows: Some of its rows, at least one.
        languages: By id.
        more: Whether the table has other rows.

    Raises:
        SourceError: It has too many columns.
    """
    return _Guesser(rows, languages, more).guess()


def language_of(code: str) -> str | None:
    """Return the language that a program is written in, by what only that language writes.

    None where none fits.
    """
    # What only one language writes; of Python it is asked whether it can be parsed.
    marks = {
        "cpp": re.compile(
            r'^\s*#\s*include\s*[<"]|\busing namespace std\b|^\s*public:|\bstd::(?:cin|cout|vector|string)\b',
            re.MULTILINE,
        ),
        "go": re.compile(r"^package \w+|^func \w+\(|:=.*\n[\s\S]*\bfunc\b", re.MULTILINE),
        "java": re.compile(
            r"\bimport java\.|\bSystem\.(?:out|in)\b|\bpublic\s+(?:static|class|int|void|boolean|long)\b"
        ),
        "rust": re.compile(r"\bfn \w+\s*[(<]|\bimpl Solution\b|\blet mut\b"),
        "javascript": re.compile(
            r"\bconsole\.log\(|\brequire\(['\"]|\b(?:var|let|const) \w+ = (?:function|\()"
        ),
        "ruby": re.compile(
            r"^\s*def \w+[^:\n]*\n[\s\S]*^\s*end\b|^\s*(?:puts|require) |\$stdin\b|\bSTDIN\.|\bgets\b",
            re.MULTILINE,
        ),
    }
    for name, pattern in marks.items():
        if pattern.search(code):
            return name
    python_words = re.compile(r"\b(?:assert|def|import|print|return|for|while|input)\b")
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if python_words.search(code) and ast.parse(code).body:
            return "python"
    return None


class _Guesser:
    """One table: the cells of its columns, and what was found in them so far."""

    def __init__(
        self, rows: Sequence[Mapping[str, Any]], languages: Mapping[str, Language], more: bool
    ) -> None:
        self._more = more
        names = dict.fromkeys(name for row in rows for name in row)
        if len(names) > MOST_COLUMNS:
            why = (
                f"it has {len(names):,}, and what they hold is guessed of at most {MOST_COLUMNS:,}"
            )
            fix = "write a map (docs/sources.md), or leave out columns"
            raise SourceError("the table has too many columns", why, fix)
        self._columns = {
            name: [row[name] for row in rows if row.get(name) is not None] for name in names
        }
        self._nested: dict[str, list[Any]] = {}
        for name, cells in self._columns.items():
            for struct in filter(lambda each: isinstance(each, dict), map(_parsed, cells)):
                for key, value in struct.items():
                    if value is not None:
                        self._nested.setdefault(f"{name}.{key}", []).append(value)
        self._rows = len(rows)
        self._languages = languages
        self._parts: list[MapPart] = []
        self._doubts: list[str] = []
        self._codes: list[str] = []
        self._calls = False
        self._row_is_solution = False

    def guess(self) -> Guess:
        solutions = self._solutions()
        of_one_language = "list" not in solutions.get("solution", {"list": ""})
        problem, merge = self._problem(of_one_language)
        starter = self._starter()
        tests = self._tests()
        calls = "asserts" in tests or self._calls
        style = "function" if calls or (starter and "cases" not in tests) else "stdin"
        declared = starter or "starter" in solutions.get("solution", {})
        reads_input = re.compile(
            r"\binput\(|stdin|open\(0|\bcin\b|scanf|System\.in|fmt\.Scan|\bgets\b|readline|getline|read_line"
        )
        # A program in Python that has the function says what it is called with.
        if style == "function" and not declared and "python" not in solutions.get("solutions", {}):
            self._doubts.append(
                "its tests call functions, and no column has starter code that says their types"
            )
        elif style == "stdin" and self._codes and not any(map(reads_input.search, self._codes)):
            self._doubts.append(
                "its programs read no standard input, and no column has the starter code of "
                "functions"
            )
        table: dict[str, Any] = {
            "style": style,
            "merge": merge,
            "problem": problem,
            **starter,
            **solutions,
        }
        if tests:
            table["tests"] = tests
        else:
            self._parts.append(MapPart("tests", "none", "no column has tests: they are generated"))
        return Guess(table, tuple(self._parts), tuple(self._doubts))

    # -------------------------------------------------------------- problems

    def _problem(self, of_one_language: bool) -> tuple[dict[str, Any], bool]:
        """Return the section of problems, and whether rows are merged.

        In a row may be a program of one language.
        """
        found: dict[str, Any] = {}
        statement = self._named("statement", _is_prose)
        texts = self._columns[statement] if statement else []
        joins = "rows with the same one are one problem"
        slug, why, merge = (
            self._named("slug", self._tells_rows_apart),
            "differs in every row",
            False,
        )
        if self._row_is_solution and len(set(texts)) < len(texts) == self._rows:
            # Then a column that differs in every row names solutions.
            slug, merge = self._named("slug", lambda cells: self._repeats_with(cells, texts)), True
            why = f"repeats with the statement: {joins}"
        elif slug and self._row_is_solution and self._more:
            merge, why = True, f"differs in each of the first {self._rows} rows: {joins}"
        elif slug is None and of_one_language and (slug := self._named("slug", self._names_rows)):
            merge, why = True, f"repeats: {joins}"
        if slug:
            number = str(self._columns[slug][0]).isdecimal()
            template = f"problem-{{{slug}}}" if number else slug
            found["slug"] = self._noted("problem.slug", slug, why, template)
        if statement:
            found["statement"] = self._noted("problem.statement", statement, "holds prose")
            if not slug and (merge or self._tells_rows_apart(texts)):
                merge = merge or (self._row_is_solution and self._more)
                found["slug"] = {"hash": statement}
                why = f"a digest of it is the name{': ' + joins if merge else ''}"
                self._noted("problem.slug", statement, why)
        else:
            self._doubts.append("no column has statements: none is called like one and holds prose")
            found["statement"] = "?"
        if "slug" not in found:
            self._doubts.append(
                "no column names the problems: none is called like a name and differs in every row"
            )
            found["slug"] = "?"
        kinds: dict[str, Callable[[list[Any]], bool]] = {
            "title": _all(str),
            "difficulty": _all(str),
            "tags": _reads(lambda cells: cells.texts("x")),
            "url": _all(str),
            "date": _all(str),
            "time_limit": _reads(lambda cells: cells.seconds("x")),
            "memory_limit": _reads(lambda cells: cells.size("x")),
        }
        for key, fits in kinds.items():
            if (column := self._named(key, fits)) and column != found["statement"]:
                found[key] = self._noted(f"problem.{key}", column, "by its name")
        return found, merge

    def _names_rows(self, cells: list[Any]) -> bool:
        return len(cells) == self._rows and all(isinstance(cell, (str, int)) for cell in cells)

    def _repeats_with(self, cells: list[Any], others: list[Any]) -> bool:
        """Whether a column repeats, and rows that have it in common have the other one, too."""
        if not self._names_rows(cells):
            return False
        return len(set(zip(cells, others, strict=True))) == len(set(cells)) < self._rows

    def _tells_rows_apart(self, cells: list[Any]) -> bool:
        return self._names_rows(cells) and len(set(map(str, cells))) == len(cells)

    def _starter(self) -> dict[str, Any]:
        """Return where starter code is: in a column for each language, or in a struct of them."""
        column = self._named("starter", lambda cells: any(cells))
        if column is None:
            return {}
        cells = self._columns[column]
        if all(isinstance(cell, str) for cell in cells):
            language = (
                language_of(max(cells, key=len) + "pass")
                or language_of(max(cells, key=len))
                or "python"
            )
            self._noted(f"starter_code.{language}", column, f"by its name, looks like {language}")
            return {"starter_code": {language: column}}
        if found := self._by_language(column):
            return {"starter_code": found}
        return {}

    # -------------------------------------------------------------- solutions

    def _solutions(self) -> dict[str, Any]:
        """Return the sections of a map that say where solutions are."""
        own = {
            name: key
            for name in self._columns
            if (key := self._language(name)) and self._is_code(name)
        }
        if own:
            for name, language in own.items():
                self._noted(
                    f"solutions.{language}", name, "is called like a language and holds programs"
                )
            return {"solutions": {language: name for name, language in own.items()}}
        column = self._named("solutions", self._holds_programs)
        if column is None:
            self._doubts.append(
                "no column has programs: none is called like one and holds code in a known language"
            )
            return {"solutions": {"python": "?"}}
        cells = self._columns[column]
        if structs := _structs(cells):
            return self._judged(column, structs)
        if all(isinstance(_parsed(cell), dict) for cell in cells) and (
            found := self._by_language(column)
        ):
            return {"solutions": found}
        self._codes = [code for cell in cells for code in _texts(cell)]
        self._row_is_solution = not any(map(_parsed, cells))
        verdict = self._named("verdict", _are_verdicts) if self._row_is_solution else None
        if verdict:
            self._noted("solution.verdict", verdict, "says of each program whether it is right")
        judged = {"verdict": verdict} if verdict else {}
        if said := self._named("language", self._are_languages):
            self._noted("solution.language", said, "names a language in every row")
            self._noted("solution.code", column, "holds programs")
            return {"solution": {"language": said, "code": column, **judged}}
        found = self._of_one_language(column)
        if not verdict or "solutions" not in found:
            return found
        language = next(iter(found["solutions"]))
        return {"solution": {"language": {"value": language}, "code": column, **judged}}

    def _of_one_language(self, column: str) -> dict[str, Any]:
        counts = Counter(map(language_of, self._codes))
        (language, count) = counts.most_common(1)[0]
        if language is None:
            self._doubts.append(f"the programs of {column} are in no language that was recognised")
            return {}
        if count < 0.9 * len(self._codes):
            seen = ", ".join(
                f"{name or 'unknown'} {number}" for name, number in counts.most_common()
            )
            self._doubts.append(
                f"the programs of {column} are in several languages, and no column says which: "
                f"{seen}"
            )
        self._noted(
            f"solutions.{language}",
            column,
            f"{count} of {len(self._codes)} programs look like {language}",
        )
        return {"solutions": {language: column}}

    def _judged(self, column: str, structs: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the section for a list of structs, each a program with its language and verdict."""
        fields = {
            name: [each[name] for each in structs if each.get(name) is not None]
            for name in structs[0]
        }
        code = _first(fields, "solutions", lambda cells: any(map(language_of, map(str, cells))))
        said = _first(fields, "language", self._are_languages)
        if not code or not said:
            missing = "programs" if not code else "the language of each program"
            self._doubts.append(
                f"no field of the structs in {column} has {missing}: it has {', '.join(fields)}"
            )
            return {}
        self._codes = [str(cell) for cell in fields[code]]
        found = {"list": column, "language": said, "code": code}
        if verdict := _first(fields, "verdict", _all(str)):
            found["verdict"] = verdict
        for key, name in found.items():
            self._noted(
                f"solution.{key}",
                name,
                "a list of structs" if key == "list" else f"a field of {column}",
            )
        return {"solution": found}

    def _by_language(self, column: str) -> dict[str, str]:
        """Return the fields of a struct whose names are languages."""
        fields = dict.fromkeys(
            name for cell in self._columns[column] for name in (_parsed(cell) or {})
        )
        found = {
            language: f"{column}.{name}" for name in fields if (language := self._language(name))
        }
        for language, name in found.items():
            self._noted(f"{column}.{language}", name, "a field that is called like a language")
        parsed = (_parsed(cell) for cell in self._columns[column])
        self._codes += [
            code for each in parsed for value in each.values() for code in _texts(value)
        ]
        return found

    def _holds_programs(self, cells: list[Any]) -> bool:
        if structs := _structs(cells):
            return any(language_of(str(value)) for value in structs[0].values())
        parsed = [(cell, _parsed(cell)) for cell in cells[:5]]
        codes = [
            code
            for cell, struct in parsed
            for value in (struct.values() if isinstance(struct, dict) else [cell])
            for code in _texts(value)
        ]
        return (
            bool(codes) and sum(language_of(code) is not None for code in codes) >= len(codes) / 2
        )

    def _is_code(self, name: str) -> bool:
        return self._holds_programs(self._columns[name])

    def _are_languages(self, cells: list[Any]) -> bool:
        # Judges have languages that are not known here: programs in them are rejected one by one.
        return 2 * sum(self._language(cell) is not None for cell in cells) >= len(cells)

    def _language(self, name: Any) -> str | None:
        with suppress(LanguageError):
            return find_language(str(name), self._languages).id
        return None

    # -------------------------------------------------------------- tests

    def _tests(self) -> dict[str, str]:
        inputs, outputs = (
            self._named(key, _reads(lambda cells: cells.texts("x")))
            for key in ("inputs", "outputs")
        )
        if inputs and outputs:
            self._noted("tests.inputs", inputs, "a list of texts")
            self._noted("tests.outputs", outputs, "a list of texts")
            return {"inputs": inputs, "outputs": outputs}
        for column in self._all_named("tests"):
            if self._says_kind(column):
                self._noted(
                    "tests.cases", column, "inputs with outputs, and whether they are of a function"
                )
                return {"cases": column}
            if column in self._columns and (structs := _structs(self._columns[column])):
                found = self._cases(column, structs)
                if found:
                    return found

        def asserting(cell: Any) -> bool:
            code = "\n".join(_texts(cell))
            return "assert " in code and language_of(code) == "python"

        if asserts := self._named("asserts", lambda cells: all(map(asserting, cells))):
            self._noted(
                "tests.asserts", asserts, "holds assertions of Python, which are read and never run"
            )
            return {"asserts": asserts}
        unread = [_first(self._columns, key, any) for key in ("inputs", "outputs")]
        if all(unread):
            self._doubts.append(
                f"{' and '.join(map(str, unread))} are called like tests, but are no lists of texts"
            )
        return {}

    def _says_kind(self, column: str) -> bool:
        """Whether a column has tests that say themselves whether they are of a function."""
        cells = self._columns.get(column) or self._nested[column]
        try:
            read = [read_test_cases(Cells({"x": cell}), "x") for cell in cells]
        except ValueError:
            return False
        parsed = [_parsed(cell) for cell in cells]
        # Fields of a test that say whether it calls a function
        kind_fields = ("fn_name", "type", "testtype")
        plain = all(
            isinstance(each, list) and not any(name in row for row in each for name in kind_fields)
            for each in parsed
        )
        if plain and column in self._columns:
            return False
        self._calls = any(each.style == "function" for each in read)
        return True

    def _cases(self, column: str, structs: list[dict[str, Any]]) -> dict[str, str]:
        fields = {
            name: [each[name] for each in structs if each.get(name) is not None]
            for name in structs[0]
        }
        given, wanted = (
            _first(fields, key, any) or _first(fields, f"{key}s", any)
            for key in ("input", "output")
        )
        if not given or not wanted:
            return {}
        self._noted("tests.list", column, f"structs with {given} and {wanted}")
        found = {"list": column, "input": given, "output": wanted}
        if any(
            isinstance(cell, str) and re.match(r"\s*[A-Za-z_]\w* = \S", cell)
            for cell in fields[given]
        ):
            self._noted("tests.format", given, "inputs such as \"n = 7, words = ['a']\"")
            found["format"] = "call"
        return found

    # -------------------------------------------------------------- names

    def _named(self, key: str, fits: Callable[[list[Any]], bool]) -> str | None:
        found = _first(self._columns, key, fits)
        # Parts of a map that may lie in a struct, such as metadata.
        nested = (
            "difficulty",
            "tags",
            "url",
            "date",
            "time_limit",
            "memory_limit",
            "tests",
            "asserts",
        )
        return found if found or key not in nested else _first(self._nested, key, fits)

    def _all_named(self, key: str) -> Iterator[str]:
        order = {name: at for at, name in enumerate(NAMES[key])}
        for columns in (self._columns, self._nested):
            found = [name for name in columns if _bare(name) in order and columns[name]]
            yield from sorted(found, key=lambda name: order[_bare(name)])

    def _noted(self, key: str, column: str, why: str, spec: str = "") -> str:
        self._parts.append(MapPart(key, column, why))
        return spec or column


def _first(
    columns: Mapping[str, list[Any]], key: str, fits: Callable[[list[Any]], bool]
) -> str | None:
    """Return the first column that may be called so and whose cells fit."""
    by_name = {_bare(name): name for name in columns}
    names = (by_name[name] for name in NAMES[key] if name in by_name)
    return next((name for name in names if columns[name] and fits(columns[name])), None)


def _bare(name: str) -> str:
    """Return a name without case and punctuation; of one in a struct, that of the field."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())


def _parsed(cell: Any) -> Any:
    """Return a list or struct, also from JSON text; None where it is neither."""
    with suppress(ValueError):
        found = Cells({"x": cell}).structure("x")
        return found if isinstance(found, (list, dict)) else None
    return None


def _structs(cells: list[Any]) -> list[dict[str, Any]]:
    """Return the structs in cells that are lists of them, or structs of lists.

    None where one cell is neither.
    """
    found: list[dict[str, Any]] = []
    for cell in cells:
        try:
            rows = Cells({"x": cell}).rows("x")
        except ValueError:
            return []
        found += [{name: row.raw(name) for name in row.names} for row in rows]
    return found


def _texts(cell: Any) -> list[str]:
    """Return the texts of a cell that is one, or a list of them."""
    listed = _parsed(cell) if not isinstance(cell, str) or cell.lstrip().startswith('["') else None
    texts = listed if isinstance(listed, list) else [cell]
    # Of fenced code the last block counts, as in an answer of a model.
    return [
        [text, *(block.code for block in blocks(text) if block.closed)][-1]
        for text in texts
        if isinstance(text, str)
    ]


def _is_prose(cells: list[Any]) -> bool:
    if not all(isinstance(cell, str) for cell in cells):
        return False
    fewest_letters = 20  # of a statement
    return (
        sum(len(cell) for cell in cells) >= fewest_letters * len(cells)
        and sum(" " in cell for cell in cells) > 0
    )


def _are_verdicts(cells: list[Any]) -> bool:
    words = ("true", "false", *map(str, range(2)))
    known = [
        isinstance(cell, (bool, float))
        or str(cell).strip().lower() in words
        or expectation(str(cell)) != Expectation.UNKNOWN
        for cell in cells
    ]
    return 2 * sum(known) >= len(cells)


def _all(kind: type) -> Callable[[list[Any]], bool]:
    return lambda cells: all(isinstance(cell, kind) for cell in cells)


def _reads(read: Callable[[Cells], object]) -> Callable[[list[Any]], bool]:
    """Return whether all cells can be read in one way."""

    def fits(cells: list[Any]) -> bool:
        try:
            for cell in cells:
                read(Cells({"x": cell}))
        except ValueError:
            return False
        return True

    return fits
