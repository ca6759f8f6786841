"""A game of `yatzy play` in the terminal: the loop that asks, shows, warns and saves.

The rules of what may happen next are those of :class:`perfect_yatzy.play.session.Session`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import click

from .._messages import _, number_text
from ..errors import RulesError, StateError
from .console import prompt_line

if TYPE_CHECKING:
    from ..game.rules import RuleSet
    from ..play.save_file import SaveFile
    from ..play.session import Session
    from ..policies.computer_players import ComputerPlayer
    from ..service.queries import QueryService
    from ..strategy.strategy import Strategy

Advice = Literal["mean", "win"]
TOP = 5  # options that `?` lists
WIN_CHANCE_PER_POINT = 0.01  # a point lost is warned of like a chance to win of 1 %


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
    advice : "mean" or "win"
        What advice and warnings maximise.
    """

    session: Session
    rules: RuleSet
    service: QueryService
    save: SaveFile
    min_warned_loss: float | None
    plain: bool
    advice: Advice = "mean"
    _computers: dict[str, ComputerPlayer] = field(default_factory=dict, init=False, repr=False)

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
                elif session.computer():
                    self.computer_decides()
                else:
                    self.decide()
            except (StateError, RulesError) as error:  # RulesError: advice would need a solve beyond the budget
                click.echo(wrapped(str(error)))
                if error.code == "unknown-category":
                    click.echo(_("Enter help for all commands."))
            self.save.write(session)

    def prepare(self) -> None:
        """Make the computer players, which may need solves.

        Raises
        ------
        RulesError
            If a solve is beyond the budget.
        """
        for kind in filter(None, self.session.computers):
            if kind not in self._computers:
                self._computers[kind] = self.service.computer_player(self.rules, kind)

    def computer_decides(self) -> None:
        """Carry out the decision of a computer player."""
        from .views.play import computer_head, computer_line

        session = self.session
        if len(session.dice_history) == 1:
            click.echo(computer_head(session))
        others = [session.card(i) for i in range(len(session.players)) if i != session.player]
        player = self._computers[session.computer()]
        decision = player.choose(session.card(), session.dice, session.rolls_left, session.choice_seed(), others)
        click.echo(computer_line(self.rules, session, decision))
        if isinstance(decision, str):
            session.score(decision)
            self.after_turn()
        else:
            session.hold(decision)

    def after_turn(self) -> None:
        """Show the cards before the turn of a person."""
        if not self.session.over and not self.session.computer():
            self.show_cards()

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
            raise StateError(
                _("{text!r} is not a roll; write the faces, such as {value}").format(
                    text=text, value="12345"[: session.to_roll]
                )
            )
        session.roll(dice)

    def undo(self) -> None:
        """Undo the last decision."""
        click.echo(_("Undone.") if self.session.undo() else _("There is nothing to undo."))

    def decide(self) -> None:
        """Ask for a decision, and carry it out."""
        from .views.decisions import decision_question
        from .views.play import decision_help, points_line, stage_line

        session = self.session
        click.echo(stage_line(session))
        click.echo(points_line(self.rules, session))
        text = self.ask(decision_question(session.rolls_left), decision_help())
        while text:  # instead of a confirmation a player may enter something else
            text = self.handle(text)

    def handle(self, text: str) -> str:
        """Carry out an input; returns what was entered instead of a confirmation, or an empty text."""
        word = text.lower()
        if word in ("undo", "u"):
            self.undo()
        elif word in ("?", "??"):
            self.advise(show_all=word == "??")
        elif word in ("advice", "advice win", "advice mean"):
            self.set_advice(word.removeprefix("advice").strip())
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
        self.after_turn()
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
        from .views.play import decision_help
        from .views.review import action_text
        from .views.wording import chance_text, wrapped

        session = self.session
        winning = self.winning_request() if self.advice == "win" else None
        strategy = self.strategy
        if isinstance(winning, dict):
            strategy = self.service.resolve(self.service.parse(winning), strategy).strategy
        options = ranked_actions(strategy, session.card(), session.dice, session.rolls_left)
        action = find_action(options, decision)
        assert action is not None  # the session allows it
        unit = WIN_CHANCE_PER_POINT if strategy is not self.strategy else 1.0
        if action.loss <= 0 or action.loss < self.min_warned_loss * unit:
            return None
        best = action_text(self.rules, options[0])
        if strategy is not self.strategy:
            sentence = _("This lowers the chance to win: {chance} instead of {best_chance}; best: {best}.")
            chances = chance_text(action.value), chance_text(options[0].value)
            click.echo(wrapped(sentence.format(chance=chances[0], best_chance=chances[1], best=best)))
        else:
            sentence = _("This loses {points} points on average; best: {best}.")
            click.echo(wrapped(sentence.format(points=number_text(action.loss, 2), best=best)))
        answer = self.ask(_("Continue anyway? [y/N]"), decision_help())
        if answer.lower() in ("y", "yes", *_("y yes").split()):
            return None
        # `undo` cancels this decision, which is not made yet; it does not undo the one before it.
        return "" if answer.lower() in ("n", "no", "undo", "u", *_("n no").split()) else answer

    def set_advice(self, advice: str) -> None:
        """Change what advice and warnings maximise; without a word say what it is."""
        if advice == "win" and len(self.session.players) == 1:
            raise StateError(_("there is nobody to beat in a game of one player"))
        if advice:
            self.advice = "win" if advice == "win" else "mean"
        click.echo(
            _("Advice and warnings are for the expected score.")
            if self.advice == "mean"
            else _("Advice and warnings are for the chance to win; a tie counts as half a win.")
        )

    def request(self) -> dict[str, Any]:
        """The question of the player for the best options."""
        session, card = self.session, self.session.card()
        request = {
            "query": "hold" if session.rolls_left else "score",
            "rules": self.rules.key,
            "card": str(card),
            "saved": card.saved,
            "bonus_points": card.bonus_points,
            "dice": list(session.dice),
        }
        return request | ({"rolls_left": session.rolls_left} if session.rolls_left else {})

    def winning_request(self) -> dict[str, Any] | str:
        """:meth:`request` for the chance to win, or a sentence why it cannot be answered at once."""
        from ..strategy.opponents import card_text

        session = self.session
        others = [card_text(session.card(i)) for i in range(len(session.players)) if i != session.player]
        if not others:
            return _("There is nobody to beat in a game of one player; this is the advice for the expected score.")
        request = self.request() | {"opponents": others, "ties": "half"}
        try:
            if self.service.seconds(self.service.parse(request)) > self.service.budget.instant_seconds:
                return _(
                    "The rest of the game is still too large to solve for a win at once; this is the advice for the "
                    "expected score."
                )
            self.service.resolve(self.service.parse(request), self.strategy)
        except RulesError as error:
            sentence = _("There is no advice for winning here ({error}); this is the advice for the expected score.")
            return sentence.format(error=error)
        return request

    def advise(self, show_all: bool) -> None:
        """Print the ranking of `yatzy hold` or `yatzy score`."""
        from .views.answers import ALL_OPTIONS, ANSWER_VIEWS, drop_text
        from .views.wording import wrapped

        request = self.request()
        if self.advice == "win":
            winning = self.winning_request()
            if isinstance(winning, str):
                click.echo(wrapped(winning) + "\n")
            else:
                request = winning
        answer = self.service.answer(request)
        lines = "\n".join(ANSWER_VIEWS[request["query"]](self.rules, answer, ALL_OPTIONS if show_all else TOP))
        enter = _("enter `advice mean` to maximise the expected score.")
        click.echo(lines.replace("(--all)", "(??)").replace(drop_text("--opponents"), enter) + "\n")
