"""A game of `yatzy play` in the terminal.

This is the loop that asks, shows, warns and saves. The game itself is a `Session`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import click

from ..core.rules import RuleSet
from ..errors import RulesError, StateError
from ..game.notation import parse_category, parse_faces, parse_hold
from ..game.scorecard import Scorecard
from ..play.review import find_action
from ..play.session import Action, SaveFile, Session
from ..policies.computer_players import ComputerPlayer
from ..service.queries import QueryService
from ..strategy.score_distribution import card_text
from ..strategy.strategy import Strategy
from ..words import _
from .console import echo_fitted, prompt_line
from .views import game_text as view
from .views.answer_text import ALL_OPTIONS, ANSWER_VIEWS, OBJECTIVE_OPTIONS, drop_text
from .views.wording import (
    CATEGORY_HELP,
    HOLD_HELP,
    command_of,
    decision_of,
    decision_question,
    wrapped,
)

Advice = Literal["mean", "win"]
DECISION_HELP = HOLD_HELP, CATEGORY_HELP, view.DECISION_HELP  # the answers to `decision_question`
TOP = 5  # options that `?` lists
WIN_CHANCE_PER_POINT = 0.01  # loss of the chance to win that a warning counts as a point


class Quit(Exception):
    """The player quits."""


@dataclass
class TerminalGame:
    """A game in progress."""

    session: Session
    rules: RuleSet  # with names in the language of the player
    service: QueryService
    save: SaveFile  # written after every action
    # points that a decision loses at least to be warned of, or None for no warnings
    min_warned_loss: float | None
    plain: bool  # print scorecards as sentences
    advice: Advice = "mean"  # what advice and warnings maximise
    computers: dict[str, ComputerPlayer] = field(default_factory=dict)  # by their kind
    # The fields of a request for opponents whom the player cannot see. If there are none, the
    # opponents are those of the game.
    unseen: dict[str, Any] = field(default_factory=dict)
    # The decision that was entered last, after the actions before it. When it is entered again, it
    # is carried out without a warning.
    _last_entry: tuple[tuple[Action, ...], view.Decision] | None = field(
        default=None, init=False, repr=False
    )

    @property
    def strategy(self) -> Strategy:
        """Optimal play, which is loaded, and solved if necessary, on first use."""
        return self.service.strategy(self.rules)

    def run(self) -> None:
        """Play until every category is filled."""
        session = self.session
        if not session.over:
            self.show_cards()
        while not session.over:
            try:
                if session.to_roll:
                    self.roll()
                elif session.computer():
                    self.computer_decides()
                else:
                    self.decide()
            # A RulesError says that advice would need a solve beyond the budget.
            except (StateError, RulesError) as error:
                if isinstance(error, StateError):
                    self._last_entry = None  # a later yes would confirm what is no longer shown
                echo_fitted(wrapped(str(error)))
            self.save.write(session)

    def computer_decides(self) -> None:
        """Play the decision of a computer player."""
        session = self.session
        if len(session.dice_history) == 1:
            turns = len(session.rules.categories)
            stage = _("turn {turn} of {turns}", turn=view.turn_number(session), turns=turns)
            click.echo(view.player_prefix(session, session.player) + stage)
        player = self.computers[session.computer()]
        seed = session.choice_seed()
        card = session.card()
        decision = player.choose(card, session.dice, session.rolls_left, seed, self.others())
        click.echo(view.computer_line(self.rules, session, decision))
        if isinstance(decision, str):
            session.score(decision)
            self.after_turn()
        else:
            session.hold(decision)

    def others(self) -> list[Scorecard]:
        """Return the cards of the players who are not to move."""
        return [
            self.session.card(i)
            for i in range(len(self.session.players))
            if i != self.session.player
        ]

    def after_turn(self) -> None:
        """Show the cards before the turn of a person.

        Before the turn of a computer a person sees the own card.
        """
        player = self.session.turns[-1].player
        if self.session.over:
            return
        if not self.session.computer():
            self.show_cards()
        elif not self.session.computer(player):
            self.show_cards(player)

    def show_cards(self, *players: int) -> None:
        """Print the scorecards of these players, or all."""
        lines_of = view.spoken_card_lines if self.plain else view.card_lines
        shown = players or range(len(self.session.players))
        echo_fitted("\n" + "\n".join(lines_of(self.rules, self.session, shown)) + "\n")

    def ask(self, question: str, help_text: str) -> str:
        """Return one line of input, after it has handled `quit`, `help` and `card`."""
        while True:
            text = prompt_line(question)
            word = command_of(text or "")
            if text is None or word == "quit":
                raise Quit
            if word == "help":
                echo_fitted(help_text)
            elif word == "card":
                self.show_cards()
            else:
                return text

    def roll(self) -> None:
        """Roll the dice, or ask for the dice of the player."""
        session = self.session
        if session.seed is not None:
            session.roll()
            return
        text = self.ask(view.dice_question(session), view.dice_help(session))
        if command_of(text) == "undo":
            self.undo()
            return
        if text in ("", "?"):
            echo_fitted(view.dice_help(session))
            return
        dice = parse_faces(text)
        if dice is None:
            example = "12345"[: session.to_roll]
            raise StateError(
                _(
                    "{text!r} is not a roll; write the faces, such as {value}",
                    text=text,
                    value=example,
                )
            )
        if session.holds and len(dice) not in (session.to_roll, session.rules.dice):
            wrong = _(
                "enter the dice you rerolled ({count}), or all {dice}; {text!r} is {number}",
                count=session.to_roll,
                dice=session.rules.dice,
                text=text,
                number=len(dice),
            )
            raise StateError(wrong)
        session.roll(dice)

    def undo(self) -> None:
        """Undo the last decision."""
        action = self.session.undo()
        click.echo(
            view.action_line(self.rules, action) if action else _("There is nothing to undo.")
        )

    def decide(self) -> None:
        """Ask for a decision, and play it."""
        session = self.session
        click.echo(view.stage_line(session))
        click.echo(view.points_line(self.rules, session))
        text = self.ask(decision_question(session.rolls_left), "".join(map(_, DECISION_HELP)))
        word = command_of(text)
        if word == "undo":
            self.undo()
        elif word in ("?", "??"):
            self.advise(show_all=word == "??")
        elif word in ("advice", "advice win", "advice mean"):
            self.set_advice(word.removeprefix("advice").strip())
        elif word in ("yes", "no") and self._last_entry and self._last_entry[0] == session.actions:
            self.confirm_or_withdraw(self._last_entry[1], is_confirmed=word == "yes")
        elif text:
            self.carry_out(text)

    def confirm_or_withdraw(self, decision: view.Decision, *, is_confirmed: bool) -> None:
        """Play the decision that a warning was about, or say that it is withdrawn."""
        if not is_confirmed:
            self._last_entry = None
            click.echo(view.withdrawn_line(self.rules, decision))
        elif isinstance(decision, str):
            self.carry_out(decision)
        else:
            self.carry_out("".join(map(str, decision)) or "none")

    def carry_out(self, text: str) -> None:
        """Play a decision, but warn of a bad one first."""
        session = self.session
        decision = decision_of(text)
        held = parse_hold(decision, session.dice) if session.rolls_left else None
        if held is not None:
            session.check_hold(held)
            if not self.warn(held):
                session.hold(held)
            return
        points_of = view.points_by_category(session)
        try:
            category = parse_category(self.rules, decision, points_of)
        except StateError as error:
            # A message that names a command of the shell is of no use within a game.
            if "`yatzy" not in str(error):
                raise
            wrong = _(
                "{text!r} is neither dice nor a category. Enter help for all commands.",
                text=decision,
            )
            raise StateError(wrong) from error
        if category not in points_of:
            session.score(category)  # raises StateError with the reason
        if self.warn(category):
            return
        session.score(category)
        echo_fitted(view.score_line(self.rules, session, category))
        self.after_turn()

    def warn(self, decision: view.Decision) -> bool:
        """Say what a bad hold or category loses, and return whether that was said.

        The decision must then be entered again to be played.
        """
        session = self.session
        before = self._last_entry
        self._last_entry = session.actions, decision
        if self.min_warned_loss is None or self._last_entry == before:
            return False
        strategy = self.strategy
        least_loss = self.min_warned_loss
        request = self.winning_request() if self.advice == "win" else None
        if isinstance(request, dict):  # otherwise the loss is of the expected score
            strategy = self.service.resolve(self.service.parse(request), strategy).strategy
            least_loss *= WIN_CHANCE_PER_POINT
        options = strategy.ranking(session.card(), session.dice, session.rolls_left)
        action = find_action(options, decision)
        assert action is not None  # the session allows it
        if action.loss <= 0 or action.loss < least_loss:
            return False
        if isinstance(request, dict):
            best = options[0].value
            text = view.chance_warning(self.rules, session, decision, action.value, best)
        else:
            text = view.loss_warning(self.rules, session, decision, action.loss)
        again = _("Enter it again or yes to go on, no to withdraw it, or choose something else.")
        echo_fitted("\n" + wrapped(f"{text} {again}") + "\n")
        return True

    def set_advice(self, advice: str) -> None:
        """Change what advice and warnings maximise, or say what it is without a word."""
        if advice == "win" and len(self.session.players) == 1 and not self.unseen:
            raise StateError(_("there is nobody to beat in a game of one player"))
        if advice:
            self.advice = "win" if advice == "win" else "mean"
        text = _("Advice and warnings are for the expected score.")
        if self.advice == "win":
            text = _("Advice and warnings are for the chance to win; a tie counts as half a win.")
        echo_fitted(text)

    def request(self) -> dict[str, Any]:
        """Return the question of the player for the best options."""
        session = self.session
        card = session.card()
        request = {
            "rules": self.rules.key,
            "dice": list(session.dice),
            "card": str(card),
            "saved": card.saved,
            "bonus_points": card.bonus_points,
        }
        if session.rolls_left:
            return request | {"query": "hold", "rolls_left": session.rolls_left}
        return request | {"query": "score"}

    def winning_request(self) -> dict[str, Any] | str:
        """Return :meth:`request` for the chance to win.

        If it cannot be answered at once, return a sentence that says why.
        """
        others = [*map(card_text, self.others())]
        if not others and not self.unseen:
            return _(
                "There is nobody to beat in a game of one player; this is the advice for the expected score."
            )
        if self.unseen:
            against_all = self.request() | self.unseen
        else:
            request = self.request() | {"ties": "half"}
            against_all = request | {"opponents": others}  # who play for the mean
            against_one = request | {"versus": others[0]}  # who plays to win, too
            if len(others) == 1:
                with suppress(RulesError):
                    if self.is_instant(against_one):
                        return against_one
        try:
            if not self.is_instant(against_all):
                return _(
                    "The rest of the game is still too large to solve for a win at once; this is the advice for the "
                    "expected score."
                )
            self.service.resolve(self.service.parse(against_all), self.strategy)
        except RulesError as error:
            return _(
                "There is no advice for winning here ({error}); this is the advice for the expected score.",
                error=error,
            )
        return against_all

    def is_instant(self, request: dict[str, Any]) -> bool:
        """Return whether a request is answered at once. Raises RulesError beyond the budget."""
        return (
            self.service.decide(self.service.parse(request)).seconds
            <= self.service.budget.instant_seconds
        )

    def advise(self, show_all: bool) -> None:
        """Print the ranking of `yatzy hold` or `yatzy score`."""
        request = self.request()
        if self.advice == "win":
            winning = self.winning_request()
            if isinstance(winning, str):
                echo_fitted(wrapped(winning) + "\n")
            else:
                request = winning
        answer = self.service.answer(request)
        lines = "\n".join(
            ANSWER_VIEWS[request["query"]](self.rules, answer, ALL_OPTIONS if show_all else TOP)
        )
        enter = _("enter `advice mean` to maximise the expected score.")
        for option in OBJECTIVE_OPTIONS.values():
            lines = lines.replace(drop_text(option), enter)
        echo_fitted(lines.replace("(--all)", "(??)") + "\n")
