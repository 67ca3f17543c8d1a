"""The log of requests: operation, table and pattern at DEBUG, retries and throttling as warnings.

Values only on request.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from singletable import ConditionFailed, Credentials, NotFound, Retries, Throttled, Unreachable, field, key
from singletable.client.request_log import CHARACTERS_MAX
from singletable.engine import Engine
from tests.client.http.scripted import OK, refused, scripted
from tests.client.places import Place
from tests.client.shop import Order, Shop, order

THROTTLING = refused("ProvisionedThroughputExceededException", "the key o0001-hidden is hot")


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, "singletable")
    return caplog


def fields(record: logging.LogRecord, *names: str) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in names)


def test_the_request_log_has_each_request_without_its_values(place: Place, log: pytest.LogCaptureFixture) -> None:
    with place.open(Shop, secret="hidden-secret-of-cursors") as shop:
        log.clear()
        shop.put(order(1, note="hidden"))
        shop.order("o0001")
        asyncio.run(shop.orders_of_customer.aio("c1"))
        with pytest.raises(ConditionFailed):
            shop.update(
                key(Order, id="o0001"),
                field(Order, lambda o: o.note).set("hidden"),
                where=lambda o: o.status == "hidden",
            )
    records = log.records[:4]
    assert {each.name for each in log.records} == {"singletable.requests"}
    assert {each.levelno for each in log.records} == {logging.DEBUG}
    assert [fields(each, "operation", "table", "pattern", "attempts", "error_code") for each in records] == [
        ("PutItem", "Shop", None, 1, None),
        ("GetItem", "Shop", "order", 1, None),
        ("Query", "Shop", "orders_of_customer", 1, None),
        ("UpdateItem", "Shop", None, 1, "ConditionalCheckFailedException"),
    ]
    assert records[1].getMessage().startswith("GetItem Shop (order): ")
    assert records[3].getMessage().endswith(" ms, ConditionalCheckFailedException")
    written = "".join(repr(vars(each)) for each in log.records)
    assert not any(value in written for value in ("hidden", "o0001", "c1"))


def test_the_request_log_contains_values_only_on_request(place: Place, log: pytest.LogCaptureFixture) -> None:
    with place.open(Shop, log_values=True, secret="hidden-secret-of-cursors") as shop:
        log.clear()
        shop.put(order(1, note="shown" + "x" * 2 * CHARACTERS_MAX))
        shop.order("o0001")
    put, get = log.records[:2]
    assert "shown" in put.getMessage()
    assert "'S': 'o0001'" in put.getMessage()
    assert "shown" in get.getMessage().partition(" -> ")[2]
    assert len(get.getMessage()) < 2 * CHARACTERS_MAX
    assert "hidden-secret" not in log.text


def test_the_request_log_writes_retries_and_throttling_as_warnings(log: pytest.LogCaptureFixture) -> None:
    credentials = Credentials("KEYID-hidden", "secret-hidden", "token-hidden")
    log.set_level(logging.WARNING, "singletable")
    with (
        scripted(THROTTLING, OK, *[THROTTLING] * 3, "close", "close", "close") as server,
        Shop.open(server.url, check=False, credentials=credentials, retries=Retries(3, 0.0)) as shop,
    ):
        shop.order("o0001-hidden")
        with pytest.raises(Throttled):
            shop.order("o0001-hidden")
        with pytest.raises(Unreachable):
            asyncio.run(shop.order.aio("o0001-hidden"))
    assert [each.levelno for each in log.records] == [logging.WARNING] * 7
    assert [each.getMessage().split(":")[0] for each in log.records].count("GetItem (order)") == 5
    assert log.records[0].getMessage() == (
        "GetItem (order): attempt 1 of 3 failed with ProvisionedThroughputExceededException, retrying"
    )
    assert log.records[3].getMessage().endswith(" ms, 3 attempts, ProvisionedThroughputExceededException")
    assert log.records[6].getMessage().endswith(" ms, 3 attempts, Unreachable")
    assert "hidden" not in log.text


def test_the_client_of_a_program_without_a_log_does_not_import_logging() -> None:
    script = (
        "import sys\n"
        "from tests.client.engine_only import Notes\n"
        "with Notes.open(sys.argv[1], check=False) as notes:\n"
        "    assert notes.note('n1') is None\n"
        "    print('logging' in sys.modules)\n"
    )
    root = Path(__file__).resolve().parents[2]
    with scripted() as server:
        command = [sys.executable, "-c", script, server.url]
        run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("False\n", "")


def test_metrics_count_rejected_failed_and_throttled_requests_by_pattern() -> None:
    condition = refused("ConditionalCheckFailedException", "The conditional request failed")
    with (
        scripted(THROTTLING, THROTTLING, OK, "close", OK, condition) as server,
        Shop.open(server.url, check=False, retries=Retries(3, 0.0)) as shop,
    ):
        shop.order("o1")
        shop.order("o1")
        with pytest.raises(NotFound):
            shop.update(key(Order, id="o1"), field(Order, lambda o: o.note).set("x"))
        usage, write = shop.metrics.by_pattern["order"], shop.metrics.by_pattern["update"]
        assert (usage.rejected, usage.throttled, usage.failed, usage.retries) == (2, 2, 1, 3)
        assert (write.rejected, write.throttled, write.failed, write.retries) == (1, 0, 0, 0)
        assert (shop.metrics.total.rejected, shop.metrics.total.retries) == (3, 3)
        shop.metrics.reset()
        assert shop.metrics.total.rejected == 0


def test_metrics_count_errors_on_every_transport(place: Place) -> None:
    with place.open(Shop) as shop:
        shop.put(order(1))
        with pytest.raises(ConditionFailed):
            shop.update(order(1), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "NONE")
        assert shop.metrics.by_pattern["update"].rejected == 1
        assert shop.metrics.total.failed == 0


def test_metrics_count_retries_on_the_engine() -> None:
    with Engine("memory:") as engine, Shop.open(engine, create=True, retries=Retries(3, 0.0)) as shop:
        engine.faults.conflicts_next = 2
        shop.put(order(1))
        usage = shop.metrics.by_pattern["put"]
        assert (usage.requests, usage.rejected, usage.retries) == (1, 2, 2)
