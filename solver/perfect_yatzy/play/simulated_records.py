"""Simulated games as records, with every die and decision, as fast as they are simulated.

The games of :func:`perfect_yatzy.simulate`: the same dice and decisions for the same seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..game.dice import Dice, Ints, lattice
from ..game.legal_actions import numbered_action
from ..game.limits import MAX_NAME
from ..game.notation import dice_of
from ..model.state_space import Policy
from ..policies.named import PlayedSimulation
from ..strategy.simulation import Rollout, rollout_of
from ..strategy.strategy import Strategy, check_position
from ..tablebase.backward_induction import default_threads
from .record import Game, Turn

if TYPE_CHECKING:
    from ..kernels.rollout import TurnLog

CHUNK = 10_000  # games played at the same time; bounds the memory


def simulated_records(
    strategy: Strategy | Policy, games: int, seed: int = 1, threads: int | None = None, player: str = "mean"
) -> Iterator[str]:
    """Games from the empty card, each as the line of a record without its line break."""
    threads = threads or default_threads()
    start = strategy.check("") if isinstance(strategy, Strategy) else check_position(strategy.rules, "")
    rollout = rollout_of(strategy, start, threads)
    for first in range(0, games, CHUNK):
        number = min(CHUNK, games - first)
        logs: list[TurnLog] = []
        rollout.play(number, first, seed, logs=logs)
        writers = [_turn_writer(rollout, log) for log in logs]
        for game in range(number):
            head = json.dumps(Game(rollout.rules, (_name(player),), (), _source(seed, first + game)).to_json())
            yield f"{head[:-2]}{', '.join(write(game) for write in writers)}]}}"  # the head ends with an empty list


def played_records(simulation: PlayedSimulation) -> Iterator[str]:
    """The same for games of a policy that acts in single positions."""
    by_game = groupby(simulation.log.decisions, key=lambda decision: decision.game)
    for game, decisions in by_game:
        turns = []
        for _card, turn in groupby(decisions, key=lambda decision: decision.position.card):
            positions, numbers = zip(*((decision.position, decision.action) for decision in turn), strict=True)
            *holds, category = (numbered_action(simulation.rules, number) for number in numbers)
            points, bonus = positions[-1].categories()[str(category)]
            rolls = tuple(position.dice for position in positions)
            turns.append(Turn(0, rolls, tuple(cast(Dice, hold) for hold in holds), str(category), points, bonus))
        found = Game(simulation.rules, (_name(simulation.policy),), tuple(turns), _source(simulation.seed, game))
        yield json.dumps(found.to_json())


def _name(policy: str) -> str:
    """The name of a player in a record: that of a policy, of a file without its folder."""
    return Path(policy).name[:MAX_NAME]


def _source(seed: int, game: int) -> dict[str, Any]:
    return {"source": "simulate", "seed": seed, "game": game}


def _turn_writer(rollout: Rollout, log: TurnLog) -> Callable[[int], str]:
    """A function that writes a turn of a game as JSON, with the fields of :class:`.record.Turn`."""
    rules, outcomes = rollout.rules, rollout.model.turn_outcomes
    texts = [json.dumps(dice_of(counts)) for counts in lattice(rules.dice, rules.faces).counts.tolist()]
    ids = [json.dumps(category.id) for category in rules.categories]
    category, points = outcomes.category[log.outcomes].tolist(), outcomes.points[log.outcomes].tolist()
    bonus_points = (outcomes.total.astype(np.int64) - outcomes.points)[log.outcomes].tolist()
    shape = len(log.outcomes), log.most_rolls
    rolls, holds = log.rolls.reshape(shape), log.holds.reshape(shape)
    counts: Ints = (holds >= 0).sum(axis=1)
    all_rolls, all_holds, held = rolls.tolist(), holds.tolist(), counts.tolist()

    def write(game: int) -> str:
        count = held[game]
        dice = ", ".join([texts[i] for i in all_rolls[game][: count + 1]])
        kept = ", ".join([texts[i] for i in all_holds[game][:count]])
        bonus = f', "bonus_points": {bonus_points[game]}' if bonus_points[game] else ""
        scored = f'"category": {ids[category[game]]}, "points": {points[game]}{bonus}'
        return f'{{"player": 0, "rolls": [{dice}], "holds": [{kept}], {scored}}}'

    return write
