"""`singletable stream`: the worker, the retry and the status, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable import key
from tests.cli.program import refused, singletable
from tests.streams.ledger import Ledger, Log, Order

MODEL = "tests/streams/ledger.py"


@pytest.fixture
def url(tmp_path: Path) -> str:
    place = f"file:{tmp_path / 'ledger.db'}"
    with Ledger.open(place, create=True) as shop:
        for name in ("o1", "o2"):
            shop.put(Log(name))
            shop.put(Order(name, "NEW", name))
        shop.put(Order("o1", "BAD", "o1"))
        shop.put(Order("o1", "PAID", "o1"))
        shop.put(Order("o2", "PAID", "o2"))
    return place


def test_the_stream_command_delivers_everything_and_sets_failures_aside(url: str) -> None:
    finished = singletable("stream", MODEL, url, "--once", "--attempts", "1")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines() == [
        "13 records read, 3 delivered",
        "1 failed attempts, 2 records set aside",
        "Correct the cause, and run `singletable stream retry`.",
    ]
    with Ledger.open(url) as shop:
        logs = [shop.get(key(Log, id=name)) for name in ("o1", "o2")]
    assert logs == [Log("o1", ["->NEW"], ["->NEW"]), Log("o2", ["->NEW", "NEW>PAID"], ["->NEW", "NEW>PAID"])]

    shown = json.loads(singletable("stream", "status", MODEL, url, "--json").stdout)
    (aside,) = shown["set_aside"]
    assert (aside["key"], aside["records"]) == ({"PK": "ORDER#o1", "SK": "HEAD"}, 2)
    assert aside["reason"] == "log_single: ValueError: order o1 is bad"
    assert [each["state"] for each in shown["shards"]] == ["released"]

    again = singletable("stream", "retry", MODEL, url)
    assert again.returncode == 1
    assert "0 records delivered, 0 items released" in again.stdout
    assert "ORDER#o1 / HEAD  2        2         log_single: ValueError: order o1 is bad" in again.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((MODEL,), "write: singletable stream [retry | status] MODEL URL"),
        ((MODEL, "memory:"), "memory: is always empty"),
        ((MODEL, "file:nowhere.db"), "there is no store at file:nowhere.db"),
        (("examples/shop/model.py", "{url}"), "does not exist"),
        ((MODEL, "{url}", "--attempts", "0"), "attempts must be greater than 0, got 0"),
    ],
)
def test_the_stream_command_rejects_invalid_arguments(words: tuple[str, ...], message: str, url: str) -> None:
    assert message in refused(singletable("stream", *(each.format(url=url) for each in words), "--once"))
