"""The terminal: the error boundary of all commands, output, prompts, and the progress of a solve.

A mistake of the user becomes one line on standard error and an exit code; any other exception keeps its traceback.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import IO, TYPE_CHECKING, Any

import click

from .._files import replacing
from .._messages import N_, _, number_text
from ..errors import SolverError
from .options import ensure_language_option
from .translated_help import chosen_language, translate_help

if TYPE_CHECKING:
    from ..cluster.session import Cluster
    from ..game.rules import RuleSet
    from ..service.queries import QueryService
    from ..tablebase.store import Progress

STAGES = (  # of an approximate solution
    N_("relaxation"), N_("prices"), N_("boxes"), N_("fit"), N_("play"), N_("simulation"), N_("bound"),
)  # fmt: skip
LONG_RECORD = 20 << 20  # bytes of recorded games; from here on a terminal shows a progress bar
LONG_SIMULATION = 300_000  # games; from here on a terminal shows a progress bar


class YatzyGroup(click.Group):
    """The error boundary and the lazy list of commands.

    An expected failure becomes one line and an exit code. The module of a command is imported when its command is
    named: importing all of them would take longer than answering a question.

    Parameters
    ----------
    modules : dict of str to str
        Name of each command -> module of :mod:`perfect_yatzy.cli.commands` that defines it.
    """

    def __init__(self, *args: Any, modules: dict[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modules = modules or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands, in alphabetical order."""
        return sorted({*self.commands, *self.modules})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name, None if there is no such command."""
        known = cmd_name in self.modules or cmd_name in self.commands
        for name in [cmd_name] if known else self.modules:  # click suggests a similar name among those imported
            if name not in self.commands:
                module = import_module(f"{__package__}.commands.{self.modules[name]}")
                self.add_command(getattr(module, name))
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            ensure_language_option(command)
            translate_help(command)
        return command

    def named_command(self, words: Sequence[str] | None = None) -> str:
        """The command that a command line names, such as ``yatzy rules check``."""
        path, command = "yatzy", None
        for word in sys.argv[1:] if words is None else words:
            group = command or self
            if not isinstance(group, click.Group) or not (command := group.get_command(click.Context(group), word)):
                break
            path += f" {word}"
        return path

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and exit: 0 done, 1 failed, 2 wrong usage or an impossible position, 130 interrupted."""
        with chosen_language((args[0] if args else kwargs.get("args")) or sys.argv[1:]):
            ensure_language_option(self, "YATZY_LANG")
            translate_help(self)
            self.run(*args, **kwargs)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """:meth:`main` in the language that is chosen."""
        kwargs["standalone_mode"] = False
        if sys.stdin is None:
            sys.stdin = open(os.devnull)  # noqa: SIM115 (for the rest of the process); prompts end at once
        if sys.stdout is None:
            fail(_("cannot write the answer: standard output is closed"), 1)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="replace")  # for encodings without the glyphs of dice
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()
            sys.exit(code if isinstance(code, int) else 0)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            sys.exit(0)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else self.named_command(args[0] if args else None)
            fail(
                _("{value} (see {command} --help)").format(value=error.format_message().rstrip("."), command=command),
                2,
            )
        except click.ClickException as error:
            fail(error.format_message(), 1)
        except click.Abort:
            fail(_("interrupted"), 130)
        except SolverError as error:
            fail(str(error), error.exit_code)
        except BrokenPipeError:
            # The reader has closed the pipe (`yatzy ... | head`): no message, here or when the interpreter exits.
            discard_stdout()
            sys.exit(1)
        except OSError as error:
            if error.filename is not None:
                raise
            discard_stdout()
            fail(_("cannot write the answer: {reason}").format(reason=error.strerror or error), 1)
        except MemoryError:
            fail(_("out of memory: this rule set needs more than this machine has"), 1)


def discard_stdout() -> None:
    """Send the rest of standard output to the null device, also what the interpreter flushes when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, code: int) -> None:
    """Print an error message to standard error and exit."""
    click.echo(f"yatzy: {message}", err=True)
    sys.exit(code)


def format_from_suffix(path: str, formats: Iterable[str]) -> str:
    """The format that the suffix of a file name selects.

    Raises
    ------
    UsageError
        If it is not one of `formats`.
    """
    suffix = Path(path).suffix[1:].lower()
    if suffix not in formats:
        from .views.wording import alternatives

        suffixes = alternatives(f".{name}" for name in formats)
        raise click.UsageError(
            _("{path} must end in {suffixes}").format(path=path, suffixes=suffixes), click.get_current_context()
        )
    return suffix


def check_overwrite(path: str, force: bool) -> None:
    """Raise UsageError if a file exists and may not be replaced.

    Devices and pipes are not replaced but written to, so they are allowed.
    """
    if not force and os.path.isfile(path):
        raise click.UsageError(
            _("{path} exists; use --force to replace it").format(path=path), click.get_current_context()
        )


@contextmanager
def output_file(path: str) -> Iterator[IO[bytes]]:
    """Open a file to write a whole output. After a failure there is no part of it, and an old file stays.

    Raises
    ------
    ClickException
        If the file cannot be written.
    """
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as device:
                yield device
        else:
            with replacing(Path(target)) as file:
                yield file
    except OSError as error:
        raise click.ClickException(
            _("cannot write {path}: {reason}").format(path=path, reason=error.strerror or error)
        ) from error


def write_output(path: str, data: str | bytes) -> None:
    """Write to a file, or to standard output for ``-``.

    Raises
    ------
    ClickException
        If the file cannot be written.
    """
    if path == "-":
        click.echo(data, nl=False)
        return
    with output_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def wrap_columns(lines: Iterable[str]) -> str:
    """Lines of columns, wrapped to the width of the terminal; continuation lines are indented to the last column."""
    width = shutil.get_terminal_size().columns
    result: list[str] = []
    for line in lines:
        columns = [gap.end() for gap in re.finditer(r"\S\s{2,}", line[: 2 * width // 3])]
        indent = columns[-1] if columns else len(line) - len(line.lstrip()) + 2
        result += wrap(line, width, subsequent_indent=" " * indent, replace_whitespace=False) if line else [line]
    return "\n".join(result)


def solve_progress(rules: RuleSet, announcement: str | None = None) -> Progress:
    """Progress of a solve on standard error: a bar on a terminal, one line elsewhere.

    An `announcement` of a long solve is printed at once, on a terminal too, with how to stop it.
    """
    announced = announcement is not None
    if announcement is not None:
        click.echo(_("yatzy: {announcement} (stop with Ctrl+C)").format(announcement=announcement), err=True)

    def report(done: int, total: int) -> None:
        nonlocal announced
        if not announced:
            click.echo(_("yatzy: solving {rules}; the table will be stored").format(rules=rules.key), err=True)
        announced = True

    return progress_bar(_("Solving {rules}").format(rules=rules.key)) if stderr_is_terminal() else report


def simulation_progress(games: int) -> Progress:
    """Progress of a long simulation on a terminal; no output otherwise."""
    if stderr_is_terminal() and games >= LONG_SIMULATION:
        return progress_bar(_("Playing {count} games").format(count=number_text(games, grouped=True)))
    return lambda done, total: None


def rating_progress(size: int) -> Callable[[int], None]:
    """Progress of reading games of `size` bytes, on a terminal and if it takes some seconds."""
    if not stderr_is_terminal() or size < LONG_RECORD:
        return lambda read: None
    shown = progress_bar(_("Rating games"))
    return lambda read: shown(min(read, size), size)


def stdin_is_closed() -> bool:
    """Whether the process was started without standard input."""
    return sys.__stdin__ is None


def stderr_is_terminal() -> bool:
    """Whether standard error is a terminal (it may be closed)."""
    return sys.stderr is not None and sys.stderr.isatty()


def prompt_line(question: str) -> str | None:
    """Ask for one line of input; None at the end of input.

    Raises
    ------
    SolverError
        If the input is not text in the encoding of the terminal.
    """
    try:
        text = str(click.prompt(question, prompt_suffix=" ", default="", show_default=False)).strip()
    except click.Abort:
        click.echo()  # further output starts on its own line
        return None
    except UnicodeDecodeError as error:
        raise SolverError(_("the input is not text in this terminal's encoding")) from error
    if not sys.stdin.isatty():
        click.echo(text)  # as a terminal shows what is typed
    return text


def progress_bar(label: str) -> Progress:
    """A progress bar on standard error with the time left, from the first report to the last."""
    import time

    bar: Any = None
    shown, first, began = 0, 0, 0.0

    def report(done: int, total: int) -> None:
        nonlocal bar, shown, first, began
        if bar is None:
            first, began = done, time.monotonic()  # a resumed solve begins with what is done
            bar = click.progressbar(
                length=total, label=label, file=sys.stderr, width=30, show_eta=False, item_show_func=lambda text: text
            )
        bar.update(done - shown, time_left(first, done, total, time.monotonic() - began))
        shown = done
        if done == total:
            bar.render_finish()

    return report


def time_left(first: int, done: int, total: int, passed: float) -> str:
    """The time left of some work, as ``2:05``; empty at the end, and while too little is done to tell.

    Parameters
    ----------
    first, done, total
        What was done at the beginning, is done now, and is to be done.
    passed
        Seconds since the beginning.
    """
    from ..service.work import seconds_left

    seconds = seconds_left(passed, done / total, first / total) if done < total else None
    if seconds is None:
        return ""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def stage_progress() -> Callable[[str, float], None]:
    """Progress of a long computation in stages: on a terminal a bar for each, else a line when one is done."""
    import time

    bar: Progress | None = None
    current, began = "", time.monotonic()

    def report(stage: str, done: float) -> None:
        nonlocal bar, current, began
        if stage != current:
            current, began, bar = stage, time.monotonic(), None
        label = f"  {_(stage):<12}"  # marked elsewhere
        if stderr_is_terminal():
            bar = bar or progress_bar(label)
            bar(min(1000, int(1000 * done)), 1000)
        elif done >= 1:
            click.echo(f"{label}{number_text(time.monotonic() - began, 1):>7} s", err=True)
        if done >= 1:
            current = ""

    return report


def confirm(question: str, refusal: str) -> None:
    """Ask before something costly or irreversible; without a terminal an option must say yes.

    Parameters
    ----------
    question
        For a terminal, without "Continue?".
    refusal
        The message without a terminal; it names the option.

    Raises
    ------
    UsageError
        If standard input is not a terminal.
    Exit
        With code 1 if the answer is no.
    """
    if not sys.stdin.isatty():
        raise click.UsageError(refusal, click.get_current_context())
    if not click.confirm(f"{question} {_('Continue?')}", err=True):
        click.echo(_("Nothing was changed."), err=True)
        click.get_current_context().exit(1)


def query_service(tables: str | None, threads: int | None, language: str) -> QueryService:
    """The service that answers requests; it reports the progress of its solves on standard error."""
    from ..service.queries import QueryService

    return QueryService(tables, threads, solve_progress, language)


@contextmanager
def cluster_workers(workers: int | None, address: str | None) -> Iterator[Cluster | None]:
    """The cluster that the options ask for, announced on standard error; None without these options.

    Raises
    ------
    UsageError
        If both options are given.
    """
    if workers is None and address is None:
        yield None
        return
    if workers is not None and address is not None:
        raise click.UsageError(_("give --workers or --cluster, not both"), click.get_current_context())
    from ..cluster.session import open_cluster
    from .views.cluster import memory_line, workers_line

    with open_cluster(address, workers=workers) as cluster:
        click.echo(f"yatzy: {workers_line(cluster)}", err=True)
        yield cluster
        click.echo(f"yatzy: {memory_line(cluster)}", err=True)
