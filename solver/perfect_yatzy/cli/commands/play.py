"""`yatzy play`: a game at the terminal. The session knows what may happen, this loop asks, shows and saves."""

from __future__ import annotations

import re
import secrets
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ...errors import SolverError, StateError
from ..console import ask_line, language_option, query_service, rules_argument, table_options

if TYPE_CHECKING:
    from ...game.rules import RuleSet
    from ...play.save_file import SaveFile
    from ...play.session import Session
    from ...service.queries import QueryService
    from ...strategy.strategy import Strategy

VERB = re.compile(r"^(hold|keep|take|score)\s+(?=\S)", re.IGNORECASE)
# How a game is played, not which one it is.
SETTINGS = {
    "save",
    "record",
    "warn",
    "no_warn",
    "plain",
    "lang",
    "tables",
    "threads",
}


class Quit(Exception):
    """The player has had enough for now."""


@dataclass
class Table:
    """One sitting: the session, the names it is shown under, and how much the coach says."""

    session: Session
    rules: RuleSet
    desk: QueryService
    save: SaveFile
    warn: float | None
    plain: bool

    @property
    def strategy(self) -> Strategy:
        """Optimal play; opened, and solved if need be, when the first question needs it."""
        return self.desk.strategy(self.rules)

    def show_cards(self) -> None:
        """The score cards."""
        from ..views.table import card_lines, spoken_card

        lines = spoken_card if self.plain else card_lines
        click.echo("\n" + "\n".join(lines(self.rules, self.session)) + "\n")

    def ask(self, question: str, help_lines: str) -> str:
        """One line from the player; the commands that work everywhere are carried out here."""
        while True:
            text = ask_line(question)
            word = "quit" if text is None else text.lower()
            if text is None or word in ("quit", "q", "exit"):
                raise Quit
            if word in ("help", "h"):
                click.echo(help_lines)
            elif word == "card":
                self.show_cards()
            else:
                return text

    def roll(self) -> None:
        """Put the next dice on the table."""
        from ...game.notation import parse_faces
        from ..views.table import dice_help, dice_question

        session = self.session
        if session.seed is not None:
            session.roll()
            return
        text = self.ask(dice_question(session), dice_help(session))
        if text.lower() in ("undo", "u"):
            self.undo()
            return
        if text in ("", "?"):
            click.echo(dice_help(session))
            return
        dice = parse_faces(text)
        if dice is None:
            raise StateError(f"{text!r} is no dice; write the faces, such as {'12345'[: session.to_roll]}")
        session.roll(dice)

    def undo(self) -> None:
        """Take the last action back."""
        undone = self.session.undo()
        click.echo("Taken back." if undone else "There is nothing to take back.")

    def decide(self) -> None:
        """One decision: dice to hold, or a category."""
        from ..views.table import HELP, choice_line, stage_line, wrapped

        session = self.session
        click.echo(stage_line(session))
        click.echo(wrapped(f"Worth now: {choice_line(self.rules, session)}"))
        both = "Hold which dice, or take which category? (help)"
        text = self.ask(both if session.rolls_left else "Take which category? (help)", HELP)
        while text:  # who is asked to confirm may say something else instead
            text = self.answered(text)

    def answered(self, text: str) -> str:
        """Carry out what the player said; what was said instead of confirming it."""
        word = text.lower()
        if word in ("undo", "u"):
            self.undo()
        elif word in ("?", "??"):
            self.advise(everything=word == "??")
        else:
            return self.carry_out(VERB.sub("", text))
        return ""

    def carry_out(self, text: str) -> str:
        """A decision in the player's words; what was said instead of confirming it."""
        from ...game.notation import parse_category, parse_hold
        from ..views.table import taken_line

        session = self.session
        held = parse_hold(text, session.dice) if session.rolls_left else None
        category = ""
        if held is not None:
            session.check_hold(held)
        else:
            paid = {name: points + bonus_points for name, (points, bonus_points) in session.choices().items()}
            category = parse_category(self.rules, text, paid)
            if category not in paid:
                session.score(category)  # says why not
        other = self.warned(category if held is None else held)
        if other is not None:
            return other
        if held is not None:
            session.hold(held)
            return ""
        session.score(category)
        click.echo(taken_line(self.rules, session, category))
        if not session.over:
            self.show_cards()
        return ""

    def warned(self, named: tuple[int, ...] | str) -> str | None:
        """Warn of an action that loses; None to go on with it, else what was said instead of confirming it."""
        if self.warn is None:
            return None
        from ...play.review import find_action, ranked_actions
        from ..views.review import action_words
        from ..views.table import HELP, wrapped

        session = self.session
        found = ranked_actions(self.strategy, session.card(), session.dice, session.rolls_left)
        done = find_action(found, named)
        assert done is not None  # the session has allowed it
        if done.loss <= 0 or done.loss < self.warn:
            return None
        better = action_words(self.rules, found[0])
        click.echo(wrapped(f"That gives away {done.loss:.2f} points on average; better: {better}."))
        answer = self.ask("Do it anyway? [y/N]", HELP)
        if answer.lower() in ("y", "yes"):
            return None
        return "" if answer.lower() in ("n", "no") else answer

    def advise(self, everything: bool) -> None:
        """What is best, as `yatzy hold` and `yatzy score` say it."""
        from ..views.text import ANSWERS

        session, card = self.session, self.session.card()
        query = "hold" if session.rolls_left else "score"
        request = {
            "query": query,
            "rules": self.rules.key,
            "card": str(card),
            "saved": card.saved,
            "bonus_points": card.bonus_points,
            "dice": list(session.dice),
        }
        if session.rolls_left:
            request["rolls_left"] = session.rolls_left
        answer = self.desk.answer(request)
        lines = ANSWERS[query](self.rules, answer, 10**6 if everything else 5)
        click.echo("\n".join(lines).replace("(--all)", "(??)") + "\n")


def state_file() -> Path:
    """Where an unfinished game is kept."""
    import platformdirs

    return Path(platformdirs.user_state_dir("perfect-yatzy")) / "game.json"


@click.command()
@rules_argument
@click.option("--players", default="You", help="Names, parted by commas: they play by turns.", show_default=True)
@click.option(
    "--dice", type=click.Choice(["program", "typed"]), default="program", show_default=True,
    help="Who rolls: the program, or you with real dice.",
)  # fmt: skip
@click.option("--seed", type=int, help="Seed of the program's dice [random].")
@click.option("--warn", type=click.FloatRange(0), default=0.2, show_default=True, help="Warn of losses from here on.")
@click.option("--no-warn", is_flag=True, help="Never warn.")
@click.option("--new", is_flag=True, help="Do not go on with the saved game.")
@click.option("--plain", is_flag=True, help="Cards as sentences, for a screen reader.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="File of the unfinished game.")
@click.option(
    "--record", type=click.Path(dir_okay=False), default="games.jsonl", show_default=True, help="Its record."
)
@language_option
@table_options
def play(
    rules: str,
    players: str,
    dice: str,
    seed: int | None,
    warn: float,
    no_warn: bool,
    new: bool,
    plain: bool,
    save: Path | None,
    record: str,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Play a game, with advice when you ask for it.

    Your choice comes first. `?` says what is best, a warning comes only for a choice that gives away more than
    --warn points, and `undo` takes anything back. The game is saved as it goes on.

    \b
      yatzy play
      yatzy play maxi --players "Ann, Bo" --dice typed
    """
    from ...game.translations import localized
    from ...play.save_file import SaveFile
    from ...play.session import Session

    asked = {name for name in SETTINGS | {"rules", "players", "dice", "seed"} if given(name)}
    if seed is not None and dice == "typed":
        raise StateError("--seed is of the program's dice; with --dice typed the dice are yours")
    desk = query_service(tables, threads, lang)
    place = SaveFile(save or state_file())
    check_record(record, place)
    if place.seen is not None and not new:
        session = place.load()
        wanted = {
            "rules": desk.rules(rules).fingerprint,
            "players": read_players(players),
            "dice": dice,
            "seed": seed,
        }
        check_same(session, {name: value for name, value in wanted.items() if name in asked}, place)
        click.echo(f"Going on with the saved game ({place.path}): {about(session)}. --new starts another.")
    else:
        if seed is None and dice == "program":
            seed = secrets.randbelow(1 << 48)
        session = Session(desk.rules(rules), read_players(players), seed)
    shown = localized(session.rules, lang)
    desk.know(shown)
    table = Table(session, shown, desk, place, None if no_warn else warn, plain)
    place.write(session)
    try:
        sit(table)
    except Quit:
        click.echo(f"Saved in {place.path}; `{command()}` goes on.")
        return
    finish(table, record)


def given(name: str) -> bool:
    """Whether an option or argument stands on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def command(without: str = "") -> str:
    """The command that goes on with this game, and in the same way but for one option."""
    context, words = click.get_current_context(), ["yatzy", "play"]
    for param in context.command.params:
        if param.name in SETTINGS - {without} and given(param.name):
            value = context.params[param.name]
            words += [param.opts[0]] if value is True else [param.opts[0], str(value)]
    return shlex.join(words)


def read_players(text: str) -> tuple[str, ...]:
    """The players' names.

    Raises
    ------
    StateError
        If two have the same, or one cannot be shown.
    """
    from ...play.record import check_names

    names = tuple(name.strip() for name in text.split(",") if name.strip()) or ("You",)
    twice = next((name for i, name in enumerate(names) if name.lower() in map(str.lower, names[:i])), None)
    if twice is not None:
        raise StateError(f"two players are called {twice}; give each a name of their own")
    check_names(names)
    return names


def about(session: Session) -> str:
    """A saved game in a few words."""
    from ..views.table import short

    dice = "typed dice" if session.seed is None else "the program's dice"
    return f"{session.rules.key}, {', '.join(map(short, session.players))}, {dice}"


def check_same(session: Session, wanted: dict[str, Any], place: SaveFile) -> None:
    """Raise StateError if what was asked for is not the saved game."""
    has = {
        "rules": session.rules.fingerprint,
        "players": session.players,
        "dice": "typed" if session.seed is None else "program",
        "seed": session.seed,
    }
    differing = [name for name, value in wanted.items() if has[name] != value]
    if differing:
        raise StateError(
            f"{place.path} holds another game ({about(session)}), with other {', '.join(differing)}; "
            f"`{command()}` goes on with that one, --new starts anew, --save FILE keeps both"
        )


def check_record(record: str, place: SaveFile) -> None:
    """Raise SolverError unless the game can be recorded when it is over."""
    from ...play.record import check_writable

    if Path(record).resolve() == place.path:
        raise SolverError(f"{record} cannot hold the record and the unfinished game; choose another with --record")
    try:
        check_writable(record)
    except OSError as error:
        raise SolverError(f"cannot write {record}: {error.strerror}; choose another with --record") from error


def sit(table: Table) -> None:
    """Play until the cards are full."""
    from ..views.table import wrapped

    session = table.session
    if not session.over:
        table.show_cards()
    while not session.over:
        try:
            if session.to_roll:
                table.roll()
            else:
                table.decide()
        except StateError as error:
            click.echo(wrapped(str(error)))
        table.save.write(session)


def finish(table: Table, record: str) -> None:
    """The record first, then the result and what luck and errors made of it."""
    from ...play.record import write_games
    from ...play.review import review
    from ..views.review import summary_lines
    from ..views.table import winner_line

    table.show_cards()
    game, place = table.session.game, table.save
    if len(game.players) > 1:
        click.echo(f"{winner_line(table.session)}\n")
    try:
        write_games(record, [game])
    except OSError as error:
        kept = f"the game is still in {place.path}: `{command('record')} --record FILE` records it"
        raise SolverError(f"cannot write {record}: {error.strerror}; {kept}") from error
    place.remove()
    click.echo(f"Recorded in {record}.\n")
    for i in range(len(game.players)):
        click.echo("\n".join(summary_lines(table.rules, review(table.strategy, game, i))) + "\n")
    click.echo(f"`{shlex.join(['yatzy', 'review', record])}` says where points were lost.")
