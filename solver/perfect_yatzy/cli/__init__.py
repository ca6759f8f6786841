"""The command `yatzy`. Thin on purpose: the commands stand in :mod:`perfect_yatzy.commands`.

Data goes to standard output, everything else to standard error. Exit code 0: done; 1: failed; 2: usage or an
impossible position, told in one line. Modules that need numpy or numba are imported where they are used, so
that help and completion come at once.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .._version import __version__
from .commands.ask import expect, hold, odds, score
from .commands.learn import puzzle, review
from .commands.make import guide, simulate, solve, table, tables, verify
from .commands.play import play
from .commands.rules import rules
from .commands.serve import serve
from .console import YatzyGroup

EPILOG = "Every command explains itself: yatzy COMMAND --help"


@click.group(cls=YatzyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="yatzy")
def main() -> None:
    """Optimal play for Yatzy, exactly: which dice to hold, which category to take, what score to expect."""


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes this command in your shell.

    \b
      eval "$(yatzy completion bash)"
    """
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "yatzy", "_YATZY_COMPLETE").source())


for command in (
    hold, score, expect, odds, play, solve, table, tables, guide, rules, simulate, review, puzzle, serve, verify,
):  # fmt: skip
    main.add_command(command)
