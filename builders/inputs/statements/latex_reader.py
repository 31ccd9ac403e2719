r"""Reads LaTeX of problem packages as pages.

It uses the tokens of pylatexenc, but not its parse tree, which fails on deeply nested braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pylatexenc.latexwalker import LatexWalker, LatexWalkerEndOfStream, LatexWalkerParseError

from venus_toolkit.builders.inputs.statements.blocks import Block, Page
from venus_toolkit.builders.inputs.statements.headings import heading_of
from venus_toolkit.builders.inputs.statements.spelling import SYMBOLS

MARKS = re.compile(
    r"\\(?:problemname|problemtitle|(?:sub)*section\*?\s*\{|begin\{(?:problem|document|itemize|enumerate)\}|InputFile)"
)
HEADS = {
    "problemname": "h1", "problemtitle": "h1", "chapter": "h1", "section": "h2", "subsection": "h3",
    "subsubsection": "h4", "paragraph": "h4",
}  # fmt: skip
# The number of braced arguments to skip after each macro: they only concern typesetting.
UNSEEN = {
    "illustration": 3, "includegraphics": 1, "label": 1, "ref": 1, "cite": 1, "vspace": 1, "hspace": 1, "input": 1,
    "usepackage": 1, "documentclass": 1, "href": 1, "pagestyle": 1, "setlength": 2, "addtolength": 2, "color": 1,
    "textcolor": 1, "definecolor": 3, "illustrationurl": 3, "newcommand": 2, "renewcommand": 2, "graphicspath": 1,
    "multicolumn": 2, "cline": 1,
}  # fmt: skip
VERBATIM = {"verbatim", "Verbatim", "lstlisting", "verbatim*"}
UNREAD = {"tikzpicture", "comment", "asy"}
LITERAL = re.compile(r"[^\\{}$%~`'&\n\-#]+")
QUOTES = {"``": '"', "''": '"', "--": "-", "---": "-", "~": " ", "`": "'", "'": "'"}
LONGEST_ARGUMENT = 2_000
OWN_MACRO = re.compile(
    r"\\(?:newcommand\*?|renewcommand|providecommand|def)\s{0,9}\{?\\([A-Za-z]{1,40})\}?\s{0,9}\{([^{}\\\n]{0,60})\}"
)


def looks_like_latex(statement: str) -> bool:
    """Whether a whole statement is LaTeX, not text with formulas."""
    return bool(MARKS.search(statement))


def read_latex(statement: str) -> list[Block]:
    """Return the page of LaTeX; its formulas stay LaTeX."""
    return _LatexReader(_expand_macros(statement)).read()


def _expand_macros(statement: str) -> str:
    r"""Expand macros without arguments, like ``\newcommand{\maxn}{1000}``, once each."""
    macros = {match[1]: match[2] for match in OWN_MACRO.finditer(statement)}
    if not macros:
        return statement
    expanded = re.sub(
        r"\\([A-Za-z]++)(?:\{\})?", lambda m: macros.get(m[1], m[0]), OWN_MACRO.sub("", statement)
    )
    # The number of characters that a statement's own macros may add to it.
    most_expanded = 10_000
    # A macro of two characters may expand to sixty.
    return expanded[: len(statement) + most_expanded]


def _typeset_space(space: str) -> str:
    """Return white space as LaTeX typesets it: one line break is a space."""
    return " " if space.count("\n") == 1 else space


class _LatexReader:
    """Reads a text in one pass over its tokens, without a tree."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = LatexWalker(text, tolerant_parsing=True)
        self._at = 0
        self._page = Page(keep_lines=True)
        self._formula = ""  # the opening mark of the open formula
        self._closing: list[Callable[[], None]] = []  # an action for the end of each open brace

    def read(self) -> list[Block]:
        while self._at < len(self._text):
            plain = LITERAL.match(self._text, self._at)
            if plain:
                self._page.write(plain[0])
                self._at = plain.end()
            elif not self._token():
                break
        return self._page.done()

    def _token(self) -> bool:
        """Read one token; False at the end."""
        try:
            token = self._tokens.get_token(self._at, brackets_are_chars=True)
        except LatexWalkerEndOfStream:
            return False
        except LatexWalkerParseError:
            self._at += 1
            return True
        self._at = max(token.pos + token.len, self._at + 1)
        self._page.write(_typeset_space(token.pre_space))
        getattr(self, f"_on_{token.tok}")(token.arg, _typeset_space(token.post_space or ""))
        return True

    # ------------------------------------------------------------------ tokens

    def _on_char(self, char: str, _space: str) -> None:
        # A blank line ends a formula that has no closing mark.
        if "\n\n" in char or re.fullmatch(r"\n\s*\n", char):
            self._formula = ""
        self._page.write({"&": " "}.get(char, char) if not self._formula else char)

    def _on_comment(self, _text: str, space: str) -> None:
        # The line break belongs to the comment, an empty line after it does not.
        if space.count("\n") > 1:
            self._page.write("\n\n")

    def _on_specials(self, specials: object, _space: str) -> None:
        chars = str(getattr(specials, "specials_chars", ""))
        self._page.write(
            " " if chars == "&" else "\n\n" if "\n" in chars else QUOTES.get(chars, chars)
        )

    def _on_mathmode_inline(self, mark: str, _space: str) -> None:
        self._formula = "" if self._formula else mark

    def _on_mathmode_display(self, mark: str, _space: str) -> None:
        self._formula = "" if self._formula else mark
        self._page.write("\n")

    def _on_brace_open(self, _brace: str, _space: str) -> None:
        if self._formula:
            self._page.write("{")
            self._closing.append(lambda: self._page.write("}"))
        else:
            self._closing.append(lambda: None)

    def _on_brace_close(self, _brace: str, _space: str) -> None:
        if self._closing:
            self._closing.pop()()

    def _on_begin_environment(self, name: str, _space: str) -> None:
        if name in VERBATIM or name in UNREAD:
            end = self._text.find(f"\\end{{{name}}}", self._at)
            end = len(self._text) if end < 0 else end
            if name in VERBATIM:
                self._page.start("pre")
                self._page.write(re.sub(r"^\[[^\]\n]*\]", "", self._text[self._at : end]))
                self._page.end("pre")
            self._at = end
        elif heading_of(name) and name[0].isupper():
            self._write_heading(name)
        elif name.startswith(("tabular", "array")):
            self._skip_options()
            self._skip_group()
            self._page.start("div")
        else:
            self._skip_options()
            self._page.start("div")
            self._page.end("div")

    def _on_end_environment(self, name: str, _space: str) -> None:
        if name not in VERBATIM and name not in UNREAD:
            self._page.start("p")
            self._page.end("p")

    def _on_macro(self, name: str, space: str) -> None:
        if name in ("\\", "newline", "linebreak", "par"):
            self._page.write("\n" if name != "par" else "\n\n")
        elif self._formula:
            self._page.write(f"\\{name}{space or (' ' if name.isalpha() else '')}")
        elif name in HEADS:
            self._skip_star()
            self._skip_options()
            self._heading(HEADS[name])
        elif name == "item":
            self._page.start("li")
            self._page.end("li")
        elif name == "verb":
            self._verb()
        elif name == "exmp":
            for part in ("input", "output"):
                self._code(part)
        elif name in UNSEEN:
            self._skip_star()
            self._skip_options()
            for _ in range(UNSEEN[name]):
                self._skip_group()
        elif name in SYMBOLS:
            self._page.write(f"\\{name} ")
        elif not name.isalpha():
            # Drop thin spaces and accents, keep other marks.
            self._page.write("" if name in ",;!/-\"'^`~=" else name + space)
        elif heading_of(name.removesuffix("File")) and name[0].isupper():
            self._write_heading(name.removesuffix("File"))
        else:
            # Read the argument of an unknown macro.
            self._skip_options()

    # ------------------------------------------------------------------ arguments

    def _write_heading(self, name: str) -> None:
        self._page.start("h2")
        self._page.write(name)
        self._page.end("h2")

    def _heading(self, tag: str) -> None:
        self._page.start(tag)
        if self._text.startswith("{", self._at):
            self._at += 1
            self._closing.append(lambda: self._page.end(tag))
        else:
            self._page.end(tag)

    def _skip_star(self) -> None:
        if self._text.startswith("*", self._at):
            self._at += 1

    def _skip_options(self) -> None:
        if self._text.startswith("[", self._at):
            end = self._text.find("]", self._at, self._at + LONGEST_ARGUMENT)
            self._at = end + 1 if end >= 0 else self._at + 1

    def _skip_group(self) -> str:
        """Step over an argument in braces and return it."""
        begin = self._at
        while begin < len(self._text) and self._text[begin].isspace() and begin < self._at + 50:
            begin += 1
        if not self._text.startswith("{", begin):
            return ""
        depth, end = 0, begin
        for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(
            self._text, begin, begin + LONGEST_ARGUMENT
        ):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                end = match.end()
                break
        self._at = end if end > begin else begin + 1
        return self._text[begin + 1 : end - 1] if end > begin else ""

    def _verb(self) -> None:
        mark = self._text[self._at : self._at + 1]
        end = self._text.find(mark, self._at + 1, self._at + LONGEST_ARGUMENT) if mark else -1
        if end >= 0:
            self._page.write(self._text[self._at + 1 : end])
            self._at = end + 1

    def _code(self, part: str) -> None:
        text = self._skip_group()
        self._page.start("pre", part)
        self._page.write(text)
        self._page.end("pre")
