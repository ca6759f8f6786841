"""How long requests of every kind wait beside each other: `make bench-load`.

First each kind of request is asked alone: the longest time is its own cost. Then 64 connections ask
requests of random kinds for two minutes. No request of a cheap kind may take longer than CHEAP_LIMIT,
and none longer than COST_FACTOR times its own cost and the cost of the most expensive kind. Client
and server share the processors.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import httpx2
from perfect_yatzy import open_strategy
from perfect_yatzy.play.record import simulated_records
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import stored_distribution

from .web import RUNS, free_port, wait_until_listening

CONNECTIONS, SECONDS = 64, 120.0
ALONE = 20  # requests of each kind without load: the costs of a kind differ
CHEAP = 0.5  # seconds; kinds of requests that cost less alone are cheap
CHEAP_LIMIT, COST_FACTOR = 2.0, 5.0
PATIENCE = 120.0
BUSY, AGAIN = "503 busy", 1.0  # a client that is told to come again does so after so many seconds
Body = dict[str, Any]
BOXES = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = {"one-pair": 10, "two-pairs": 18, "chance": 22, "full-house": 0, "small-straight": 0}


def dice(chosen: random.Random, number: int = 5) -> list[int]:
    """Random dice."""
    return [chosen.randint(1, 6) for _ in range(number)]


def card(chosen: random.Random, filled: int) -> Body:
    """A card with so many filled boxes."""
    boxes = {box: face * chosen.randint(0, 4) for face, box in enumerate(BOXES, start=1)} | LOWER
    return {box: boxes[box] for box in chosen.sample(sorted(boxes), filled)}


def bodies(games: list[Body]) -> dict[str, tuple[str, Callable[[random.Random], Body]]]:
    """The path of each kind of request, and how its body is made; no path that ends in GET has one."""

    def of_turn(chosen: random.Random, filled: int, **more: Any) -> Body:
        return {"dice": dice(chosen), "card": card(chosen, filled), **more}

    return {
        "hold": ("hold", lambda c: of_turn(c, c.randint(0, 11))),
        "hold, explained": ("hold", lambda c: of_turn(c, c.randint(0, 11), explain=True)),
        "score": ("score", lambda c: of_turn(c, c.randint(0, 11))),
        "points": ("points", lambda c: of_turn(c, c.randint(0, 11))),
        "outcomes": (
            "outcomes",
            lambda c: {"hold": dice(c, 3), "rolls_left": 1, "card": card(c, 5)},
        ),
        "expect": ("expect", lambda c: {"card": card(c, c.randint(0, 11)), "spread": False}),
        "expect of the empty card": ("expect", lambda c: {}),
        "distribution": ("expect", lambda c: {"card": card(c, c.randint(6, 10))}),
        "goal, late": ("hold", lambda c: of_turn(c, 10, goal=c.randint(150, 250))),
        "goal, earlier": ("hold", lambda c: of_turn(c, 8, goal=c.randint(180, 280))),
        "goal, with five boxes": ("hold", lambda c: of_turn(c, 5, goal=c.randint(180, 280))),
        "goal of the empty card": ("hold", lambda c: of_turn(c, 0, goal=c.randint(180, 300))),
        "opponents": (
            "expect",
            lambda c: {"card": card(c, 10), "opponents": [c.randint(180, 280)]},
        ),
        "opponents who play": (
            "hold",
            lambda c: of_turn(c, 9, opponents=f"{c.randint(180, 280)}; ones=3"),
        ),
        "against an opponent": ("hold", lambda c: of_turn(c, 11, versus=as_text(card(c, 11)))),
        "puzzle": ("puzzle", lambda c: {"seed": c.randrange(1 << 30)}),
        "review": ("review", lambda c: {"game": c.choice(games)}),
        "rule sets": ("rules GET", lambda c: {}),
        "wrong dice": ("hold", lambda c: {"dice": "34567"}),
        "an unknown field": ("score", lambda c: {"dice": "33456", "unknown": 1}),
        "other rules": ("expect", lambda c: {"rules": "maxi"}),
    }


def as_text(card: Body) -> str:
    """A card as text."""
    return " ".join(f"{box}={points}" for box, points in card.items())


@dataclass
class Waits:
    """Seconds and states of the requests of each kind."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    states: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    async def ask(self, client: httpx2.AsyncClient, kind: str, path: str, body: Body) -> None:
        """Send a request and note how long it took; one that was refused at once waited, too."""
        start = time.perf_counter()
        try:
            if path.endswith(" GET"):
                answer = await client.get(f"/api/{path.removesuffix(' GET')}")
            else:
                answer = await client.post(f"/api/{path}", json=body)
            state = str(answer.status_code)
            if answer.status_code >= 400:
                state += f" {answer.json()['code']}"
        except httpx2.TimeoutException:
            state = "no answer"
        self.seconds[kind].append(time.perf_counter() - start)
        self.states[kind][state] += 1
        if state == BUSY:
            await asyncio.sleep(AGAIN)


async def measure(address: str, games: list[Body], seconds: float) -> tuple[Waits, Waits]:
    """The waits of each kind of request alone, and of all together."""
    alone, together = Waits(), Waits()
    kinds = bodies(games)
    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx2.AsyncClient(base_url=address, timeout=PATIENCE, limits=limits) as client:
        chosen = random.Random(0)
        for kind, (path, body) in kinds.items():
            for _ in range(ALONE):  # what is loaded or compiled at its first use
                await alone.ask(client, f"first {kind}", path, body(chosen))
            for _ in range(ALONE):
                await alone.ask(client, kind, path, body(chosen))
        end = time.perf_counter() + seconds

        async def connection(seed: int) -> None:
            chosen = random.Random(1 + seed)
            while time.perf_counter() < end:
                kind = chosen.choice([*kinds])
                path, body = kinds[kind]
                await together.ask(client, kind, path, body(chosen))

        await asyncio.gather(*map(connection, range(CONNECTIONS)))
    return alone, together


def judge(alone: Waits, together: Waits) -> tuple[list[str], list[str]]:
    """The rows of a table, and what is wrong."""
    costs = {kind: max(found) for kind, found in alone.seconds.items() if kind in together.seconds}
    highest_cost = max(costs.values())
    rows, wrong = list[str](), list[str]()
    for kind, found in together.seconds.items():
        found.sort()
        limit = CHEAP_LIMIT if costs[kind] < CHEAP else COST_FACTOR * costs[kind] + highest_cost
        states = ", ".join(f"{state}: {n}" for state, n in together.states[kind].most_common())
        median = found[len(found) // 2]
        rows.append(
            f"| {kind} | {len(found):,} | {costs[kind]:.2f} | {median:.2f} | {found[-1]:.2f} "
            f"| {limit:.2f} | {states} |"
        )
        if found[-1] > limit:
            wrong.append(f"{kind}: {found[-1]:.2f} s, at most {limit:.2f} s")
        if plain := [state for state in together.states[kind] if state[:3] in ("500", "no ")]:
            wrong.append(f"{kind}: {plain}")
    return rows, wrong


def main() -> None:
    """Start the server, measure, stop it, write a record; exit code 1 if a request waited too long."""
    strategy = open_strategy("yatzy")
    stored_distribution(Settings(), strategy, strategy.start)
    games = [json.loads(line) for line in simulated_records(strategy, 8, seed=1)]
    seconds = float(sys.argv[1]) if sys.argv[1:] else SECONDS
    port = free_port()
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "perfect_yatzy", "serve", "--port", str(port)]
        server = subprocess.Popen(command, stderr=log)
        try:
            wait_until_listening(port)
            alone, together = asyncio.run(measure(f"http://127.0.0.1:{port}", games, seconds))
        finally:
            server.terminate()
            server.wait()
        log.seek(0)
        traces = log.read().count(b"Traceback")
    rows, wrong = judge(alone, together)
    if traces:
        wrong.append(f"{traces} tracebacks in the log")
    total = sum(map(len, together.seconds.values()))
    text = (
        f"# {date.today().isoformat()}, requests of every kind beside each other\n\n"
        f"{CONNECTIONS} connections for {seconds:.0f} s, {total:,} requests, client on the same "
        f"two processors. Seconds; alone: the longest of {ALONE}.\n\n"
        "| kind | requests | alone | median | longest | limit | answers |\n|---|---:|---:|---:|---:|---:|---|\n"
        + "\n".join(rows)
        + f"\n\nBeyond its limit: {'; '.join(wrong) or 'none'}.\n"
    )
    print(text)
    if seconds == SECONDS:
        (RUNS / f"{date.today().isoformat()}-load.md").write_text(text, encoding="utf-8")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
