"""python -m tools.ablate: counting the tasks that a rule decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.ablate import main, rules

PAGE = """<h3>Problem</h3><p>Count.</p><h3>Input</h3><pre>N
A_1 A_2 ... A_N</pre><h3>Sample Input 1</h3><pre>2
5 6</pre><h3>Sample Output 1</h3><pre>1</pre>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    problem = tmp_path / "count"
    (problem / "solutions" / "python").mkdir(parents=True)
    (problem / "problem.toml").write_text('title = "Count"\nstyle = "stdin"\n')
    (problem / "statement.md").write_text(PAGE)
    (problem / "solutions" / "python" / "a.py").write_text("print(1)\n")
    return tmp_path


def test_tasks_that_a_rule_decides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rules_named in ("format_block:layouts", "named_examples"):
        main([f"pages={folder}", "--rules", rules_named, "--names"])
    header, block, names, _, examples, none = capsys.readouterr().out.splitlines()
    assert header == "rule\tpages (of 1)"
    assert (block, names) == ("layouts.format_block:layouts\t1", "  pages: count")
    assert (examples, none) == ("statements:named_examples\t0", "  pages: ")


def test_every_rule_can_be_switched_off() -> None:
    names = []
    for rule in rules():
        names.append(rule.name)
        with rule.off():
            pass
    assert len(names) == len(set(names)) > 50
