"""A column map guessed from the first rows of a table.

Column names decide first, then the contents of the cells.

A guess is certain if only one column fits each key that a build needs, and the map reads the
sample. Otherwise `Guess.doubts` lists the decisions left to the user. Nothing is executed.
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

MAX_COLUMNS = 2000  # testing one column takes about a millisecond

# Usual names of columns, in lower case and without punctuation; earlier names win.
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
    """A key of a map, the column chosen for it, and the reason."""

    key: str
    column: str
    reason: str


class Guess(NamedTuple):
    """A column map as its TOML table, the reason for each part, and the open questions."""

    table: Mapping[str, Any]
    parts: tuple[MapPart, ...]
    doubts: tuple[str, ...]

    def toml(self) -> str:
        """Return the text of a map file; comments on top list the open questions."""

        def toml_of(value: Any) -> str:
            if isinstance(value, dict):
                return (
                    f"{{ {', '.join(f'{key} = {toml_of(item)}' for key, item in value.items())} }}"
                )
            # TOML allows neither the surrogates of JSON escapes nor a bare DEL.
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
    """Guess the column map of a table.

    Args:
        rows: Some of its rows, at least one.
        languages: By id.
        more: Whether the table has more rows than these.

    Raises:
        SourceError: The table has too many columns.
    """
    return _Guesser(rows, languages, more).guess()


def language_of(code: str) -> str | None:
    """Return the language of a program, recognised by constructs of that language alone.

    None if no language fits.
    """
    # Python has no such construct, so it is recognised by parsing.
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
    """One table: the cells of its columns, and the map parts recognised so far."""

    def __init__(
        self, rows: Sequence[Mapping[str, Any]], languages: Mapping[str, Language], more: bool
    ) -> None:
        self._more = more
        names = dict.fromkeys(name for row in rows for name in row)
        if len(names) > MAX_COLUMNS:
            reason = f"it has {len(names):,}, and a map is guessed for at most {MAX_COLUMNS:,}"
            fix = "write a map (docs/sources.md), or leave out columns"
            raise SourceError("the table has too many columns", reason, fix)
        self._columns = {
            name: [row[name] for row in rows if row.get(name) is not None] for name in names
        }
        self._nested: dict[str, list[Any]] = {}
        for name, cells in self._columns.items():
            for struct in filter(lambda cell: isinstance(cell, dict), map(_parse_structure, cells)):
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
        # A Python solution declares the function, so starter code is not needed.
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
            self._parts.append(
                MapPart("tests", "none", "no column has tests: the build generates them")
            )
        return Guess(table, tuple(self._parts), tuple(self._doubts))

    # -------------------------------------------------------------- problems

    def _problem(self, of_one_language: bool) -> tuple[dict[str, Any], bool]:
        """Return the problem section, and whether rows of one problem are merged.

        `of_one_language`: each row may hold one program, in one language.
        """
        section: dict[str, Any] = {}
        statement = self._find_column("statement", _is_prose)
        texts = self._columns[statement] if statement else []
        joins = "rows with the same one are one problem"
        slug, reason, merge = (
            self._find_column("slug", self._tells_rows_apart),
            "differs in every row",
            False,
        )
        if self._row_is_solution and len(set(texts)) < len(texts) == self._rows:
            # Here a column that differs in every row identifies solutions, not problems.
            slug, merge = (
                self._find_column("slug", lambda cells: self._repeats_with(cells, texts)),
                True,
            )
            reason = f"repeats with the statement: {joins}"
        elif slug and self._row_is_solution and self._more:
            merge, reason = True, f"differs in each of the first {self._rows} rows: {joins}"
        elif (
            slug is None
            and of_one_language
            and (slug := self._find_column("slug", self._names_rows))
        ):
            merge, reason = True, f"repeats: {joins}"
        if slug:
            number = str(self._columns[slug][0]).isdecimal()
            template = f"problem-{{{slug}}}" if number else slug
            section["slug"] = self._note("problem.slug", slug, reason, template)
        if statement:
            section["statement"] = self._note("problem.statement", statement, "holds prose")
            if not slug and (merge or self._tells_rows_apart(texts)):
                merge = merge or (self._row_is_solution and self._more)
                section["slug"] = {"hash": statement}
                reason = f"a digest of it is the name{': ' + joins if merge else ''}"
                self._note("problem.slug", statement, reason)
        else:
            self._doubts.append(
                "could not tell which column is the statement: none has a usual name and holds prose"
            )
            section["statement"] = "?"
        if "slug" not in section:
            self._doubts.append(
                "could not tell which column identifies the problem: "
                "none has a usual name and differs in every row"
            )
            section["slug"] = "?"
        kinds: dict[str, Callable[[list[Any]], bool]] = {
            "title": _all_of_type(str),
            "difficulty": _all_of_type(str),
            "tags": _readable_by(lambda cells: cells.texts("x")),
            "url": _all_of_type(str),
            "date": _all_of_type(str),
            "time_limit": _readable_by(lambda cells: cells.seconds("x")),
            "memory_limit": _readable_by(lambda cells: cells.size("x")),
        }
        for key, fits in kinds.items():
            if (column := self._find_column(key, fits)) and column != section["statement"]:
                section[key] = self._note(f"problem.{key}", column, "by its name")
        return section, merge

    def _names_rows(self, cells: list[Any]) -> bool:
        return len(cells) == self._rows and all(isinstance(cell, (str, int)) for cell in cells)

    def _repeats_with(self, cells: list[Any], others: list[Any]) -> bool:
        """Whether values of a column repeat, and rows with equal values agree in `others`, too."""
        if not self._names_rows(cells):
            return False
        return len(set(zip(cells, others, strict=True))) == len(set(cells)) < self._rows

    def _tells_rows_apart(self, cells: list[Any]) -> bool:
        return self._names_rows(cells) and len(set(map(str, cells))) == len(cells)

    def _starter(self) -> dict[str, Any]:
        """Return the starter code section: a column of one language, or a struct of languages."""
        column = self._find_column("starter", lambda cells: any(cells))
        if column is None:
            return {}
        cells = self._columns[column]
        if all(isinstance(cell, str) for cell in cells):
            language = (
                language_of(max(cells, key=len) + "pass")
                or language_of(max(cells, key=len))
                or "python"
            )
            self._note(f"starter_code.{language}", column, f"by its name, looks like {language}")
            return {"starter_code": {language: column}}
        if columns := self._by_language(column):
            return {"starter_code": columns}
        return {}

    # -------------------------------------------------------------- solutions

    def _solutions(self) -> dict[str, Any]:
        """Return the sections of the map for solutions."""
        own = {
            name: key
            for name in self._columns
            if (key := self._language(name)) and self._is_code(name)
        }
        if own:
            for name, language in own.items():
                self._note(
                    f"solutions.{language}", name, "has the name of a language and holds programs"
                )
            return {"solutions": {language: name for name, language in own.items()}}
        column = self._find_column("solutions", self._holds_programs)
        if column is None:
            self._doubts.append(
                "could not tell which column has programs: "
                "none has a usual name and holds code in a known language"
            )
            return {"solutions": {"python": "?"}}
        cells = self._columns[column]
        if structs := _read_structs(cells):
            return self._solutions_in_structs(column, structs)
        if all(isinstance(_parse_structure(cell), dict) for cell in cells) and (
            columns := self._by_language(column)
        ):
            return {"solutions": columns}
        self._codes = [code for cell in cells for code in _read_texts(cell)]
        self._row_is_solution = not any(map(_parse_structure, cells))
        verdict = self._find_column("verdict", _are_verdicts) if self._row_is_solution else None
        if verdict:
            self._note("solution.verdict", verdict, "holds a verdict on each program")
        judged = {"verdict": verdict} if verdict else {}
        if language_column := self._find_column("language", self._are_languages):
            self._note("solution.language", language_column, "names a language in every row")
            self._note("solution.code", column, "holds programs")
            return {"solution": {"language": language_column, "code": column, **judged}}
        sections = self._of_one_language(column)
        if not verdict or "solutions" not in sections:
            return sections
        language = next(iter(sections["solutions"]))
        return {"solution": {"language": {"value": language}, "code": column, **judged}}

    def _of_one_language(self, column: str) -> dict[str, Any]:
        counts = Counter(map(language_of, self._codes))
        (language, count) = counts.most_common(1)[0]
        if language is None:
            self._doubts.append(f"could not recognise the language of the programs in {column}")
            return {}
        if count < 0.9 * len(self._codes):
            seen = ", ".join(
                f"{name or 'unknown'} {number}" for name, number in counts.most_common()
            )
            self._doubts.append(
                f"the programs of {column} are in several languages, and no column says which: "
                f"{seen}"
            )
        self._note(
            f"solutions.{language}",
            column,
            f"{count} of {len(self._codes)} programs look like {language}",
        )
        return {"solutions": {language: column}}

    def _solutions_in_structs(self, column: str, structs: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the section for a list of programs with their languages and verdicts."""
        fields = {
            name: [struct[name] for struct in structs if struct.get(name) is not None]
            for name in structs[0]
        }
        code = _first_column(
            fields, "solutions", lambda cells: any(map(language_of, map(str, cells)))
        )
        language_field = _first_column(fields, "language", self._are_languages)
        if not code or not language_field:
            missing = "programs" if not code else "the language of each program"
            self._doubts.append(
                f"no field of the structs in {column} has {missing}: it has {', '.join(fields)}"
            )
            return {}
        self._codes = [str(cell) for cell in fields[code]]
        section = {"list": column, "language": language_field, "code": code}
        if verdict := _first_column(fields, "verdict", _all_of_type(str)):
            section["verdict"] = verdict
        for key, name in section.items():
            self._note(
                f"solution.{key}",
                name,
                "a list of structs" if key == "list" else f"a field of {column}",
            )
        return {"solution": section}

    def _by_language(self, column: str) -> dict[str, str]:
        """Return the fields of a struct whose names are languages."""
        fields = dict.fromkeys(
            name for cell in self._columns[column] for name in (_parse_structure(cell) or {})
        )
        columns = {
            language: f"{column}.{name}" for name in fields if (language := self._language(name))
        }
        for language, name in columns.items():
            self._note(f"{column}.{language}", name, "a field with the name of a language")
        parsed = (_parse_structure(cell) for cell in self._columns[column])
        self._codes += [
            code for struct in parsed for value in struct.values() for code in _read_texts(value)
        ]
        return columns

    def _holds_programs(self, cells: list[Any]) -> bool:
        if structs := _read_structs(cells):
            return any(language_of(str(value)) for value in structs[0].values())
        parsed = [(cell, _parse_structure(cell)) for cell in cells[:5]]
        codes = [
            code
            for cell, struct in parsed
            for value in (struct.values() if isinstance(struct, dict) else [cell])
            for code in _read_texts(value)
        ]
        return (
            bool(codes) and sum(language_of(code) is not None for code in codes) >= len(codes) / 2
        )

    def _is_code(self, name: str) -> bool:
        return self._holds_programs(self._columns[name])

    def _are_languages(self, cells: list[Any]) -> bool:
        # A judge may have other languages; their programs are rejected one by one.
        return 2 * sum(self._language(cell) is not None for cell in cells) >= len(cells)

    def _language(self, name: Any) -> str | None:
        with suppress(LanguageError):
            return find_language(str(name), self._languages).id
        return None

    # -------------------------------------------------------------- tests

    def _tests(self) -> dict[str, str]:
        inputs, outputs = (
            self._find_column(key, _readable_by(lambda cells: cells.texts("x")))
            for key in ("inputs", "outputs")
        )
        if inputs and outputs:
            self._note("tests.inputs", inputs, "a list of texts")
            self._note("tests.outputs", outputs, "a list of texts")
            return {"inputs": inputs, "outputs": outputs}
        for column in self._columns_named("tests"):
            if self._declares_kind(column):
                self._note(
                    "tests.cases",
                    column,
                    "inputs with outputs, marked as calls of a function or not",
                )
                return {"cases": column}
            if column in self._columns and (structs := _read_structs(self._columns[column])):
                section = self._cases(column, structs)
                if section:
                    return section

        def asserting(cell: Any) -> bool:
            code = "\n".join(_read_texts(cell))
            return "assert " in code and language_of(code) == "python"

        if asserts := self._find_column("asserts", lambda cells: all(map(asserting, cells))):
            self._note(
                "tests.asserts", asserts, "holds Python assertions, which are read and never run"
            )
            return {"asserts": asserts}
        unread = [_first_column(self._columns, key, any) for key in ("inputs", "outputs")]
        if all(unread):
            self._doubts.append(
                f"{' and '.join(map(str, unread))} have the names of tests, but are not lists of text"
            )
        return {}

    def _declares_kind(self, column: str) -> bool:
        """Whether the tests of a column declare whether they call a function."""
        cells = self._columns.get(column) or self._nested[column]
        try:
            readings = [read_test_cases(Cells({"x": cell}), "x") for cell in cells]
        except ValueError:
            return False
        parsed = [_parse_structure(cell) for cell in cells]
        # Fields in which a test declares that it calls a function
        kind_fields = ("fn_name", "type", "testtype")
        plain = all(
            isinstance(rows, list) and not any(name in row for row in rows for name in kind_fields)
            for rows in parsed
        )
        if plain and column in self._columns:
            return False
        self._calls = any(tests.style == "function" for tests in readings)
        return True

    def _cases(self, column: str, structs: list[dict[str, Any]]) -> dict[str, str]:
        fields = {
            name: [struct[name] for struct in structs if struct.get(name) is not None]
            for name in structs[0]
        }
        input_field, output_field = (
            _first_column(fields, key, any) or _first_column(fields, f"{key}s", any)
            for key in ("input", "output")
        )
        if not input_field or not output_field:
            return {}
        self._note("tests.list", column, f"structs with {input_field} and {output_field}")
        section = {"list": column, "input": input_field, "output": output_field}
        if any(
            isinstance(cell, str) and re.match(r"\s*[A-Za-z_]\w* = \S", cell)
            for cell in fields[input_field]
        ):
            self._note("tests.format", input_field, "inputs such as \"n = 7, words = ['a']\"")
            section["format"] = "call"
        return section

    # -------------------------------------------------------------- names

    def _find_column(self, key: str, fits: Callable[[list[Any]], bool]) -> str | None:
        column = _first_column(self._columns, key, fits)
        # Keys whose column may lie in a struct, such as metadata.
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
        return column if column or key not in nested else _first_column(self._nested, key, fits)

    def _columns_named(self, key: str) -> Iterator[str]:
        order = {name: at for at, name in enumerate(NAMES[key])}
        for columns in (self._columns, self._nested):
            matching = [
                name for name in columns if _normalise_name(name) in order and columns[name]
            ]
            yield from sorted(matching, key=lambda name: order[_normalise_name(name)])

    def _note(self, key: str, column: str, reason: str, spec: str = "") -> str:
        self._parts.append(MapPart(key, column, reason))
        return spec or column


def _first_column(
    columns: Mapping[str, list[Any]], key: str, fits: Callable[[list[Any]], bool]
) -> str | None:
    """Return the first column with a usual name for `key` whose cells fit."""
    by_name = {_normalise_name(name): name for name in columns}
    names = (by_name[name] for name in NAMES[key] if name in by_name)
    return next((name for name in names if columns[name] and fits(columns[name])), None)


def _normalise_name(name: str) -> str:
    """Return a name in lower case without punctuation; of a field in a struct, the field's own."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())


def _parse_structure(cell: Any) -> Any:
    """Return a list or struct, also from JSON text; None if the cell is neither."""
    with suppress(ValueError):
        value = Cells({"x": cell}).structure("x")
        return value if isinstance(value, (list, dict)) else None
    return None


def _read_structs(cells: list[Any]) -> list[dict[str, Any]]:
    """Return the structs in cells that are lists of structs, or structs of lists.

    An empty list if a cell is neither.
    """
    structs: list[dict[str, Any]] = []
    for cell in cells:
        try:
            rows = Cells({"x": cell}).rows("x")
        except ValueError:
            return []
        structs += [{name: row.raw(name) for name in row.names} for row in rows]
    return structs


def _read_texts(cell: Any) -> list[str]:
    """Return the texts of a cell that holds one text or a list of them."""
    listed = (
        _parse_structure(cell)
        if not isinstance(cell, str) or cell.lstrip().startswith('["')
        else None
    )
    texts = listed if isinstance(listed, list) else [cell]
    # The last fenced block counts, as in a model's answer.
    return [
        [text, *(block.code for block in blocks(text) if block.closed)][-1]
        for text in texts
        if isinstance(text, str)
    ]


def _is_prose(cells: list[Any]) -> bool:
    if not all(isinstance(cell, str) for cell in cells):
        return False
    fewest_letters = 20  # characters of a statement, on average
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


def _all_of_type(kind: type) -> Callable[[list[Any]], bool]:
    return lambda cells: all(isinstance(cell, kind) for cell in cells)


def _readable_by(read: Callable[[Cells], object]) -> Callable[[list[Any]], bool]:
    """Return a test for columns: whether `read` reads every cell without an error."""

    def fits(cells: list[Any]) -> bool:
        try:
            for cell in cells:
                read(Cells({"x": cell}))
        except ValueError:
            return False
        return True

    return fits
