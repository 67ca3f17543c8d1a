"""A damaged catalogue is read or rejected with a message, whatever the damage is."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.catalogue.recorded_catalogue import read_catalogue
from singletable.cli.main import BAD_INPUT, main
from singletable.errors import ArgumentRefused
from singletable.importers.worksheet.recorded_worksheet import recorded_worksheet
from tests.catalogue.recorded import recorded

RECORDING = Path(__file__).parents[2] / "examples" / "shop_tables" / "catalogue.jsonl"
LINES: list[Any] = [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").splitlines()[:80]]
VALUES = [None, True, -1, 0, "x", "", [], {}, [1], ["a"], {"a": 1}, float("nan"), float("inf"), 10**30, "\n|"]


def places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a line."""
    for key, value in found.items() if isinstance(found, dict) else enumerate(found):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def damaged(chance: random.Random) -> list[Any]:
    """Return the lines of the recording with another value, or without one."""
    lines = copy.deepcopy(LINES)
    line = chance.choice(lines)
    *path, last = chance.choice(list(places(line)))
    for key in path:
        line = line[key]
    if chance.random() < 0.2:
        del line[last]
    else:
        line[last] = chance.choice(VALUES)
    return lines


@given(st.integers(0, 10**9))
def test_a_damaged_line_of_a_recorded_catalogue_is_read_or_rejected(tmp_path_factory: Any, seed: int) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in damaged(random.Random(seed))), encoding="utf-8")
    try:
        recorded_worksheet(read_catalogue([path]))
    except ArgumentRefused:
        assert main(["catalogue", str(path)]) == BAD_INPUT
    else:
        assert main(["catalogue", str(path)]) == 0


def test_a_damaged_catalogue_lists_a_request_without_its_values(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    with recorded(path) as clients:
        clients.create_table("tbl", "pk", "sk")
        for condition in ("pk = :p", "pk = :p AND sk BETWEEN :a AND :b", "pk = :p AND begins_with(sk, :a)"):
            try:
                clients.client.query(TableName="tbl", KeyConditionExpression=condition)
            except clients.client.exceptions.ClientError as problem:
                assert "ValidationException" in str(problem)  # noqa: PT017  # boto3 makes the class of the error
    assert main(["catalogue", str(path)]) == 0
    assert [
        str(key) for each in read_catalogue([path]).patterns for group in each.groups for key in group.shape.key
    ] == [
        *("pk = ?", "pk = ?", "sk BETWEEN ? AND ?"),
        *("pk = ?", "begins_with(sk, ?)"),
    ]
