"""What programs read, by their source."""

from __future__ import annotations

import pytest

from venus_toolkit.builders.inputs.layouts.reads import kinds_read, programs_agreeing, reads_of
from venus_toolkit.builders.inputs.spec.layout import Line, Loop, Many, Scalar
from venus_toolkit.core.records import Solution

PYTHON = """
import sys
input = sys.stdin.readline
def numbers(): return list(map(int, input().split()))
def solve():
    n, m = numbers()
    s = input().strip()
    a = numbers()
    rows = [input() for _ in range(m)]
    if n: print(s, a, rows)
if __name__ == "__main__":
    solve()
"""
CPP = """
#include <iostream>
#define rep(i, n) for (int i = 0; i < (n); i++)
int n, m;
std::string s, t;
void row() { std::cin >> t; }  // cin >> nothing;
int main() {
    std::cin >> n >> m >> s;
    std::vector<int> a(n);
    rep(i, n) std::cin >> a[i];
    for (int i = 0; i < m; ++i) { row(); }
    if (n) { std::cin >> n; }
}
"""
BODY = (
    Line((Scalar("N"), Scalar("M"))),
    Line((Scalar("S"),)),
    Line((Many("A", "N", Scalar("A")),)),
    Loop("M", (Line((Scalar("T"),)),)),
)


@pytest.mark.parametrize(("language", "code"), [("python", PYTHON), ("cpp", CPP)])
def test_what_a_program_reads(language: str, code: str) -> None:
    program = Solution("x", "p", language, code)
    reads = reads_of(program)
    assert reads is not None
    assert [(read.kind, read.depth) for read in reads] == [
        ("int", 0),
        ("int", 0),
        ("text", 0),
        ("int", 1),
        ("text", 1),
    ]
    assert kinds_read(BODY, [program])["S"] == {"text"}
    other = (*BODY[:3], Line((Scalar("T"),)))
    assert (programs_agreeing(BODY, [program]), programs_agreeing(other, [program])) == (1, 0)


@pytest.mark.parametrize("language", ["python", "cpp", "java", "go"])
@pytest.mark.parametrize(
    "code",
    [
        "",
        "(",
        "f" * 9999,
        "{" * 9999,
        "def f(): f()\nf()",
        "int main() { main(); }",
        "cin >>" * 999,
    ],
)
def test_a_program_that_is_none(language: str, code: str) -> None:
    reads_of(Solution("x", "p", language, code))
