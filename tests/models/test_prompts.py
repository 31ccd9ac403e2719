"""Rendered prompts: every placeholder is filled, and figures have units or are not measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Measurement, TestCase
from venus_toolkit.models.client import conversation
from venus_toolkit.models.prompts import (
    BUNDLED,
    FOLDER,
    FORMS,
    OBJECTIVES,
    Attempt,
    Performance,
    PromptRequest,
    render_program,
    render_prompt,
    template_folder,
)

CPP = load_languages()["cpp"]
OURS = {
    "fence", "style", "form", "original_failure", "show_original", "show_feedback", "history", "about", "examples",
}  # fmt: skip
# variables of feedback.md.j2, which is used between two turns
EPISODES = {"verdict", "complaint", "figures", "original", "left"}
REQUEST = PromptRequest(CPP, "Print 2n.", "time")
PAPER = {
    "target_lang", "question", "starter_code", "efficiency_instruction", "original_solution", "original_passed",
    "original_time", "original_memory", "original_integral",
}  # fmt: skip


def text(**changes: Any) -> str:
    system, user = render_prompt(replace(REQUEST, **changes))
    assert (system.role, user.role) == ("system", "user")
    return user.content


def test_templates_have_the_papers_placeholders() -> None:
    environment = jinja2.Environment()
    environment.filters |= {"fenced": str, "as_text": str}
    files = list(FOLDER.glob("*.j2"))
    used = {
        name
        for f in files
        for name in jinja2.meta.find_undeclared_variables(environment.parse(f.read_text()))
    }
    assert used == {*PAPER, *OURS, *EPISODES}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", FORMS)
def test_every_prompt_has_objective_and_form(objective: str, form: str) -> None:
    asked = text(objective=objective, form=form)
    assert all(word in asked for word in ("C++", "Print 2n.", f"{objective}-efficient", "`cpp`"))
    assert ("<solution>" in asked) == (form == "thinking")


def test_original_is_shown_with_its_cost() -> None:
    asked = text(
        original="int main() {}\n", performance=Performance(True, 12.34567, 3456.78, 2_500_000.0)
    )
    lines = (
        "```cpp\nint main() {}\n```",
        "- time: 12.35 ms",
        "memory: 3457 KiB",
        "(integral): 2500 KiB·s",
        "yes",
    )
    assert all(line in asked for line in lines)
    assert "Original" not in text()


def test_unknown_cost_is_not_measured() -> None:
    asked = text(original="x", performance=Performance(False))
    assert "- time: not measured" in asked
    assert "passed all tests: no" in asked


def test_functions_keep_their_starter_code() -> None:
    asked = text(style="function", starter_code="struct Solution {};")
    assert "```cpp\nstruct Solution {};\n```" in asked
    assert "standard input" not in asked
    assert "standard input" in text()


def test_statement_is_not_rendered_as_a_template() -> None:
    assert "{{ original_solution }} {% if" in text(question="{{ original_solution }} {% if")


def test_conversation_has_roles_and_contents() -> None:
    assert [message["role"] for message in conversation(render_prompt(REQUEST))] == [
        "system",
        "user",
    ]


ATTEMPT = Attempt("slower()", "not_better", Performance(True, 99.0))


def test_known_failure_is_shown() -> None:
    asked = text(original="x", performance=Performance(False, failure="wrong answer in test 3"))
    assert "- passed all tests: no (wrong answer in test 3)" in asked


def test_prompt_fixes_or_improves_the_original() -> None:
    passing, failing = Performance(True, 5.0), Performance(False, failure="crash")
    assert "Write a solution that is more time-efficient and still correct" in text(
        original="x", performance=passing
    )
    asked = text(original="x", performance=failing)
    assert "Fix it, and make it as time-efficient as you can" in asked
    assert "still correct" not in asked
    codeless = text(original="x", performance=failing, show_original=False)
    assert "A solution of it in C++ does not pass its tests. Write one that does" in codeless
    blind = [
        text(original="x", performance=performance, show_feedback=False)
        for performance in (passing, failing)
    ]
    assert blind[0] == blind[1], "without feedback the failure is hidden"


def test_history_shows_attempts_with_outcomes() -> None:
    asked = text(
        original="x",
        history=(ATTEMPT, Attempt("bad()", "failed", Performance(False, failure="crash"))),
    )
    assert asked.index("slower()") < asked.index("bad()") < asked.index("## Answer")
    assert "### Attempt 1: right, and not better beyond the noise" in asked
    assert "passed all tests: no (crash)" in asked
    assert "Tried before" not in text(original="x")


def test_code_or_cost_can_be_hidden() -> None:
    blind = text(original="x = 1", show_feedback=False, history=(ATTEMPT,))
    assert ("x = 1" in blind, "99 ms" in blind, "Original performance" in blind) == (
        True,
        False,
        False,
    )
    codeless = text(original="x = 1", show_original=False, performance=Performance(True, 7.0))
    assert ("x = 1" in codeless, "7 ms" in codeless, "Original solution" in codeless) == (
        False,
        True,
        False,
    )
    with pytest.raises(UsageError, match="nothing to improve"):
        text(original="x", show_original=False, show_feedback=False)


def test_user_templates_replace_ours(tmp_path: Path) -> None:
    (tmp_path / "baseline.md.j2").write_text(
        "Own words: {{ question }}\n{% include 'rules.md.j2' %}"
    )
    asked = text(templates=tmp_path)
    assert asked.startswith("Own words: Print 2n.")
    assert "standard input" in asked, "what is not replaced is ours"


@pytest.mark.parametrize("form", FORMS)
def test_paper_templates_have_the_papers_structure(form: str) -> None:
    paper = replace(REQUEST, form=form, templates=template_folder("paper"))
    headings = [line for line in last(paper).splitlines() if line.startswith("## ")]
    assert headings == ["## Instructions", "## Problem Description", "## Output Format"]
    assert "as time-efficient as possible" in last(paper)
    shown = Performance(True, 12.34567, 3456.78, 2_500_000.0)
    asked = last(paper.after("int main() {}", "accepted", cost=shown))
    headings = [line for line in asked.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Instructions", "## Problem Description", "## Original Solution", "## Original Performance",
        "## Task", "## Output Requirements",
    ]  # fmt: skip
    for part in ("Passed all tests: yes", "12.35 ms", "3457 KiB", "2500 KiB·s", "int main() {}"):
        assert part in asked
    failing = last(paper.after("int main() {}", "wrong_answer", "expected 55, got 0"))
    assert "Passed all tests: no (wrong answer) / Execution time: not measured" in failing
    assert "find its errors and correct them" in failing
    assert "55" not in failing
    system = render_prompt(paper)[0].content
    assert ("<thinking>" in system) == (form == "thinking")


def test_paper_templates_use_our_placeholders() -> None:
    environment = jinja2.Environment()
    environment.filters |= {"fenced": str}
    used = {
        name
        for f in BUNDLED["paper"].glob("*.j2")
        for name in jinja2.meta.find_undeclared_variables(environment.parse(f.read_text()))
    }
    assert used == PAPER | {"original_failure", "show_original", "show_feedback", "form"}


def last(request: PromptRequest) -> str:
    return render_prompt(request)[-1].content


def test_after_shows_cost_or_failure() -> None:
    cost = Measurement(wall_ns=5_000_000, peak_bytes=2048, integral_byte_ns=3 * 1024 * 10**9)
    passing = last(REQUEST.after("x", "accepted", "", cost))
    assert passing == text(original="x", performance=Performance(True, 5.0, 2.0, 3000.0))
    failing = last(REQUEST.after("x", "wrong_answer", "expected 55"))
    assert failing == text(original="x", performance=Performance(False, failure="wrong answer"))
    quoted = last(REQUEST.after("x", "wrong_answer", "expected 55", None, "diff"))
    assert "no (wrong answer: expected 55)" in quoted
    assert "not measured" in last(REQUEST.after("x", "accepted"))


def test_program_replaces_the_statement() -> None:
    example = TestCase("1", "3\n```\n", "6\n")
    statement = render_program(CPP, "", [example])
    assert "it must print the same" in statement
    assert "````\n3\n```\n````" in statement
    assert render_program(CPP, "Doubles.", []) == "Doubles."


@pytest.mark.parametrize(("key", "value"), [("objective", "energy"), ("form", "poem")])
def test_unknown_values_are_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=value):
        text(**{key: value})
