"""How many `hold` queries a second the local page's server answers on loopback: `make bench-web`.

Six connections ask at once, from the same machine: half of what two processors do is the client's.
"""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import httpx2

RUNS = Path(__file__).resolve().parent / "runs"
CONNECTIONS, QUERIES = 6, 300


async def measure(address: str) -> tuple[float, list[float]]:
    """Queries a second, and the seconds of each."""
    seconds: list[float] = []
    async with httpx2.AsyncClient(base_url=address) as client:
        first = (await client.post("/api/hold", json={"dice": "33456"})).json()
        assert first["best"]["hold"] == [3, 3]
        assert abs(first["expected_final_score"] - 245.7547739949) < 1e-9

        async def ask(seed: int) -> None:
            chance = random.Random(seed)
            for _ in range(QUERIES):
                asked = {
                    "dice": [chance.randint(1, 6) for _ in range(5)],
                    "rolls_left": chance.randint(1, 2),
                    "card": {"ones": chance.randint(0, 5), "sixes": 6 * chance.randint(0, 5)},
                }
                start = time.perf_counter()
                answer = await client.post("/api/hold", json=asked)
                seconds.append(time.perf_counter() - start)
                assert answer.status_code == 200, answer.text

        start = time.perf_counter()
        await asyncio.gather(*map(ask, range(CONNECTIONS)))
        return CONNECTIONS * QUERIES / (time.perf_counter() - start), sorted(seconds)


def main() -> None:
    """Serve, ask, stop, keep the record."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "perfect_yatzy", "serve", "--port", str(port)])
    try:
        time.sleep(4)
        rate, seconds = asyncio.run(measure(f"http://127.0.0.1:{port}"))
    finally:
        server.terminate()
        server.wait()
    median, worst = seconds[len(seconds) // 2], seconds[int(0.99 * len(seconds))]
    text = (
        f"# {date.today().isoformat()}, `yatzy serve` on loopback\n\n"
        f"{len(seconds):,} `hold` queries over {CONNECTIONS} connections, client on the same two processors: "
        f"{rate:.0f} a second, median {1000 * median:.0f} ms, p99 {1000 * worst:.0f} ms\n"
    )
    print(text)
    (RUNS / f"{date.today().isoformat()}-web.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
