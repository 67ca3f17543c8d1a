"""Inference from items: every example is inferred with its entities and keys, and its patterns are served."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from examples import SYSTEMS
from singletable import Table
from singletable.cli.load_model import load_tables
from singletable.importers.draft import (
    Draft,
    DraftIndex,
    DraftKeys,
    DraftPattern,
    DraftTable,
    NativeKey,
    PythonCode,
)
from singletable.importers.live.inference import inferred_table
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.python_source import python_source
from singletable.planner.plan import Plan
from singletable.verify.design_check import check
from tests.examples.scripts import tables
from tests.importers.example_tables import EXAMPLES, Example
from tests.importers.imported import draft_of


def loaded(draft: DraftTable, path: Path) -> type[Table]:
    file = path / "imported.py"
    file.write_text(python_source(Draft("A table", (draft,))), encoding="utf-8")
    (table,) = load_tables(str(file))
    return table


def test_the_inference_imports_every_table_of_the_examples() -> None:
    """All tables whose check passes."""
    known = {table for system in SYSTEMS for table in tables(system) if check(table.design).passes}
    assert {example.table for example in EXAMPLES} == known


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_inference_finds_the_entities_and_templates_of_an_example(example: Example, tmp_path: Path) -> None:
    original = example.table.design
    table = loaded(inferred_table(example.seen()), tmp_path)
    report = check(table.design)
    assert report.passes, [str(finding) for finding in report.findings]
    found = {entity.name: entity for entity in table.design.entities}
    assert found.keys() == {entity.name for entity in original.entities}
    expected = {each.stored_name or each.class_name: each for each in draft_of(original).entities}
    imported = {each.stored_name or each.class_name: each for each in draft_of(table.design).entities}
    for name, entity in imported.items():
        for alias, keys in expected[name].keys.items():
            assert entity.keys[alias] == keys, (name, alias)
        kinds = {each.kind for each in expected[name].derived.values() if each.kind != "derive"}
        assert kinds == {each.kind for each in entity.derived.values()}
    assert table.design.ttl_attribute == original.ttl_attribute


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_inference_supports_every_pattern_of_the_example(example: Example, tmp_path: Path) -> None:
    table = loaded(with_patterns_of(example.table, inferred_table(example.seen())), tmp_path)
    plans = {each.pattern.name: each for each in check(example.table.design).outcomes if isinstance(each, Plan)}
    report = check(table.design)
    assert report.passes, [str(finding) for finding in report.findings]
    assert [each.pattern.name for each in report.outcomes] == [each.name for each in example.table.design.patterns]
    for outcome in report.outcomes:
        assert isinstance(outcome, Plan), outcome
        before = plans[outcome.pattern.name]
        assert (outcome.operation, outcome.index.name) == (before.operation, before.index.name)
        assert len(outcome.pattern.parameters) == len(before.pattern.parameters)
        if not before.pattern.is_write:  # a write has a parameter named after its class
            assert list(outcome.pattern.parameters) == list(before.pattern.parameters)
            # The imported model does not declare the number of items, so its reads may be unbounded.
            assert (outcome.verdict.is_served, outcome.requests) == (before.verdict.is_served, before.requests)


def with_patterns_of(example: type[Table], inferred: DraftTable) -> DraftTable:
    """Return the inferred table with the patterns and shapes of the example, for the inferred classes."""
    names = {each.stored_name or each.class_name: each.class_name for each in inferred.entities}
    original = draft_of(example.design)
    classes = {each.class_name: names[each.stored_name or each.class_name] for each in original.entities}
    patterns = tuple(_declared(each, classes, inferred, original) for each in original.patterns)
    needed = {each.view for each in patterns}
    shapes = tuple(
        replace(shape, fields=tuple(replace(each, type=_renamed(each.type, classes)) for each in shape.fields))
        for shape in original.classes
        if shape.class_name in needed
    )
    return replace(inferred, patterns=patterns, classes=shapes)


def _renamed(text: str, classes: dict[str, str]) -> str:
    return re.sub(r"\w+", lambda word: classes.get(word[0], word[0]), text)


def _declared(
    pattern: DraftPattern, classes: dict[str, str], imported: DraftTable, original: DraftTable
) -> DraftPattern:
    """Return the pattern for the inferred classes, with the types of their fields."""
    entities = tuple(classes[name] for name in pattern.entities)
    fields = {
        each.name: each for entity in imported.entities if entity.class_name in entities for each in entity.fields
    }
    enums = {each.class_name: each.members for each in original.enums}
    parameters = tuple(
        replace(each, type=classes.get(each.type, "str" if each.type in enums else each.type))
        if each.name not in fields
        else replace(each, type=fields[each.name].type, choices=fields[each.name].choices)
        for each in pattern.parameters
    )
    plain = replace(
        pattern,
        changes=plainly(pattern.changes, enums),
        where=plainly(pattern.where, enums),
        filter=plainly(pattern.filter, enums),
        options={
            name: value.text if isinstance(value, PythonCode) else value for name, value in pattern.options.items()
        },
    )
    return replace(plain, entities=entities, parameters=parameters)


def plainly(node: Any, enums: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return a condition with the stored texts in place of enumeration members."""
    if isinstance(node, PythonCode):
        enumeration, _, member = node.text.partition(".")
        return enums[enumeration][member]
    if isinstance(node, tuple):
        return tuple(plainly(each, enums) for each in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    return replace(node, **{each.name: plainly(getattr(node, each.name), enums) for each in dataclass_fields(node)})


def seen(
    *items: dict[str, Any], keys: tuple[str, ...] = ("PK", "SK"), indexes: tuple[DraftIndex, ...] = ()
) -> SampledTable:
    return SampledTable("Things", keys, indexes, items)


def test_the_inference_imports_an_empty_table_with_only_its_keys() -> None:
    draft = inferred_table(seen())
    (entity,) = draft.entities
    assert entity.keys == {"key": DraftKeys((NativeKey("pk"),), (NativeKey("sk"),))}
    assert "There are no items to infer entities from" in draft.notes[0]


@pytest.mark.parametrize(
    ("kind", "value", "type_name"), [("N", "12", "int"), ("N", "1.5", "Decimal"), ("B", "AAE=", "bytes")]
)
def test_the_inference_makes_keys_that_are_not_strings_native(
    kind: str, value: str, type_name: str, tmp_path: Path
) -> None:
    draft = inferred_table(seen({"id": {kind: value}, "at": {"N": "1"}}, keys=("id", "at")))
    (entity,) = draft.entities
    assert entity.keys["key"].partition == (NativeKey("id"),)
    assert entity.fields[0].type == type_name
    assert check(loaded(draft, tmp_path).design).passes


def test_the_inference_makes_an_index_with_incomplete_keys_sparse(tmp_path: Path) -> None:
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    items: list[dict[str, Any]] = [
        {"PK": {"S": "USER"}, "SK": {"N": "0"}, "GSI1SK": {"N": "0"}},
        {"PK": {"S": "USER"}, "SK": {"N": "1"}, "GSI1PK": {"N": "0"}},
    ]
    draft = inferred_table(seen(*items, indexes=(index,)))
    (entity,) = draft.entities
    assert (entity.keys["gsi1"].partition, entity.keys["gsi1"].sparse) == ((NativeKey("gsi1_pk"),), True)
    assert check(loaded(draft, tmp_path).design).passes


def test_the_inference_imports_a_table_without_a_sort_key(tmp_path: Path) -> None:
    items = [{"PK": {"S": f"USER#{n}"}, "name": {"S": "x"}} for n in range(3)]
    draft = inferred_table(seen(*items, keys=("PK",)))
    assert draft.entities[0].keys["key"].partition == ("USER#{user_id}",)
    assert check(loaded(draft, tmp_path).design).passes


def test_inference_ignores_a_type_attribute_that_is_not_a_string(tmp_path: Path) -> None:
    draft = inferred_table(seen({"PK": {"S": "A#1"}, "SK": {"S": "B"}, "type": {"N": "1"}}))
    assert draft.type_attribute is None
    assert check(loaded(draft, tmp_path).design).passes


def test_the_inference_gives_a_field_with_values_of_mixed_types_the_type_any(tmp_path: Path) -> None:
    draft = inferred_table(
        seen(
            {"PK": {"S": "A#1"}, "SK": {"S": "X"}, "v": {"N": "1"}},
            {"PK": {"S": "A#2"}, "SK": {"S": "X"}, "v": {"S": "one"}},
            {"PK": {"S": "A#3"}, "SK": {"S": "X"}, "v": {"NULL": True}},
        )
    )
    assert {each.name: each.type for each in draft.entities[0].fields}["v"] == "Any"
    assert check(loaded(draft, tmp_path).design).passes


def test_the_inference_makes_an_index_key_that_matches_no_field_native(tmp_path: Path) -> None:
    index = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))
    draft = inferred_table(
        seen(
            {"PK": {"S": "A#1"}, "SK": {"S": "X"}, "GSI1PK": {"S": "OPEN"}, "GSI1SK": {"S": "A#1"}},
            {"PK": {"S": "A#2"}, "SK": {"S": "X"}},
            indexes=(index,),
        )
    )
    keys = draft.entities[0].keys["gsi1"]
    assert keys.sparse
    assert keys.sort == (NativeKey("gsi1_sk"),)
    assert check(loaded(draft, tmp_path).design).passes


@pytest.mark.parametrize("versions", [("2", "2"), ("1", "2")])
def test_the_inference_makes_a_later_schema_version_a_plain_field_with_a_note(
    versions: tuple[str, str], tmp_path: Path
) -> None:
    draft = inferred_table(
        seen(*({"PK": {"S": f"A#{n}"}, "SK": {"S": "X"}, "schema_v": {"N": each}} for n, each in enumerate(versions)))
    )
    assert draft.entities[0].schema_version is None
    assert any("schema_v is a plain field" in note for note in draft.notes)
    assert check(loaded(draft, tmp_path).design).passes


def test_the_inference_makes_upper_case_codes_that_repeat_an_attribute_fields_and_not_literals(tmp_path: Path) -> None:
    """An airport code in front of a date looks like a literal, but each item also has it as an attribute."""
    flights = [
        {"PK": {"S": f"{origin}#{day}"}, "SK": {"S": str(number)}, "origin": {"S": origin}, "day": {"S": day}}
        for number, (origin, day) in enumerate([("SEA", "d1"), ("LAX", "d2"), ("JFK", "d3"), ("SEA", "d4")])
    ]
    planes = [{"PK": {"S": f"PLANE#{n}"}, "SK": {"S": "PLANE"}, "id": {"S": str(n)}} for n in range(3)]
    design = loaded(inferred_table(seen(*flights, *planes)), tmp_path).design
    keys = sorted(str(entity.placements["key"].partition[0]) for entity in design.entities)
    assert keys == ["PLANE#{id}", "{origin}#{day}"]


def test_inference_finds_no_shard_in_too_few_items() -> None:
    items = [{"PK": {"S": f"U#{n}"}, "SK": {"S": "X"}, "G": {"S": "ALL#0"}, "id": {"S": str(n)}} for n in range(2)]
    draft = inferred_table(seen(*items, indexes=(DraftIndex("g1", "G1", "GSI", ("G",)),)))
    assert draft.entities[0].derived == {}


def test_the_inference_of_a_live_table_is_deterministic() -> None:
    example = EXAMPLES[6].seen()
    assert inferred_table(example) == inferred_table(example)
