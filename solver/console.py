"""The command's frame: one error boundary, the options many commands share, the progress of a solve.

What a user did wrong becomes one line on standard error and an exit code; anything else keeps its traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from .errors import SolverError

if TYPE_CHECKING:
    from .queries import Desk
    from .rules import RuleSet
    from .store import Progress

F = TypeVar("F", bound=Callable[..., Any])


class YatzyGroup(click.Group):
    """The one error boundary: what a user did wrong becomes one line and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, and turn every expected failure into its line and exit code."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()
            sys.exit(code if isinstance(code, int) else 0)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            sys.exit(0)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "yatzy"
            fail(f"{error.format_message().rstrip('.')} (see {command} --help)", 2)
        except click.ClickException as error:
            fail(error.format_message(), 1)
        except click.Abort:
            fail("interrupted", 130)
        except SolverError as error:
            fail(str(error), error.exit_code)
        except BrokenPipeError:
            # The reader has left (`yatzy ... | head`): no message, and none at interpreter exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except MemoryError:
            fail("out of memory: this rule set needs more than this machine has", 1)


def fail(message: str, code: int) -> None:
    """Say why on standard error and leave."""
    click.echo(f"yatzy: {message}", err=True)
    sys.exit(code)


class RulesParam(click.ParamType[str]):
    """A rule set by name or file; completes the names."""

    name = "rules"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of the built-in rule sets."""
        from .rulefile import builtin_ids

        return [CompletionItem(name) for name in builtin_ids() if name.startswith(incomplete)]


class LanguageParam(click.ParamType[str]):
    """A language by its code; completes the codes."""

    name = "language"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Codes and names of the languages."""
        from .languages import languages

        found = languages().items()
        return [CompletionItem(code, help=name) for code, name in found if code.startswith(incomplete)]


RULES = RulesParam()


rules_option = click.option(
    "--rules", "-r", type=RULES, default="yatzy", envvar="YATZY_RULES", show_default=True,
    help="Rule set: a name, name+switch, or a .toml file.",
)  # fmt: skip

language_option = click.option(
    "--lang", type=LanguageParam(), default="en", envvar="YATZY_LANG", show_default=True,
    help="Names of games and categories: en, da, de, fi, nb, sv.",
)  # fmt: skip


def table_options(command: F) -> F:
    """Options of every command that reads or writes tables."""
    for option in (
        click.option("--threads", type=click.IntRange(1, 256), help="Processors to use for solving [all]."),
        click.option("--tables", type=click.Path(file_okay=False), help="Folder of the value tables."),
    ):
        command = option(command)
    return command


def query_options(command: F) -> F:
    """Options of every query."""
    for option in (
        click.option("--jsonl", is_flag=True, help="Answer requests from standard input, one JSON object a line."),
        click.option("--json", "as_json", is_flag=True, help="One JSON object with everything."),
        click.option("--all", "show_all", is_flag=True, help="Show every action, not the best five."),
        click.option("--extra", type=click.IntRange(0), default=0, help="Points outside the boxes so far."),
        click.option("--saved", type=click.IntRange(0), default=0, help="Saved rolls this turn began with."),
        click.option("--card", "-c", default="", metavar="CARD", help='Filled categories: "ones=3 chance=22".'),
        click.option("--ties", help="Against opponents a tie is a loss [default], half, or win."),
        click.option("--opponents", metavar="OTHERS", help='Beat them: "251; ones=3 sixes=24", final score or card.'),
        click.option("--goal", "-g", type=click.IntRange(0, 99_999), help="Play to reach this final score."),
        language_option,
        rules_option,
    ):
        command = option(command)
    return table_options(command)


def solving(rules: RuleSet) -> Progress:
    """Progress of a solve on standard error: a bar on a terminal, one short line elsewhere."""
    said = False

    def report(done: int, total: int) -> None:
        nonlocal said
        if not said:
            click.echo(f"yatzy: solving {rules.key}; its table is kept for later", err=True)
        said = True

    return bar(f"Solving {rules.key}") if sys.stderr.isatty() else report


def playing(games: int) -> Progress:
    """Progress of a simulation that takes a while; nothing where nobody looks."""
    watched = sys.stderr.isatty() and games >= 300_000
    return bar(f"Playing {games:,} games") if watched else lambda done, total: None


def ask_line(question: str) -> str | None:
    """One line from the person at the terminal; None at the end of input.

    Raises
    ------
    SolverError
        If it is no text.
    """
    try:
        text = str(click.prompt(question, prompt_suffix=" ", default="", show_default=False)).strip()
    except click.Abort:
        click.echo()  # what is said next does not belong to the question
        return None
    except UnicodeDecodeError as error:
        raise SolverError("the input is no text in this terminal's encoding") from error
    if not sys.stdin.isatty():
        click.echo(text)  # as a terminal shows what is typed
    return text


def bar(label: str) -> Progress:
    """A progress bar on standard error, drawn from the first report to the last."""
    drawing: Any = None
    drawn = 0

    def report(done: int, total: int) -> None:
        nonlocal drawing, drawn
        if drawing is None:
            drawing = click.progressbar(length=total, label=label, file=sys.stderr, width=30)
        drawing.update(done - drawn)
        drawn = done
        if done == total:
            drawing.render_finish()

    return report


def make_desk(tables: str | None, threads: int | None, lang: str) -> Desk:
    """The one that answers requests, telling the terminal when it has to solve first."""
    from .queries import Desk

    return Desk(tables, threads, solving, lang)
