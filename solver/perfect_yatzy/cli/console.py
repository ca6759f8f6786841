"""The terminal: errors, help, output, prompts and the files of the user.

Errors of all commands are handled here. A mistake of the user becomes one line on standard error
and an exit code, and any other exception keeps its traceback. The help is in the current language.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import ENOENT
from importlib import import_module
from itertools import groupby, takewhile, zip_longest
from pathlib import Path
from typing import IO, Any

import click

from .._files import open_output, replacing
from .._version import ANSWER_SCHEMA
from ..errors import SolverError, StateError
from ..words import (
    DOMAIN,
    ENGLISH,
    _,
    alternatives,
    command_options,
    current_language,
    language_from,
    language_of_environment,
    set_language,
)
from .options import LANGUAGE_HELP, CommonOption, LanguageParam, YatzyCommands, described_options
from .text_width import COLUMNS, HelpFormatter, columns_of, squeezed, wrap

# What had another name before, with the words of what it is called now.
RENAMED_COMMANDS = {
    "completion": ("yatzy", "--completion"),
    "positions": ("yatzy", "simulate", "--positions"),
    "prove": ("yatzy", "solve", "--exact"),
    "verify": ("yatzy", "tables", "--verify"),
    "versus": ("yatzy", "solve", "--two-players"),
}
RENAMED_OPTIONS = {
    "--against": ("--opponent",),
    "--extra": ("--bonus-points",),
    "--opponents": ("--opponent",),
    "--versus": ("--best-opponent",),
}
SPACING = 6  # columns around the names of commands: as in click's own method
TABULAR = re.compile(rf"^ {{2}}|{COLUMNS.pattern}")  # a line of a table
VERBATIM = "\b"  # at the beginning of a paragraph, such as an example, that click does not wrap


class CommandContext(click.Context):
    """The context of a command whose help is in a language of any script."""

    formatter_class = HelpFormatter


class YatzyGroup(YatzyCommands):
    """The group of all commands, which are imported when they are needed, with its error handling.

    To import all modules takes longer than an answer. `sections` are the titles of its help, with
    their commands and the modules of these.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.modules = {
            name: module for commands in sections.values() for name, module in commands.items()
        }
        self.common_options = described_options()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, beginning with those that most people need."""
        return [*self.modules]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, then the options that several of them share."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        limit = formatter.width - SPACING - max(map(len, commands))
        for title, names in self.sections.items():
            rows = []
            for name in names:
                command = commands[name]
                if command:
                    rows.append((name, command.get_short_help_str(limit)))
            if rows:
                with formatter.section(_(title)):  # marked elsewhere
                    formatter.write_dl(rows)
        every_record = [option.get_help_record(ctx) for option in self.common_options]
        records = [record for record in every_record if record]
        with formatter.section(_("Common options, of the commands that name them")):
            formatter.write_dl(records)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name, or None if there is no such command."""
        is_known = cmd_name in self.modules or cmd_name in self.commands
        # For an unknown name all are imported, because click suggests a similar one among them.
        needed = [cmd_name] if is_known else self.list_commands(ctx)
        for name in needed:
            if name not in self.commands:
                module = import_module(f"{__package__}.commands.{self.modules[name]}")
                self.add_command(getattr(module, name))
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            localize(command)
        return command

    def named_command(self, words: Sequence[str]) -> str:
        """Return the command that a command line names, such as ``yatzy rules check``."""
        path = "yatzy"
        command: click.Command = self
        for word in words:
            if not isinstance(command, click.Group):
                break
            subcommand = command.get_command(click.Context(command), word)
            if subcommand is None:
                break
            command = subcommand
            path += f" {word}"
        return path

    def usage_text(self, error: click.UsageError, words: Sequence[str]) -> str:
        """Return what is wrong with a command line, and where to read more.

        For an old name it is what that is called now.
        """
        text = current_name(error)
        if text is not None:
            return text
        command = error.ctx.command_path if error.ctx else self.named_command(words)
        message = error.format_message().rstrip(".")
        return _("{value} (see {command} --help)", value=message, command=command)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and exit.

        The exit code is 0 if it is done, 1 if it failed, 2 for wrong usage or an impossible
        position, and 130 if it was interrupted.
        """
        words = (args[0] if args else kwargs.get("args")) or sys.argv[1:]
        with command_options(), chosen_language(words):
            localize(self)
            kwargs["standalone_mode"] = False
            prepare_streams()
            try:
                check_one_language(words)
                code = super().main(*args, **kwargs)
                sys.stdout.flush()
                sys.exit(code if isinstance(code, int) else 0)
            except click.exceptions.NoArgsIsHelpError as error:
                click.echo(error.format_message())
                sys.exit(0)
            except click.UsageError as error:
                fail(self.usage_text(error, words), 2)
            except click.ClickException as error:
                fail(error.format_message(), 1)
            except click.Abort:
                fail(_("interrupted"), 130)
            except SolverError as error:
                fail(str(error), error.exit_code)
            except BrokenPipeError:
                # The reader has closed the pipe (`yatzy ... | head`). There is no message, neither
                # here nor when the interpreter exits.
                discard_stdout()
                sys.exit(1)
            except OSError as error:
                if error.filename is not None:
                    raise
                discard_stdout()
                fail(_("cannot write the answer: {reason}", reason=error.strerror or error), 1)
            except MemoryError:
                fail(_("out of memory: this rule set needs more than this machine has"), 1)


def current_name(error: click.UsageError) -> str | None:
    """Return what an old name of a command or an option is called now, or None."""
    if isinstance(error, click.exceptions.NoSuchCommand):
        name = error.command_name
        renamed: Mapping[str, tuple[str, ...]] = RENAMED_COMMANDS
    elif isinstance(error, click.NoSuchOption):
        name = error.option_name
        renamed = RENAMED_OPTIONS
    else:
        return None
    if name not in renamed:
        return None
    return _("{old} is called {new} now", old=name, new=" ".join(renamed[name]))


def prepare_streams() -> None:
    """Make sure that standard input is open and that any text can be written.

    Exit with an error if standard output is closed.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (for the rest of the process; prompts end)
    if sys.stdout is None:
        fail(_("cannot write the answer: standard output is closed"), 1)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")  # for encodings without the glyphs of dice


def discard_stdout() -> None:
    """Send the rest of standard output to the null device, including what is flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, code: int) -> None:
    """Print an error message to standard error and exit."""
    click.echo(f"yatzy: {message}", err=True)
    sys.exit(code)


def echo_lines(*parts: Iterable[str]) -> None:
    """Print lines, which fit into a terminal."""
    click.echo("\n".join(fitted(line for part in parts for line in part)))


def echo_json(answer: Any = None, **fields: Any) -> None:
    """Print JSON in one line: an answer as it is, or these fields and the version of their form."""
    import json

    click.echo(json.dumps({"schema": ANSWER_SCHEMA} | fields if answer is None else answer))


def echo_answer(lines: Iterable[str], as_json: bool, answer: Any = None, **fields: Any) -> None:
    """Print an answer as lines, or as JSON by :func:`echo_json`."""
    if as_json:
        echo_json(answer, **fields)
    else:
        echo_lines(lines)


def file_format(
    path: str, formats: Mapping[str, str], given: str | None, *, any_suffix: bool = False
) -> str:
    """Return the format of an output, which for a file is that of its suffix.

    The suffix may be unknown if `any_suffix` and `given`. Raises UsageError if it is unknown or
    contradicts `given`.
    """
    if path == "-":
        return given or next(iter(formats.values()))
    by_suffix = formats.get(Path(path).suffix[1:].lower())
    if by_suffix is None:
        if any_suffix and given:
            return given
        suffixes = alternatives(f".{name}" for name in formats)
        raise click.UsageError(_("{path} must end in {suffixes}", path=path, suffixes=suffixes))
    if given not in (None, by_suffix):
        raise click.UsageError(
            _("the suffix of {path} contradicts --format {format}", path=path, format=given)
        )
    return by_suffix


def check_overwrite(force: bool, *paths: str | None) -> None:
    """Raise UsageError if a file may not be replaced, or is given twice.

    Devices and pipes may be written to. Raises ClickException if the folder of a file is missing,
    before long work.
    """
    given = [path for path in paths if path]
    for number, path in enumerate(given):
        if path != "-" and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise cannot_write(path, FileNotFoundError(ENOENT, os.strerror(ENOENT)))
        if not force and os.path.isfile(path):
            raise click.UsageError(_("{path} exists; use --force to replace it", path=path))
        is_file = os.path.isfile(path) or not os.path.exists(path)
        if is_file and os.path.realpath(path) in map(os.path.realpath, given[:number]):
            raise click.UsageError(
                _("{path} is given for two outputs; each needs a file of its own", path=path)
            )


def cannot_write(path: object, error: OSError) -> click.ClickException:
    """Return the error for a file that cannot be written."""
    return click.ClickException(
        _("cannot write {path}: {reason}", path=path, reason=error.strerror or error)
    )


@contextmanager
def output_file(path: str) -> Iterator[IO[bytes]]:
    """Open a file to write a whole output.

    After a failure no part of it remains, and an old file stays.
    """
    target = os.path.realpath(path)
    try:
        is_device = os.path.exists(target) and not os.path.isfile(target)
        with open_output(target) if is_device else replacing(Path(target)) as file:
            yield file
    except OSError as error:
        raise cannot_write(path, error) from error


def write_output(path: str, data: str | bytes) -> None:
    """Write to a file, or to standard output for ``-``."""
    if path == "-":
        click.echo(data, nl=False)
        return
    with output_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def wrap_columns(lines: Iterable[str], *, whole_words: bool = False) -> list[str]:
    """Wrap lines of columns to the width of the terminal.

    Continuation lines are indented to the last column.
    """
    from shutil import get_terminal_size

    width = get_terminal_size().columns
    result: list[str] = []
    for line in lines:
        # A column that begins further right leaves too little room for continuation lines.
        starts = [gap.end() for gap in re.finditer(r"\S\s{2,}", line[: 2 * width // 3])]
        indent = columns_of(line[: starts[-1]]) if starts else len(line) - len(line.lstrip()) + 2
        parts = wrap(
            line,
            width,
            subsequent_indent=" " * indent,
            replace_whitespace=False,
            break_long_words=not whole_words,
            break_on_hyphens=not whole_words,
        )
        result += parts or [line]
    return result


def fitted(texts: Iterable[str]) -> list[str]:
    """Return texts as lines that fit into a terminal, except for a path, which stays whole.

    The columns of a table move together, and what is still too long is wrapped.
    """
    if not sys.stdout.isatty():
        return [*texts]
    from shutil import get_terminal_size

    width = get_terminal_size().columns
    result = list[str]()
    lines = "\n".join(texts).split("\n")
    for is_table, group in groupby(lines, lambda line: TABULAR.search(line) is not None):
        block = [*group]  # the lines of a table, or those between two tables
        for gap in (2, 1):
            if is_table and len(block) > 1 and max(map(columns_of, block)) > width:
                block = squeezed(block, gap)
        for line in block:
            is_long = columns_of(line) > width
            result += wrap_columns([line], whole_words=True) if is_long else [line]
    return result


def echo_fitted(text: str) -> None:
    """Print text in lines that fit into a terminal."""
    echo_lines([text])


def prompt_line(question: str) -> str | None:
    """Ask for one line of input, and return None at the end of input."""
    from .views.wording import wrapped

    if sys.stdin.isatty():
        with suppress(ImportError):  # Windows has none, and its terminal edits the line itself
            import readline  # noqa: F401 (gives `input` arrow keys and a history, which is not written to a file)
    *above, last = wrapped(question).split("\n")
    for line in above:
        click.echo(line)
    try:
        text = input(f"{last} ").strip()  # `click.prompt` hides the question from readline
    except (EOFError, KeyboardInterrupt):
        click.echo()  # further output starts on its own line
        return None
    except UnicodeDecodeError as error:
        raise SolverError(_("the input is not text in this terminal's encoding")) from error
    if not sys.stdin.isatty():
        click.echo(text)  # as a terminal shows what is typed
    return text


def confirm(question: str, refusal: str) -> None:
    """Ask before something costly or irreversible.

    Exit with code 1 unless the answer is yes. Raises UsageError with `refusal` without a terminal.
    """
    if not sys.stdin.isatty():
        raise click.UsageError(refusal)
    if not click.confirm(f"{question} {_('Continue?')}", err=True):
        click.echo(_("Nothing was changed."), err=True)
        click.get_current_context().exit(1)


def record_path() -> Path:
    """Return the file of finished games without --record."""
    import platformdirs

    return Path(platformdirs.user_data_dir("perfect-yatzy")) / "games.jsonl"


def finished_games() -> str:
    """Return the path of the record of finished games. Raises StateError if there is none."""
    path = record_path()
    if not os.path.exists(path):
        text = _(
            "`yatzy play` has not recorded a finished game in {path}; name the file of a record",
            path=path,
        )
        raise StateError(text)
    return str(path)


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text that are sentences, each in one line.

    They are the messages of the catalogues.
    """
    parts = inspect.cleandoc(text or "").split("\n\n")
    return [
        " ".join(part.split()) for part in parts if part.strip() and not part.startswith(VERBATIM)
    ]


def translated(text: str | None) -> str | None:
    """Translate the sentences of a help text into the current language, but not its examples."""
    if not text:
        return text
    parts = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith(VERBATIM):
            parts.append(part)
        else:
            parts.append(_(" ".join(part.split())))  # marked elsewhere
    return "\n\n".join(parts)


def localize(command: click.Command) -> None:
    """Give a command and its subcommands ``--lang`` and help in the current language.

    The option only has to be known here, because :func:`chosen_language` has read it already.
    """
    if not any("--lang" in param.opts for param in command.params):
        option_class = click.Option if isinstance(command, click.Group) else CommonOption
        option = option_class(
            ["--lang"],
            type=LanguageParam(),
            envvar="YATZY_LANG" if isinstance(command, YatzyGroup) else None,
            expose_value=False,
            help=LANGUAGE_HELP,
        )
        command.params.append(option)
    command.context_class = CommandContext
    localize_help(command, ("help", "short_help", "epilog"))
    for param in command.params:
        if isinstance(param, click.Option):
            localize_help(param, ("help",))
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            localize(inner)
    if isinstance(command, YatzyGroup):
        for option in command.common_options:
            localize_help(option, ("help",))


def localize_help(shown: click.Command | click.Option, attributes: Sequence[str]) -> None:
    """Give a command or an option its texts in the current language.

    They are in `attributes`. The English texts are kept in one of their own, to be translated
    again.
    """
    present = {name: getattr(shown, name) for name in attributes}
    english = vars(shown).setdefault("english_help", present)
    for name, text in english.items():
        setattr(shown, name, translated(text))


def languages_given(words: Sequence[str]) -> list[str]:
    """Return the values of ``--lang`` on a command line, which stands before or after a command."""
    languages = []
    before_end = [*takewhile(lambda word: word != "--", words)]  # only arguments follow that
    for word, next_word in zip_longest(before_end, before_end[1:], fillvalue=""):
        option, equals, value = word.partition("=")
        if option == "--lang":
            languages.append(value if equals else next_word)
    return languages


def check_one_language(words: Sequence[str]) -> None:
    """Raise UsageError if ``--lang`` is given twice with different languages."""
    given = languages_given(words)
    for other in given[1:]:
        if other != given[0]:
            text = _("{option} is given twice: {first} and {second}")
            raise click.UsageError(text.format(option="--lang", first=given[0], second=other))


@contextmanager
def chosen_language(words: Sequence[str]) -> Iterator[None]:
    """Use the language of ``--lang``, of ``YATZY_LANG`` or of the environment, in this order.

    An unknown language is refused later.
    """
    given = languages_given(words)
    wanted = given[-1] if given else os.environ.get("YATZY_LANG")
    code = language_of_environment()
    if wanted:
        code = language_from(wanted) or ENGLISH
    with ExitStack() as restore:
        restore.callback(set_language, current_language())
        set_language(code)
        # The words of click itself (``Usage:``, ``Missing argument``) come from our catalogues.
        if code != ENGLISH:
            import gettext

            restore.callback(gettext.textdomain, gettext.textdomain())
            gettext.bindtextdomain(DOMAIN, str(Path(__file__).parent.parent / "locale"))
            gettext.textdomain(DOMAIN)
            if "LANGUAGE" in os.environ:
                restore.callback(os.environ.update, LANGUAGE=os.environ["LANGUAGE"])
            else:
                restore.callback(os.environ.pop, "LANGUAGE")
            os.environ["LANGUAGE"] = code
        yield
