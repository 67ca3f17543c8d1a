"""Samples: averages are exact to the byte, and the number of items in each index is known."""

from __future__ import annotations

from singletable.cost.measured_items import measure_items
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.stored_items import item_of, values_of
from singletable.planner.write_units import units_of_item, write_of_object
from singletable.values.item_size import item_size
from tests.cost.desk import Help, Ticket, ticket

TICKET = Help.design.entity_of(Ticket)


def test_measured_items_round_averages_up_and_count_absent_entries() -> None:
    items = [
        item_of(Help.design, TICKET, values_of(TICKET, each))
        for each in (ticket(1), ticket(2, owner=None), ticket(3, owner=None, text="x"))
    ]
    sample = measure_items(Help.design, [(TICKET, item) for item in items], is_complete=False)
    size = sample.sizes["Ticket"]
    assert size.items == 3
    assert size.item_bytes == -(-sum(map(item_size, items)) // 3)
    assert size.entry_bytes["gsi1"] == size.item_bytes
    assert (size.presence["gsi1"], size.presence["gsi2"]) == (1, 1 / 3)
    sizes = ItemSizes(Help.design, sample.sizes)
    assert units_of_item(sizes, write_of_object(Help.design, TICKET, "create")).indexes["GSI2"] == 1 / 3


def test_measured_items_use_the_declared_size_of_an_entity_without_sampled_items() -> None:
    sizes = ItemSizes(Help.design, measure_items(Help.design, [], is_complete=False).sizes)
    assert sizes.item(TICKET) == 5000


def test_measured_items_of_a_complete_sample_provide_the_items_per_partition() -> None:
    tickets = [ticket(number, desk_id=f"d{number % 3}", owner="ada" if number % 2 else None) for number in range(8)]
    items = [(TICKET, item_of(Help.design, TICKET, values_of(TICKET, each))) for each in tickets]
    whole, part = (measure_items(Help.design, items, is_complete=flag).sizes["Ticket"] for flag in (True, False))
    assert whole.per_partition == {"key": 3, "gsi1": 8, "gsi2": 4, "gsi3": 8, "lsi1": 3}
    assert part.per_partition == {}
    indexes = Help.design.indexes
    sizes = ItemSizes(Help.design, {"Ticket": whole})
    assert [sizes.expected_in(TICKET, indexes[alias]) for alias in ("key", "gsi1", "lsi1")] == [3, 8, 3]
    assert ItemSizes(Help.design, {"Ticket": part}).expected_in(TICKET, indexes["gsi1"]) == 1000
