"""`yatzy play`: a game at the terminal. The session knows what may happen, this loop asks, shows and saves."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..console import RULES, language_option, make_desk, table_options
from ..errors import StateError

if TYPE_CHECKING:
    from ..advice import Strategy
    from ..queries import Desk
    from ..rules import RuleSet
    from ..session import Session

DICE_TEXT = re.compile(r"[\s,;⚀⚁⚂⚃⚄⚅0-9-]+")


class Quit(Exception):
    """The player has had enough for now."""


@dataclass
class Table:
    """One sitting: the session, the names it is shown under, and how much the coach says."""

    session: Session
    rules: RuleSet
    desk: Desk
    save: Path
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

    def ask(self, question: str) -> str:
        """One line from the player; the commands that work everywhere are carried out here."""
        from ..views.table import HELP

        while True:
            try:
                text = str(click.prompt(question, prompt_suffix=" ", default="", show_default=False)).strip()
            except click.Abort:
                raise Quit from None
            word = text.lower()
            if word in ("quit", "q", "exit"):
                raise Quit
            if word in ("help", "h"):
                click.echo(HELP)
            elif word == "card":
                self.show_cards()
            else:
                return text

    def roll(self) -> None:
        """Put the next dice on the table."""
        session = self.session
        if session.seed is not None:
            session.roll()
            return
        number = session.to_roll
        text = self.ask(f"Dice you rolled ({number}):")
        if text.lower() in ("undo", "u"):
            self.undo()
        elif text:
            if not DICE_TEXT.fullmatch(text):
                raise StateError(f"{text!r} is no dice; write the faces, such as {'12345'[:number]}")
            session.roll([glyph_face(symbol) for symbol in re.sub(r"[\s,;-]", "", text)])

    def undo(self) -> None:
        """Take the last action back."""
        undone = self.session.undo()
        click.echo("Taken back." if undone else "There is nothing to take back.")

    def decide(self) -> None:
        """One decision: dice to hold, or a category."""
        from ..views.table import choice_line, stage_line, wrapped

        session = self.session
        click.echo(stage_line(session))
        click.echo(wrapped(f"Worth now: {choice_line(self.rules, session)}"))
        both = "Hold which dice, or take which category? (help)"
        text = self.ask(both if session.rolls_left else "Take which category? (help)")
        word = text.lower()
        if word in ("undo", "u"):
            self.undo()
        elif word in ("?", "??"):
            self.advise(everything=word == "??")
        elif text:
            self.carry_out(re.sub(r"^(hold|keep|take|score)\s+(?=\S)", "", text, flags=re.IGNORECASE))

    def carry_out(self, text: str) -> None:
        """A decision in the player's words."""
        from ..notation import find_category

        session, left = self.session, self.session.rolls_left
        held: tuple[int, ...] | None = None
        if text.lower() in ("none", "nothing", "reroll"):
            held = ()
        elif text.lower() in ("all", "stop"):
            raise StateError("then take a category: name it")
        elif left and DICE_TEXT.fullmatch(text):
            held = tuple(sorted(glyph_face(symbol) for symbol in re.sub(r"[\s,;-]", "", text)))
        if held is not None:
            session.hold(held)  # says why not
            session.actions.pop()
            loss, better = self.loss_of_hold(held, left)
        else:
            category = self.rules.categories[find_category(self.rules, text)].id
            if category not in session.choices():
                session.score(category)  # says why not
            loss, better = self.loss_of_category(category, left)
        if self.warn is not None and loss >= self.warn and not self.insist(loss, better):
            return
        if held is not None:
            session.hold(held)
            return
        points, beside = session.choices()[category]
        session.score(category)
        click.echo(f"{self.rules.categories[self.rules.index_of[category]].name}: {points + beside}")
        if not session.over:
            self.show_cards()

    def insist(self, loss: float, better: str) -> bool:
        """Whether the player stays with a choice that loses."""
        answer = self.ask(f"That gives away {loss:.2f} points on average; better: {better}. Do it anyway? [y/N]")
        return answer.lower() in ("y", "yes")

    def loss_of_hold(self, held: tuple[int, ...], left: int) -> tuple[float, str]:
        """What a hold loses, and what is better."""
        if self.warn is None:
            return 0.0, ""
        from ..views.review import action_words

        ranked = self.strategy.holds(self.session.card(), self.session.dice, left)
        done = next(hold for hold in ranked if hold.dice == held)
        return done.loss, action_words(self.rules, ranked[0])

    def loss_of_category(self, category: str, left: int) -> tuple[float, str]:
        """What a category loses, stopping early included, and what is better."""
        if self.warn is None:
            return 0.0, ""
        from ..views.review import action_words

        card, dice = self.session.card(), self.session.dice
        choices = self.strategy.categories(card, dice, left)
        value = next(choice.value for choice in choices if choice.category == category)
        best = self.strategy.holds(card, dice, left)[0] if left else choices[0]
        loss = best.value - value
        return (loss if loss > 1e-9 else 0.0), action_words(self.rules, best)

    def advise(self, everything: bool) -> None:
        """What is best, as `yatzy hold` and `yatzy score` say it."""
        from ..views.text import ANSWERS

        session, card = self.session, self.session.card()
        query = "hold" if session.rolls_left else "score"
        request = {
            "query": query,
            "rules": self.rules.spec or self.rules.key,
            "card": str(card),
            "saved": card.saved,
            "extra": card.extra,
            "dice": list(session.dice),
        }
        if session.rolls_left:
            request["rolls_left"] = session.rolls_left
        answer = self.desk.answer(request)
        lines = ANSWERS[query](self.rules, answer, 10**6 if everything else 5)
        click.echo("\n".join(lines).replace("(--all)", "(??)") + "\n")


def glyph_face(symbol: str) -> int:
    """The face of a digit or a glyph."""
    from ..notation import GLYPHS

    return GLYPHS.find(symbol) + 1 or int(symbol)


def state_file() -> Path:
    """Where an unfinished game is kept."""
    import platformdirs

    return Path(platformdirs.user_state_dir("perfect-yatzy")) / "game.json"


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
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
    from ..languages import localized
    from ..session import Session, load_session

    desk = make_desk(tables, threads, lang)
    place = save or state_file()
    if place.exists() and not new:
        session = load_session(place)
        click.echo(f"Going on with the saved game ({place}); --new starts another.")
    else:
        names = tuple(name.strip() for name in players.split(",") if name.strip()) or ("You",)
        if seed is None and dice == "program":
            seed = secrets.randbelow(1 << 48)
        session = Session(desk.rules(rules), names, seed if dice == "program" else None)
    shown = localized(session.rules, lang)
    table = Table(session, shown, desk, place, None if no_warn else warn, plain)
    try:
        sit(table)
    except Quit:
        session.save(place)
        click.echo(f"Saved in {place}; `yatzy play` goes on.")
        return
    place.unlink(missing_ok=True)
    finish(table, record)


def sit(table: Table) -> None:
    """Play until the cards are full."""
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
            click.echo(f"{error}")
        session.save(table.save)


def finish(table: Table, record: str) -> None:
    """The result, what luck and errors made of it, and the record."""
    from ..record import write_games
    from ..review import review
    from ..views.review import summary_lines

    table.show_cards()
    game = table.session.game
    for i in range(len(game.players)):
        click.echo("\n".join(summary_lines(table.rules, review(table.strategy, game, i))) + "\n")
    try:
        write_games(record, [game])
    except OSError as error:
        raise click.ClickException(f"cannot write {record}: {error.strerror}") from error
    click.echo(f"Recorded in {record}; `yatzy review {record}` says where points were lost.")
