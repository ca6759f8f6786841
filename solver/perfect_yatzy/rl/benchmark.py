"""Measure language models and other agents by the exact points that their decisions lose.

There are 300 positions and 20 games of five rule sets.

::

    python -m perfect_yatzy.rl.benchmark --program "my-model --short"
    python -m perfect_yatzy.rl.benchmark --policy random --policy level:3 --policy perfect

A program is started for each decision. It reads a prompt on standard input (the rules, the card, the
dice, the form of an answer) and writes an action, such as ``hold 3 3`` or ``take full-house``. The
last line that begins in this way counts. No answer, one that is not legal, and one after the time limit cost
what the worst legal action costs, which is then played. All agents meet the same positions, and in
the games the same dice.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import click
import numpy as np

from ..core.rules import RuleSet
from ..game.legal_actions import TurnPosition
from ..game.rule_loader import load_rules
from ..game.rule_sentences import rule_sentences
from ..game.scorecard import Scorecard
from . import single

RULES = ("yatzy", "yahtzee", "yacht-51", "generala", "crag")
POSITIONS = 60  # positions of each rule set
GAMES = 4  # games of each rule set
POSITION_SEED = 2027
GAME_SEED = 4054
RANDOM_SEED = 1
MISTAKES = 0.3  # the chance of a random action in the games that the positions are taken from
BASELINES = ("random", "most-points", "level:1", "level:3", "level:5", "level:7", "perfect")
TIME_LIMIT = 120.0  # seconds for an answer of a program
FIRST_HOLD, LATER_HOLD, CATEGORY = KINDS = ("first hold", "later hold", "category")
ANSWER = re.compile(r"^\W*(hold|take)\b[:\s]*(.*?)\W*$", re.IGNORECASE | re.MULTILINE)

# An agent takes the environment before a decision, and returns the number of an action, or None for no
# legal answer.
Agent = Callable[[single.YatzyEnv], int | None]


@dataclass
class Score:
    """What an agent loses: the regrets of its decisions by kind, and the scores of its games."""

    regrets: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    best: int = 0  # decisions without a loss
    illegal: int = 0  # decisions without a legal answer
    game_regrets: list[float] = field(default_factory=list)
    game_scores: list[float] = field(default_factory=list)

    @property
    def decisions(self) -> int:
        """How many decisions were asked for."""
        return sum(map(len, self.regrets.values()))


def prompt(position: TurnPosition) -> str:
    """Return a decision in words: the rules, the card, the dice, and the form of the answer."""
    rules = position.rules
    card = position.card
    assert isinstance(card, Scorecard)
    boxes = []
    for i, box in enumerate(rules.categories):
        filled = f"filled with {card.points[i]}" if i in card.points else "open"
        upper = " (upper)" if box.upper else ""
        boxes.append(f"- {box.id}{upper}: {box.text}; {filled}")
    dice = " ".join(map(str, position.dice))
    return "\n".join(
        [
            "A dice game for one player. Play for the highest final score on average.",
            *rule_sentences(rules),
            "The boxes of the card, what each pays, and what it holds:",
            *boxes,
            f"You have rolled {dice}, and {position.rolls_left} rerolls are left in this turn.",
            "Answer with one line: `hold` and the dice to keep, such as `hold 3 3` (`hold none` rolls",
            "all dice again), or `take` and the id of a box, which ends the turn.",
            "",
        ]
    )


def read_answer(env: single.YatzyEnv, text: str) -> int | None:
    """Return the action that an answer names.

    It is named by the last line that begins with ``hold`` or ``take``.
    """
    lines = ANSWER.findall(text)  # each as its verb and what follows
    if not lines:
        return None
    verb, words = lines[-1]
    try:
        if verb.lower() == "take":
            action = env.action(words.strip().lower())
        else:
            action = env.action([int(face) for face in re.findall(r"\d", words)])
    except ValueError:  # every error of the package about an action is one
        return None
    return action if env.position.is_legal(action) else None


def program_agent(command: str, time_limit: float = TIME_LIMIT) -> Agent:
    """Return an agent that starts a program for each decision.

    Bytes of its answer that are not UTF-8 are replaced.
    """

    def act(env: single.YatzyEnv) -> int | None:
        """Ask the program for an action. None stands for no answer in time, or no legal one."""
        try:
            answer = subprocess.run(
                shlex.split(command),
                input=prompt(env.position),
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                timeout=time_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        return read_answer(env, answer.stdout)

    return act


def policy_agent(name: str, rules: RuleSet) -> Agent:
    """Return an agent that plays a policy of ``yatzy evaluate``, or ``random``: any legal action."""
    if name == "random":
        draw = np.random.default_rng(RANDOM_SEED)
        return lambda env: int(draw.choice(np.flatnonzero(env.position.action_mask())))
    # It is imported as a user does, because environments work without policies, which can be removed.
    import perfect_yatzy

    policy: Any = perfect_yatzy.open_policy(name, rules)
    return lambda env: env.action(policy.act(env.position))


def decide(env: single.YatzyEnv, agent: Agent, score: Score) -> tuple[int, float]:
    """Ask an agent for a decision, and return the action that is played, and what it loses."""
    values = env.action_values()
    action = agent(env)
    if action is None:
        score.illegal += 1
        action = int(np.where(np.isfinite(values), values, np.inf).argmin())
    regret = float(values.max() - values[action])
    score.best += regret < 1e-9
    kind = CATEGORY
    if env.rolls_left:
        kind = FIRST_HOLD if env.position.is_first_roll else LATER_HOLD
    score.regrets[kind].append(regret)
    return action, regret


def run_positions(rules: str, agent: Agent, score: Score, count: int) -> None:
    """Ask for one decision of each of `count` games.

    The games are played well but for some mistakes.
    """
    env = single.YatzyEnv(rules, oracle=True)
    draw = np.random.default_rng(POSITION_SEED)
    for game in range(count):
        env.reset(seed=POSITION_SEED + game)
        wanted = int(draw.integers(2 * len(env.rules.categories)))
        over = False
        decision = 0
        while not over and decision < wanted:
            if draw.random() < MISTAKES:
                action = int(draw.choice(np.flatnonzero(env.position.action_mask())))
            else:
                action = int(env.action_values().argmax())
            over = bool(env.step(np.int64(action))[2])
            decision += 1
        if over:  # the last decision is past, so the first one of the same game is asked for
            env.reset(seed=POSITION_SEED + game)
        decide(env, agent, score)


def run_games(rules: str, agent: Agent, score: Score, count: int) -> None:
    """Play games from the empty card."""
    env = single.YatzyEnv(rules, oracle=True)
    for game in range(count):
        env.reset(seed=GAME_SEED + game)
        lost = 0.0
        over = False
        while not over:
            action, regret = decide(env, agent, score)
            lost += regret
            over = bool(env.step(np.int64(action))[2])
        score.game_regrets.append(lost)
        score.game_scores.append(float(env.card.score))


def run(
    agent_of: Callable[[str], Agent],
    rules: Sequence[str] = RULES,
    positions: int = POSITIONS,
    games: int = GAMES,
) -> tuple[Score, Score]:
    """Return what an agent loses in positions and in games of several rule sets.

    `agent_of` makes the agent for the rules.
    """
    asked, played = Score(), Score()
    for name in rules:
        agent = agent_of(name)
        run_positions(name, agent, asked, positions)
        run_games(name, agent, played, games)
    return asked, played


HEADS = (
    "agent",
    *(f"{kind}, lost" for kind in KINDS),
    "best choice",
    "not legal",
    "lost a game",
    "final score",
)


def table_row(name: str, asked: Score, played: Score) -> list[str]:
    """Return the figures of an agent: those of the positions, then those of the games."""
    means = [f"{np.mean(lost):.2f}" if lost else "" for lost in asked.regrets.values()]
    return [
        name,
        *means,
        f"{100 * asked.best / asked.decisions:.0f} %",
        str(asked.illegal + played.illegal),
        f"{np.mean(played.game_regrets):.2f}",
        f"{np.mean(played.game_scores):.1f}",
    ]


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    rule = ["---", *["---:"] * (len(HEADS) - 1)]
    return [f"| {' | '.join(row)} |" for row in (HEADS, rule, *rows)]


@click.command()
@click.option(
    "--program",
    "programs",
    multiple=True,
    help="Command of an agent; started anew for each decision.",
)
@click.option("--policy", "policies", multiple=True, help="Policy of yatzy evaluate, or random.")
@click.option("--rules", multiple=True, default=RULES, help="Rule sets.")
@click.option("--positions", default=POSITIONS, help="Positions of each rule set.")
@click.option("--games", default=GAMES, help="Games of each rule set.")
@click.option("--time-limit", default=TIME_LIMIT, help="Seconds for an answer.")
@click.option("--show-prompt", is_flag=True, help="Only print the prompt of the first decision.")
def main(
    programs: Sequence[str],
    policies: Sequence[str],
    rules: Sequence[str],
    positions: int,
    games: int,
    time_limit: float,
    show_prompt: bool,
) -> None:
    """Measure agents by the points that their decisions lose.

    The baselines are measured if none is given.
    """
    if show_prompt:
        env = single.YatzyEnv(rules[0])
        env.reset(seed=GAME_SEED)
        click.echo(prompt(env.position), nl=False)
        return
    if not programs and not policies:
        policies = BASELINES

    def agent_of_program(command: str, _rules: str) -> Agent:
        return program_agent(command, time_limit)

    def agent_of_policy(name: str, rules_of_game: str) -> Agent:
        return policy_agent(name, load_rules(rules_of_game))

    agents = [(command, partial(agent_of_program, command)) for command in programs]
    agents += [(name, partial(agent_of_policy, name)) for name in policies]
    rows = [table_row(name, *run(agent_of, rules, positions, games)) for name, agent_of in agents]
    click.echo("\n".join(table_lines(rows)))


if __name__ == "__main__":
    main()
