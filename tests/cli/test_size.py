"""`singletable size`: the bytes and units of an item, from a file or from stdin."""

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


def test_the_size_command_shows_the_size_of_an_item_by_attribute(item: Path) -> None:
    finished = singletable("size", item)
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    assert lines[0] == "38 bytes, 0.01% of the item size limit (409,600)"
    assert [line.split() for line in lines[3:7]] == [
        ["PK", "S", "2", "7", "9"],
        ["SK", "S", "2", "7", "9"],
        ["total", "N", "5", "3", "8"],
        ["lines", "L", "5", "7", "12"],
    ]
    assert "PutItem             new item, or replaces an item that is not larger  1 WRU" in lines
    assert "  one 4 KB read unit of a Query: 107 items (0.5 RRU eventually, 1 RRU strongly consistent)" in lines


def test_the_size_command_json_is_one_document(item: Path) -> None:
    document = json.loads(singletable("size", item, "--json").stdout)
    assert document["total_bytes"] == 38
    assert document["attributes"][2] == {"name": "total", "type": "N", "name_bytes": 5, "value_bytes": 3}
    assert document["operations"][0] == {
        "operation": "GetItem",
        "how": "eventually consistent",
        "units": 0.5,
        "unit": "RRU",
    }


def test_the_size_command_reads_stdin_for_a_dash() -> None:
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


def test_the_size_command_exits_with_1_for_an_item_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"x": "x" * 409_600}), encoding="utf-8")
    finished = singletable("size", path)
    assert finished.returncode == 1
    assert "DynamoDB rejects an item of this size" in finished.stdout


def test_the_size_command_reads_incomplete_dynamodb_json_as_plain_json_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    path.write_text('{"PK": {"S": "USER#1"}, "total": {"N": 5}}', encoding="utf-8")
    finished = singletable("size", path)
    assert finished.returncode == 0
    assert "is read as plain JSON, because total is not in DynamoDB JSON; pass --plain to confirm" in finished.stderr
    assert singletable("size", "--plain", path).stderr == ""
    path.write_text('{"PK": {"S": "USER#1"}, "total": {"N": "5"}}', encoding="utf-8")
    assert singletable("size", path).stderr == ""


def test_the_size_command_escapes_control_characters_in_names(tmp_path: Path) -> None:
    path = tmp_path / "evil.json"
    path.write_text(json.dumps({"a\x1b[31m": 1}), encoding="utf-8")
    assert "\x1b" not in singletable("size", path).stdout


def test_the_size_command_reports_unreadable_input(tmp_path: Path) -> None:
    assert "none.json: No such file" in refused(singletable("size", tmp_path / "none.json"))
    assert "cannot read " in refused(singletable("size", tmp_path))
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"a": "é"}'.encode("latin-1"))
    assert "is not UTF-8" in refused(singletable("size", latin))
    empty = tmp_path / "empty.json"
    empty.write_text("", encoding="utf-8")
    assert "is not valid JSON: the document is empty, at line 1, column 1" in refused(singletable("size", empty))
