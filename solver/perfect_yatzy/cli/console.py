"""The command's frame: one error boundary, the options many commands share, the progress of a solve.

What a user did wrong becomes one line on standard error and an exit code; anything else keeps its traceback.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..errors import SolverError

if TYPE_CHECKING:
    from ..game.rules import RuleSet
    from ..service.queries import QueryService
    from ..tablebase.store import Progress

F = TypeVar("F", bound=Callable[..., Any])


class YatzyGroup(click.Group):
    """The one error boundary: what a user did wrong becomes one line and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, and turn every expected failure into its line and exit code."""
        kwargs["standalone_mode"] = False
        if sys.stdout is None:
            fail("standard output is closed: there is nowhere to say the answer", 1)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="replace")  # dice where the encoding has none
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
            drop_output()
            sys.exit(1)
        except OSError as error:
            if error.filename is not None:
                raise
            drop_output()
            fail(f"cannot write the answer: {error.strerror or error}", 1)
        except MemoryError:
            fail("out of memory: this rule set needs more than this machine has", 1)


def drop_output() -> None:
    """Let what is still to be written to standard output go nowhere, at interpreter exit too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, code: int) -> None:
    """Say why on standard error and leave."""
    click.echo(f"yatzy: {message}", err=True)
    sys.exit(code)


class RulesParam(click.ParamType[str]):
    """A rule set by name or file; completes the names."""

    name = "rules"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of the built-in rule sets."""
        from ..game.rule_loader import builtin_ids

        return [CompletionItem(name) for name in builtin_ids() if name.startswith(incomplete)]


class LanguageParam(click.ParamType[str]):
    """A language by its code; completes the codes."""

    name = "language"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Codes and names of the languages."""
        from ..game.translations import languages

        found = languages().items()
        return [CompletionItem(code, help=name) for code, name in found if code.startswith(incomplete)]


RULES = RulesParam()
SEED = click.IntRange(0, 2**63 - 1)  # what the kernels take


rules_option = click.option(
    "--rules", "-r", type=RULES, default="yatzy", envvar="YATZY_RULES", show_default=True,
    help="Rule set: a name, name+switch, or a .toml file.",
)  # fmt: skip


def rules_argument(command: F) -> F:
    """The rule set as the first word or, as in the queries, by --rules or YATZY_RULES."""

    def named(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        given = ctx.get_parameter_source(param.name or "") == click.core.ParameterSource.COMMANDLINE
        ctx.meta[__name__] = value, given

    def chosen(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
        other, given = ctx.meta[__name__]
        if value and given and value != other:
            raise click.UsageError(f"the rules are given twice: {value} and --rules {other}", ctx)
        if given:
            ctx.set_parameter_source(param.name or "", click.core.ParameterSource.COMMANDLINE)
        return value or other or "yatzy"

    command = click.option(
        "--rules", "-r", "named", type=RULES, envvar="YATZY_RULES", callback=named, is_eager=True, expose_value=False,
        help="The same by an option.",
    )(command)  # fmt: skip
    return click.argument("rules", type=RULES, required=False, callback=chosen)(command)


def dice_argument(command: F) -> F:
    """A roll in one word or in several: 33456 or 3 3 4 5 6."""
    return click.argument(
        "dice", nargs=-1, metavar="[DICE]", callback=lambda ctx, param, value: " ".join(value) if value else None
    )(command)


def form_of(output: str, forms: Iterable[str]) -> str:
    """What the ending of a file's name asks for."""
    form = Path(output).suffix[1:].lower()
    if form not in forms:
        *others, last = [f".{name}" for name in forms]
        endings = f"{', '.join(others)} or {last}" if others else last
        raise click.UsageError(f"{output} must end in {endings}", click.get_current_context())
    return form


def write_output(output: str, data: str | bytes) -> None:
    """Write to a file, to standard output for ``-``."""
    if output == "-":
        click.echo(data, nl=False)
        return
    try:
        Path(output).write_bytes(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error


def folded(lines: Iterable[str]) -> str:
    """Lines for the terminal's width; what goes on hangs under the last column."""
    width = shutil.get_terminal_size().columns
    found: list[str] = []
    for line in lines:
        columns = [gap.end() for gap in re.finditer(r"\S\s{2,}", line[: 2 * width // 3])]
        hang = columns[-1] if columns else len(line) - len(line.lstrip()) + 2
        found += wrap(line, width, subsequent_indent=" " * hang, replace_whitespace=False) if line else [line]
    return "\n".join(found)


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
        click.option(
            "--all", "show_all", is_flag=True, help="Show all there is: every action; what becomes of each category."
        ),
        click.option(
            "--bonus-points",
            "--extra",
            type=click.IntRange(0),
            default=0,
            help="Joker and first-roll bonuses received so far.",
        ),
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


def solving(rules: RuleSet, announced: str | None = None) -> Progress:
    """Progress of a solve on standard error: a bar on a terminal, one short line elsewhere.

    What is `announced` of a longer solve is said at once, on a terminal too.
    """
    said = announced is not None
    if announced is not None:
        click.echo(f"yatzy: {announced}", err=True)

    def report(done: int, total: int) -> None:
        nonlocal said
        if not said:
            click.echo(f"yatzy: solving {rules.key}; its table is kept for later", err=True)
        said = True

    return bar(f"Solving {rules.key}") if watched() else report


def playing(games: int) -> Progress:
    """Progress of a simulation that takes a while; nothing where nobody looks."""
    return bar(f"Playing {games:,} games") if watched() and games >= 300_000 else lambda done, total: None


def watched() -> bool:
    """Whether somebody sees standard error (which may be closed)."""
    return sys.stderr is not None and sys.stderr.isatty()


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


def query_service(tables: str | None, threads: int | None, lang: str) -> QueryService:
    """The one that answers requests, telling the terminal when it has to solve first."""
    from ..service.queries import QueryService

    return QueryService(tables, threads, solving, lang)
