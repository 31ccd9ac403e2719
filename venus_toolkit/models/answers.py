"""Extracts the code of a model's answer, and checks the form of the answer.

`read_answer` reads an answer as a person would. It removes the thoughts (models/thoughts.py), looks
inside ``<solution>`` and similar tags, collects candidates for the code, and chooses one:

1. fenced blocks (models/markdown.py), and text in ``<code>``, ``[PYTHON]`` and similar tags;
2. if none of these fits the task: the longest parts of the text that the parser of the language
   (core/syntax.py) accepts as a program;
3. without any of these: the values `code`, `solution`, `program` and `answer` of a JSON object that
   the parser accepts as code.

The best block defines the names of the starter code or, without starter code, is a program that
reads its input. Among equals, a block in the right language wins, then the last one. Other blocks
are joined to it if they define names that it uses. The reason explains the choice. Code is never
repaired. Artefacts of presentation (HTML entities, prompts of an interpreter, line numbers, the
marks of a diff) are removed if the parser accepts the text only without them, and the reason notes
it.

`block_complaint` and `tags_complaint` are strict: they report deviations from the form that a prompt
demands (prompts/rules.md.j2).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.core.language import Language
from venus_toolkit.core.syntax import LONGEST_PROGRAM, Budget, Outline, outline
from venus_toolkit.models.markdown import INVISIBLE, RUN, blocks, plain_block
from venus_toolkit.models.thoughts import split_thoughts

TAGS = ("<thinking>", "</thinking>", "<solution>", "</solution>")
MAX_FENCES = 2000


class ExtractedCode(NamedTuple):
    """The code of an answer, or None, with the reason for the choice or the failure.

    `thinking` has the marked thoughts before the answer.
    """

    code: str | None
    reason: str = ""
    thinking: str | None = None


def fenced(code: str, language: Language) -> str:
    """Return `code` as one Markdown block of `language`, with a fence longer than any in the code."""
    return plain_block(code, language.fences[0])


def read_answer(text: str, language: Language, starter: str = "") -> ExtractedCode:
    """Return the code of a model's answer.

    Args:
        text: The answer, with or without its thoughts; more than 16 Mi characters are refused.
        language: The requested language.
        starter: The starter code; empty if the task is a program that reads standard input.
    """
    longest = 16 * 2**20  # characters; no model writes that many
    if len(text) > longest:
        return ExtractedCode(
            None, f"the answer has {len(text):,} characters, more than {longest:,}"
        )
    if "\n" not in text:
        text = text.replace("\r", "\n")
    answer, thinking = split_thoughts(text)
    if answer is None:
        # An answer that lacks </thinking> but has a <solution> is still an answer.
        answer = (
            text
            if text.lstrip().startswith(TAGS[0]) and _between(text, "solution") is not None
            else None
        )
    if answer is None:
        return ExtractedCode(
            None, "the reasoning does not end, so the text has no answer", thinking
        )
    inside = _between(answer, "solution")
    if inside is None:
        tagged = (
            _between(answer, tag)
            for tag in ("answer", "response")
            if answer.lstrip().startswith(f"<{tag}>")
        )
        inside = next((part for part in tagged if part is not None), None)
    if inside is None and "<solution>" in answer:
        extracted = read_code(answer.rpartition("<solution>")[2], language, starter)
        if extracted.code is None:
            extracted = ExtractedCode(
                None, f"<solution> is not closed: the answer was cut off, and {extracted.reason}"
            )
        return extracted._replace(thinking=thinking)
    return read_code(answer if inside is None else inside, language, starter)._replace(
        thinking=thinking
    )


def read_code(text: str, language: Language, starter: str = "") -> ExtractedCode:
    """Return the code of a text that is code, Markdown with code, or sentences with code.

    Thoughts are not removed. A text that is a whole program is returned unchanged, except for line
    breaks at its ends, even with fences in its comments and strings. `starter` is as in
    `read_answer`.
    """
    return _Reading(language, starter).read(text)


def block_complaint(text: str, language: Language) -> str:
    """Return why `text` is not exactly one closed block of `language` and nothing else, or ""."""
    lines = text.strip("\n").split("\n")
    fenced_blocks = blocks(text)
    if len(fenced_blocks) != 1:
        return f"it has {len(fenced_blocks)} fenced code blocks, expected exactly one"
    (block,) = fenced_blocks
    if not block.closed:
        return "the code block is not closed"
    if not block.code.strip():
        return "the code block is empty"
    # Code with n line breaks has n + 1 lines, and the fences add two.
    if len(lines) != block.code.count("\n") + 3 or lines[0].lstrip(" ")[:1] not in "`~":
        return "the answer has text outside the code block"
    marked = block.info.lower() in language.fences
    return (
        ""
        if marked
        else (
            f"the code block is marked {block.info or 'with nothing'}, expected "
            f"{language.fences[0]}"
        )
    )


def tags_complaint(text: str) -> str:
    """Return why `text` is not ``<thinking>…</thinking><solution>…</solution>``, or ""."""
    for tag in TAGS:
        if text.count(tag) != 1:
            return f"{tag} occurs {text.count(tag)} times, expected once"
    rest, places = text.strip(), [text.index(tag) for tag in TAGS]
    between = text.partition(TAGS[1])[2].partition(TAGS[2])[0]
    if places != sorted(places):
        return "the tags are not in order"
    if not rest.startswith(TAGS[0]) or not rest.endswith(TAGS[3]) or between.strip():
        return "the answer has text outside the tags"
    empty = [name for name in ("thinking", "solution") if not (_between(text, name) or "").strip()]
    return f"<{empty[0]}> is empty" if empty else ""


def thinking_complaint(text: str, language: Language) -> str:
    """Return why `text` is not the tags with one block of `language` as the solution, or ""."""
    return tags_complaint(text) or block_complaint(
        (_between(text, "solution") or "").strip(), language
    )


def _between(text: str, tag: str) -> str | None:
    """Return the text between the last pair of these tags, or None."""
    # The last pair, because a model may mention the tags while it thinks.
    head, closed, _ = text.rpartition(f"</{tag}>")
    _, opened, inside = head.rpartition(f"<{tag}>")
    return inside if closed and opened else None


def marks(info: str, language: Language) -> bool:
    """Return whether the info string of a fence names a language, perhaps with a version or a file.

    >>> from venus_toolkit.core.language import load_languages
    >>> cpp = load_languages()["cpp"]
    >>> [marks(info, cpp) for info in ("C++17", "cpp,linenos", "language-cpp", "main.cpp", "c")]
    [True, True, True, True, False]
    """
    names = {language.id, language.name.lower(), *language.fences, *language.aliases}
    info = info.lower().removeprefix("language-").removeprefix("lang-")
    words = [word for word in re.split(r"[^\w+#.-]+", info) if word]
    return any(
        word in names
        or word.endswith(language.extension)
        or re.sub(r"[-_]?v?[\d.]+\w?$", "", word) in names
        for word in words
    )


class _Candidate(NamedTuple):
    """A part of an answer that may be its code.

    marked: 2 marked as the right language, 1 not marked, 0 marked as something else (`info`).
    where: the kind of place, for the reason.
    """

    code: str
    marked: int
    closed: bool
    start: int
    where: str
    introduction: str = ""
    notes: tuple[str, ...] = ()
    info: str = ""


@dataclass
class _Reading:
    """Reads the code in one text."""

    language: Language
    starter: str
    # CPU seconds of parsers for one answer; a long one with several blocks takes 0.04 s.
    budget: Budget = field(default_factory=lambda: Budget(0.4))
    outlines: dict[str, Outline | None] = field(default_factory=dict)

    def read(self, text: str) -> ExtractedCode:
        """Return the code of a text."""
        if not text.strip().strip("\ufeff\u200b"):
            return ExtractedCode(None, "the answer is empty")
        if text.count("```") + text.count("~~~") > MAX_FENCES:
            return ExtractedCode(None, f"the answer has more than {MAX_FENCES:,} fences")
        first, _, others = text.lstrip().partition("\n")
        if others.strip() and re.fullmatch(r"[\w+#.-]+\s*", first) and marks(first, self.language):
            text = others  # a first line with only the name of the language
        whole = text.strip("\n")
        values = self._values(whole)
        candidates = [*self._blocks(text), *self._tagged(text)] if values is None else []
        enclosed = values is None and all(
            self._inside(whole, candidate, text) for candidate in candidates
        )
        if enclosed and self._is_code(whole):
            return ExtractedCode(whole, "the whole text is code")
        # Some parsers accept a JSON object as code.
        objects = {
            candidate: texts
            for candidate in candidates
            if (texts := self._values(candidate.code)) is not None
        }
        values = sum(objects.values(), values or [])
        candidates = [candidate for candidate in candidates if candidate not in objects]
        chosen = self._best(candidates)
        if chosen is None or not self._degree(chosen.code):
            chosen = self._best([*candidates, *self._bare(text)])
        chosen = chosen or self._best(values)
        if chosen is None:
            return ExtractedCode(
                None,
                self._reason_without_code(
                    [*candidates, *(candidate for candidate in objects if not candidate.marked)]
                ),
            )
        return self._join_helpers(chosen, candidates)

    # -------------------------------------------------------------- candidates

    def _blocks(self, text: str, depth: int = 2) -> Iterator[_Candidate]:
        before = 0
        for block in blocks(text, self._ends_well):
            info, code, rest = block.info, block.code, block.rest
            introduction = text[before : block.start].strip().rpartition("\n")[2][-200:]
            before = block.end
            right = marks(info, self.language)
            if not code and block.closed and not right:
                # The whole block is one line.
                code, info, rest = f"{info} {rest}".strip(), "", ""
            elif rest and not re.fullmatch(
                r"(?:[^\s=]+=(?:\"[^\"]*\"|[^\s()]+)\s*|\{.*|\S+$)*", rest
            ):
                # Code on the line of the fence.
                joined = f"{rest}\n{code}" if code else rest
                code = joined if self._is_clean(joined) or not code.strip() else code
            elif not code and block.closed and rest:
                code = rest
            if (
                not right
                and info
                and self._is_clean(f"{info} {rest}\n{code}")
                and not self._is_clean(code)
            ):
                code, info = f"{info} {rest}\n{code}".strip("\n"), ""
            marked = 2 if right else 0 if info else 1
            if marked != 2 and depth and RUN.search(code):
                # Markdown in Markdown.
                yield from (
                    candidate._replace(start=block.start)
                    for candidate in self._blocks(code, depth - 1)
                )
            candidate = self._remove_artefacts(
                code, marked, block.closed, block.start, "block", introduction
            )
            yield candidate._replace(info=info)

    def _tagged(self, text: str) -> Iterator[_Candidate]:
        """Yield the text in tags outside of blocks."""
        text, _, call = text.partition("<|python_tag|>")
        place, lowered, absent = 0, text.lower(), set[str]()
        opening = re.compile(
            r"^[ \t]*(?:<pre[^>\n]*>\s*)?([<\[](\w{1,20})(\s[^>\n]{0,80})?[>\]])", re.MULTILINE
        )
        wrappers = ("code", "pre", "source", "program", "solution", "final")
        for _ in range(MAX_FENCES):
            if (tag := opening.search(text, place)) is None:
                break
            shown, name, rest = tag[1], tag[2].lower(), tag[3] or ""
            closing = f"{'[' if shown[0] == '[' else '<'}/{name}{shown[-1]}"
            end = -1 if closing in absent else lowered.find(closing, tag.end())
            if end < 0:
                absent.add(closing)
                place = tag.end()
                continue
            code, place = text[tag.end() : end], end + len(closing)
            kind = re.search(r"(?:class|lang(?:uage)?)\s*=\s*[\"']?([^\s\"'>]+)", rest)
            right = marks(kind[1] if kind else name, self.language)
            if "\n" in code.strip() and "```" not in code and (right or name in wrappers):
                marked = 2 if right else 0 if kind else 1
                yield self._remove_artefacts(
                    code.strip("\n"), marked, True, tag.start(), f"text in {shown}", ""
                )
        if call and self.language.id == "python":
            code = re.split(r"<\|\w+\|>", call)[0].strip("\n")
            yield self._remove_artefacts(code, 2, True, len(text), "text after <|python_tag|>", "")

    def _values(self, text: str) -> list[_Candidate] | None:
        """Return the values of a JSON object that the parser accepts as code; None for other texts."""
        if not re.match(r"\s*\{", text):
            return None
        try:
            fields = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return None
        names = ("code", "solution", "program", "answer")
        # A value of such a name may itself be an object with these names.
        wrappers = [fields, *(fields[key] for key in names if isinstance(fields.get(key), dict))]
        labels = [
            wrapper[key] for wrapper in wrappers for key in ("language", "lang") if key in wrapper
        ]
        label = next((label for label in labels if isinstance(label, str)), "")
        marked = 2 if marks(label, self.language) else 0 if label else 1
        codes = [
            (key, self.read(wrapper[key]).code)
            for wrapper in wrappers
            for key in names
            if isinstance(wrapper.get(key), str)
        ]
        return [
            _Candidate(code, marked, True, 0, f'value of "{key}" in a JSON object')
            for key, code in codes
            if code is not None and self._is_code(code)
        ]

    def _bare(self, text: str) -> Iterator[_Candidate]:
        """Yield programs that the text does not mark as code."""
        # Fences may be in a comment of the program, or enclose other text.
        parts = [(0, len(text))]
        if ends := [
            (block.start, block.end)
            for block in blocks(text, self._ends_well)
            if block.code.strip()
        ]:
            parts += zip(
                [0, *(end for _, end in ends)],
                [*(start for start, _ in ends), len(text)],
                strict=True,
            )
        for start, end in parts if len(text) <= LONGEST_PROGRAM else ():
            # Rules, headings and stray fences are not code.
            part = re.sub(
                r"^[ \t]*(?:[-*_=]{3,}|#{2,6} [^\n]*)$", "", text[start:end], flags=re.MULTILINE
            )
            if not ends or (start, end) != parts[0]:
                part = re.sub(r"^[ \t]*[`~]{3,}[^\n]*$", "", part, flags=re.MULTILINE)
            part = part.strip().strip("`") if part.strip()[:1] == "`" else part
            for code, notes in self._presentations(part):
                regions = [
                    candidate for candidate in self._programs(code) if self._degree(candidate.code)
                ]
                yield from (
                    candidate._replace(start=start + candidate.start, notes=notes)
                    for candidate in regions
                )
                if regions and end == len(text):
                    return
                if regions:
                    break

    def _programs(self, text: str) -> Iterator[_Candidate]:
        """Yield the parts of a text, in whole lines, that the parser accepts as programs.

        A program that starts at a line cannot reach beyond the parser's first error after it. So
        few attempts are needed at each line, usually one with eight lines.
        """
        lines = text.split("\n")
        places = [0]
        for line in lines:
            places.append(places[-1] + len(line) + 1)
        number = 0
        while number < len(lines) and not self.budget.spent:
            size, last, best = 8, len(lines), None
            while lines[number].strip() and number < last and best is None:
                end = min(number + size, last)
                part = _dedent("\n".join(lines[number:end]))
                parsed = self._outline(part)
                if parsed is None:
                    return
                if parsed.error is None and end < last:
                    size *= 4
                    continue
                if parsed.error is None:
                    cut = 0 if parsed.prose is None else part[: parsed.prose].count("\n")
                    if parsed.is_code or not cut:
                        best = (part, end) if parsed.is_code else None
                        break
                    last = number + cut
                    continue
                reached = number + part[: parsed.error].count("\n") + 1
                # The parser may only notice the error at the next line that is not empty.
                while reached < end and not lines[reached].strip():
                    reached += 1
                reached += 1
                if reached > end:
                    if end < last:
                        size *= 4  # the end of the window may be the error
                        continue
                    reached = end
                last = min(reached, end - 1)
                size = last - number
            if best:
                # A program followed directly by a line that is not a sentence is incomplete or has an
                # error.
                following = (
                    lines[best[1]] if best[1] < len(lines) and lines[best[1] - 1].strip() else ""
                )
                fences = [run.start() for run in RUN.finditer(best[0])]
                parsed = self._outline(best[0])
                ends = not following.strip() or re.match(
                    r"[-*\d. \t]*[A-Z*`].*[.!?]\s*$", following
                )
                if ends and parsed and all(map(parsed.is_inside, fences)):
                    yield _Candidate(
                        best[0].strip("\n"), 1, True, places[number], "text without a fence"
                    )
                number = best[1]
            else:
                number += 1

    def _remove_artefacts(
        self, code: str, marked: int, closed: bool, start: int, where: str, introduction: str
    ) -> _Candidate:
        """Return a candidate without artefacts of presentation."""
        code = code.lstrip("\ufeff\u200b\u2060")
        for shown, notes in self._presentations(code) if len(code) <= LONGEST_PROGRAM else ():
            if self._is_clean(shown):
                return _Candidate(shown, marked, closed, start, where, introduction, notes)
        notes = (
            ("it has typographic quotes",) if re.search("[\u2018\u2019\u201c\u201d]", code) else ()
        )
        return _Candidate(_dedent(code), marked, closed, start, where, introduction, notes)

    @staticmethod
    def _presentations(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield a text unchanged, then without each kind of artefact."""
        if (
            re.search(r"&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);", code)
            and "<" not in code
            and ">" not in code
        ):
            # Before the unchanged text, which may also parse: in Ruby, `i &lt; j` is a call.
            yield _dedent(html.unescape(code)), ("HTML entities decoded",)
        no_break = r"^[ \t]*\xa0[ \t\xa0]*"
        dedented = _dedent(
            re.sub(no_break, lambda match: " " * len(match[0]), code, flags=re.MULTILINE)
        )
        yield dedented, (() if dedented == code else ("indentation changed",))
        for note, undone in _undo_presentation(code):
            if undone != code:
                yield _dedent(undone), (note,)

    # -------------------------------------------------------------- parsing

    def _outline(self, code: str) -> Outline | None:
        if code not in self.outlines:
            self.outlines[code] = outline(code, self.language, self.budget)
        return self.outlines[code]

    def _is_clean(self, code: str) -> bool:
        parsed = self._outline(code)
        return parsed is not None and parsed.error is None

    def _is_code(self, code: str) -> bool:
        parsed = self._outline(code)
        return parsed is not None and parsed.error is None and parsed.is_code

    def _inside(self, whole: str, candidate: _Candidate, text: str) -> bool:
        """Return whether a candidate is in a comment or a string of the whole text."""
        parsed = self._outline(whole)
        place = candidate.start - (len(text) - len(text.lstrip("\n")))
        return parsed is not None and parsed.is_inside(place)

    def _ends_well(self, info: str, code: str, fences: Sequence[int]) -> bool:
        if info and not marks(info, self.language):
            return not fences
        parsed = self._outline(code) if code.strip() else None
        return parsed is not None and parsed.error is None and all(map(parsed.is_inside, fences))

    def _degree(self, code: str) -> int:
        """Return how many requested names the code defines; 0 if it does not fit the task.

        Without starter code, count its entry point and its reading of input instead.
        """
        parsed = self._outline(code)
        if parsed is None:
            return 0
        if not self.starter:
            return parsed.entry + parsed.input
        return len(self._asked & set(map(_spelling, parsed.definitions)))

    @property
    def _asked(self) -> set[str]:
        parsed = self._outline(self.starter)
        return set(map(_spelling, parsed.definitions)) if parsed else set()

    # -------------------------------------------------------------- the choice

    def _best(self, candidates: Sequence[_Candidate]) -> _Candidate | None:
        fit = [
            candidate
            for candidate in candidates
            if candidate.code.strip()
            and (candidate.closed or self._is_clean(candidate.code))
            and (candidate.marked == 2 or self._fits(candidate))
        ]

        # From the corpus in tests/answers: words that introduce a block for comparison. They decide
        # only between equals.
        compared = re.compile(
            r"^\W*(?:the |a )?(?:brute|na[iï]ve)|for (?:comparison|reference)\b", re.IGNORECASE
        )

        def rank(candidate: _Candidate) -> tuple[int, int, int, int, int]:
            degree = self._degree(candidate.code)
            sensible = 1 if candidate.marked == 2 else int(self._is_clean(candidate.code))
            return (
                degree,
                candidate.marked,
                sensible,
                int(not compared.search(candidate.introduction)),
                candidate.start,
            )

        return max(fit, key=rank, default=None)

    def _fits(self, candidate: _Candidate) -> bool:
        """Return whether a candidate without the right mark may be code in the language."""
        parsed = self._outline(candidate.code)
        if parsed is None or not candidate.marked:
            return candidate.marked == 1 or bool(
                parsed and parsed.error is None and self._degree(candidate.code)
            )
        return parsed.is_code if parsed.error is None else bool(parsed.definitions or parsed.uses)

    def _join_helpers(self, chosen: _Candidate, candidates: Sequence[_Candidate]) -> ExtractedCode:
        """Return the chosen code, joined with blocks that define its names, and the reason."""
        parts, notes = [chosen], list(chosen.notes)
        others = [
            candidate
            for candidate in candidates
            if candidate.marked and candidate != chosen and self._is_clean(candidate.code)
        ]
        mine = self._outline(chosen.code)
        while mine is not None:
            defined = frozenset[str]().union(
                *(o.definitions for part in parts if (o := self._outline(part.code)))
            )
            used = frozenset[str]().union(
                *(o.uses for part in parts if (o := self._outline(part.code)))
            )
            missing = used - defined
            helping = [
                other
                for other in others
                if other not in parts and (o := self._outline(other.code))
                and ((o.definitions & missing and not o.definitions & defined) or self._is_preamble(o, other, parts))
            ]  # fmt: skip
            if not helping:
                break
            earlier = [other for other in helping if other.start < chosen.start]
            parts.append(earlier[-1] if earlier else helping[0])
        if not self.starter and mine and mine.input and not mine.entry:
            # Definitions alone do nothing: another block has the call.
            later = [other for other in others if other.start > chosen.start and other not in parts]
            calls = [other for other in later if self._calls(other, mine)]
            parts += calls[:1]
        code = self._as_one_program(chosen, parts[1:]) if len(parts) > 1 else chosen.code
        if len(parts) > 1:
            notes.append(
                f"joined from {len(parts)} blocks, because one uses definitions of the others"
            )
        if not chosen.closed:
            notes.append("the block is not closed, but complete")
        return ExtractedCode(code, "; ".join([self._reason(chosen, candidates), *notes]))

    def _as_one_program(self, chosen: _Candidate, others: Sequence[_Candidate]) -> str:
        """Return blocks as one program: imports, then definitions, then the code that uses them."""
        mine = self._outline(chosen.code)
        calls = [other for other in others if mine and self._calls(other, mine)]
        helping = sorted(
            (other for other in others if other not in calls), key=lambda other: other.start
        )
        own = any(o.preamble for other in helping if (o := self._outline(other.code)))
        place = mine.preamble if mine and not own else 0
        parts = [
            chosen.code[:place],
            *(other.code for other in helping),
            chosen.code[place:],
            *(e.code for e in calls),
        ]
        return "\n\n".join(part.strip("\n") for part in parts if part.strip())

    def _is_preamble(
        self, parsed: Outline, candidate: _Candidate, parts: Sequence[_Candidate]
    ) -> bool:
        """Return whether a block has only imports, and the parts have none."""
        only = (
            parsed.preamble
            and not candidate.code[parsed.preamble :].strip("; \n")
            and not parsed.definitions
        )
        return bool(only) and not any(
            o.preamble for part in parts if (o := self._outline(part.code))
        )

    def _calls(self, candidate: _Candidate, solution: Outline) -> bool:
        parsed = self._outline(candidate.code)
        return bool(
            parsed
            and not parsed.definitions
            and not parsed.input
            and parsed.uses & solution.definitions
        )

    def _reason(self, chosen: _Candidate, candidates: Sequence[_Candidate]) -> str:
        if chosen.where != "block":
            return f"the {chosen.where}"
        if len(candidates) == 1:
            return "the only code block"
        asked = (
            "defines what was asked for" if self.starter else "is a program which reads its input"
        )
        degree = self._degree(chosen.code)
        equals = [
            candidate
            for candidate in candidates
            if self._degree(candidate.code) == degree and candidate.marked == chosen.marked
        ]
        if not degree:
            asked = (
                f"is marked {self.language.fences[0]}" if chosen.marked == 2 else "is not marked"
            )
        if len(equals) == 1:
            return f"the one of {len(candidates)} code blocks that {asked}"
        last = max(candidate.start for candidate in equals) == chosen.start
        return (
            f"the {'last' if last else 'last but those for comparison'} of {len(equals)} code "
            f"blocks, each {asked}"
        )

    def _reason_without_code(self, candidates: Sequence[_Candidate]) -> str:
        right = [candidate for candidate in candidates if candidate.marked]
        if right:
            empty = not any(candidate.code.strip() for candidate in right)
            return (
                "the code block is empty"
                if empty
                else "the code block is not closed: the answer was cut off"
            )
        if candidates:
            others = ", ".join(dict.fromkeys(candidate.info[:40] for candidate in candidates))
            return f"the code is {others}, expected {self.language.fences[0]}"
        if self.language.syntax is None:
            return (
                f"there is no code block, and {self.language.name} has no parser to find code "
                "without one"
            )
        return f"there is no code block, and the text is not {self.language.name}"


def _spelling(name: str) -> str:
    return name.lower().replace("_", "")


def _dedent(code: str) -> str:
    """Return code without the common indentation of its lines."""
    indents = [
        line[: len(line) - len(line.lstrip(" \t"))] for line in code.split("\n") if line.strip()
    ]
    first, last = min(indents, default=""), max(indents, default="")
    common = first[
        : next((index for index in range(len(first)) if first[index] != last[index]), len(first))
    ]
    return "\n".join(line.removeprefix(common) for line in code.split("\n")) if common else code


def _undo_presentation(code: str) -> Iterator[tuple[str, str]]:
    """Yield a note and the text without one kind of artefact of presentation."""
    yield "invisible characters removed", code.translate(INVISIBLE).replace("\xa0", " ")
    lines = code.split("\n")
    number = re.compile(r"^[ \t]*(\d{1,6})(?:[ \t]*[:.|)] ?|\t| |$)", re.MULTILINE)
    filled = [line for line in lines if line.strip()]
    numbers = [int(match[1]) for line in filled if (match := number.match(line))]
    if numbers and numbers == list(range(numbers[0], numbers[0] + len(filled))):
        yield "line numbers removed", number.sub("", code)
    if any(line.startswith(">>>") for line in lines):
        statements = [line[4:] for line in lines if line.startswith((">>>", "..."))]
        yield "prompts of the interpreter removed", "\n".join(statements)
    if all(line[:1] in ("", ">") for line in lines):
        yield "marks of a quotation removed", re.sub("^> ?", "", code, flags=re.MULTILINE)
    changes = [line for line in lines if not re.match(r"---|\+\+\+|@@|diff |index |\\ ", line)]
    if any(line.startswith("+") for line in changes) and all(
        line[:1] in ("", "+", "-", " ") for line in changes
    ):
        yield (
            "the new side of a diff",
            "\n".join(line[1:] for line in changes if not line.startswith("-")),
        )
