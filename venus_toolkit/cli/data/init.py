"""``venus init problem|plan|language|launcher|environment``."""

from __future__ import annotations

import re
import shutil
import string
import tomllib
from pathlib import Path

import click

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import nearest

STARTERS = Path(__file__).with_name("starters")


@click.group(
    "init",
    epilog="""\b
Examples:
  venus init problem my-problems/largest-sum
  venus init problem my-problems/largest-sum --style function
  venus init plan my-plan.toml
  venus init language my-languages/kotlin --like java
  venus init launcher fsdp2.yaml --kind fsdp2
  venus init environment venus_programs.py
""",
)
def command() -> None:
    """Write files to start from: a problem, a plan, a language.

    venus init launcher writes the configuration for training on several GPUs, and venus init
    environment the module through which verifiers finds the environment. Problems in a table need
    no folders: venus sources show FILE --map FILE.toml writes its column map.
    """


@command.command("problem", epilog="Example: venus init problem my-problems/largest-sum")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--style", type=click.Choice(["stdin", "function"]), default="stdin", show_default=True,
    help="Whether solutions read standard input or are functions.",
)  # fmt: skip
def problem(folder: Path, style: str) -> None:
    """Write a problem folder that builds without changes.

    It contains a statement, from which test inputs are generated, correct solutions in Python and
    C++, and a wrong one.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-")
    if not slug:
        reason = "the last part of the path has no ASCII letter or digit"
        raise UsageError(
            f"{folder} cannot name a problem", reason, "type: venus init problem my-problems/my-sum"
        )
    words = {"title": slug.replace("-", " ").capitalize(), "slug": slug}
    files = tomllib.loads((STARTERS / f"{style}.toml").read_text(encoding="utf-8"))
    _claim(folder)
    for name, text in files.items():
        _write(folder / name, string.Template(text).safe_substitute(words))
    click.echo(f"written    {folder}: {', '.join(files)}")
    source = folder.parent
    click.echo(
        f"build it:  venus build --lang python --source {source} --min-solutions 1 --out "
        f"build/{source.absolute().name or slug}"
    )


@command.command("plan", epilog="Example: venus init plan my-plan.toml")
@click.argument("file", type=click.Path(path_type=Path))
def plan(file: Path) -> None:
    """Write a plan with the options that most builds change."""
    _claim(file)
    _write(file, (STARTERS / "plan.toml").read_text(encoding="utf-8"))
    click.echo(f"written    {file}\nbuild it:  venus build --lang cpp --plan {file}")


@command.command("language", epilog="Example: venus init language my-languages/kotlin --like java")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--like",
    default="python",
    show_default=True,
    metavar="ID",
    help="The language whose folder is copied.",
)
def language(folder: Path, like: str) -> None:
    """Write a language folder: a copy of another one under a new id.

    Change its commands and its self-test programs, then check it with venus languages check.
    """
    from venus_toolkit.core.language import load_languages

    languages = load_languages()
    new = re.sub(r"[^a-z0-9]+", "", folder.name.lower())
    if like not in languages:
        raise UsageError(
            f"there is no language {like}",
            f"expected one of {', '.join(languages)}",
            nearest(like, languages) + "choose another --like",
        )
    if not new or new in languages:
        reason = (
            f"the language {new} exists already"
            if new
            else "the last part of the path has no ASCII letter or digit"
        )
        raise UsageError(
            f"{folder} cannot name a new language", reason, "choose another name for the folder"
        )
    _claim(folder)
    try:
        shutil.copytree(
            languages[like].folder,
            folder,
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
        table = folder / "language.toml"
        text = table.read_text(encoding="utf-8")
        names = {
            "id": f'"{new}"',
            "name": f'"{folder.name.capitalize()}"',
            "aliases": "[]",
            "fences": f'["{new}"]',
        }
        for key, value in names.items():
            text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text, count=1)
        table.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written", str(error), "choose another folder"
        ) from error
    click.echo(
        f"written    {folder}: a copy of {like}\ncheck it:  venus languages check {new} "
        f"--languages {folder.parent}"
    )


@command.command("launcher", epilog="Example: venus init launcher fsdp2.yaml --kind fsdp2")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--kind", type=click.Choice(["ddp", "fsdp2", "zero2", "zero3"]), default="ddp", show_default=True,
    help="What a GPU holds: the whole model (ddp), or a part of it.",
)  # fmt: skip
def launcher(file: Path, kind: str) -> None:
    """Write accelerate's configuration for several GPUs.

    It assumes eight GPUs on one machine; change num_processes for another number.
    """
    _claim(file)
    accelerate = Path(__file__).parents[2] / "training" / "accelerate"
    _write(file, (accelerate / f"{kind}.yaml").read_text(encoding="utf-8"))
    click.echo(
        f"written    {file}\ntrain:     accelerate launch --config_file {file} -m venus_toolkit "
        "train sft …"
    )


@command.command("environment", epilog="Example: venus init environment venus_programs.py")
@click.argument("file", type=click.Path(path_type=Path))
def environment(file: Path) -> None:
    """Write the module through which verifiers finds the environment.

    verifiers finds a taskset by the name of its module, which must be a top-level one.
    """
    if not file.stem.isidentifier() or file.suffix != ".py":
        raise UsageError(
            f"{file} cannot be imported",
            "it is not the name of a module",
            "call it venus_programs.py",
        )
    _claim(file)
    _write(file, (STARTERS / "environment.py.txt").read_text(encoding="utf-8"))
    click.echo(
        f"written    {file}\nrun it:    eval {file.stem} --env.taskset.release RELEASE, "
        "from a folder where it can be imported"
    )


def _claim(path: Path) -> None:
    """Reject a path that exists, unless it is an empty folder."""
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise UsageError(
            f"{path} exists already", "nothing is overwritten", "choose another name, or remove it"
        )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written", str(error), "choose another path") from error
