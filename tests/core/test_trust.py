"""Settings of an untrusted repository: without trust, none of its commands runs."""

from __future__ import annotations

import dataclasses
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest

from examples.reproduce.preset import Preset
from venus_toolkit.builders.plan import SHARED as PLAN_TABLES
from venus_toolkit.builders.plan import BuildPlan, CardOptions, read_plan
from venus_toolkit.cli import COMMANDS, venus
from venus_toolkit.cli.project_file import ProjectFile
from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.language import FOLDER as LANGUAGES
from venus_toolkit.core.options import named_files
from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.core.untrusted.trust import (
    BENEATH,
    GUARDED,
    HARMLESS,
    TYPED_ONLY,
    granted,
    guarded_settings,
    require_trust,
)
from venus_toolkit.eval.asking.suite import LIMITS, BenchmarkSuite, read_suite
from venus_toolkit.models.client import ModelOptions
from venus_toolkit.training import recipe
from venus_toolkit.training.recipe import read_recipe

Cli = Callable[..., Any]
ROOT = click.Context(venus)
KNOWN = {*HARMLESS, *BENEATH, *GUARDED, *TYPED_ONLY}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, so no file is trusted."""
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cloned repository as the working folder, next to a user's file."""
    folder = tmp_path / "clone"
    (folder / "langs/evil").mkdir(parents=True)
    (folder / "langs/evil/language.toml").write_text("version = ['sh', '-c', 'touch /tmp/owned']\n")
    (folder / "inside").mkdir()
    (tmp_path / "secret").write_text("mine\n")
    (folder / "link").symlink_to(tmp_path)
    monkeypatch.chdir(folder)
    return folder


def options() -> Iterator[tuple[tuple[str, ...], str, click.Option]]:
    """Yield (command, key, option) for every option that a project file can set."""

    def of(
        words: tuple[str, ...], command: click.Command
    ) -> Iterator[tuple[tuple[str, ...], str, click.Option]]:
        for parameter in command.params:
            for flag in parameter.opts if isinstance(parameter, click.Option) else ():
                if flag.startswith("--"):
                    yield words, flag[2:].replace("-", "_"), parameter
        for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
            yield from of((*words, name), inner)

    for name in COMMANDS:
        command = venus.get_command(ROOT, name)
        assert command
        yield from of((name,), command)


OPTIONS = {f"{'.'.join(words)}.{key}": (words, key, option) for words, key, option in options()}
NUMBERS = (click.types.IntParamType, click.types.FloatParamType)


def guarded(table: dict[str, Any], folder: Path) -> dict[str, str]:
    return {setting.key: setting.reason for setting in guarded_settings(table, folder, folder)}


def nested(words: tuple[str, ...], key: str, value: Any) -> dict[str, Any]:
    table: dict[str, Any] = {key: value}
    for word in reversed(words):
        table = {word: table}
    return table


# ------------------------------------------------------------------ deny by default


def test_every_option_is_classified() -> None:
    """A new text option or flag must be added to core/untrusted/trust.py; numbers need not."""
    unknown = {
        name
        for name, (words, key, option) in OPTIONS.items()
        if key not in KNOWN
        and f"{words[-1]}.{key}" not in KNOWN
        and not isinstance(option.type, NUMBERS)
    }
    assert unknown == set()


def test_every_key_of_a_file_is_classified() -> None:
    kinds = [
        BuildPlan,
        CardOptions,
        ModelOptions,
        BenchmarkSuite,
        recipe.Recipe,
        recipe.RewardSettings,
        Preset,
    ]
    kinds += [kind for kind, _ in PLAN_TABLES.values()]
    numbers = ("int", "float", "int | None", "float | None")
    bounded = ("Annotated[int", "Annotated[float", "Share", "Count")
    tables = ("generation", "quality", "curation", "card", "trl", "lora", "base")
    keys = {
        field.name for kind in kinds for field in dataclasses.fields(kind)
        if str(field.type) not in numbers and not str(field.type).startswith(bounded)
    }  # fmt: skip
    keys |= {key for key, value in recipe.DEFAULTS.items() if not isinstance(value, int | float)}
    assert {key for key in keys - KNOWN - {*tables} if f"quality.{key}" not in KNOWN} == set()


def test_classes_of_keys_are_disjoint() -> None:
    assert not HARMLESS & BENEATH
    assert not (HARMLESS | BENEATH) & {*GUARDED}
    assert not (HARMLESS | BENEATH | {*GUARDED}) & {*TYPED_ONLY}


def test_an_unknown_key_needs_trust(repository: Path) -> None:
    """Unknown keys of TRL may push the model to the Hub, or run code that comes with it."""
    table = {
        "push_to_hub": True,
        "trust_remote_code": True,
        "trl": {"hub_token": "x"},
        "deepspeed": "ds.json",
    }
    assert {*guarded(table, repository)} == {
        "push_to_hub",
        "trust_remote_code",
        "trl.hub_token",
        "deepspeed",
    }


def test_bundled_files_need_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    from examples.reproduce.preset import presets, read_preset
    from venus_toolkit.builders.plan import FOLDER as PLANS
    from venus_toolkit.eval.asking.suite import FOLDER as SUITES

    for name in named_files(PLANS):
        assert read_plan(name)
    for name in named_files(SUITES):
        if name not in ("coffe", "ecco", "enamel", "evalperf", "folder", "pie"):
            assert read_suite(name)
    for name in presets():
        assert read_preset(name).recipes(0)


# ------------------------------------------------------------------ each key of a project file


@pytest.mark.parametrize(
    "name", sorted(name for name, (_, key, _) in OPTIONS.items() if key in GUARDED)
)
def test_guarded_option_needs_a_trusted_file(repository: Path, name: str) -> None:
    words, key, option = OPTIONS[name]
    value: Any = (
        True if option.is_flag else 1 if isinstance(option.type, click.IntRange) else "langs"
    )
    value = [value] if option.multiple else value
    command = venus.get_command(ROOT, words[0])
    assert command
    file = ProjectFile(repository / "venus.toml", nested(words, key, value))

    def default() -> Any:
        settings: Any = file.defaults(words[:1], command)
        for word in words[1:]:
            settings = settings[word]
        return settings[option.name]

    with pytest.raises(UsageError, match="needs trust: ") as caught:
        default()()
    assert "--trust" in caught.value.fix
    if key != "trust":
        with_trust(lambda: default()())
        assert default()()  # now trusted without the flag


@pytest.mark.parametrize("words", [("eval",), ("build",), ("optimize",), ("derive", "cold-start")])
def test_typed_only_option_is_refused_in_any_file(repository: Path, words: tuple[str, ...]) -> None:
    """Trust does not help: engine arguments may load code from the author of a model."""
    command = venus.get_command(ROOT, words[0])
    assert command
    file = ProjectFile(repository / "venus.toml", nested(words, "engine_arg", ["a=1"]))

    def default() -> Any:
        settings: Any = file.defaults(words[:1], command)
        for word in words[1:]:
            settings = settings[word]
        return settings["engine_args"]()

    for call in (default, lambda: with_trust(default)):
        with pytest.raises(UsageError, match=r"must not set .*engine_arg") as caught:
            call()
        assert caught.value.fix == "type it on the command line: --engine-arg NAME=VALUE"


@pytest.mark.parametrize("key", ["kind", "model", "tensor_parallel_size"])
def test_no_plan_sets_engine_arguments(repository: Path, key: str) -> None:
    plan = repository / "plan.toml"
    plan.write_text(f'[model]\nmodel = "vllm:m"\nbase_url = ""\n[model.engine_args]\n{key} = 1\n')
    for call in (read_plan, lambda name: with_trust(lambda: read_plan(name))):
        with pytest.raises(UsageError, match=rf"must not set model\.engine_args\.{key}"):
            call(str(plan))
    plan.write_text('[model]\nmodel = "vllm:m"\nbase_url = ""\n')
    typed = read_plan(str(plan), model={"engine_args": {"tensor_parallel_size": 2}})
    assert typed.model
    assert typed.model.engine_args == {"tensor_parallel_size": 2}


def with_trust(call: Callable[[], Any]) -> Any:
    token = granted.set(True)
    try:
        return call()
    finally:
        granted.reset(token)


OUTSIDE = (
    "../secret", "/etc/passwd", "link/secret", "~/.ssh/id_ed25519", "taco:/etc", "x?tests=%2e%2e&a=b", "a=/etc/passwd",
)  # fmt: skip


@pytest.mark.parametrize(
    "name", sorted(name for name, (_, key, _) in OPTIONS.items() if key in BENEATH)
)
def test_paths_must_lie_beneath_the_folder(repository: Path, name: str) -> None:
    words, key, option = OPTIONS[name]
    assert guarded(nested(words, key, "inside"), repository) == {}
    for value in OUTSIDE if not (isinstance(option.type, NUMBERS) or option.is_flag) else ():
        (reason,) = guarded(nested(words, key, [value]), repository).values()
        assert "outside of" in reason, value


@pytest.mark.parametrize("folder", [".", "plans"])
def test_the_reason_names_the_folder(
    repository: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.chdir(repository)
    (repository / "plans").mkdir(exist_ok=True)
    (setting,) = guarded_settings({"source": "/etc"}, Path(folder), Path.cwd())
    assert setting.reason == f"/etc lies outside of {(repository / folder).resolve()}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("languages", 'languages = "langs"'),
        ("prompts", 'prompts = "inside"'),
        ("base_url", 'base_url = "http://localhost:9/v1"'),
        ("sandbox", 'sandbox = "http://localhost:9"'),
        ("ray_address", 'ray_address = "auto"'),
        ("engine", 'engine = "ray"'),
        ("header", '[eval]\nheader = ["X: y"]'),
        ("param", '[eval]\nparam = ["tools=[]"]'),
        ("data", '[eval]\ndata = "/srv/data"'),
        ("out", '[eval]\nout = "../out"'),
        ("model_card", '[eval]\nmodel-card = "link/secret"'),
        ("reference_cache", '[eval]\nreference_cache = "/tmp"'),
    ],
)
def test_a_hostile_repository_is_refused_by_the_command(
    cli: Cli, repository: Path, name: str, text: str
) -> None:
    (repository / "venus.toml").write_text(text + "\n")
    typed = {"--model": "x", "--data": "nowhere", "--lang": "cpp", "--out": "out"}
    words = [word for pair in typed.items() if pair[0] != f"--{name}" for word in pair]
    done = cli("eval", *words)
    assert done.exit_code == 2
    first, last = done.stderr.strip().splitlines()[-2:]
    assert f"{name.replace('_', '-')} = " in first.replace("_", "-")
    assert "needs trust: " in first
    assert "--trust" in last


def test_command_line_needs_no_trust(cli: Cli, repository: Path) -> None:
    (repository / "venus.toml").write_text('languages = "langs"\n')
    assert "needs trust" in cli("languages", "list").stderr
    done = cli("languages", "list", "--languages", "inside")
    assert "needs trust" not in done.stderr
    assert "no language found" in done.stderr


def test_change_ends_trust(cli: Cli, repository: Path) -> None:
    (repository / "venus.toml").write_text('languages = "langs"\n[run]\nrepeats = 2\n')
    assert "needs trust" in cli("languages", "list").stderr
    assert "incomplete" in cli("--trust", "languages", "list").stderr  # the folder was read
    assert "incomplete" in cli("languages", "list").stderr
    for file, text in (
        ("langs/evil/language.toml", "version = ['sh', '-c', 'rm -rf /']\n"),
        ("langs/evil/more.py", "x = 1\n"),
        ("venus.toml", 'languages = "langs"\n[run]\nrepeats = 3\n'),
    ):
        (repository / file).write_text(text)
        assert "needs trust" in cli("languages", "list").stderr, file
        assert "incomplete" in cli("languages", "list", "--trust").stderr
    (repository / "other.txt").write_text("no setting leads here\n")
    assert "incomplete" in cli("languages", "list").stderr


def test_untrusted_language_runs_no_command(cli: Cli, repository: Path) -> None:
    """The version command is the first command of a language folder that runs on this machine."""
    mine, mark = repository / "langs/evil", repository / "owned"
    shutil.rmtree(mine)
    shutil.copytree(LANGUAGES / "python", mine)
    table = (mine / "language.toml").read_text()
    hostile = table.replace(
        'version = ["python3", "--version"]', f'version = ["sh", "-c", "touch {mark}; echo 1"]'
    )
    assert hostile != table
    (mine / "language.toml").write_text(hostile)
    for text in (
        'languages = "langs"\n',
        '[languages.list]\nlanguages = "langs"\n',
        "languages = 'link/clone/langs'\n",
    ):
        (repository / "venus.toml").write_text(text)
        assert cli("languages", "list").exit_code == 2
        assert not mark.exists()
    assert cli("--trust", "languages", "list").exit_code == 0
    assert mark.exists()


def test_trust_is_per_folder(cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "venus.toml").write_text('languages = "langs"\n')
    cli("--trust", "languages", "list")
    copy = repository.with_name("copy")
    (copy / "langs").mkdir(parents=True)
    (copy / "venus.toml").write_text('languages = "langs"\n')
    monkeypatch.chdir(copy)
    assert "needs trust" in cli("languages", "list").stderr


def test_only_the_venus_table_of_pyproject_is_trusted(cli: Cli, repository: Path) -> None:
    file = repository / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n[tool.venus]\nlanguages = "langs"\n')
    assert "needs trust" in cli("languages", "list").stderr
    assert "incomplete" in cli("--trust", "languages", "list").stderr
    file.write_text('[project]\nname = "y"\n[tool.venus]\nlanguages = "langs"\n')
    assert "incomplete" in cli("languages", "list").stderr


# ------------------------------------------------------------------ plans, recipes, suites


@pytest.mark.parametrize(
    "line",
    [
        'sandbox = "http://far.example:8000"', 'engine = "ray"', 'engine = "ray"\nray_address = "far.example:6379"',
        'source = "/home"', 'source = "../secret"', 'source = "columns:link/secret"', 'replay = "/srv"',
        'earlier = ".."',
        '[curation]\nbenchmarks = ["x=/home/*/*.txt"]', '[model]\nmodel = "m"\nbase_url = "http://localhost:1/v1"',
        '[model]\nmodel = "m"\nbase_url = ""\n[model.headers]\nAuthorization = "Bearer x"',
        '[model]\nmodel = "m"\nbase_url = ""\n[model.params]\ntools = "x"',
        # Keys that are harmless in other tables.
        '[model]\nmodel = "m"\nbase_url = ""\n[model.params]\nname = "x"',
        '[model]\nmodel = "m"\nbase_url = ""\n[model.params.spec]\nrepeats = 3',
        '[model]\nmodel = "m"\nbase_url = ""\n[model.headers]\nversion = "x"',
    ],
)  # fmt: skip
def test_a_plan_needs_trust(repository: Path, line: str) -> None:
    plan = repository / "plan.toml"
    plan.write_text(line + "\n")
    with pytest.raises(UsageError, match="needs trust: "):
        read_plan(str(plan))


@pytest.mark.parametrize("key", sorted(HARMLESS | BENEATH))
def test_guarded_table_guards_its_content(repository: Path, key: str) -> None:
    """The author of a file chooses the names inside such a table."""
    if "." in key:
        return
    for table in GUARDED:
        assert guarded({"model": {table: {key: "inside"}}}, repository)
        assert guarded({table: {"any": {key: 3}}}, repository)
    assert guarded({key: [{"base_url": "http://far.example"}]}, repository)
    assert guarded({key: [["/etc"]]}, repository)
    # In a project file, the first words of an option are a command.
    own = {key: "inside"}
    assert not list(guarded_settings(own, repository, repository, words=("languages", "check")))


def test_error_in_a_plan_is_reported_before_trust(repository: Path) -> None:
    plan = repository / "plan.toml"
    plan.write_text('tittle = "x"\nsource = "/srv"\n')
    with pytest.raises(UsageError, match="the plan has unknown keys: tittle"):
        read_plan(str(plan))


def test_trust_cannot_switch_isolation_off(repository: Path) -> None:
    plan = repository / "plan.toml"
    plan.write_text('sandbox = "unsafe"\n')
    for call in (lambda: read_plan(str(plan)), lambda: with_trust(lambda: read_plan(str(plan)))):
        with pytest.raises(UsageError, match="must not be 'unsafe'") as caught:
            call()
        assert caught.value.fix == "type: --sandbox unsafe"
    assert read_plan(str(plan), sandbox="unsafe").sandbox == "unsafe"


def test_command_line_overrides_a_plan(repository: Path) -> None:
    plan = repository / "plan.toml"
    plan.write_text('source = "/srv"\n[model]\nmodel = "m"\nbase_url = "http://far.example/v1"\n')
    merged = read_plan(str(plan), source="corpus", model={"base_url": "http://localhost:1/v1"})
    assert merged.model
    assert (merged.source, merged.model.base_url) == ("corpus", "http://localhost:1/v1")
    with pytest.raises(UsageError, match=r"model\.base_url = 'http://far\.example/v1' needs trust"):
        read_plan(str(plan), source="corpus")
    assert with_trust(lambda: read_plan(str(plan))).source == "/srv"
    assert read_plan(str(plan)).source == "/srv"


@pytest.mark.parametrize(
    "line",
    [
        "push_to_hub = true", "trust_remote_code = true", 'report_to = "clearml"', 'vllm_server_host = "far.example"',
        "vllm_server_port = 1", 'chat_template = "../secret"', 'model = "/srv/model"', 'deepspeed = "ds.json"',
        '[trl]\nhub_model_id = "thief/model"', '[lora]\nmodules_to_save = "x"',
    ],
)  # fmt: skip
def test_a_recipe_needs_trust(repository: Path, line: str) -> None:
    file = repository / "mine.toml"
    file.write_text(f'method = "sft"\nlearning_rate = 1e-4\n{line}\n')
    with pytest.raises(UsageError, match="needs trust: "):
        read_recipe(str(file))


@pytest.mark.parametrize(
    "line", ['prompts = "inside"', 'source = "folder:/srv"', 'plan = "/srv/plan.toml"']
)
def test_a_suite_needs_trust(repository: Path, line: str) -> None:
    file = repository / "mine.toml"
    file.write_text(f'about = "Mine: see https://example.org/x."\n{line}\n')
    with pytest.raises(UsageError, match="needs trust: "):
        read_suite(str(file))
    assert with_trust(lambda: read_suite(str(file))).name == "mine"
    assert read_suite(str(file)).name == "mine"
    assert LIMITS


def test_a_harmless_plan_is_read(repository: Path) -> None:
    plan = repository / "plan.toml"
    plan.write_text(
        'source = "inside"\nsandbox = "docker"\ntests = 5\n[time_factor]\npython = 2.0\n'
        '[card]\ntitle = "x"\n'
    )
    assert read_plan(str(plan)).tests == 5


# ------------------------------------------------------------------ remembered trust


def remember(file: Path) -> None:
    table = {"languages": "langs"}
    settings = list(guarded_settings(table, file.parent, file.parent))
    require_trust(file, table, file.parent, settings)


def test_entry_writable_by_others_is_ignored(repository: Path, cache: Path) -> None:
    file = repository / "venus.toml"
    with_trust(lambda: remember(file))
    remember(file)
    (entry,) = (cache / "trust").iterdir()
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    for path in (entry, cache / "trust"):
        mode = stat.S_IMODE(path.stat().st_mode)
        path.chmod(0o777)
        with pytest.raises(UsageError, match="needs trust"):
            remember(file)
        path.chmod(mode)
    remember(file)
    entry.rename(cache / "elsewhere")
    entry.symlink_to(cache / "elsewhere")
    with pytest.raises(UsageError, match="needs trust"):
        remember(file)
    with pytest.raises(StoreError, match="trust cannot be remembered"):
        with_trust(lambda: remember(file))


def test_trust_folder_writable_by_others_is_refused(repository: Path, cache: Path) -> None:
    (cache / "trust").mkdir(parents=True)
    (cache / "trust").chmod(0o777)
    with pytest.raises(StoreError, match="others may write into it") as caught:
        with_trust(lambda: remember(repository / "venus.toml"))
    assert caught.value.fix == f"type: chmod 700 {cache / 'trust'}"


def test_content_of_an_entry_is_ignored(repository: Path, cache: Path) -> None:
    with_trust(lambda: remember(repository / "venus.toml"))
    (entry,) = (cache / "trust").iterdir()
    entry.write_bytes(b"\xff{broken")
    remember(repository / "venus.toml")


def test_processes_may_remember_concurrently(repository: Path, cache: Path) -> None:
    def work(number: int) -> None:
        with_trust(lambda: remember(repository / f"{number % 3}.toml"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(60)))
    assert len(list((cache / "trust").iterdir())) == 3


def test_a_link_in_a_trusted_tree_is_refused(repository: Path) -> None:
    (repository / "langs/more").symlink_to("/etc")
    with pytest.raises(UsageError, match="more is a link to a folder"):
        with_trust(lambda: remember(repository / "venus.toml"))


# ------------------------------------------------------------------ the cache


def test_the_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder("x") == tmp_path / "cache/x"
    monkeypatch.delenv("VENUS_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder("x") == tmp_path / ".cache/venus/x"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder("x") == tmp_path / "xdg/venus/x"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder("x") == tmp_path / ".cache/venus/x"


def test_only_one_function_finds_the_cache() -> None:
    """Every cache uses `cache_folder`, so that both environment variables apply to all of them."""
    root = Path(__file__).parents[2]
    folders = ("venus_toolkit", "builders", "training", "eval", "examples")
    asking = {
        file.relative_to(root).as_posix()
        for folder in folders
        for file in (root / folder).rglob("*.py")
        if any(
            word in file.read_text() for word in ("XDG_CACHE_HOME", '"VENUS_CACHE"', '".cache" /')
        )
    }
    assert asking == {"venus_toolkit/core/temporary.py"}
    assert os.environ["VENUS_CACHE"]
