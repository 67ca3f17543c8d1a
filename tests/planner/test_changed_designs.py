"""A design with other keys, of which only the changed entities are compiled, equals the whole design compiled again."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import pytest

from singletable import Page, Table, collection, copy, count, entity, native, pattern, query
from singletable.errors import DesignError
from singletable.model.changed_keys import ChangedDesign, compile_changed_keys
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity, EntityDeclaration
from singletable.planner.changed_designs import patterns_of, with_keys
from singletable.planner.key_source import change_sort, with_prefix
from singletable.planner.planner import plan

EXAMPLES = (
    "commerce.model:Commerce",
    "customers.model:Customers",
    "guide.model:Guide",
    "guide.groups:Groups",
    "helpdesk.model:HelpDesk",
    "papers.model:Papers",
    "shop.model:Shop",
)


@entity(key=("SHOP#{id}", "SHOP"), unique=[("domain",)])
@dataclass
class Shop:
    id: str
    domain: str
    name: str
    orders: int = 0


@entity(
    key=("SHOP#{shop_id}", "ORDER#{id}"),
    gsi1=("DAY#{day}", "{id}"),
    copies=[copy(Shop, by={"id": "shop_id"}, fields={"name": "shop_name"})],
    counted=[count(Shop, by={"id": "shop_id"}, field="orders")],
    version="version",
)
@dataclass
class Order:
    shop_id: str
    id: str
    day: str
    shop_name: str
    version: int = 0


@entity(key=("SHOP#{shop_id}", "NOTE#{id}"), gsi1=("DAY#{day}", native("number")))
@dataclass
class Note:
    shop_id: str
    id: str
    day: str
    number: str


@dataclass
class WholeShop:
    shop: Shop
    notes: list[Note]


class Shops(Table, entities=[Shop, Order, Note]):
    @pattern()
    def orders(self, shop_id: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def notes(self, shop_id: str) -> Page[Note]:
        return query(Note)

    @pattern()
    def orders_of_day(self, day: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def whole(self, id: str) -> WholeShop | None:
        return collection(WholeShop)


def example(name: str) -> Design:
    module, _, table = name.partition(":")
    found: type[Table] = getattr(importlib.import_module(f"examples.{module}"), table)
    return found.design


CHANGES: Mapping[str, Callable[[Entity, str, str], str]] = {
    "the name of the entity": with_prefix,
    "no prefix": lambda entity, delimiter, template: template[max(template.find("{"), 0) :],
    "the sort key of a marker": lambda entity, delimiter, template: "UNIQUE",
    "an unknown field": lambda entity, delimiter, template: f"{template}{delimiter}{{no_such_field}}",
    "a version": lambda entity, delimiter, template: f"{template}{delimiter}{{version}}",
}


def changes(design: Design, change: Callable[[Entity, str, str], str]) -> Iterator[dict[type, EntityDeclaration]]:
    """Yield other sort keys: for each entity in each index, and for all entities together."""
    together: dict[type, EntityDeclaration] = {}
    for each in design.entities:
        for alias, keys in each.declaration.keys.items():
            changed = change_sort(keys, partial(change, each, design.settings.delimiter))
            if changed is not None:
                together[each.cls] = with_keys(each, alias, changed)
                yield {each.cls: together[each.cls]}
    yield together


def result_of(compiled: Callable[[], Design]) -> Design | list[str]:
    try:
        return compiled()
    except DesignError as error:
        return [str(problem) for problem in error.problems]


def assert_equal(design: Design, changed: Mapping[type, EntityDeclaration]) -> Design | list[str]:
    """Compile a change in both ways, compare the designs and the plans of all patterns, and return the result."""
    patterns = patterns_of(design, changed)
    declarations = [changed.get(each.cls, each.declaration) for each in design.all_entities]
    whole = result_of(lambda: compile_declarations(design.settings, declarations, patterns))
    part = result_of(lambda: compile_changed_keys(design, changed, patterns))
    if isinstance(whole, list) or isinstance(part, list):
        assert part == whole
        return part
    assert part.entities == whole.entities
    assert [[*each.placements] for each in part.entities] == [[*each.placements] for each in whole.entities]
    assert [*part.indexes.items()] == [*whole.indexes.items()]
    assert (part.patterns, part.keyless, part.settings) == (whole.patterns, whole.keyless, whole.settings)
    for each in design.patterns:
        assert plan(part, each) == plan(whole, each)
    return part


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_compiling_only_changed_keys_gives_the_same_design_and_plans_for_every_example(name: str, change: str) -> None:
    design = example(name)
    results = [assert_equal(design, changed) for changed in changes(design, CHANGES[change])]
    if change == "the name of the entity":
        assert any(isinstance(each, ChangedDesign) for each in results)


@pytest.mark.parametrize("change", CHANGES)
def test_compiling_only_changed_keys_gives_the_same_design_with_derived_data_and_markers(change: str) -> None:
    results = [assert_equal(Shops.design, changed) for changed in changes(Shops.design, CHANGES[change])]
    if change == "the name of the entity":
        assert any(isinstance(each, ChangedDesign) for each in results)


def test_changed_keys_that_conflict_with_other_entities_are_reported() -> None:
    entities = {each.cls: each for each in Shops.design.entities}
    marker: dict[type, EntityDeclaration] = {
        Note: with_keys(entities[Note], "key", ("UNIQUE#Shop#domain#{shop_id}", "{id}"))
    }
    source: dict[type, EntityDeclaration] = {Shop: with_keys(entities[Shop], "key", ("SHOP#{id}#{domain}", "SHOP"))}
    counter: dict[type, EntityDeclaration] = {Shop: with_keys(entities[Shop], "gsi1", ("DAY#{name}", "{orders}"))}
    expected: tuple[tuple[dict[type, EntityDeclaration], str], ...] = (
        (marker, "Note: its key can equal the unique marker of Shop"),
        (source, "by= must map every key field of Shop"),
        (counter, "orders is part of a key"),
    )
    for changed, message in expected:
        problems = assert_equal(Shops.design, changed)
        assert isinstance(problems, list)
        assert any(message in problem for problem in problems), problems
