r"""Gives formulas in LaTeX and typography one spelling.

``1 \leq n \leq 10{,}000`` is ``1 <= n <= 10000``.
"""

from __future__ import annotations

import re

LONGEST_SENTENCE = 1_000
"""The most characters of a sentence to read, as some patterns take quadratic time."""
SYMBOLS = {
    "leq": "<=", "le": "<=", "leqslant": "<=", "leqq": "<=", "geq": ">=", "ge": ">=", "geqslant": ">=", "geqq": ">=",
    "neq": "!=", "ne": "!=", "lt": "<", "gt": ">", "cdot": "*", "times": "*", "ldots": "...", "dots": "...",
    "cdots": "...", "dotsc": "...", "dotsb": "...", "ddots": "...", "vdots": ":", "vert": "|", "lvert": "|",
    "rvert": "|", "mid": "|", "lbrace": "{", "rbrace": "}", "lfloor": "", "rfloor": "", "quad": " ", "qquad": " ",
    "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "displaystyle": "", "textstyle": "",
    "limits": "", "rm": "", "tt": "", "it": "", "bf": "", "hspace": "", "sim": "~", "textbackslash": "",
    "textless": "<", "textgreater": ">", "textasciitilde": "~", "textasciicircum": "^", "slash": "/", "colon": ":",
    "backslash": "", "nolimits": "", "nonumber": "", "hfill": "", "bmod": " mod ", "mod": " mod ", "lbrack": "[",
    "rbrack": "]", "dotsm": "...", "hdots": "...", "thinspace": "", "enspace": " ", "to": "->", "rightarrow": "->",
}  # fmt: skip
FONTS = (
    "text|textrm|textsf|texttt|textit|textbf|textsc|textnormal|mathrm|mathit|mathtt|mathbf|mathsf|mathcal|mathbb|mathscr"
    "|mathnormal|operatorname|operatorname\\*|emph|mbox|hbox|boldsymbol|rm|underline|textup|bm|mathop"
)
NUMBER = r"\d[\d *^{},]{0,20}"
SPELLINGS = (
    (rf"\\(?:{FONTS})[ \t]?\{{([^{{}}]*+)\}}", r"\1"),
    (r"\\[dt]?frac\{([^{}]{1,100}+)\}\{([^{}]{1,100}+)\}", r"(\1)/(\2)"),
    (
        r"\\([A-Za-z]++)[ \t]?",
        lambda m: SYMBOLS[m[1]] + _gap(m) if m[1] in SYMBOLS else f"{m[1]}{_gap(m)}",
    ),
    (r"\\[,;!:>/]", ""),
    (r"\\[ ~]|~(?=\d)", " "),
    (r"\\([{}_#%&$\-*.()\[\]<>|^\\])", r"\1"),
    (r"\{,\}", ","),
    (r"_\{(\w)\}(?!\w)", r"_\1"),
    (r"\$+|[`\u200b\ufeff]|\*\*", ""),
    # The dash of ``- 5 <= x <= 5`` is a minus, not a bullet: the upper bound repeats the number.
    (
        rf"(?m)^[ \t]*(?:[*+•]|-(?![ \t]*({NUMBER})[ \t]*(?:<=?|≤)[^\n]{{1,80}}(?:<=?|≤)[ \t]*\1(?![\d ]*[*^\d])))"
        r"[ \t]+",
        "\n",
    ),
    ("[≤⩽≦]|=<", "<="),
    ("[≥⩾≧]", ">="),
    ("≠", "!="),
    ("[⋅·\u00d7∙・](?=[\\s\\d\\w({])", "*"),
    ("…|⋯", "..."),
    ("⋮", ":"),
    ("[\u2212\u2013\u2014]", "-"),
    ("[⌊⌋]", ""),
    ("[\u2018\u2019]", "'"),
    ("[\u201c\u201d]", '"'),
    ("[\u00a0\u2009\u202f\u3000]", " "),
    # Thousands, ``100 000`` or ``100,000``; before a closing bracket they are values of a list.
    (
        r"(?<![\d.^_])\d{1,3}(?:[ ,]\d{3})+(?![\d.]|\s{0,9}[,\d]{0,200}\])",
        lambda m: re.sub("[ ,]", "", m[0]),
    ),
)


def _gap(match: re.Match[str]) -> str:
    return match[0][len(match[1]) + 1 :]


def spell(text: str) -> str:
    """Return text with one spelling for LaTeX and typography: ``1 <= n <= 2 * 10^{5}``."""
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    # Collapse runs of this many white space characters or more: patterns are slow on them.
    longest_gap = 100
    return re.sub(rf"\s{{{longest_gap},}}", lambda m: "\n\n" if "\n" in m[0] else " ", text)
