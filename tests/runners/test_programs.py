"""Complete programs as people write them.

Byte order marks, line endings, long integers, language standards, libraries.
"""

from __future__ import annotations

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Judgement, Limits, OutputComparison, TestCase, Verdict
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.sandbox import Sandbox

LANGUAGES = load_languages()
LIMITS = Limits(wall_ns=60_000_000_000)
# Each begins with text that must come first in a file, if the language has such, and continues a
# line on the next one.
SUMS = {
    "cpp": (
        '#include <cstdio>\nint main() { int a, b; scanf("%d%d", &a, &b); printf("%d\\n", a \\\n '
        "+ b); }\n"
    ),
    "go": (
        'package main\nimport "fmt"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a '
        "+ b) }\n"
    ),
    "java": "// sum\nimport java.util.*;\npublic class Sum { public static void main(String[] a) {\n"
    "  Scanner in = new Scanner(System.in); System.out.println(in.nextInt() + in.nextInt()); } }\n",
    "javascript": "'use strict';\nconst [a, b] = require('fs').readFileSync(0, 'utf8').split(' "
    "').map(Number)\n"
    "console.log(a +\n  b)\n",
    "python": "#!/usr/bin/env python3\n# coding: utf-8\nfrom __future__ import annotations\n"
    "a, b = map(int, input().split())\nprint(a + \\\n  b)\n",
    "ruby": (
        "# frozen_string_literal: true\n=begin\nsum\n=end\na, b = gets.split.map(&:to_i)\nputs a "
        "+\n  b\n"
    ),
    "rust": "#![allow(unused)]\nuse std::io::Read;\nfn main() { let mut s = String::new();\n"
    "  std::io::stdin().read_to_string(&mut s).unwrap();\n"
    '  println!("{}", s.split_whitespace().map(|w| w.parse::<i64>().unwrap()).sum::<i64>()); }\n',
}


def judged(sandbox: Sandbox, language: str, code: str, stdin: str, stdout: str) -> Judgement:
    compiled = sandbox.compile(program_of(LANGUAGES[language], code))
    return judge(
        sandbox,
        compiled,
        [TestCase("a", stdin, stdout)],
        Checker(OutputComparison(), sandbox),
        LIMITS,
    )


@pytest.mark.parametrize("language", SUMS)
def test_byte_order_mark_and_carriage_returns_are_accepted(sandbox: Sandbox, language: str) -> None:
    code = "\ufeff" + SUMS[language].replace("\n", "\r\n")
    found = judged(sandbox, language, code, "3 4", "7\n")
    assert found.verdict == Verdict.ACCEPTED, found.compile_log or found.reason


def test_python_prints_and_reads_integers_of_any_length(sandbox: Sandbox) -> None:
    code = "x = int(input())\nprint(len(str(x)), len(f'{2**20000}'), int('9' * 5000) % 7)"
    found = judged(
        sandbox, "python", code, "7" * 6000, f"6000 {len('1' * 6021)} {(10**5000 - 1) % 7}\n"
    )
    assert found.verdict == Verdict.ACCEPTED, found.reason


HEAD = "#include <bits/stdc++.h>\nusing namespace std;\nint "
CPP = {
    "C++23": HEAD
    + "main() { string s = \"abc\"; cout << (s.contains('b') && to_underlying(byte{1})) + 6; }",
    "names of C++23 as one's own": HEAD
    + "expected = 3, unreachable = 4;\nint main() { cout << expected + unreachable; }",
}


@pytest.mark.parametrize("code", CPP.values(), ids=CPP)
def test_cpp_23_and_cpp_20_compile(sandbox: Sandbox, code: str) -> None:
    found = judged(sandbox, "cpp", code, "", "7\n")
    assert found.verdict == Verdict.ACCEPTED, found.compile_log


MISSING = {
    "python": (
        "import numpy.linalg as la",
        "numpy is not among the libraries of Python: sortedcontainers",
    ),
    "javascript": (
        "require('heap-js/x')",
        "heap-js/x is not among the libraries of JavaScript: @datastructures-js/",
    ),
    "ruby": ("require 'algorithms'", "algorithms is not among the libraries of Ruby"),
    "cpp": (
        "#include <boost/x.hpp>\nint main() {}",
        "boost/x.hpp is not among the libraries of C++: ac-library",
    ),
    "java": (
        "import org.apache.A;\nclass Main {}",
        "org.apache is not among the libraries of Java: javafx.util.Pair",
    ),
    "go": (
        'package main\nimport _ "github.com/a/b"\nfunc main() {}',
        "github.com/a/b is not among the libraries of Go",
    ),
    "rust": (
        "use itertools::Itertools;\nfn main() {}",
        "itertools is not among the libraries of Rust",
    ),
}


@pytest.mark.parametrize("language", MISSING)
def test_missing_library_lists_available_ones(sandbox: Sandbox, language: str) -> None:
    code, words = MISSING[language]
    found = judged(sandbox, language, code, "", "")
    assert found.verdict in (Verdict.RUNTIME_ERROR, Verdict.COMPILE_ERROR)
    assert words in found.reason, (found.reason, found.compile_log)
