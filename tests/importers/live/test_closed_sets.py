"""Few frequent values become the choices of a field; ids, names, dates, numbers and text do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import InvalidValue, ItemRefused, Table, field, key
from singletable.engine.engine import Engine
from singletable.importers.draft import DraftIndex, DraftTable
from singletable.importers.live.closed_sets import ITEMS_MIN, VALUES_MAX, is_closed
from singletable.importers.live.inference import inferred_table
from singletable.importers.live.sampled_table import SampledTable
from singletable.verify.design_check import check
from tests.importers.example_tables import EXAMPLES, stored_items
from tests.importers.live.test_inference import loaded

GSI1 = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))


def orders(values: list[str], before: str = "STATUS", **more: Any) -> SampledTable:
    """Return orders whose index key contains one of `values`; fields named in `more` hold the same value."""
    items = []
    for number, value in enumerate(values):
        item = {"PK": f"ORDER#o{number}", "SK": "ORDER", "GSI1PK": f"{before}#{value}", "GSI1SK": f"o{number}"}
        item |= {
            "id": f"o{number}",
            "entity_type": "Order",
            **{name: value for name, is_held in more.items() if is_held},
        }
        items.append({name: {"S": text} for name, text in item.items()})
    return SampledTable("Orders", ("PK", "SK"), (GSI1,), tuple(items))


def choices(draft: DraftTable) -> dict[str, tuple[str, ...]]:
    return {each.name: each.choices for entity in draft.entities for each in entity.fields if each.choices}


STATUSES = ["OPEN", "PAID", "SHIPPED"] * 4


def test_a_status_field_with_a_closed_set_gets_choices_and_a_list_over_all_of_them(tmp_path: Path) -> None:
    draft = inferred_table(orders(STATUSES, status=True))
    assert choices(draft) == {"status": ("OPEN", "PAID", "SHIPPED")}
    assert any("Order.status: the Literal has the 3 values of 12 sampled items" in note for note in draft.notes)
    table = loaded(draft, tmp_path)
    report = check(table.design)
    assert report.passes
    fanouts = {each.pattern.name: each.pattern.options.fanout for each in report.outcomes}
    assert fanouts["order_by_status"] is None
    assert fanouts["order_list"] == 3


def test_a_closed_set_found_only_in_a_key_is_named_after_the_preceding_literal() -> None:
    draft = inferred_table(orders(STATUSES))
    assert draft.entities[0].keys["gsi1"].partition == ("STATUS#{status}",)
    assert choices(draft) == {"status": ("OPEN", "PAID", "SHIPPED")}


def test_a_closed_set_after_the_entity_name_in_a_key_is_named_part() -> None:
    draft = inferred_table(orders(STATUSES, "ORDERS"))
    assert draft.entities[0].keys["gsi1"].partition == ("ORDERS#{part}",)


@pytest.mark.parametrize("name", ["customer_id", "name", "tenant", "email", "day"])
def test_an_identifying_field_is_not_a_closed_set(name: str) -> None:
    assert choices(inferred_table(orders(STATUSES, name.upper(), **{name: True}))) == {}


def test_a_tenant_in_a_key_is_not_a_closed_set() -> None:
    assert choices(inferred_table(orders(["acme", "bolt"] * 6, "TENANT"))) == {}


def test_values_that_identify_other_items_are_not_a_closed_set() -> None:
    table = orders(["red", "blue"] * 6, "TEAM", team=True)
    team = {"PK": {"S": "TEAM#red"}, "SK": {"S": "TEAM"}, "entity_type": {"S": "Team"}}
    assert choices(inferred_table(table)) != {}
    assert choices(inferred_table(SampledTable("Orders", table.keys, table.indexes, (*table.items, team)))) == {}


@pytest.mark.parametrize(
    "values",
    [
        ["OPEN", "PAID", "SHIPPED"] * 4,
        ["eu", "am", "as"] * 4,
        ["in_transit", "at-the-door"] * 5,
        ["OPEN"] * 60 + ["PAID"] * 39 + ["LOST"],
        ["a-1", "a-2", "b-1", "b-2", "a-1", "a-1", "b-1", "b-2", "b-1", "b-2", "a-2", "a-2"],
        [str(number) for number in range(8)] * 10,
        ["Open", "Closed"] * 10,
    ],
)
def test_a_few_frequent_words_are_a_closed_set(values: list[str]) -> None:
    assert is_closed(values)


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["OPEN"] * 50,
        ["OPEN", "PAID", "SHIPPED"] * 3,
        ["OPEN"] * 9 + ["PAID"],
        ["OPEN"] * 6 + ["PAID", "PAID", "LOST", "SENT"],
        ["ada", "grace", "ken", "edsger", "barbara"] * 2,
        ["Ada", "Grace", "Ken"] * 4,
        ["c1", "c2", "c3"] * 10,
        ["user-1", "user-2"] * 10,
        ["2026-01", "2026-02"] * 20,
        ["2025", "2026"] * 20,
        ["17", "42", "99"] * 20,
        ["0", "1", "2"] * 4,
        ["a fine day", "a bad day"] * 20,
        ["x" * 40, "y" * 40] * 20,
        ["eu-1", "am-2", "eu-1", "as-2", "am-1", "eu-2", "am-2", "as-2", "am-1", "eu-2"],
        [f"{letter}{other}" for letter in "abcdef" for other in "ghijkl"] * 10,
        ["", "OPEN"] * 10,
    ],
)
def test_ids_names_dates_numbers_and_text_are_not_a_closed_set(values: list[str]) -> None:
    assert not is_closed(values)


@given(st.lists(st.sampled_from(["OPEN", "PAID", "lost", "Ada", "c1", "7", "eu-1", "eu-2"]), max_size=40))
def test_a_closed_set_is_small_compared_with_the_number_of_items(values: list[str]) -> None:
    assert is_closed(values) == is_closed(sorted(values))
    if is_closed(values):
        assert len(values) >= ITEMS_MIN
        assert 2 <= len(set(values)) <= VALUES_MAX
        assert len(values) >= 3 * len(set(values)) or all("-" in value for value in values)


def test_only_the_two_region_examples_have_closed_sets() -> None:
    imported = {str(each): choices(inferred_table(each.seen())) for each in EXAMPLES}
    assert {name for name, found in imported.items() if found} == {"ShopByRegion", "ShopByFunction"}


def function_table(engine: Engine, path: Path) -> Table:
    (example,) = [each for each in EXAMPLES if str(each) == "ShopByFunction"]
    example.use(engine)
    return loaded(inferred_table(example.seen_in(engine)), path).open(engine)


def test_a_closed_set_found_only_in_a_key_survives_updates(tmp_path: Path) -> None:
    with Engine("memory:") as engine:
        table = function_table(engine, tmp_path)
        cls: Any = table.design.entities[0].cls
        before = {item["id"]["S"]: item["GSI1PK"] for item in stored_items(engine, table.design.name)}
        table.update(key(cls, id="c1"), field(cls, lambda each: each.name).set("Zoe"))
        read: Any = table.get(key(cls, id="c1"))
        assert (read.name, read.part) == ("Zoe", "eu-1")
        assert {item["id"]["S"]: item["GSI1PK"] for item in stored_items(engine, table.design.name)} == before
        read.part = "eu-2"
        table.put(read)
        (moved,) = [item for item in stored_items(engine, table.design.name) if item["id"]["S"] == "c1"]
        assert moved["GSI1PK"] == {"S": "CUSTOMER#eu-2"}


def test_a_value_outside_the_closed_set_is_rejected(tmp_path: Path) -> None:
    with Engine("memory:") as engine:
        table = function_table(engine, tmp_path)
        cls: Any = table.design.entities[0].cls
        (item,) = [each for each in stored_items(engine, table.design.name) if each["id"]["S"] == "c1"]
        engine.call("PutItem", {"TableName": table.design.name, "Item": {**item, "GSI1PK": {"S": "CUSTOMER#af-1"}}})
        with pytest.raises(ItemRefused, match="part"):
            table.get(key(cls, id="c1"))
        read: Any = table.get(key(cls, id="c2"))
        read.part = "af-1"
        with pytest.raises(InvalidValue, match="af-1"):
            table.put(read)
