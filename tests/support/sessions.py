"""Sessions for tests of games in progress."""

from perfect_yatzy import load_rules
from perfect_yatzy.play.session import Session

FORCED = [c.id for c in load_rules("yatzy-forced").categories]


def new_session(rules: str = "yatzy", players: int = 1, seed: int | None = 5) -> Session:
    """A session without actions."""
    return Session(load_rules(rules), tuple(f"P{i}" for i in range(players)), seed)


def scripted_session(rules: str, *turns: tuple[tuple[int, ...], str], players: tuple[str, ...] = ("Ann",)) -> Session:
    """A session in which each turn is one roll and a category."""
    session = Session(load_rules(rules), players, None)
    for dice, category in turns:
        session.roll(dice)
        session.score(category)
    return session


FIVES, FOURS, RUN = (5,) * 5, (4,) * 5, (2, 3, 4, 5, 6)
