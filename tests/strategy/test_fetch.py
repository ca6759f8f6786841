"""`yatzy tables --fetch`: a table from a folder or host, stored only if it is the right one, whole and undamaged."""

import hashlib
import shutil
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.model.checked_values import BlockHasher
from perfect_yatzy.tablebase.store import table_path
from perfect_yatzy.tablebase.table_file import HEADER_BYTES
from perfect_yatzy.tablebase.table_info import checked_fields, table_stem, with_checksum
from support.command import Run, printed, refusal

RULES = load_rules("yatzy-forced")
NAME = table_stem(RULES, "mean")


@pytest.fixture
def source(forced: Strategy, tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for ending in (".npy", ".json"):
        shutil.copy(table_path(RULES).with_suffix(ending), folder)
    return folder


def rewrite(ending: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        path = folder / f"{NAME}{ending}"
        path.write_bytes(change(path.read_bytes()))

    return damage


def cut(data: bytes) -> bytes:
    return data[:-9]


def forge(source: Path, *, place: int) -> None:
    """Another value, with all hashes made anew."""
    path = source / f"{NAME}.npy"
    info = checked_fields((source / f"{NAME}.json").read_bytes())
    values = np.frombuffer(path.read_bytes()[HEADER_BYTES:], dtype=info["dtype"], count=info["values"]).copy()
    values[place] += 1
    hasher = BlockHasher()
    hasher.update(values.data)
    digests = hasher.block_digests()
    path.write_bytes(path.read_bytes()[:HEADER_BYTES] + values.tobytes() + digests)
    hashes = {"sha256": hasher.hexdigest(), "blocks_sha256": hashlib.sha256(digests).hexdigest()}
    (source / f"{NAME}.json").write_bytes(with_checksum(info | hashes))


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "altered": (rewrite(".npy", lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:]), "was altered"),
    "cut off": (rewrite(".npy", cut), "truncated"),
    "too long": (rewrite(".npy", lambda data: data + bytes(5000)), "truncated or damaged"),
    "sidecar": (rewrite(".json", cut), "description"),
    "of other rules": (
        rewrite(".json", lambda data: with_checksum(checked_fields(data) | {"fingerprint": "0" * 64})),
        "was made for other rules than yatzy-forced",
    ),
    "forged": (partial(forge, place=70), "largest residual"),
    "missing": (lambda at: (at / f"{NAME}.npy").unlink(), "No such file"),
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_not_the_table_is_refused_in_a_sentence(how: str, source: Path, run: Run, tmp_path: Path) -> None:
    damage, said = WRONG[how]
    damage(source)
    store = tmp_path / "store"
    ran = run("tables", "--fetch", "yatzy-forced", "--from", str(source), "--tables", str(store))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert "rebuild" not in ran.stderr
    assert [*store.iterdir()] == []


def test_from_a_folder_and_from_a_host_the_table_has_the_same_bytes(source: Path, run: Run, tmp_path: Path) -> None:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(source)))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    host = f"http://127.0.0.1:{server.server_port}"
    for number, origin in enumerate((str(source), f"{host}/")):
        store = tmp_path / str(number)
        words = ("tables", "--fetch", "yatzy-forced", "--from", origin, "--tables", str(store))
        printed(run, *words)
        one, other = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (store, source))
        assert one == other
        assert "already solved" in run(*words).stderr
    gone = run("tables", "--fetch", "crag", "--from", host, "--tables", str(tmp_path / "2"))
    server.shutdown()
    server.server_close()
    assert "404" in gone.stderr
    assert gone.returncode == 1


def test_wrong_usage(run: Run, tmp_path: Path) -> None:
    asked = ("tables", "--fetch", "crag", "--tables", str(tmp_path))
    refusal(run, *asked)
    assert "http" in run(*asked, "--from", "ftp://example.org").stderr
    assert [*tmp_path.iterdir()] == []
