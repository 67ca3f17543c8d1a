"""An inferred model reads the same items from its table as the example does, and writes the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from singletable import Table
from singletable.engine.engine import Engine
from singletable.importers.live.inference import inferred_table
from singletable.planner.plan import Plan
from singletable.planner.stored_items import item_of, values_of
from tests.examples.stored_fields import objects_in
from tests.importers.example_tables import EXAMPLES, Call, Example, stored_items
from tests.importers.live.test_inference import loaded, with_patterns_of


def imported(example: Example, engine: Engine, path: Path) -> tuple[list[Call], Table]:
    """Return the calls that filled the table, and the inferred table, open, with the patterns of the example."""
    calls = example.use(engine)
    inferred = with_patterns_of(example.table, inferred_table(example.seen_in(engine)))
    return calls, loaded(inferred, path).open(engine)


def key_in(table: Table, value: Any) -> dict[str, Any]:
    """Return the key under which an object is stored."""
    design = table.design
    entity = design.entity_of(type(value))
    item = item_of(design, entity, values_of(entity, value))
    return {name: item[name] for name in design.table.key_attributes}


def plainly(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the stored text of enumeration members."""
    return {name: value.value if isinstance(value, Enum) else value for name, value in arguments.items()}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_inference_from_an_example_returns_the_same_items(example: Example, tmp_path: Path) -> None:
    with Engine("memory:", sweep_seconds=None) as engine:
        calls, inferred = imported(example, engine, tmp_path)
        original = example.table.open(engine)
        compared = 0
        for call in calls:
            before, now = getattr(original, call.pattern), getattr(inferred, call.pattern)
            assert isinstance(before.plan, Plan)
            if before.plan.pattern.is_write or call.arguments.get("cursor") is not None:
                continue
            expected = list(objects_in(before.using(expired=True)(**call.arguments), original.design))
            found = list(objects_in(now.using(expired=True)(**plainly(call.arguments)), inferred.design))
            assert [key_in(inferred, each) for each in found] == [key_in(original, each) for each in expected], call
            compared += bool(expected)
        assert compared


def keys_of(example: Example, item: Mapping[str, Any]) -> dict[str, Any]:
    names = {name for index in example.table.design.indexes.values() for name in index.key_attributes}
    return {name: value for name, value in item.items() if name in names}


def is_token_marker(example: Example, item: Mapping[str, Any]) -> bool:
    """Whether an item is the marker of a transaction's token, which no read returns."""
    partition = item[example.table.design.table.partition[0].name]
    return str(partition.get("S", "")).startswith("$singletable#token#")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_inference_from_items_keeps_their_keys_when_they_are_read_and_written(
    example: Example, tmp_path: Path
) -> None:
    with Engine("memory:", sweep_seconds=None) as engine:
        _, inferred = imported(example, engine, tmp_path)
        before = stored_items(engine, example.table.design.name)
        read = list(inferred.scan(reason="every item of the table", expired=True))
        assert len(read) == sum(not is_token_marker(example, item) for item in before)
        for each in read:
            inferred.put(each)
        after = stored_items(engine, example.table.design.name)
        assert [keys_of(example, item) for item in after] == [keys_of(example, item) for item in before]
        for was, item in zip(before, after, strict=True):
            assert {name: item.get(name) for name in was} == was
