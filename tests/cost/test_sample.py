"""Samples: averages to the byte, and how many items are in each index."""

from __future__ import annotations

from singletable.cost.sample import sample_of
from singletable.planner.item_sizes import Sizes
from singletable.planner.items import item_of, values_of
from singletable.planner.write_units import plain_write, units_of_item
from singletable.values.item_size import item_size
from tests.cost.desk import Help, Ticket, ticket

TICKET = Help.design.entity_of(Ticket)


def test_averages_are_rounded_up_and_absent_entries_counted() -> None:
    items = [
        item_of(Help.design, TICKET, values_of(TICKET, each))
        for each in (ticket(1), ticket(2, owner=None), ticket(3, owner=None, text="x"))
    ]
    sample = sample_of(Help.design, [(TICKET, item) for item in items], is_complete=False)
    size = sample.sizes["Ticket"]
    assert size.items == 3
    assert size.item_bytes == -(-sum(map(item_size, items)) // 3)
    assert size.entry_bytes["gsi1"] == size.item_bytes
    assert (size.presence["gsi1"], size.presence["gsi2"]) == (1, 1 / 3)
    sizes = Sizes(Help.design, sample.sizes)
    assert units_of_item(sizes, plain_write(Help.design, TICKET, "create")).indexes["GSI2"] == 1 / 3


def test_an_entity_that_was_not_seen_keeps_the_size_it_declares() -> None:
    sizes = Sizes(Help.design, sample_of(Help.design, [], is_complete=False).sizes)
    assert sizes.item(TICKET) == 5000


def test_what_was_seen_whole_says_how_many_lie_in_a_partition() -> None:
    tickets = [ticket(number, desk_id=f"d{number % 3}", owner="ada" if number % 2 else None) for number in range(8)]
    items = [(TICKET, item_of(Help.design, TICKET, values_of(TICKET, each))) for each in tickets]
    whole, part = (sample_of(Help.design, items, is_complete=flag).sizes["Ticket"] for flag in (True, False))
    assert whole.per_partition == {"key": 3, "gsi1": 8, "gsi2": 4, "gsi3": 8, "lsi1": 3}
    assert part.per_partition == {}
    indexes = Help.design.indexes
    sizes = Sizes(Help.design, {"Ticket": whole})
    assert [sizes.expected_in(TICKET, indexes[alias]) for alias in ("key", "gsi1", "lsi1")] == [3, 8, 3]
    assert Sizes(Help.design, {"Ticket": part}).expected_in(TICKET, indexes["gsi1"]) == 1000
