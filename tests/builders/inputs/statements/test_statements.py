"""Parsed statements: one problem in every markup, the forms of samples, and hostile text."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.inputs.statements import Sample, Statement, parse_statement
from venus_toolkit.builders.inputs.statements.examples import named_values
from venus_toolkit.builders.inputs.statements.spelling import spell

HTML = """<span class="lang"><span class="lang-ja">
<h3>問題文</h3><p>数を足せ。</p><h3>入力</h3><pre><var>X</var></pre><h3>入力例 1</h3><pre>9 9</pre>
<h3>出力例 1</h3><pre>8</pre>
</span><span class="lang-en">
<div class="part"><section><h3>Problem Statement</h3><p>Add up <var>N</var> numbers
that are small.</p></section></div>
<div class="part"><section><h3>Constraints</h3><ul><li><var>1 \\leq N \\leq 2 \\times 10^5</var></li>
<li>A<sub>i</sub> &le; 10<sup>9</sup></li></ul></section></div>
<div class="part"><section><h3>Input</h3><p>It is given in the following format:</p>
<pre>
<var>N</var>
<var>A_1</var> <var>A_2</var> <var>\\ldots</var> <var>A_N</var>
</pre></section></div>
<div class="part"><section><h3>Output</h3><p>Print the sum.</p></section></div><hr>
<div class="part"><section><h3>Sample Input 1</h3><pre>3
1 2  3
</pre></section></div>
<div class="part"><section><h3>Sample Output 1</h3><pre>6
</pre><p>It is <var>1+2+3</var>.</p></section></div>
</span></span>"""
MARKDOWN = """## Problem Statement

Add up $N$ numbers that are small.

## Constraints

- $1 \\leq N \\leq 2 \\times 10^5$
- $A_{i} \\leq 10^9$

## Input

It is given in the following format:

> $N$
>
> $A_1$ $A_2$ $\\ldots$ $A_N$

## Output

Print the sum.

```input1
3
1 2  3
```

```output1
6
```

It is $1+2+3$.
"""
LATEX = r"""\problemname{Sums}
\illustration{0.3}{sums}{A picture of numbers}
Add up $N$ numbers that are small. % really
\section*{Constraints}
\begin{itemize}
  \item $1 \leq N \leq 2 \cdot 10^5$
  \item $A_{i} \leq 10^9$
\end{itemize}
\section*{Input}
It is given in the following format:
\begin{verbatim}
N
A_1 A_2 ... A_N
\end{verbatim}
\section*{Output}
Print the \textbf{sum}.
\begin{example}
\exmp{3
1 2  3
}{6
}
\end{example}
\section*{Explanation}
It is $1+2+3$.
"""
PLAIN = """Add up N numbers that are small.

Constraints

1 ≤ N ≤ 2 \u00d7 10^5

A_i ≤ 10^9

Input

It is given in the following format:

N
A_1 A_2 … A_N

Output

Print the sum.

Sample Input 1

3
1 2  3

Sample Output 1

6

Note

It is 1+2+3.
"""


def test_latex_line_break_is_a_space() -> None:
    latex = (
        "\\section*{Input}\nOne line with two\nnumbers $n$ ($1\n\\le n \\le 2\\cdot\n10^5$)\n"
        "and $m$.\n\nThen\\\\\nwords.\n"
    )
    assert (
        parse_statement(latex).input
        == "One line with two numbers n (1 <= n <= 2* 10^5) and m.\n\nThen\n words."
    )


@pytest.mark.parametrize(
    "text", [HTML, MARKDOWN, LATEX, PLAIN], ids=["html", "markdown", "latex", "plain"]
)
def test_same_problem_in_every_markup(text: str) -> None:
    parsed = parse_statement(text)
    assert "Add up N numbers that are small." in " ".join(parsed.story.split())
    assert "picture" not in parsed.text
    assert "足" not in parsed.text
    bounds = parsed.constraints.replace("{", "").replace("}", "").split("\n\n")
    assert bounds == ["1 <= N <= 2 * 10^5", "A_i <= 10^9"]
    assert parsed.input.startswith("It is given in the following format:\n\nN\nA_1 A_2 ... A_N")
    assert parsed.formats == ("N\nA_1 A_2 ... A_N",)
    assert parsed.output == "Print the sum."
    assert parsed.notes == "It is 1+2+3."
    assert parsed.samples == (Sample("3\n1 2  3\n", "6\n"),)
    assert not parsed.interactive


# ------------------------------------------------------------------ samples

FENCED = (
    "## Input\n\nOne line: n.\n\n## Output\n\nOne number.\n\n## Examples\n\n"
    "Input:\n\n```\n3\n1 2 3\n```\n\nOutput:\n\n```\n6\n```\n"
)
BARE = (
    "Input\n\nThe first line contains the integer n.\n\nOutput\n\nPrint it.\n\nExamples\n\n"
    "Input\n\n\n3\n1 2\n\n\nOutput\n\n\n6\n\nInput\n\n\n4\n\n\nOutput\n\n\n8\n\nNote\n\nThe "
    "first line is 3.\n"
)
TABLE = (
    "<h2>Input</h2><p>A number.</p><table><tr><th>Sample Input 1</th><th>Sample Output 1</th></tr>"
    "<tr><td><pre>3 4</pre></td><td><pre>7</pre></td></tr></table>"
)
DIVS = (
    '<div class="section-title">Input</div><p>The only line holds n.</p><div '
    'class="section-title">Example</div>'
    '<div class="title">Input</div><pre><div>3 4</div><div>5</div></pre>'
    '<div class="title">Output</div><pre>7<br>8</pre>'
)
JAPANESE = (
    "## 入力\n\n```\n$N$\n```\n\n## 出力\n\n答えを出力せよ。\n\n"
    "## 入力例 1\n\n```\n5\n```\n\n## 出力例 1\n\n```\n6\n```\n"
)
NAMED = (
    "Example 1:\n\nInput: nums = [1,2], k = 3\nOutput: 5\nExplanation: none.\n\n"
    "**Input:** nums = [], k = 0\n**Output:** 1\n"
)
PRE = (
    "<p><strong>Example 1:</strong></p>\n<pre>\n<strong>Input:</strong> a = "
    "&quot;x&lt;y&quot;, b = [[1],\n[2]]\n"
    "<strong>Output:</strong> [[1],\n[2]]\n<strong>Explanation:</strong> so.\n</pre>"
)
DESIGN = (
    '<pre>\n<strong>Input</strong>\n["Box", "put", "get"]\n[[], [3], []]\n<strong>Output</strong>\n'
    "[null, null, 3]\n\n<strong>Explanation</strong>\nIt is put back.\n</pre>"
)


@pytest.mark.parametrize(
    ("statement", "inputs", "first"),
    [
        (FENCED, ["3\n1 2 3\n"], "6\n"),
        (BARE, ["3\n1 2\n", "4\n"], "6\n"),
        (TABLE, ["3 4\n"], "7\n"),
        (DIVS, ["3 4\n5\n"], "7\n8\n"),
        (JAPANESE, ["5\n"], "6\n"),
        (NAMED, ["[1, 2]\n3\n", "[]\n0\n"], "5\n"),
        (PRE, ['"x<y"\n[[1], [2]]\n'], "[[1],\n[2]]\n"),
        (DESIGN, ['["Box", "put", "get"]\n[[], [3], []]\n'], "[null, null, 3]\n"),
        (
            "### Sample Input 1\n\n5 6\n\n### Sample Output 1\n\n11\n\nIt is a sum.\n",
            ["5 6\n"],
            "11\n",
        ),
        (
            "## Sample Input\n\n    ```\n    #..\n    ```\n\n## Sample Output\n\n```\n1\n```\n",
            ["#..\n"],
            "1\n",
        ),
    ],
)
def test_samples(statement: str, inputs: list[str], first: str) -> None:
    samples = parse_statement(statement).samples
    assert [sample.stdin for sample in samples] == inputs
    assert samples[0].stdout == first


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "No example here.",
        "## Input\n\nThe first line contains an integer n.\n",
        "## Input\n\n```\nN M\n```\n\n## Output\n\n```\nA_1 A_2\n```\n",
        "\\section*{Indata}\nDen består av ett heltal, minst 3.\n\\section*{Utdata}\nSkriv 1.\n",
    ],
)
def test_no_samples(statement: str) -> None:
    assert parse_statement(statement).samples == ()


def test_values_must_be_json() -> None:
    assert named_values("a = 1, b = [2, {") == {}
    assert named_values("just words") == {}
    assert named_values('s = "a, b = 3", k = 2') == {"s": "a, b = 3", "k": 2}


# ------------------------------------------------------------------ formats, headings, formulas


def test_comma_after_an_index_is_not_part_of_it() -> None:
    markup = (
        "<p>Story.</p><h3>Constraints</h3><ul><li>1 &lt;= u<sub>i,</sub> v<sub>i </sub>&lt;= "
        "n</li></ul>"
    )
    assert (
        parse_statement(markup).constraints
        == parse_statement(markup.replace("i,</sub>", "i</sub>,")).constraints
    )
    assert "u_i, v_i" in parse_statement(markup).constraints


@pytest.mark.parametrize("block", ["p", "div", "h3", "pre"])
def test_block_within_an_index(block: str) -> None:
    assert "x" in parse_statement(f"<p>a<sub><{block}>x</{block}></sub> b</p>").text


def test_numbered_lines_are_a_format() -> None:
    text = (
        "# Input\n\nThe grader reads input in the following format:\n\n- line 1: `N K`: the "
        "number of shirts and days\n"
        "- line 2: `A[0] A[1] .. A[N - 1]`\n- lines i = 3 ... N+2: `X[i-3] Y[i-3]`\n"
        "- line 3 + N to 2 + N + K: `P[0] .. P[5]`\n"
    )
    rows = ("X_{1} Y_{1}", ":", "X_{N} Y_{N}", "P_{1,0} .. P_{1,5}", ":", "P_{K,0} .. P_{K,5}")
    assert parse_statement(text).formats == ("\n".join(("N K", "A_{0} A_{1} .. A_{N-1}", *rows)),)
    for prose in (
        "line 2: M",
        "line 1: N is the number of cows (1 <= N <= 9)",
        "Line 1: Two integers, N and K",
    ):
        assert parse_statement(f"# Input\n\n```\nN\n```\n\n{prose}").formats == ("N",)


def test_two_formats() -> None:
    text = (
        "<h3>Input</h3><p>Format:</p><pre>Q\nq_1\n⋮\nq_Q</pre><p>A query is:</p><pre>1 "
        "x</pre><h3>Output</h3><p>All."
    )
    assert parse_statement(text).formats == ("Q\nq_1\n:\nq_Q", "1 x")


@pytest.mark.parametrize(
    ("statement", "interactive"),
    [
        ("This is an **interactive** problem.", True),
        ("\\section*{Interaction}\nAsk.", True),
        ("## 問題文\n\nこの問題はインタラクティブ形式です。", True),
        ("They interact. Interactive maps are nice.", False),
    ],
)
def test_interactive_problems_are_recognized(statement: str, interactive: bool) -> None:
    assert parse_statement(statement).interactive is interactive


def test_unknown_heading_ends_only_a_section_of_its_rank() -> None:
    parsed = parse_statement("# T\n\nA.\n\n## Input\n\nB.\n\n### Detail\n\nC.\n\n## Trivia\n\nD.\n")
    assert (parsed.story, parsed.input, parsed.notes) == ("T\n\nA.", "B.\n\nDetail\n\nC.", "D.")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<p>A <img src="f.png" alt="$n \\le 5$"> b</p>', "A n <= 5 b"),
        ('<p><span class="katex"><span '
            'class="katex-mathml"><math><semantics><mi>n</mi></semantics></math></span>'
         '<span class="katex-html">n<b>n</b></span></span>!</p>', "n!"),
        ('<p><span class="MathJax_Preview">?</span><span class="MathJax"><i>x</i></span>'
         '<script type="math/tex">x \\ge 1</script></p>', "x >= 1"),
        ("<p>1 <= a<b and vector<int> c <b>bold</b></p>", "1 <= a<b and vector<int> c bold"),
        ("<!-- a <p> --><p>a<!-- b --> c</p>", "a c"),
        ("## Note\n\nwith $a_{i}*b_{j}*c$ and _this_", "with a_i*b_j*c and this"),
    ],
)  # fmt: skip
def test_visible_text(markup: str, text: str) -> None:
    parsed = parse_statement(markup)
    assert (parsed.story or parsed.notes) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"1 \leq N \leq 10\,000", "1 <= N <= 10000"),
        (r"$n \lt 10{,}000$", "n < 10000"),
        ("1 ≤ n ≤ 100 000", "1 <= n <= 100000"),
        ("[1,200,300]", "[1,200,300]"),
        (r"\frac{n}{2} \neq \min(a, b)", "(n)/(2) != min(a, b)"),
        (r"A_{1} A_{2} \dots A_{N}", "A_1 A_2 ... A_N"),
        (r"\mathrm{query}_1 \vdots", "query_1 :"),
    ],
)
def test_spelling(written: str, read: str) -> None:
    assert spell(written) == read


# ------------------------------------------------------------------ broken and hostile text

BROKEN = {
    "unclosed": "<h3>Input<p>It is n.<pre>n<h3>Sample Input 1</h3><pre>5<h3>Sample Output 1</h3><pre>6",
    "closed twice": "</p></div><h3>Input</h3></h3><p>It is n.</p></pre><pre>n</pre></pre><h3>Sample Input "
    "1</h3></ul>"
    "<pre>5</pre><h3>Sample Output 1</h3><pre>6</pre>",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_html(text: str) -> None:
    parsed = parse_statement(text)
    assert (parsed.formats, parsed.samples) == (("n",), (Sample("5\n", "6\n"),))


def test_long_statement_is_read() -> None:
    story = "<p>" + "Many words. " * 17_000 + "</p>"
    assert len(story) > 200_000
    assert parse_statement(story + HTML).samples == (Sample("3\n1 2  3\n", "6\n"),)


@pytest.mark.parametrize(
    "text",
    ["<b>" * 50_000, "<div>" * 50_000, "<blockquote>" * 20_000, "## Input\n\n" + ">" * 100_000 + "- " * 50_000,
     "\\section*{Input}\n" + "{" * 50_000, "\\section*{Input}\n" + "\\begin{itemize}" * 10_000,
     "\\newcommand{\\a}{" + "x" * 60 + "}\\section{Input}" + "\\a" * 50_000, "<!--" * 50_000,
     "Input " + "1" * 100_000 + "x\n1\n", "1,000," * 30_000, "## Input\n\n" + "![" * 10_000],
    ids=lambda text: text[:30].strip(),
)  # fmt: skip
def test_hostile_nesting_is_read_in_time(text: str) -> None:
    """Recursive parsers fail at such depths, and patterns of quadratic time take minutes."""
    began = time.process_time()
    assert isinstance(parse_statement(text), Statement)
    assert time.process_time() - began < 6
