"""Untrusted templates can access only their values, and always terminate."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jinja2.exceptions import SecurityError, UndefinedError

from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.models.prompts import PromptRequest, render_prompt
from venus_toolkit.models.prompts.template_process import TemplateProcess, template_process

ROOT = Path(__file__).parents[2]
PYTHON = load_languages()["python"]
# Each escapes from an environment without a sandbox, or changes its arguments.
HOSTILE = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ question.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ self._TemplateReference__context }}",
    "{{ lipsum.__globals__['os'].system('id') }}",
    "{{ ''['__class__'] }}",
    "{{ (question|attr('__class__')) }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(question) }}",
    "{{ history.append(1) }}",
    "{{ range(10000000)|list }}",
)
ENDLESS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{{ '' }}{% endfor %}{% endfor %}",
    "{{ 'x' * 10000000000 }}",
    "{% set ns = namespace(t='x' * 1000) %}{% for a in range(60) %}{% set ns.t = ns.t ~ ns.t "
    "%}{% endfor %}",
    "{{ '%2000000000d' % 1 }}",
    "{{ 'x'|center(6000000) }}",
    "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}",
    "{% include 'improve.md.j2' %}{% include 'baseline.md.j2' %}",
)


def prompt(folder: Path, text: str) -> str:
    (folder / "baseline.md.j2").write_text(text)
    return render_prompt(PromptRequest(PYTHON, "What is asked?", "time", templates=folder))[
        1
    ].content


@pytest.mark.parametrize("text", HOSTILE)
def test_template_reaches_only_its_values(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.j2").write_text(text)
    template = make_environment(tmp_path).get_template("x.j2")
    # Names that begin with an underscore are refused or undefined.
    with pytest.raises((SecurityError, UndefinedError, OverflowError)):
        template.render(question="What?", history=[])


def test_refused_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"the template baseline\.md\.j2 of .* cannot be rendered: .*__class__"
    ) as caught:
        prompt(tmp_path, HOSTILE[0])
    assert caught.value.fix.startswith("correct the template")


@pytest.mark.parametrize("text", ENDLESS)
def test_a_template_ends(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="cannot be rendered: "):
        prompt(tmp_path, text)
    (tmp_path / "next").mkdir()
    assert prompt(tmp_path / "next", "{{ question }}") == "What is asked?"


def test_process_that_something_else_ended_is_replaced(tmp_path: Path) -> None:
    processes = TemplateProcess()
    (tmp_path / "x.j2").write_text("{{ question }}")
    request = ([tmp_path], "```", "x.j2", {"question": "What?"})
    assert processes.render(*request) == "What?"
    assert processes._process
    processes._process.kill()
    processes._process.wait()
    assert processes.render(*request) == "What?"
    processes._end()


def test_templates_of_a_folder_replace_built_in_ones(tmp_path: Path) -> None:
    assert (
        prompt(tmp_path, "{{ 'print(1)'|fenced }} {{ question }}")
        == "```python\nprint(1)\n``` What is asked?"
    )
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(UsageError, match="'questoin' is undefined"):
        prompt(other, "{{ questoin }}")


def test_template_outside_its_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (tmp_path / "secret").write_text("mine")
    (folder / "system.md.j2").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match=r"system\.md\.j2 is not read: it leads out of"):
        prompt(folder, "x")
    with pytest.raises(SourceError, match="it leads out of"):
        make_environment(folder).get_template("system.md.j2")
    (folder / "system.md.j2").unlink()
    with pytest.raises(UsageError, match="secret is not read: it leads out of"):
        prompt(folder, "{% include '../secret' %}")


def test_process_has_no_tokens_and_ignores_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUS_API_KEY", "secret")
    (tmp_path / "jinja2.py").write_text("raise SystemExit('owned')\n")
    monkeypatch.chdir(tmp_path)
    process = TemplateProcess()
    try:
        (tmp_path / "a.j2").write_text("{{ x }}")
        assert process.render([tmp_path], "", "a.j2", {"x": 1}) == "1"
        assert process._process
        environment = Path(f"/proc/{process._process.pid}/environ").read_bytes()
        assert b"secret" not in environment
    finally:
        process._end()


def test_forked_process_starts_its_own() -> None:
    assert template_process(os.getpid()) is template_process(os.getpid())
    assert template_process(1) is not template_process(os.getpid())


def test_only_one_module_creates_environments() -> None:
    words = (
        "jinja2.Environment(",
        "Environment(loader",
        "import Environment",
        "jinja2.Template(",
        "NativeEnvironment",
    )
    folders = ("venus_toolkit", "builders", "training", "eval", "examples")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    modules = {
        f.name
        for f in files
        if any(word in f.read_text() for word in words) and "import jinja2" in f.read_text()
    }
    assert modules <= {"templates.py"}
