"""``venus completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(
    "completion",
    epilog="""\b
Examples:
  venus completion bash >> ~/.bashrc
  venus completion zsh >> ~/.zshrc
  venus completion fish > ~/.config/fish/completions/venus.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes commands in SHELL.

    Add it to the shell's startup file.
    """
    from venus_toolkit.cli import venus

    kind = get_completion_class(shell)
    assert kind
    click.echo(kind(venus, {}, "venus", "_VENUS_COMPLETE").source())
