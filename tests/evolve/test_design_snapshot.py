"""Snapshots of designs: complete, deterministic, and enough to restore the design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from singletable import DesignError, Table, entity
from singletable.cli.load_model import load_tables
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import read_snapshot, to_bytes, to_json
from singletable.model.design import Design
from singletable.planner.stored_items import item_of, values_of
from tests.evolve.models import EVENT, NODE, ORDER, USER, Everything, Native, region_of

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted(path.parent.name for path in ROOT.glob("examples/*/model.py"))


def designs() -> dict[str, Design]:
    found = {table.__name__: table.design for table in (Everything, Native)}
    for name in MODELS:
        found |= {f"{name}.{each.__name__}": each.design for each in load_tables(f"examples.{name}.model")}
    return found


DESIGNS = designs()


@pytest.mark.parametrize("name", DESIGNS)
def test_a_snapshot_survives_json_and_the_way_back_to_a_design(name: str) -> None:
    snapshot = snapshot_of(DESIGNS[name])
    read = read_snapshot(to_json(snapshot), "a file")
    assert read == snapshot == read_snapshot(to_bytes(snapshot), "an item")
    assert snapshot_of(design_of(read)) == snapshot
    assert snapshot_of(design_of(read)).fingerprint == snapshot.fingerprint


@pytest.mark.parametrize(
    ("design", "value"),
    [(Everything.design, USER), (Everything.design, ORDER), (Everything.design, NODE), (Native.design, EVENT)],
    ids=["user", "order", "node", "event"],
)
def test_a_restored_design_computes_the_same_item(design: Design, value: Any) -> None:
    entity = design.entity_of(type(value))
    values = values_of(entity, value)
    restored = design_of(read_snapshot(to_json(snapshot_of(design)), "a file"), {"region_of": region_of})
    theirs = next(each for each in restored.entities if each.name == entity.name)
    if entity.label == "Order":  # the classes of a restored design are generated, but their texts and values are equal
        values |= {name: theirs.fields[name].type(values[name].value) for name in ("size", "level")}
    ours = item_of(design, entity, values_of(entity, value))
    assert item_of(restored, theirs, values) == ours
    markers = [sorted(str(each.encode(values)) for each in given.uniques) for given in (theirs, entity)]
    assert markers[0] == markers[1]


def test_the_design_snapshot_of_a_key_with_a_user_function_needs_the_model() -> None:
    restored = design_of(snapshot_of(Everything.design))
    user = next(each for each in restored.entities if each.name == "User")
    with pytest.raises(ValueError, match="needs the function region_of, which the snapshot does not contain"):
        user.placements["gsi1"].encode(values_of(Everything.design.entity_of(type(USER)), USER))


def test_the_order_of_declarations_does_not_change_a_snapshot() -> None:
    @entity(key=("A#{id}", "A"), gsi2=("{id}", "{name}"), gsi1=("{name}", "{id}"), name="A")
    @dataclass
    class One:
        id: str
        name: str

    @entity(key=("A#{id}", "A"), gsi1=("{name}", "{id}"), gsi2=("{id}", "{name}"), name="A")
    @dataclass
    class Other:
        name: str
        id: str

    @entity(key=("B#{id}", "B"))
    @dataclass
    class B:
        id: str

    class First(Table, entities=[One, B], name="T"): ...

    class Second(Table, entities=[B, Other], name="T"): ...

    first, second = snapshot_of(First.design), snapshot_of(Second.design)
    assert to_json(first) == to_json(second).replace('"Other"', '"One"')
    assert first.fingerprint == second.fingerprint, "the name of a class is not stored"


def test_the_fingerprint_of_a_design_snapshot_changes_with_stored_data_only() -> None:
    snapshot = snapshot_of(Everything.design)
    declared = Everything.design.entities
    changes: tuple[tuple[str, Any, bool], ...] = (
        ("expected_items", 5, True),
        ("renamed_from", {"name": "title"}, True),
        ("schema_version", 3, False),
        ("name", "Person", False),
    )
    for option, value, same in changes:
        entities = tuple(
            replace(each, declaration=replace(each.declaration, **dict[str, Any]({option: value})))
            if each.label == "User"
            else each
            for each in declared
        )
        changed = snapshot_of(replace(Everything.design, entities=entities))
        assert (changed.fingerprint == snapshot.fingerprint) is same, option


def test_the_fingerprint_of_a_design_snapshot_stays_valid_in_later_releases() -> None:
    # A table stores its fingerprint. If this value changes, every migrated table differs from its model.
    assert snapshot_of(DESIGNS["shop.Shop"]).fingerprint == "16329fbc09e3279a1c2d0c7e1632667c"


def test_a_random_default_does_not_change_a_design_snapshot() -> None:
    token = next(each for each in snapshot_of(Everything.design).entities["User"].fields if each.name == "token")
    assert token.default == "computed"


def test_a_design_without_keys_has_no_snapshot() -> None:
    @entity()
    @dataclass
    class Draft:
        id: str

    class Drafts(Table, entities=[Draft]): ...

    with pytest.raises(DesignError, match="a snapshot needs the key of every entity, but Draft has no key yet"):
        snapshot_of(Drafts.design)
