"""Options and arguments that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from .._messages import LANGUAGES, _, current_language, language_from

F = TypeVar("F", bound=Callable[..., Any])


class RulesParam(click.ParamType[str]):
    """A rule set by name or file; completes the names of the built-in ones."""

    name = "rules"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of the built-in rule sets that begin with `incomplete`."""
        from ..game.rule_loader import builtin_ids

        return [CompletionItem(name) for name in builtin_ids() if name.startswith(incomplete)]


class LanguageParam(click.ParamType[str]):
    """A language by its code or a locale such as sv_SE.UTF-8; completes the codes."""

    name = "language"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Codes that begin with `incomplete`, with the names of the languages."""
        from ..game.translations import languages

        return [CompletionItem(code, help=name) for code, name in languages().items() if code.startswith(incomplete)]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The code of a language, ``nb`` for ``no``."""
        code = language_from(value)
        if code is None:
            message = _("unknown language {name}; known languages: {codes}")
            self.fail(message.format(name=repr(value), codes=", ".join(LANGUAGES)), param, ctx)
        return code


class WordsParam(click.ParamType[str]):
    """Text that is checked later; completes some words."""

    name = "text"

    def __init__(self, *words: str) -> None:
        self.words = words

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words that begin with `incomplete`."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class CardParam(click.ParamType[str]):
    """A scorecard as text; completes the ids of the categories that it does not fill yet."""

    name = "card"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The text with its last word completed to ``id=``, under the rules given so far."""
        from ..errors import SolverError
        from ..game.rule_loader import load_rules

        before, space, last = incomplete.rpartition(" ")
        filled = {entry.partition("=")[0] for entry in before.split()}
        try:
            rules = load_rules(ctx.params.get("rules") or "yatzy")
        except SolverError:
            return []
        ids = [c.id for c in rules.categories if c.id.startswith(last) and c.id not in filled]
        return [CompletionItem(f"{before}{space}{name}=") for name in ids]


class TableParam(click.ParamType[str]):
    """A stored table or a rule set; completes the names that `yatzy tables` lists."""

    name = "table"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of stored tables, and of rule sets that have one, that begin with `incomplete`."""
        from ..errors import SolverError
        from ..tablebase.inventory import short_names, stored

        try:
            entries = stored(ctx.params.get("tables"))
        except SolverError:
            return []
        names = {*short_names(entries).values(), *(entry.key for entry in entries)}
        return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


RULES = RulesParam()
CARD = CardParam()
MOST_WORKERS = 256  # that are started on one machine
SEED = click.IntRange(0, 2**63 - 1)  # the range of the kernels

rules_option = click.option(
    "--rules", "-r", type=RULES, default="yatzy", envvar="YATZY_RULES", show_default=True,
    help="Rule set: a name, name+switch, or a .toml file.",
)  # fmt: skip
LANGUAGE_HELP = "Language of words and names: en, da, de, fi, nb, sv [that of the environment]."
language_option = click.option("--lang", type=LanguageParam(), default=current_language, help=LANGUAGE_HELP)


def ensure_language_option(command: click.Command, variable: str | None = None) -> None:
    """Give a command and its subcommands the option ``--lang`` if they have none.

    The language is chosen before any command is read, from all words of the line; the option checks and documents it.

    Parameters
    ----------
    variable
        Environment variable that the option of this command checks, too.
    """
    if not any("--lang" in param.opts for param in command.params):
        option = click.Option(
            ["--lang"], type=LanguageParam(), envvar=variable, expose_value=False, help=LANGUAGE_HELP
        )
        command.params.append(option)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            ensure_language_option(inner)


card_option = click.option(
    "--card",
    "-c",
    type=CARD,
    default="",
    metavar="CARD",
    help='Filled categories: "ones=3 chance=22"; boxes of one row: "fours=12,16", "ones.down=3".',
)
start_card_option = click.option(
    "--card", "-c", type=CARD, default="", metavar="CARD", help="Scorecard to start from [empty].",
)  # fmt: skip
seed_option = click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="Random seed.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
force_option = click.option("--force", is_flag=True, help="Replace the output file if it exists.")
tables_option = click.option("--tables", type=click.Path(file_okay=False), help="Folder of the stored tables.")


def rules_argument(command: F) -> F:
    """The rule set as the argument RULES or, as in the queries, from --rules or YATZY_RULES."""

    def read_option(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        on_command_line = ctx.get_parameter_source(param.name or "") == click.core.ParameterSource.COMMANDLINE
        ctx.meta[__name__] = value, on_command_line

    def read_argument(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
        option, on_command_line = ctx.meta[__name__]
        if value and on_command_line and value != option:
            raise click.UsageError(
                _("two rule sets given: {value} and --rules {option}").format(value=value, option=option), ctx
            )
        if on_command_line:
            ctx.set_parameter_source(param.name or "", click.core.ParameterSource.COMMANDLINE)
        return value or option or "yatzy"

    command = click.option(
        "--rules", "-r", "rules_from_option", type=RULES, envvar="YATZY_RULES", callback=read_option, is_eager=True,
        expose_value=False, help="Same as the RULES argument.",
    )(command)  # fmt: skip
    return click.argument("rules", type=RULES, required=False, callback=read_argument)(command)


def dice_argument(command: F) -> F:
    """A roll as one or several arguments: 33456 or 3 3 4 5 6."""

    def read(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str | None:
        if any("=" in word for word in value):
            raise click.UsageError(
                _("{word} is not a roll; write the card in quotes: {example}").format(
                    word=next(word for word in value if "=" in word), example='--card "ones=3 sixes=24"'
                ),
                context,
            )
        return " ".join(value) or None

    return click.argument("dice", nargs=-1, metavar="[DICE]", callback=read)(command)


def table_options(command: F) -> F:
    """Options of every command that reads or writes tables."""
    threads = click.option(
        "--threads", type=click.IntRange(1, 256), metavar="N", help="Threads for solving [one per processor]."
    )
    return tables_option(threads(command))


def cluster_options(command: F, most: int = MOST_WORKERS) -> F:
    """Options of commands that can work on a Dask cluster; at most so many workers."""
    workers = click.option(
        "--workers", type=click.IntRange(1, most), metavar="N",
        help="Start N worker processes on this machine (needs the extra cluster).",
    )  # fmt: skip
    address = click.option(
        "--cluster", metavar="ADDRESS", help="Use the workers of a Dask cluster: tcp://host:8786.",
    )  # fmt: skip
    return workers(address(command))


def game_options(command: F) -> F:
    """Options of commands that play many games: the seed, what is maximised, and the position to start from."""
    policy = click.option(
        "--policy", "-p", type=WordsParam("mean", "goal:"), metavar="POLICY", default="mean", show_default=True,
        help="What to maximise: mean for the expected score, goal:280 for the chance of at least 280.",
    )  # fmt: skip
    saved = click.option("--saved", type=click.IntRange(0), metavar="N", default=0, help="Saved rolls at the start.")
    return seed_option(policy(start_card_option(saved(command))))


def query_options(command: F) -> F:
    """Options of `hold`, `score` and `expect`."""
    command = table_options(command)
    for option in (
        click.option("--jsonl", is_flag=True, help="Answer JSON requests from standard input, one per line."),
        json_option,
        click.option("--all", "show_all", is_flag=True, help="List all options; with expect, list each category."),
        click.option(
            "--bonus-points",
            "--extra",
            type=click.IntRange(0),
            metavar="N",
            default=0,
            help="Joker and first-roll bonuses scored so far.",
        ),
        click.option(
            "--saved", type=click.IntRange(0), metavar="N", default=0, help="Saved rolls at the start of this turn."
        ),
        card_option,
        click.option(
            "--ties",
            type=WordsParam("loss", "half", "win"),
            metavar="[loss|half|win]",
            help="What a tie with an opponent counts as [loss].",
        ),
        click.option(
            "--opponents",
            metavar="OTHERS",
            help="Maximise the chance to beat them: final scores or cards, separated by semicolons: "
            '"251; ones=3 sixes=24".',
        ),
        click.option(
            "--goal",
            "-g",
            type=click.IntRange(0, 99_999),
            metavar="N",
            help="Maximise the chance of at least this final score.",
        ),
        language_option,
        rules_option,
    ):
        command = option(command)
    return command
