"""Options and arguments that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from inspect import signature
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

import click
import click.parser
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ..errors import SolverError
from ..strategy.tie_rules import TIE_RULES
from ..words import ENGLISH, LANGUAGES, _, current_language, gigabytes, language_from

if TYPE_CHECKING:
    from ..cluster.session import Cluster
    from ..core.rules import RuleSet
    from ..service.queries import QueryService
    from ..settings import Progress

F = TypeVar("F", bound=Callable[..., Any])
Known = Callable[[click.Context, str], Iterable[str]]
LANGUAGE_HELP = (
    "Language of words and names: en, da, de, fi, ja, ko, nb, sv [that of the environment]."
)
# These are completed where a policy is asked for. :mod:`perfect_yatzy.policies.named` reads them,
# and more.
POLICY_WORDS = (
    "perfect",
    "most-points",
    "prices",
    "hold-rules",
    "level:",
    "safe",
    "bold",
    "win",
    "goal:",
    "field:",
    "process:",
)


class KnownWords(click.ParamType[str]):
    """Text that is checked later, and whose known words are completed.

    The known words may depend on the context and the text so far. With a separator the texts of a
    repeated option are joined by it.
    """

    def __init__(
        self, known: Iterable[str] | Known, name: str = "text", separator: str | None = None
    ) -> None:
        self.known = known
        self.name = name
        self.separator = separator

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that begin with `incomplete`."""
        words = self.known(ctx, incomplete) if callable(self.known) else self.known
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _builtin_rules(ctx: click.Context, text: str) -> Iterable[str]:
    from ..game.rule_loader import builtin_ids

    return builtin_ids()


def stored_tables(ctx: click.Context, text: str) -> Iterable[str]:
    """Return the names that `yatzy tables` lists, and those of the rule sets that have a table."""
    from ..tablebase.store import short_names, stored

    with suppress(SolverError):
        entries = stored(ctx.params.get("tables"))
        return sorted({*short_names(entries).values(), *(entry.key for entry in entries)})
    return ()


def card_entries(ctx: click.Context, text: str) -> Iterable[str]:
    """Return a scorecard with its last word completed to ``id=`` of an open category.

    The categories are those of the rules given so far.
    """
    from ..game.rule_loader import load_rules

    before, space, _last = text.rpartition(" ")
    filled = {entry.partition("=")[0] for entry in before.split()}
    with suppress(SolverError):
        rules = load_rules(ctx.params.get("rules") or "yatzy")
        return [f"{before}{space}{box.id}=" for box in rules.categories if box.id not in filled]
    return ()


class LanguageParam(click.ParamType[str]):
    """A language by its code or a locale such as sv_SE.UTF-8, whose codes are completed."""

    name = "language"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the codes that begin with `incomplete`, with the names of the languages."""
        from ..game.translations import languages

        return [
            CompletionItem(code, help=name)
            for code, name in languages().items()
            if code.startswith(incomplete)
        ]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the code of a language, ``nb`` for ``no``."""
        code = language_from(value)
        if code is None:
            message = _("unknown language {name}; known languages: {codes}")
            self.fail(message.format(name=repr(value), codes=", ".join(LANGUAGES)), param, ctx)
        return code


def is_given(name: str, context: click.Context | None = None) -> bool:
    """Return whether an option or argument of the command that runs is on the command line."""
    context = context or click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def options_given() -> set[str]:
    """Return the options of the command that runs that are on the command line, by long name."""
    options = [
        param
        for param in click.get_current_context().command.params
        if isinstance(param, click.Option) and param.name and is_given(param.name)
    ]
    return {max(option.opts, key=len) for option in options}


def refuse_without(needed: str, *options: str) -> None:
    """Raise UsageError if one of these options is given, which can only be used with another."""
    given = options_given()
    for option in options:
        if option in given:
            text = _("{option} can only be used with {other}", option=option, other=needed)
            raise click.UsageError(text)


def refuse_repeated(parser: click.parser._OptionParser, context: click.Context) -> None:
    """Make the options of a parser keep all their values.

    A value that is given again, and differs, is joined to the first one, or refused.
    """
    options = {*parser._short_opt.values(), *parser._long_opt.values()}
    for option in options:
        if option.action in ("store", "store_const"):  # the others keep every value
            option.process = partial(_process_again, option, option.process, context)  # type: ignore[method-assign]


def _process_again(
    option: click.parser._Option,
    process: Callable[[Any, click.parser._ParsingState], None],
    context: click.Context,
    value: Any,
    state: click.parser._ParsingState,
) -> None:
    """Take a value of an option, which may have one already."""
    name = str(option.dest)
    is_repeated = option.obj in state.order
    before = state.opts.get(name)
    process(value, state)
    if not is_repeated or context.resilient_parsing or state.opts[name] == before:
        return
    separator = getattr(option.obj.type, "separator", None)
    if separator is not None:
        state.opts[name] = f"{before}{separator}{state.opts[name]}"
        return
    option_name = max(option.obj.opts, key=len)
    if option.action == "store_const":
        text = _("{option} is contradicted by another option", option=option_name)
    else:
        text = _(
            "{option} is given twice: {first} and {second}",
            option=option_name,
            first=before,
            second=state.opts[name],
        )
    raise click.UsageError(text, context)


class CommonOption(click.Option):
    """An option that means the same for every command that has it.

    `yatzy --help` describes it, and the help of a command only names it.
    """


common_option = partial(click.option, cls=CommonOption)


class YatzyCommand(click.Command):
    """A command none of whose options drops a value.

    Its help only names the options that `yatzy --help` describes.
    """

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of this command, then the names of the common ones."""
        own = list[tuple[str, str]]()
        common = list[str]()
        for param in self.get_params(ctx):
            if isinstance(param, CommonOption):
                common.append(", ".join(param.opts))
            elif (record := param.get_help_record(ctx)) is not None:
                own.append(record)
        if own:
            with formatter.section(_("Options")):
                formatter.write_dl(own)
        if common:
            with formatter.section(_("Common options, explained by yatzy --help")):
                formatter.write_text("; ".join(common))

    def make_parser(self, ctx: click.Context) -> click.parser._OptionParser:
        """Return the parser of its options."""
        parser = super().make_parser(ctx)
        refuse_repeated(parser, ctx)
        return parser

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options and arguments of a command line.

        A long option with one dash is refused: ``-rolls-left`` would be read as ``-r olls-left``.
        """
        long_options = {name for param in self.get_params(ctx) for name in param.opts}
        for word in takewhile(lambda word: word != "--", args):
            name = word.partition("=")[0]
            if len(name) > 2 and f"-{name}" in long_options and not ctx.resilient_parsing:
                raise click.NoSuchOption(name, possibilities=[f"-{name}"], ctx=ctx)
        return super().parse_args(ctx, args)


class YatzyCommands(click.Group):
    """A group of such commands, none of whose own options drops a value."""

    command_class = YatzyCommand

    def make_parser(self, ctx: click.Context) -> click.parser._OptionParser:
        """Return the parser of its options."""
        parser = super().make_parser(ctx)
        refuse_repeated(parser, ctx)
        return parser


class WholeNumber(click.IntRange):
    """A whole number of a range. Other input is refused with a translated message."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number in a text."""
        try:
            int(value)
        except ValueError:
            self.fail(_("{value!r} is not a whole number", value=value), param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A number of a range. Other input is refused with a translated message."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number in a text."""
        try:
            float(value)
        except ValueError:
            self.fail(_("{value!r} is not a number", value=value), param, ctx)
        return super().convert(value, param, ctx)


def number_option(  # noqa: PLR0913 - declares an option
    *names: str,
    text: str,
    low: int = 0,
    high: int | None = None,
    default: int | None = None,
    shown: bool = True,
    kind: type[click.Option] = click.Option,
) -> Callable[[F], F]:
    """Declare an option for a whole number N of a range.

    Its default, if it has one, is shown in the help.
    """
    return click.option(
        *names,
        cls=kind,
        type=WholeNumber(low, high),
        metavar="N",
        default=default,
        show_default=shown and default is not None,
        help=text,
    )


def seed_option(text: str = "Random seed.", default: int | None = 1) -> Callable[[F], F]:
    """Declare the option ``--seed``, whose range is that of the kernels."""
    return number_option("--seed", high=2**63 - 1, default=default, text=text)


RULES_HELP = "Rule set: a name, name+switch, or a .toml file."
RULES = KnownWords(_builtin_rules, "rules")
CARD = KnownWords(card_entries, "card", separator=" ")
MOST_WORKERS = 256  # that are started on one machine
language_option = common_option(
    "--lang", type=LanguageParam(), default=current_language, help=LANGUAGE_HELP
)
rules_option = common_option(
    "--rules",
    "-r",
    type=RULES,
    default="yatzy",
    envvar="YATZY_RULES",
    show_default=True,
    help=RULES_HELP,
)
card_option = click.option(
    "--card",
    "-c",
    type=CARD,
    default="",
    metavar="CARD",
    help='Filled categories: "ones=3 chance=22"; boxes of one row: "fours=12,16", "ones.down=3".',
)
start_card_option = click.option(
    "--card", "-c", type=CARD, default="", metavar="CARD", help="Scorecard to start from [empty]."
)
json_option = common_option("--json", "as_json", is_flag=True, help="Print one JSON object.")
force_option = common_option("--force", is_flag=True, help="Replace the output file if it exists.")
tables_option = common_option(
    "--tables", type=click.Path(file_okay=False), help="Folder of the stored tables."
)
threads_option = number_option(
    "--threads", kind=CommonOption, low=1, high=256, text="Threads for solving [one per processor]."
)
dataset_card_option = click.option(
    "--dataset-card",
    type=click.Path(dir_okay=False),
    metavar="FILE.md",
    help="Also describe the file of --output: columns, seed, rules and hash, as a dataset card.",
)


def format_option(
    *formats: str, choice: type[click.Choice[str]] = click.Choice
) -> Callable[[F], F]:
    """Declare the option ``--format`` of an output.

    By default it is the format of the suffix, or the first one.
    """
    text = f"Output format [from the suffix of the file, else {formats[0]}]."
    return click.option("--format", "given_format", type=choice(formats), help=text)


def output_option(text: str, **settings: Any) -> Callable[[F], F]:
    """Declare the option ``--output`` for a file."""
    return click.option("--output", "-o", type=click.Path(dir_okay=False), help=text, **settings)


def rules_argument(command: F) -> F:
    """Declare the rule set as the argument RULES or, as in the queries, --rules or YATZY_RULES."""

    def argument_or_option(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
        # The option is eager, so it has been read. It may come from the environment.
        option = ctx.params.pop("rules_from_option")
        is_option_typed = is_given("rules_from_option", ctx)
        if value and is_option_typed and value != option:
            text = _(
                "two rule sets given: {value} and --rules {option}", value=value, option=option
            )
            raise click.UsageError(text, ctx)
        if is_option_typed:
            ctx.set_parameter_source(param.name or "", ParameterSource.COMMANDLINE)
        return value or option or "yatzy"

    command = common_option(
        "--rules",
        "-r",
        "rules_from_option",
        type=RULES,
        envvar="YATZY_RULES",
        is_eager=True,
        help=RULES_HELP,
    )(command)
    return click.argument("rules", type=RULES, required=False, callback=argument_or_option)(command)


def dice_argument(command: F) -> F:
    """Declare a roll as one or several arguments, such as 33456 or 3 3 4 5 6."""

    def read(
        context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
    ) -> str | None:
        for word in value:
            if "=" in word:
                text = _(
                    "{word} is not a roll; write the card in quotes: {example}",
                    word=word,
                    example='--card "ones=3 sixes=24"',
                )
                raise click.UsageError(text, context)
        return " ".join(value) or None

    return click.argument("dice", nargs=-1, metavar="[DICE]", callback=read)(command)


def with_options(command: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command its options, in the order in which its help lists them."""
    for option in reversed(options):  # as decorators, of which the last one is applied first
        command = option(command)
    return command


def gathered(
    name: str, make: Callable[..., Any], command: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a command that takes one argument `name`, ``make(...)``, in place of several options.

    They are the options named as the parameters of `make`. Those that a command does not have keep
    the defaults of `make`.
    """
    parameters = signature(make).parameters

    @wraps(command)
    def run(**values: Any) -> Any:
        own = {key: values.pop(key) for key in parameters if key in values}
        return command(**{name: make(**own)}, **values)

    return run


def table_options(command: F) -> F:
    """Declare the options of every command that reads or writes tables."""
    return tables_option(threads_option(command))


def service_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare :func:`table_options` and the language as one argument `service`."""
    return table_options(gathered("service", query_service, command))


def query_service(tables: str | None, threads: int | None, lang: str = ENGLISH) -> QueryService:
    """Return the service that answers requests.

    It reports the progress of its solves on standard error.
    """
    from ..service.queries import QueryService

    def announce(rules: RuleSet, line: str | None) -> Progress:
        # It is imported here because an answer from a stored table announces nothing.
        from .progress import solve_progress

        return solve_progress(rules, line)

    return QueryService(tables, threads, announce, lang)


def worker_options(command: F) -> F:
    """Declare the options of commands that can work on a Dask cluster."""
    workers = number_option(
        "--workers",
        low=1,
        high=MOST_WORKERS,
        text="Start N worker processes on this machine (needs the extra cluster).",
        kind=CommonOption,
    )
    address = common_option(
        "--cluster", metavar="ADDRESS", help="Use the workers of a Dask cluster: tcp://host:8786."
    )
    return workers(address(command))


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare :func:`worker_options` as one argument `on`, the cluster when it is entered."""
    return worker_options(gathered("on", cluster_workers, command))


@contextmanager
def cluster_workers(workers: int | None, cluster: str | None) -> Iterator[Cluster | None]:
    """Yield the cluster that the options ask for, or None without these options.

    It is announced on standard error.
    """
    if workers is None and cluster is None:
        yield None
        return
    if workers is not None and cluster is not None:
        raise click.UsageError(_("give --workers or --cluster, not both"))
    from ..cluster.session import open_cluster
    from .progress import workers_line

    with open_cluster(cluster, workers=workers) as opened:
        click.echo(f"yatzy: {workers_line(opened)}", err=True)
        yield opened
        most = gigabytes(max(opened.engine.peak_memory.values(), default=0))
        click.echo("yatzy: " + _("a worker used at most {size} of memory", size=most), err=True)


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options of a command that plays many games, as one argument `start`.

    It has the fields of a request that say how games are played: seed, policy, card and saved rolls.
    """

    def fields(seed: int, policy: str, card: str, saved: int) -> dict[str, Any]:
        return {"seed": seed, "policy": policy, "card": card, "saved": saved}

    return with_options(
        gathered("start", fields, command),
        seed_option(),
        click.option(
            "--policy",
            "-p",
            type=KnownWords(POLICY_WORDS),
            metavar="POLICY",
            default="mean",
            show_default=True,
            help="Who plays: mean for the expected score, goal:280 for the chance of at least 280, or another policy "
            "of yatzy evaluate.",
        ),
        start_card_option,
        number_option("--saved", default=0, shown=False, text="Saved rolls at the start."),
    )


field_option = click.option(
    "--field",
    type=KnownWords(()),
    metavar="N[:POLICY]",
    help="Maximise the chance to beat N players you cannot see, who play perfectly or by a policy: 100, 100:level:3, "
    "or 100:FILE.json with a distribution of final scores. Players who tie share the win.",
)
places_option = number_option(
    "--places", low=1, high=1000, text="With --field: to be among the best N players [1]."
)
explain_option = click.option(
    "--explain", is_flag=True, help="Also say why the best option is better than the next."
)


def query_options(all_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the options of `hold`, `score` and `expect`, with the help of ``--all``."""
    options = (
        click.option(
            "--exact",
            is_flag=True,
            help="Also as a fraction, solved in integers from this card on.",
        ),
        number_option(
            "--digits", high=1000, default=30, text="With --exact: digits after the point."
        ),
        click.option("--all", "show_all", is_flag=True, help=all_text),
        rules_option,
        language_option,
        number_option(
            "--goal", "-g", high=99_999, text="Maximise the chance of at least this final score."
        ),
        click.option(
            "--opponent",
            "opponents",
            type=KnownWords((), separator="; "),
            metavar="OTHERS",
            help="Maximise the chance to beat them, in place of --goal: final scores or cards, separated by "
            'semicolons: "251; ones=3 sixes=24".',
        ),
        click.option(
            "--best-opponent",
            "versus",
            type=CARD,
            metavar="CARD",
            help="Maximise the chance to beat one opponent with this card who plays to win, too; you move next.",
        ),
        click.option(
            "--ties",
            type=KnownWords(TIE_RULES),
            metavar=f"[{'|'.join(TIE_RULES)}]",
            help="What a tie with an opponent counts as [loss].",
        ),
        field_option,
        places_option,
        card_option,
        number_option(
            "--saved", default=0, shown=False, text="Saved rolls at the start of this turn."
        ),
        number_option(
            "--bonus-points",
            default=0,
            shown=False,
            text="Joker and first-roll bonuses scored so far.",
        ),
        json_option,
        click.option(
            "--jsonl", is_flag=True, help="Answer JSON requests from standard input, one per line."
        ),
        service_options,
    )
    return lambda command: with_options(command, *options)


def described_options() -> list[click.Option]:
    """Return the common options, in the order in which `yatzy --help` describes them."""

    def nothing(**values: Any) -> None:
        """Do nothing, as the function of a command that has the options and is never run."""

    options = rules_option, json_option, force_option, worker_options, table_options
    command = click.command("common", cls=YatzyCommand)(with_options(nothing, *options))
    return [param for param in command.params if isinstance(param, click.Option)]
