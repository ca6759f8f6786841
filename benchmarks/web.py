"""Throughput and latency of `hold` requests to `yatzy serve` on loopback: `make bench-web`.

Six connections send requests at the same time. The client runs on the same machine and takes about
half of the two processors.
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
CONNECTIONS, REQUESTS = 6, 300  # requests of each connection
START_SECONDS = 30.0


async def measure(address: str) -> tuple[float, list[float]]:
    """Requests per second, and the seconds of each request, ascending."""
    seconds: list[float] = []
    async with httpx2.AsyncClient(base_url=address) as client:
        first = (await client.post("/api/hold", json={"dice": "33456"})).json()
        assert first["best"]["hold"] == [3, 3]
        assert abs(first["expected_final_score"] - 245.7547739949) < 1e-9

        async def send_requests(seed: int) -> None:
            random_source = random.Random(seed)
            for _ in range(REQUESTS):
                body = {
                    "dice": [random_source.randint(1, 6) for _ in range(5)],
                    "rolls_left": random_source.randint(1, 2),
                    "card": {
                        "ones": random_source.randint(0, 5),
                        "sixes": 6 * random_source.randint(0, 5),
                    },
                }
                start = time.perf_counter()
                answer = await client.post("/api/hold", json=body)
                seconds.append(time.perf_counter() - start)
                assert answer.status_code == 200, answer.text

        start = time.perf_counter()
        await asyncio.gather(*map(send_requests, range(CONNECTIONS)))
        return CONNECTIONS * REQUESTS / (time.perf_counter() - start), sorted(seconds)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_until_listening(port: int) -> None:
    """Wait until the server accepts connections, at most START_SECONDS."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"the server did not start within {START_SECONDS:.0f} s")


def main() -> None:
    """Start the server, measure, stop it, and write a record."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "perfect_yatzy", "serve", "--port", str(port)])
    try:
        wait_until_listening(port)
        rate, seconds = asyncio.run(measure(f"http://127.0.0.1:{port}"))
    finally:
        server.terminate()
        server.wait()
    median, p99 = seconds[len(seconds) // 2], seconds[int(0.99 * len(seconds))]
    text = (
        f"# {date.today().isoformat()}, `yatzy serve` on loopback\n\n"
        f"{len(seconds):,} `hold` requests over {CONNECTIONS} connections, client on the same two processors: "
        f"{rate:.0f} per second, median {1000 * median:.0f} ms, p99 {1000 * p99:.0f} ms\n"
    )
    print(text)
    (RUNS / f"{date.today().isoformat()}-web.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
