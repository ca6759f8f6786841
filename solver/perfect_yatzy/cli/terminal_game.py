"""A game of `yatzy play` in the terminal: the loop that asks, shows, warns and saves.

The rules of what may happen next are those of :class:`perfect_yatzy.play.session.Session`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..errors import RulesError, StateError
from .console import prompt_line

if TYPE_CHECKING:
    from ..game.rules import RuleSet
    from ..play.save_file import SaveFile
    from ..play.session import Session
    from ..service.queries import QueryService
    from ..strategy.strategy import Strategy

TOP = 5  # options that `?` lists


class Quit(Exception):
    """The player quits."""


@dataclass
class TerminalGame:
    """A game in progress.

    Attributes
    ----------
    session : Session
        The state of the game.
    rules : RuleSet
        The rules with names in the language of the player.
    service : QueryService
        Answers the questions of the player.
    save : SaveFile
        Written after every action.
    min_warned_loss : float or None
        A decision that loses at least this many points needs a confirmation; None for no warnings.
    plain : bool
        Print scorecards as sentences.
    """

    session: Session
    rules: RuleSet
    service: QueryService
    save: SaveFile
    min_warned_loss: float | None
    plain: bool

    @property
    def strategy(self) -> Strategy:
        """Optimal play; loaded, and solved if necessary, on first use."""
        return self.service.strategy(self.rules)

    def run(self) -> None:
        """Play until every category is filled.

        Raises
        ------
        Quit
            If the player quits.
        """
        from .views.wording import wrapped

        session = self.session
        if not session.over:
            self.show_cards()
        while not session.over:
            try:
                if session.to_roll:
                    self.roll()
                else:
                    self.decide()
            except (StateError, RulesError) as error:  # RulesError: advice would need a solve beyond the budget
                click.echo(wrapped(str(error)))
            self.save.write(session)

    def show_cards(self) -> None:
        """Print the scorecards."""
        from .views.play import card_lines, spoken_card_lines

        lines = spoken_card_lines if self.plain else card_lines
        click.echo("\n" + "\n".join(lines(self.rules, self.session)) + "\n")

    def ask(self, question: str, help_text: str) -> str:
        """One line of input; `quit`, `help` and `card` are handled here."""
        from .views.decisions import QUIT_WORDS

        while True:
            text = prompt_line(question)
            if text is None or text.lower() in QUIT_WORDS:
                raise Quit
            word = text.lower()
            if word in ("help", "h"):
                click.echo(help_text)
            elif word == "card":
                self.show_cards()
            else:
                return text

    def roll(self) -> None:
        """Roll the dice, or ask for the dice of the player."""
        from ..game.notation import parse_faces
        from .views.play import dice_help, dice_question

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
            raise StateError(f"{text!r} is not a roll; write the faces, such as {'12345'[: session.to_roll]}")
        session.roll(dice)

    def undo(self) -> None:
        """Undo the last decision."""
        click.echo("Undone." if self.session.undo() else "There is nothing to undo.")

    def decide(self) -> None:
        """Ask for a decision, and carry it out."""
        from .views.decisions import decision_question
        from .views.play import DECISION_HELP, points_line, stage_line

        session = self.session
        click.echo(stage_line(session))
        click.echo(points_line(self.rules, session))
        text = self.ask(decision_question(session.rolls_left), DECISION_HELP)
        while text:  # instead of a confirmation a player may enter something else
            text = self.handle(text)

    def handle(self, text: str) -> str:
        """Carry out an input; returns what was entered instead of a confirmation, or an empty text."""
        word = text.lower()
        if word in ("undo", "u"):
            self.undo()
        elif word in ("?", "??"):
            self.advise(show_all=word == "??")
        else:
            return self.carry_out(text)
        return ""

    def carry_out(self, text: str) -> str:
        """Carry out a decision; returns what was entered instead of a confirmation, or an empty text."""
        from ..game.notation import parse_category, parse_hold
        from .views.decisions import without_verb
        from .views.play import score_line

        session, text = self.session, without_verb(text)
        held = parse_hold(text, session.dice) if session.rolls_left else None
        category = ""
        if held is not None:
            session.check_hold(held)
        else:
            points_of = {name: points + bonus_points for name, (points, bonus_points) in session.choices().items()}
            category = parse_category(self.rules, text, points_of)
            if category not in points_of:
                session.score(category)  # raises StateError with the reason
        other_input = self.warn(category if held is None else held)
        if other_input is not None:
            return other_input
        if held is not None:
            session.hold(held)
            return ""
        session.score(category)
        click.echo(score_line(self.rules, session, category))
        if not session.over:
            self.show_cards()
        return ""

    def warn(self, decision: tuple[int, ...] | str) -> str | None:
        """Ask for a confirmation of a hold or category that loses too much.

        Returns
        -------
        str or None
            None to go on with the decision; else what was entered instead, empty for no.
        """
        if self.min_warned_loss is None:
            return None
        from ..play.review import find_action, ranked_actions
        from .views.play import DECISION_HELP
        from .views.review import action_text
        from .views.wording import wrapped

        session = self.session
        options = ranked_actions(self.strategy, session.card(), session.dice, session.rolls_left)
        action = find_action(options, decision)
        assert action is not None  # the session allows it
        if action.loss <= 0 or action.loss < self.min_warned_loss:
            return None
        best = action_text(self.rules, options[0])
        click.echo(wrapped(f"This loses {action.loss:.2f} points on average; best: {best}."))
        answer = self.ask("Continue anyway? [y/N]", DECISION_HELP)
        if answer.lower() in ("y", "yes"):
            return None
        # `undo` cancels this decision, which is not made yet; it does not undo the one before it.
        return "" if answer.lower() in ("n", "no", "undo", "u") else answer

    def advise(self, show_all: bool) -> None:
        """Print the ranking of `yatzy hold` or `yatzy score`."""
        from .views.answers import ALL_OPTIONS, ANSWER_VIEWS

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
        answer = self.service.answer(request)
        lines = ANSWER_VIEWS[query](self.rules, answer, ALL_OPTIONS if show_all else TOP)
        click.echo("\n".join(lines).replace("(--all)", "(??)") + "\n")
