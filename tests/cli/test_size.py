"""`singletable size`: an item's bytes and units, from a file or from stdin."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM, environment, refused, singletable

ITEM = '{"PK": "CUST#c1", "SK": "ORDER#7", "total": 12.5, "lines": ["a", "b"]}'


@pytest.fixture
def item(tmp_path: Path) -> Path:
    path = tmp_path / "item.json"
    path.write_text(ITEM, encoding="utf-8")
    return path


def test_an_item_is_weighed_by_attribute(item: Path) -> None:
    finished = singletable("size", item)
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    assert lines[0] == "38 bytes, 0.01% of the 409,600 that an item may have"
    assert [line.split() for line in lines[3:7]] == [
        ["PK", "S", "2", "7", "9"],
        ["SK", "S", "2", "7", "9"],
        ["total", "N", "5", "3", "8"],
        ["lines", "L", "5", "7", "12"],
    ]
    assert "PutItem              new, or over one no larger         1 WRU" in lines
    assert "  a Query reads 107 of them within one 4 KB unit: 0.5 RRU eventually, 1 RRU strongly consistent" in lines


def test_json_is_for_machines(item: Path) -> None:
    document = json.loads(singletable("size", item, "--json").stdout)
    assert document["total_bytes"] == 38
    assert document["attributes"][2] == {"name": "total", "type": "N", "name_bytes": 5, "value_bytes": 3}
    assert document["operations"][0] == {
        "operation": "GetItem",
        "how": "eventually consistent",
        "units": 0.5,
        "unit": "RRU",
    }


def test_a_dash_is_stdin() -> None:
    finished = subprocess.run(
        [PROGRAM, "size", "-", "--json"],
        input='{"a": {"N": "1E2"}}',
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert json.loads(finished.stdout)["total_bytes"] == 3, finished.stderr


def test_an_item_that_is_too_large_is_told_and_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"x": "x" * 409_600}), encoding="utf-8")
    finished = singletable("size", path)
    assert finished.returncode == 1
    assert "DynamoDB refuses an item of this size" in finished.stdout


def test_broken_json_of_dynamodb_is_not_taken_for_plain_json_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    path.write_text('{"PK": {"S": "USER#1"}, "total": {"N": 5}}', encoding="utf-8")
    finished = singletable("size", path)
    assert finished.returncode == 0
    assert (
        "is taken for plain JSON, since total is not as DynamoDB's JSON is; --plain says that it is" in finished.stderr
    )
    assert singletable("size", "--plain", path).stderr == ""
    path.write_text('{"PK": {"S": "USER#1"}, "total": {"N": "5"}}', encoding="utf-8")
    assert singletable("size", path).stderr == ""


def test_names_do_not_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.json"
    path.write_text(json.dumps({"a\x1b[31m": 1}), encoding="utf-8")
    assert "\x1b" not in singletable("size", path).stdout


def test_what_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refused(singletable("size", tmp_path / "none.json"))
    assert "cannot be read: " in refused(singletable("size", tmp_path))
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"a": "é"}'.encode("latin-1"))
    assert "is not UTF-8" in refused(singletable("size", latin))
    empty = tmp_path / "empty.json"
    empty.write_text("", encoding="utf-8")
    assert "is no JSON: there is nothing in it, at line 1, column 1" in refused(singletable("size", empty))
