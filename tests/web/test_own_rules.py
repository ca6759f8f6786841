"""Rule files that are added to a server: checked, kept, asked about by a name, and nothing else."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from support.command import Run
from support.need import need
from support.rule_texts import SHORT

need("fastapi")
need("httpx2")

from fastapi.testclient import TestClient
from perfect_yatzy import RulesError, load_rules
from perfect_yatzy.game.limits import MAX_RULES_BYTES
from perfect_yatzy.game.rule_loader import rules_from_text, rules_to_json
from perfect_yatzy.web import limits, own_rules
from perfect_yatzy.web.app import create_app
from perfect_yatzy.web.own_rules import FOLDER, OwnRules, name_of

CLUB = 'extends = "yatzy"\nid = "club"\nname = "Club Yatzy"\nbonus.points = 35\n'

Client = Callable[..., TestClient]


@pytest.fixture
def started(tmp_path: Path) -> Client:
    """Starts a server on this machine, with tables in a folder of the test."""

    def start(address: str = "127.0.0.1", host: str = "127.0.0.1") -> TestClient:
        app = create_app(tmp_path, hosts=frozenset({"127.0.0.1", "localhost", "box.lan"}))
        return TestClient(app, base_url=f"http://{host}", client=(address, 50_000))

    return start


def add(client: TestClient, text: str, status: int = 200, **fields: Any) -> Any:
    found = client.post("/api/rules", json={"text": text, **fields})
    assert found.status_code == status, found.text
    return found.json()


def ids(client: TestClient) -> list[str]:
    return [each["id"] for each in client.get("/api/rules").json() if each["id"].startswith("own-")]


def test_an_added_file_is_described_as_the_rules_that_are_there(started: Client) -> None:
    client = started()
    (added,) = add(client, SHORT)
    assert added["id"] == added["base"] == name_of(SHORT)
    assert [box["name"] for box in added["categories"]] == ["All Sixes", "A Pair", "Whatever"]
    assert (added["name"], added["dice"], added["solved"]) == ("Short Game", 3, True)
    assert client.get("/api/rules", params={"rules": added["id"]}).json() == [added]
    assert client.get("/api/rules").json()[-1] == added
    with_switch = f"{added['id']}+late"
    (found,) = client.get("/api/rules", params={"rules": with_switch}).json()
    assert (found["id"], found["base"], found["active"]) == (with_switch, added["id"], ["late"])
    assert add(client, SHORT) == [added]  # once more
    assert ids(client) == [added["id"]]


@pytest.mark.parametrize("switches", ["", "+late"])
def test_answers_about_an_added_file_are_those_of_the_command(
    started: Client, run: Run, tmp_path: Path, switches: str
) -> None:
    """Every question, by a body, by an address and as a review."""
    client = started()
    name = add(client, SHORT)[0]["id"] + switches
    path = tmp_path / "short.toml"
    path.write_text(SHORT, encoding="utf-8")
    asked: list[dict[str, Any]] = [
        {"query": "hold", "dice": "266", "rolls_left": 2},
        {"query": "score", "dice": "266", "card": "any=9"},
        {"query": "expect", "card": "any=9", "spread": True},
        {"query": "expect", "goal": 40, "spread": False},
        {"query": "outcomes", "hold": [6, 6], "rolls_left": 1},
        {"query": "puzzle", "seed": 3},
    ]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    told = run("hold", "--rules", f"{path}{switches}", "--jsonl", stdin=lines)
    by_command = [json.loads(line) for line in told.stdout.splitlines()]
    for each, expected in zip(asked, by_command, strict=True):
        fields = {field: value for field, value in each.items() if field != "query"}
        found = client.post(f"/api/{each['query']}", json={"rules": name, **fields})
        assert found.json() == expected
        assert expected["rules"] == f"short{switches}"
    by_address = client.get(
        "/api/hold", params={"rules": name, "dice": "266", "rolls_left": 2}
    ).json()
    assert by_address == by_command[0]


def test_a_game_of_an_added_file_is_reviewed(started: Client) -> None:
    client = started()
    name = add(client, SHORT)[0]["id"]
    turns = [
        {"player": 0, "rolls": [[1, 6, 6]], "holds": [], "category": "sixes", "points": 12},
        {"player": 0, "rolls": [[2, 2, 5]], "holds": [], "category": "pair", "points": 4},
        {"player": 0, "rolls": [[4, 5, 6]], "holds": [], "category": "any", "points": 15},
    ]
    game = {"schema": 2, "rules": name, "players": ["A"], "turns": turns}
    found = client.post("/api/review", json={"game": game, "why": 2}).json()
    assert (found["finished"], found["result"]) == (True, 41)
    assert client.get("/api/scoring", params={"rules": name}).json()["key"] == "short"
    paid = client.post("/api/points", json={"rules": name, "dice": "266"}).json()["categories"]
    assert [each["points"] for each in paid] == [12, 12, 14]


def test_long_work_for_an_added_file_waits_for_its_confirmation(
    started: Client, tmp_path: Path
) -> None:
    """Then its table is that which the command finds, under the id of the file."""
    client = started()
    text = 'extends = "yatzy"\nid = "wide"\nname = "Wide"\nrolls = 2\n'
    (added,) = add(client, text)
    asked = {"rules": added["id"], "dice": "33456", "goal": 300}
    refused = client.post("/api/hold", json=asked)
    assert (refused.status_code, refused.json()["code"]) == (409, "confirmation-required")
    giant = 'extends = "giant"\nid = "mine"\nname = "Mine"\n'
    (large,) = add(client, giant)
    assert (large["solved"], large["cost"]) == (False, None)
    assert "yatzy solve mine.toml --approximate" in large["reason"]
    assert not list(tmp_path.glob("*.npy"))


def test_mistakes_are_told_as_the_command_tells_them(started: Client, tmp_path: Path) -> None:
    client = started()
    for text in (
        "id = \n",
        CLUB + "bonus.threshold = 'x'\nfoo = 3\n",
        CLUB.replace('"club"', '"Club"'),
        'extends = "yazy"\nid = "a"\nname = "A"\n',
        "x = " + "[" * 40,
        "",
    ):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RulesError) as own:
            load_rules(path)
        error = add(client, text, 422, name=str(path))
        assert (error["error"], error["code"]) == (str(own.value), "invalid-rules")
        assert error["field"] == "text"
    assert add(client, "id = \n", 422)["error"].startswith("rules.toml:1: Invalid value")
    assert ids(client) == []


def test_an_added_file_opens_no_other_file(started: Client, tmp_path: Path) -> None:
    client = started()
    (tmp_path / "club.toml").write_text(CLUB, encoding="utf-8")
    for path in ("club.toml", str(tmp_path / "club.toml"), "../club.toml", "/dev/zero.toml"):
        text = f'extends = {json.dumps(path)}\nid = "b"\nname = "B"\n'
        error = add(client, text, 422, name=str(tmp_path / "own.toml"))
        assert "files are not opened" in error["error"]
    name = add(client, CLUB)[0]["id"]
    for spec in (
        f"{name}.toml",
        f"../{FOLDER}/{name}",
        f"{name}/../club",
        "own-",
        "own-XXXXXXXXXXXX",
        f"{name}+../club.toml",
        f"{name}+nothing",
    ):
        found = client.post("/api/hold", json={"rules": spec, "dice": "33456"})
        assert (found.status_code, found.json()["code"]) == (422, "unknown-rules"), spec


def test_an_added_file_takes_no_name_of_other_rules(started: Client) -> None:
    client = started()
    error = add(client, CLUB.replace('"club"', '"yatzy-saved"'), 422)
    assert error["error"].startswith("rules.toml:2: id: is 'yatzy-saved', as that of a built-in")
    first, second = (add(client, CLUB + end)[0] for end in ("", "# the same game\n"))
    assert first["id"] != second["id"]
    assert first["name"] == second["name"]
    (found,) = client.get("/api/rules", params={"rules": "yatzy"}).json()
    assert found["name"] == "Yatzy"


def test_what_is_too_large_is_refused(started: Client) -> None:
    client = started()
    error = add(client, "#" * limits.MAX_BODY_BYTES, 413)
    assert error["code"] == "body-too-large"
    with pytest.raises(RulesError, match=r"rules\.toml is larger than 65,536 bytes"):
        rules_from_text("#" * (MAX_RULES_BYTES + 1), "rules.toml")
    boxes = "".join(
        f'[[categories]]\nid = "b{i}"\nname = "B{i}"\npattern = "any"\n' for i in range(127)
    )
    error = add(client, f'id = "many"\nname = "Many"\n{boxes}', 422)
    assert "has 127" in error["error"]
    body = b'{"text": "name = \\ud800"}'
    found = client.post("/api/rules", content=body, headers={"content-type": "application/json"})
    assert (found.status_code, found.json()["code"]) == (422, "invalid-rules")
    assert client.post("/api/rules", json={"text": 3}).json()["code"] == "invalid-value"
    assert client.post("/api/rules", json={}).json()["code"] == "missing-field"


def test_a_server_that_is_started_again_knows_the_added_files(
    started: Client, tmp_path: Path
) -> None:
    names = [add(started(), text)[0]["id"] for text in (SHORT, CLUB)]
    again = started()
    assert ids(again) == names
    answer = again.post("/api/hold", json={"rules": names[0], "dice": "266"})
    assert answer.json()["rules"] == "short"
    kept = tmp_path / FOLDER / f"{names[0]}.toml"
    assert kept.read_text(encoding="utf-8") == SHORT
    kept.write_text(
        SHORT.replace("Short", "Other"), encoding="utf-8"
    )  # another text has another name
    (tmp_path / FOLDER / "notes.toml").write_text("", encoding="utf-8")
    assert ids(started()) == names[1:]


def test_files_stay_in_memory_where_nothing_can_be_written(started: Client, tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("no folder", encoding="utf-8")
    client = started()
    name = add(client, SHORT)[0]["id"]
    assert ids(client) == [name]
    assert client.post("/api/hold", json={"rules": name, "dice": "266"}).status_code == 200
    assert ids(started()) == []


def test_the_file_added_longest_ago_is_forgotten_and_can_be_added_again(
    started: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question about it is answered by what to do; its name stays the same."""
    monkeypatch.setattr(own_rules, "MAX_OWN_RULES", 2)
    client = started()
    texts = [f"{SHORT}# {number}\n" for number in range(3)]
    names = [add(client, text)[0]["id"] for text in texts]
    assert ids(client) == names[1:]
    after = started()
    asked = {"rules": names[0], "dice": "266"}
    error = after.post("/api/hold", json=asked).json()
    assert (error["code"], error["field"]) == ("unknown-rules", "rules")
    assert error["error"].endswith("add the file again: it gets the same name")
    assert add(after, texts[0])[0]["id"] == names[0]
    assert after.post("/api/hold", json=asked).status_code == 200
    assert ids(after) == [names[2], names[0]]


def test_the_files_of_a_folder_that_cannot_be_written_are_limited_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_rules, "MAX_OWN_RULES", 2)
    (tmp_path / FOLDER).write_text("no folder", encoding="utf-8")
    found = OwnRules(tmp_path / FOLDER)
    names = [found.add(f"{SHORT}# {number}\n", "rules.toml") for number in range(3)]
    assert found.names() == names[1:]


def test_a_file_that_is_added_again_is_found_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread asks for it while the server tries to write it, which fails."""
    found = OwnRules(tmp_path / FOLDER)
    asked: list[str] = []

    def failing(path: Path) -> NoReturn:
        if path.stem in found.names():
            asked.append(found.rules(path.stem).name)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(own_rules, "replacing", failing)
    texts = [CLUB, SHORT]
    names = [found.add(text, "rules.toml") for text in texts]
    assert asked == []
    assert [found.add(text, "rules.toml") for text in texts] == names
    assert asked == [rules_from_text(text, "rules.toml").name for text in texts]
    assert found.names() == names


def test_a_file_that_is_removed_is_forgotten_and_its_text_brings_it_back(
    started: Client, tmp_path: Path
) -> None:
    client = started()
    names = [add(client, text)[0]["id"] for text in (SHORT, CLUB)]
    asked = {"rules": f"{names[0]}+late", "dice": "266"}
    assert client.post("/api/hold", json=asked).status_code == 200  # its rules are in memory
    found = client.delete(f"/api/rules/{names[0]}")
    assert (found.status_code, found.json()) == (200, {"schema": 2, "text": SHORT})
    assert ids(client) == ids(started()) == names[1:]
    assert [path.stem for path in (tmp_path / FOLDER).iterdir()] == names[1:]
    for again in (client, started()):
        for error in (
            again.post("/api/hold", json=asked).json(),
            again.delete(f"/api/rules/{names[0]}").json(),
        ):
            assert error["code"] == "unknown-rules"
            assert error["error"].endswith("add the file again: it gets the same name")
    assert add(client, found.json()["text"])[0]["id"] == names[0]
    assert ids(client) == names[::-1]


def test_only_an_added_file_is_removed(started: Client, tmp_path: Path) -> None:
    client = started()
    name = add(client, SHORT)[0]["id"]
    (tmp_path / "club.toml").write_text(CLUB, encoding="utf-8")
    for other in ("yatzy", f"{name}+late", f"{name}.toml", "own-", "..%2Fclub", "club"):
        found = client.delete(f"/api/rules/{other}")
        assert found.json()["code"] in ("unknown-rules", "not-found"), other
    assert ids(client) == [name]
    assert (tmp_path / "club.toml").exists()


def test_a_file_that_cannot_be_removed_stays(
    started: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = started()
    name = add(client, SHORT)[0]["id"]

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    found = client.delete(f"/api/rules/{name}")
    assert found.status_code == 500
    assert found.json()["error"] == f"cannot write {tmp_path / FOLDER}: Permission denied"
    assert ids(client) == [name]


def test_a_file_in_memory_is_removed_too(started: Client, tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("no folder", encoding="utf-8")
    client = started()
    name = add(client, SHORT)[0]["id"]
    assert client.delete(f"/api/rules/{name}").json()["text"] == SHORT
    assert ids(client) == []


def test_a_file_that_is_not_kept_is_known_until_the_server_ends(
    started: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither stored nor listed, and those given longest ago are forgotten."""
    monkeypatch.setattr(own_rules, "MAX_OWN_RULES", 2)
    client = started()
    kept = add(client, CLUB)[0]["id"]
    texts = [f"{SHORT}# {number}\n" for number in range(3)]
    names = [add(client, text, keep=False)[0]["id"] for text in texts]
    assert ids(client) == [kept]
    assert [path.stem for path in (tmp_path / FOLDER).iterdir()] == [kept]
    for name, status in zip(names, (422, 200, 200), strict=True):
        asked = {"rules": name, "dice": "266"}
        assert client.post("/api/hold", json=asked).status_code == status
        assert started().post("/api/hold", json=asked).status_code == 422
    assert add(client, texts[2])[0]["id"] == names[2]
    assert ids(client) == [kept, names[2]]
    client.delete(f"/api/rules/{names[2]}")
    assert client.post("/api/hold", json={"rules": names[2], "dice": "266"}).status_code == 422
    assert add(client, SHORT, 422, keep="no")["code"] == "invalid-value"


@pytest.mark.parametrize("switches", ["", "+late"])
def test_a_record_with_the_rules_of_an_added_file_is_read_by_the_command(
    started: Client, run: Run, tmp_path: Path, switches: str
) -> None:
    client = started()
    name = add(client, SHORT)[0]["id"] + switches
    recorded = client.get("/api/recorded", params={"rules": name}).json()["rules"]
    pair = 20 if switches else 4
    turns = [
        {"player": 0, "rolls": [[1, 6, 6]], "holds": [], "category": "sixes", "points": 12},
        {"player": 0, "rolls": [[2, 2, 5]], "holds": [], "category": "pair", "points": pair},
        {"player": 0, "rolls": [[4, 5, 6]], "holds": [], "category": "any", "points": 15},
    ]
    game = {"schema": 2, "rules": name, "players": ["A"], "turns": turns}
    reviewed = client.post("/api/review", json={"game": game}).json()
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(game | {"rules": recorded}) + "\n", encoding="utf-8")
    (told,) = json.loads(run("review", str(path), "--json").stdout)["reviews"]
    assert (told["result"], told["points_lost"]) == (37 + pair, reviewed["points_lost"])
    file = tmp_path / "short.toml"
    file.write_text(SHORT, encoding="utf-8")
    assert recorded == rules_to_json(load_rules(f"{file}{switches}"))
    assert client.get("/api/recorded", params={"rules": "yatzy+bonus-35"}).json() == {
        "schema": 2,
        "rules": "yatzy+bonus-35",
    }


def test_only_the_machine_of_the_server_adds_and_removes_files(started: Client) -> None:
    """All may play them."""
    name = add(started(), SHORT)[0]["id"]
    for client, headers in (
        (started("192.168.1.5", "box.lan"), {}),
        (started("192.168.1.5"), {}),  # who writes a local name into the request
        (started("somewhere"), {}),
        (started(host="box.lan"), {}),  # a reverse proxy on this machine
        (started(), {"x-forwarded-for": "192.168.1.5"}),
        (started(), {"forwarded": "for=192.168.1.5"}),
    ):
        for found in (
            client.post("/api/rules", json={"text": CLUB}, headers=headers),
            client.delete(f"/api/rules/{name}", headers=headers),
        ):
            assert (found.status_code, found.json()["code"]) == (403, "not-this-machine")
        assert ids(client) == [name]
        answer = client.post("/api/hold", json={"rules": name, "dice": "266"}, headers=headers)
        assert answer.status_code == 200
    for address in ("::1", "::ffff:127.0.0.1", "127.0.0.2"):
        add(started(address, "localhost"), SHORT)
