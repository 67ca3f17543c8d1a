"""The guide's places, time series and production essentials, compared with brute force and with their declarations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest

from examples.guide.account_rows import ROWS as ACCOUNTS
from examples.guide.accounts import Account, Accounts, transfer
from examples.guide.model import Guide, ShardedEvent, Shop, Station, Telemetry
from examples.guide.rows import PLACES, ROWS, moment
from examples.guide.series import DailyTelemetry
from examples.guide.series_rows import DAILY, FORGOTTEN, RETENTION, SHARDED
from examples.script import fill
from singletable import Between, Radius, TransactionCancelled, key
from singletable.testing import measure, uses

EARTH_M = 6_371_008.8
SHOPS = [place for place in PLACES if isinstance(place, Shop)]
STATIONS = [place for place in PLACES if isinstance(place, Station)]


@pytest.fixture(scope="module")
def guide() -> Iterator[Guide]:
    with Guide.open("memory:") as table:
        fill(table, ROWS)
        yield table


def distance(place: Shop | Station, area: Radius) -> float:
    """Return the distance in metres from the angle between two vectors, independently of the library."""
    first, second = (
        (
            math.cos(math.radians(latitude)) * math.cos(math.radians(longitude)),
            math.cos(math.radians(latitude)) * math.sin(math.radians(longitude)),
            math.sin(math.radians(latitude)),
        )
        for latitude, longitude in ((place.latitude, place.longitude), (area.latitude, area.longitude))
    )
    return EARTH_M * 2 * math.asin(min(1.0, math.dist(first, second) / 2))


@pytest.mark.parametrize("meters", [90, 150, 400, 700, 1_000, 1_300])
def test_shops_within_a_radius_in_the_guide_example_equal_brute_force(guide: Guide, meters: int) -> None:
    """Search around every shop, across cell borders and the 180th meridian, with both of its longitudes."""
    for shop in SHOPS:
        for longitude in (shop.longitude, shop.longitude - 360):
            area = Radius(shop.latitude, longitude, meters)
            near = sorted((distance(each, area), each.id) for each in SHOPS if distance(each, area) <= meters)
            assert [each.id for each in guide.shops_near(area)] == [id_ for _, id_ in near]


@pytest.mark.parametrize("kilometers", [1, 95, 150, 230, 700])
def test_stations_around_the_poles_in_the_guide_example_equal_brute_force(guide: Guide, kilometers: int) -> None:
    poles = [
        Radius(latitude, longitude, kilometers * 1_000) for latitude in (-90.0, 90.0) for longitude in (0.0, 137.0)
    ]
    for area in [*poles, *(Radius(each.latitude, each.longitude, kilometers * 1_000) for each in STATIONS)]:
        near = sorted((distance(each, area), each.id) for each in STATIONS if distance(each, area) <= area.meters)
        assert [each.id for each in guide.stations_near(area)] == [id_ for _, id_ in near]


def test_the_rows_of_the_guide_example_are_on_both_sides_of_the_meridian_and_of_cell_borders() -> None:
    """The scripts rely on this."""
    island = [shop for shop in SHOPS if shop.latitude < 0]
    assert {shop.longitude > 0 for shop in island} == {True, False}
    encode = Guide.design.entity_of(Shop).placements["gsi1"].encode
    cells = {(encode(shop.model_dump()) or {})["GSI1PK"] for shop in SHOPS[:3]}
    assert cells == {"GEO#xn76gg", "GEO#xn76gc"}


def test_sharded_events_of_the_guide_example_are_read_from_ten_shards_in_order() -> None:
    low, high = moment("2126-04-25T00:00:00"), moment("2126-04-26T23:59:59")
    with Telemetry.open("memory:") as telemetry:
        fill(telemetry, SHARDED)
        with uses(telemetry, requests=10):
            found = telemetry.events_of_kind("TEMP_HIGH", Between(low, high))
    assert found.items == sorted(
        (event for event in SHARDED if event.kind == "TEMP_HIGH" and low <= event.at <= high), key=_place
    )


def _place(event: ShardedEvent) -> tuple[object, str, str]:
    return event.at, event.device_id, event.id


@pytest.mark.parametrize("days", [1, 2, 3])
def test_daily_events_of_the_guide_example_are_read_from_four_shards_of_each_day_in_order(days: int) -> None:
    high = moment("2126-04-26T23:59:59")
    low = high - timedelta(days=days) + timedelta(seconds=1)
    with DailyTelemetry.open("memory:") as telemetry:
        fill(telemetry, DAILY)
        with uses(telemetry, requests=4 * days):
            found = telemetry.events_of_kind("TEMP_HIGH", Between(low, high))
        with uses(telemetry, requests=days):
            newest = telemetry.events_of_device("d_001", Between(low, high))
    asked = [event for event in DAILY if low <= event.at <= high]
    assert [event.id for event in found] == [event.id for event in asked if event.kind == "TEMP_HIGH"]
    assert [event.id for event in newest] == [event.id for event in reversed(asked) if event.device_id == "d_001"]


def test_pages_of_sharded_days_in_the_guide_example_continue_where_they_ended() -> None:
    everything = Between(moment("2126-04-24T00:00:00"), moment("2126-04-26T23:59:59"))
    with DailyTelemetry.open("memory:") as telemetry:
        fill(telemetry, DAILY)
        whole = telemetry.events_of_kind("TEMP_HIGH", everything)
        paged = list(telemetry.events_of_kind.all("TEMP_HIGH", everything, limit=2))
    assert paged == whole.items


def test_every_event_of_the_guide_example_expires_after_ninety_days() -> None:
    for event in [*SHARDED, FORGOTTEN]:
        assert event.expires_at - event.at.timestamp() == RETENTION.total_seconds() == 90 * 24 * 3600


def test_a_rejected_transfer_in_the_guide_example_changes_nothing() -> None:
    with Accounts.open("memory:") as accounts:
        fill(accounts, ACCOUNTS)
        for number, amount in enumerate([30, 80, 70, 1]):
            before = [accounts.account(id_) for id_ in ("a_1", "a_2")]
            try:
                transfer(accounts, "a_1", "a_2", Decimal(amount), token=f"transfer-{number}")
            except TransactionCancelled:
                assert [accounts.account(id_) for id_ in ("a_1", "a_2")] == before
            assert sum(balances(accounts)) == 120
        assert balances(accounts) == [0, 120]


def balances(accounts: Accounts) -> list[Decimal]:
    """Read both balances in one transaction."""
    both = accounts.get_many([key(Account, id="a_1"), key(Account, id="a_2")], transaction=True)
    return [account.balance for account in both if account]


def test_a_transactional_read_in_the_guide_example_costs_four_times_an_eventual_one() -> None:
    keys = [key(Account, id="a_1"), key(Account, id="a_2")]
    with Accounts.open("memory:") as accounts:
        fill(accounts, ACCOUNTS)
        with measure(accounts) as eventual:
            accounts.get_many(keys)
        with measure(accounts) as at_one_moment:
            accounts.get_many(keys, transaction=True)
    assert (eventual.read_units, at_one_moment.read_units) == (1.0, 4.0)
