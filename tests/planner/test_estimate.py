"""Estimates are what the engine consumes, as soon as the sizes and the numbers of items are what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.guide.model import ShardedEvent, Telemetry
from singletable import GSI, KEYS_ONLY, Between, Page, Table, entity, pattern, query, shard
from singletable.cost.measured_items import measure_items
from singletable.model.intents import WriteKind
from singletable.planner.estimate import Estimate, estimate, estimate_write
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan
from singletable.planner.stored_items import item_of, values_of
from singletable.planner.write_units import write_of_object
from tests.client.social import Follow, Post, Social, Tag, user
from tests.cost.bank import Logs
from tests.cost.desk import Desk, Help, Ticket, ticket

TICKET = Help.design.entity_of(Ticket)


def _estimate(pattern: str, scale: float = 1.0) -> Estimate:
    plan = getattr(Help, pattern).plan
    assert isinstance(plan, Plan)
    return estimate(Help.design, plan, scale=scale)


def _sizes(*tickets: Ticket) -> ItemSizes:
    items = [(TICKET, item_of(Help.design, TICKET, values_of(TICKET, each))) for each in tickets]
    return ItemSizes(Help.design, measure_items(Help.design, items, is_complete=False).sizes)


texts = st.text("aé", min_size=1, max_size=40)
tickets = st.builds(
    ticket,
    st.integers(0, 9999),
    status=st.sampled_from(["OPEN", "SHUT"]),
    owner=st.none() | texts,
    title=texts,
    text=st.integers(0, 9000).map(lambda count: "x" * count),
)


@given(tickets)
def test_the_estimate_of_a_write_of_any_item_is_what_the_write_costs(made: Ticket) -> None:
    sizes, other = _sizes(made), "SHUT" if made.status == "OPEN" else "OPEN"
    with Help.open("memory:", create=True) as table:

        def hold(kind: WriteKind, *changed: str) -> None:
            used = table.metrics.total
            cost = estimate_write(sizes, write_of_object(Help.design, TICKET, kind, frozenset(changed)))
            assert (used.write_units, used.read_units) == (cost.units, cost.reads)
            table.metrics.reset()

        table.create(made)
        hold("create")
        table.set_status(made.desk_id, made.id, other)
        hold("update", "status")
        if made.text:
            table.set_text(made.desk_id, made.id, "y" * len(made.text))
            hold("update", "text")
        table.drop(made.desk_id, made.id)
        hold("delete")


def test_the_estimate_of_a_transaction_doubles_table_units_but_not_index_units() -> None:
    cost = _estimate("open_ticket")
    assert cost.by_index == {"table": 5, "GSI1": 5, "GSI2": 1, "GSI3": 1, "LSI1": 1}
    assert (cost.units, cost.transactional) == (13, 18)


def test_the_estimate_of_an_update_includes_entries_that_it_moves_or_changes() -> None:
    assert _estimate("set_status").by_index == {"table": 5, "GSI1": 10}  # moves there, and the others do not hold it
    assert _estimate("set_text").by_index == {"table": 5, "GSI1": 5}


def test_the_estimate_of_a_read_follows_the_projection_of_the_index() -> None:
    assert _estimate("desk").units == 0.5
    assert (_estimate("desk").strong, _estimate("desk").transactional) == (1, 2)
    assert _estimate("tickets_in").units == 12.5  # 20 items of 5,000 bytes
    assert _estimate("tickets_in").strong is None
    hydrated = _estimate("tickets_of")
    assert hydrated.by_index == {"GSI2": 0.5 * -(-hydrated.bytes // 4096), "table": 40 * 2 * 0.5}
    assert hydrated.bytes < 40 * 300


def test_the_estimate_of_a_collection_scales_and_counts_pages() -> None:
    expected, large = _estimate("whole_desk"), _estimate("whole_desk", 10)
    assert (expected.items, expected.pages, expected.units, expected.wasted_items) == (111, 1, 61.5, 10)
    assert (large.items, large.pages) == (1101, 5)
    assert large.units > 10 * expected.units - 5
    assert _estimate("tickets_in", 0.001).items == 1
    assert _estimate("tickets_in", 10).items == 20  # never more than the limit


def test_the_estimate_reads_each_shard_up_to_the_limit() -> None:
    design = Telemetry.design
    (event_entity,) = design.entities
    plan = Telemetry.events_of_kind.plan
    assert isinstance(plan, Plan)
    cost = estimate(design, plan)
    assert (cost.items, cost.wasted_items, cost.pages) == (1002, 902, 10)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    events = [
        ShardedEvent(device_id="d", id=f"{n:04}", at=start, kind="k", value=Decimal(1), expires_at=2**31)
        for n in range(1600)
    ]
    items = [(event_entity, item_of(design, event_entity, values_of(event_entity, event))) for event in events]
    sizes = ItemSizes(design, measure_items(design, items, is_complete=True).sizes)
    with Telemetry.open("memory:", create=True) as table:
        table.put_many(events)
        table.metrics.reset()
        table.events_of_kind("k", Between(start, start))
        used = table.metrics.total
    assert (used.requests, used.read_units) == (10, estimate(design, plan, sizes).units)


@entity(
    key=("DEVICE#{device}", "{id}"),
    gsi1=("KIND#{kind}#{shard}", "{id}"),
    derived={"shard": shard("id", of=4)},
    expected_bytes=500,
    expected_per_partition={"gsi1": 50},
)
@dataclass
class Reading:
    device: str
    id: str
    kind: str
    text: str = ""


class Readings(Table, entities=[Reading], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern(fanout=5)
    def of_kind(self, kind: str, *, limit: int = 20, cursor: str | None = None) -> Page[Reading]:
        return query(Reading, hydrate=True)


def test_the_estimate_fetches_whole_items_up_to_the_limit_for_any_number_of_shards() -> None:
    design, plan = Readings.design, Readings.of_kind.plan
    assert isinstance(plan, Plan)
    cost = estimate(design, plan)
    assert (cost.items, cost.wasted_items) == (80, 60)
    assert cost.by_index == {"GSI1": 4 * 0.5, "table": 20 * 0.5}
    with Readings.open("memory:", create=True) as table:
        table.put_many([Reading("d", f"{n:03}", "k") for n in range(200)])
        table.metrics.reset()
        assert len(table.of_kind("k")) == 20
        assert table.metrics.total.read_units == cost.units


def test_the_estimate_names_and_marks_guesses() -> None:
    cost = _estimate("notes")
    assert cost.guessed == ("10 items of Note in a partition of the table", "the size of Note")
    assert str(cost).startswith("≈")
    assert _estimate("desk").guessed == ()


@pytest.mark.parametrize("posts", [1, 4])
def test_the_estimate_bills_derived_data_as_part_of_the_transaction(posts: int) -> None:
    design = Social.design
    with Social.open("memory:", create=True) as social:

        def used() -> tuple[float, float]:
            total = social.metrics.total
            social.metrics.reset()
            return total.write_units, total.read_units

        def of(cls: type, kind: WriteKind, *changed: str) -> tuple[float, float]:
            write = write_of_object(design, design.entity_of(cls), kind, frozenset(changed))
            cost = estimate_write(ItemSizes(design), write, scale=posts / 10)  # ten in a partition are the guess
            return cost.units, cost.reads

        social.sign_up(user(1, tax_id=7))
        assert used() == of(type(user(1)), "create")
        for number in range(posts):
            social.create(Post(f"p{number}", "u1", "title", "user 1"))
            assert used() == of(Post, "create")
        social.rename("u1", "user 2")
        assert used() == of(type(user(1)), "update", "name")
        social.create(Tag(post="p0", tag="t", title="title"))
        assert used() == of(Tag, "create")
        follow = social.create(Follow("u1", "u2"))
        assert used() == of(Follow, "create")
        social.delete(follow)
        assert used() == of(Follow, "delete")


def test_the_estimate_uses_a_size_that_is_sampled_declared_or_estimated_from_types() -> None:
    desk = Help.design.entity_of(Desk)
    assert ItemSizes(Help.design).item(desk) == 300
    item = item_of(Help.design, desk, {"id": "d", "name": "n" * 5000})
    sampled = ItemSizes(Help.design, measure_items(Help.design, [(desk, item)], is_complete=True).sizes)
    assert sampled.item(desk) > 5000
    assert sampled.guessed(desk) == ()


def test_the_estimate_can_have_the_number_of_items_as_its_only_guess() -> None:
    assert _estimate("notes").guesses_items
    assert not _estimate("desk").guesses_items
    plan = Social.user.plan
    assert isinstance(plan, Plan)
    one = estimate(Social.design, plan)
    assert (one.items, one.guesses_items, one.guessed) == (1, False, ("the size of User",))


def test_the_estimate_of_units_depends_on_a_guess_when_the_entry_size_is_not_declared() -> None:
    cost = estimate_write(ItemSizes(Help.design), write_of_object(Help.design, TICKET, "create"))
    assert set(cost.guessed_places) == {"GSI2", "GSI3", "LSI1"}
    assert cost.guessed == (
        "the size of Ticket in GSI2",
        "all items of Ticket in GSI2",
        "the size of Ticket in GSI3",
        "the size of Ticket in LSI1",
    )
    assert (cost.place_mark("table"), cost.place_mark("GSI1"), cost.place_mark("GSI3")) == ("", "", "≈")


@pytest.mark.parametrize(("pattern", "label", "shards"), [("lines", "Line", 8), ("wide_lines", "WideLine", 100)])
def test_the_estimate_guesses_a_list_length_independently_of_the_number_of_shards(
    pattern: str, label: str, shards: int
) -> None:
    plan = getattr(Logs, pattern).plan
    assert isinstance(plan, Plan)
    cost = estimate(Logs.design, plan)
    assert (cost.items, cost.bytes) == (10, 30_000)
    assert cost.guessed == (f"10 items of {label} in {shards} partitions of the table in total",)
    assert cost.units >= 0.5 * shards, "each shard is read"


def test_the_estimate_guesses_the_share_of_items_in_a_sparse_index_without_a_sample() -> None:
    everywhere = ItemSizes(Help.design)
    assert everywhere.guessed_share(TICKET, "gsi2") == ("all items of Ticket in GSI2",)
    assert everywhere.guessed_share(TICKET, "gsi1") == everywhere.guessed_share(TICKET, "key") == ()
    cost = estimate_write(everywhere, write_of_object(Help.design, TICKET, "create"))
    assert "all items of Ticket in GSI2" in cost.guessed
    assert not cost.guesses_bytes, "the item itself is as large as declared"
    assert _sizes(ticket(1), ticket(2, owner=None)).guessed_share(TICKET, "gsi2") == ()
