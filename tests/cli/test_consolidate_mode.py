"""`singletable consolidate mode`: the states of patterns, and switches, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.shop_tables import tables
from singletable.engine import Engine
from tests.cli.program import refused, singletable
from tests.consolidation.shop_reads import start, two_shops

MODEL = "examples/shop/model.py"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = f"file:{tmp_path_factory.mktemp('shop') / 'shop.db'}"
    with Engine(place) as engine, two_shops(engine) as shops:
        reads = shops.reads()
        start(reads, "customer", "whole_order")
        shops.put_row(tables.CUSTOMERS, {**(shops.old.customer("c000001") or {}), "email": "new@example.com"})
        for number in range(1, 5):
            reads.customer(tables.customer_id(number))
            reads.whole_order(tables.order_id(number))
        assert reads.drain()
    return place


def test_the_consolidate_mode_command_shows_the_states(url: str) -> None:
    shown = singletable("consolidate", "mode", MODEL, url)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[1].split()[:7] == ["pattern", "mode", "since", "calls", "compared", "differ", "errors"]
    (customer,) = (line.split() for line in lines if line.startswith("customer "))
    assert customer[1] == "shadow"
    assert customer[4:9] == ["4", "4", "1", "(25.0%)", "0"]
    assert customer[-1] == "ms"
    assert lines[-1] == (
        "customer: value: customer(id='c000001'): Customer id='c000001': email: old 'new@example.com', "
        "new '1@example.com'"
    )


def test_the_consolidate_mode_command_prints_the_states_as_json(url: str) -> None:
    states = json.loads(singletable("consolidate", "mode", MODEL, url, "--json").stdout)
    assert sorted(states) == ["customer", "orders_of_customer", "orders_with_sku", "whole_order"]
    customer = states["customer"]
    assert (customer["mode"], customer["compared"], customer["mismatches"], customer["value"]) == ("shadow", 4, 1, 1)
    assert customer["old_p50_ms"] > 0
    assert customer["differences"][0]["field"] == "email"


def test_the_migrate_status_command_shows_the_same_states(url: str, tmp_path: Path) -> None:
    folder = ("--folder", str(tmp_path))
    assert singletable("migrate", "make", MODEL, "-m", "first", *folder).returncode == 0
    modes = singletable("consolidate", "mode", MODEL, url)
    status = singletable("migrate", "status", MODEL, url, *folder)
    assert status.returncode == 0, status.stderr
    assert status.stdout.endswith(modes.stdout)
    documents = json.loads(singletable("migrate", "status", MODEL, url, *folder, "--json").stdout)["modes"]
    assert documents == json.loads(singletable("consolidate", "mode", MODEL, url, "--json").stdout)


def test_the_consolidate_mode_command_switches_a_pattern(url: str) -> None:
    switched = singletable("consolidate", "mode", MODEL, url, "whole_order", "new", "--calls", "4", "--json")
    assert switched.returncode == 0, switched.stderr
    assert json.loads(switched.stdout)["whole_order"]["mode"] == "new"
    assert singletable("consolidate", "mode", MODEL, url, "whole_order", "old").returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("customer", "new"), "Shop.customer: 1 of 4 compared calls differ, so it cannot be switched to 'new'."),
        (("customer", "done"), "Shop.customer is in the mode 'shadow', so it cannot be switched to 'done'."),
        (("orders_of_customer", "new"), "Switch it to 'shadow' first"),
        (("customer", "fast"), "mode must be old, shadow, new, done, got 'fast'"),
        (("customers", "new"), "has no mode for 'customers'; it has modes for: customer, orders_of_customer"),
        (("customer",), "write: singletable consolidate mode MODEL URL PATTERN MODE"),
    ],
)
def test_the_consolidate_mode_command_rejects_a_switch(url: str, words: tuple[str, ...], message: str) -> None:
    assert message in refused(singletable("consolidate", "mode", MODEL, url, *words))
