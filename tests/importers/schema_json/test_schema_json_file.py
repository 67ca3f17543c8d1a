"""A `schema.json` becomes a model with all its patterns, or is rejected with every problem and its path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.cli.import_text import find_objections, import_draft
from singletable.errors import ImportRefused
from singletable.expressions.tree import Compare, Parameter
from singletable.expressions.tree import Path as FieldPath
from singletable.importers.draft import Draft, NativeKey, set_to_parameter
from singletable.importers.python_source import python_source
from singletable.importers.schema_json.schema_json_file import read_schema_json
from singletable.planner.plan import UnsupportedPattern
from tests.importers.imported import PUBLISHED, assert_only_declarations, mutated, reports

FOLDER = PUBLISHED / "schema_json"
STRING = {"type": "string", "required": True}


def _pattern(number: int, name: str, operation: str, *parameters: str, **further: Any) -> dict[str, Any]:
    return {
        "pattern_id": number,
        "name": name,
        "description": f"{name} described",
        "operation": operation,
        "parameters": [{"name": each, "type": "string"} for each in parameters],
        "return_type": "entity_list" if operation == "Query" else "single_entity",
        **further,
    }


def _schema(*patterns: dict[str, Any], **entity: Any) -> dict[str, Any]:
    order = {
        "entity_type": "ORDER",
        "pk_template": "CUST#{customer_id}",
        "sk_template": "ORDER#{placed}#{id}",
        "fields": [{"name": name, **STRING} for name in ("customer_id", "placed", "id", "status")],
        "gsi_mappings": [
            {"name": "Statuses", "pk_template": ["{status}", "{customer_id}"], "sk_template": ["{placed}"]}
        ],
        "access_patterns": list(patterns),
        **entity,
    }
    customer = {
        "entity_type": "CUSTOMER",
        "pk_template": "CUST#{id}",
        "sk_template": "PROFILE",
        "fields": [{"name": "id", **STRING}],
    }
    return {
        "tables": [
            {
                "table_config": {"table_name": "Shop", "partition_key": "pk", "sort_key": "sk"},
                "gsi_list": [{"name": "Statuses", "partition_key": ["status", "customer_id"], "sort_key": ["placed"]}],
                "entities": {"Order": order, "Customer": customer},
            }
        ]
    }


def _read(document: Any) -> Any:
    (table,) = import_draft(read_schema_json(json.dumps(document), "schema.json")).tables
    return table


@pytest.mark.parametrize(
    ("name", "unserved", "patterns"),
    [
        ("deals_schema", 4, [5, 2, 2, 4, 2, 3]),
        ("ecommerce_schema", 0, [5, 9, 10]),
        ("user_analytics_schema", 0, [10]),
        ("user_registration_schema", 0, [0, 0]),
    ],
)
def test_check_reports_the_unserved_patterns_of_a_published_schema_json(
    name: str, unserved: int, patterns: list[int], tmp_path: Path
) -> None:
    made = reports(read_schema_json((FOLDER / f"{name}.json").read_text(encoding="utf-8"), name), tmp_path)
    assert [len(report.outcomes) for report in made] == patterns
    assert sum(isinstance(each, UnsupportedPattern) for report in made for each in report.outcomes) == unserved
    assert all(report.passes for report in made) == (unserved == 0)


@pytest.mark.parametrize(
    ("name", "problems", "paths"),
    [
        (
            "comprehensive_invalid_schema",
            15,
            ["tables[0].entities.TestEntity.fields[0].type", "tables[1].table_config.table_name"],
        ),
        (
            "invalid_gsi_schema",
            13,
            ["tables[0].gsi_list[1].name", "tables[0].entities.TestEntity.gsi_mappings[0].name"],
        ),
        ("invalid_multi_attribute_keys_schema", 9, ["tables[0].gsi_list[4].partition_key[1]"]),
    ],
)
def test_an_invalid_schema_json_is_rejected_with_every_problem_and_its_path(
    name: str, problems: int, paths: list[str]
) -> None:
    with pytest.raises(ImportRefused, match=f"{name}.json is not a valid schema.json: {problems} problems") as refused:
        read_schema_json((FOLDER / f"{name}.json").read_text(encoding="utf-8"), f"{name}.json")
    lines = str(refused.value).splitlines()[1:]
    assert len(lines) == problems
    assert all(any(line.startswith(f"  {path}: ") for line in lines) for path in paths)


def test_operations_of_a_schema_json_become_patterns_with_the_key_fields_as_parameters() -> None:
    table = _read(
        _schema(
            _pattern(1, "one", "GetItem", "customer_id", "placed", "id"),
            _pattern(2, "of_customer", "Query", "customer_id"),
            _pattern(3, "since", "Query", "customer_id", "from_day", range_condition=">="),
            _pattern(4, "in_status", "Query", "status", "customer_id", "low", "high", range_condition="between",
                     index_name="Statuses"),
            _pattern(5, "mark", "UpdateItem", "customer_id", "placed", "id", "status"),
            _pattern(6, "drop", "DeleteItem", "customer_id", "placed", "id"),
            _pattern(7, "whole", "Query", "customer_id", return_type="mixed_data"),
            _pattern(8, "filtered", "Query", "customer_id", "wanted",
                     filter_expression={"conditions": [{"field": "status", "operator": "=", "param": "wanted"}]}),
        )
    )  # fmt: skip
    assert not table.notes
    made = {pattern.name: pattern for pattern in table.patterns}
    assert [pattern.kind for pattern in made.values()] == [
        *("get", "query", "query", "query", "update", "delete", "collection", "query")
    ]
    assert [(each.name, each.range) for each in made["since"].parameters] == [
        ("customer_id", None),
        ("placed", "Since"),
        *(("limit", None), ("cursor", None)),
    ]
    assert made["in_status"].parameters[-3].range == "Between"
    assert made["mark"].changes == (set_to_parameter("status"),)
    assert made["whole"].entities == ("Customer", "Order")
    assert made["filtered"].filter == Compare("=", FieldPath(("status",)), Parameter("status"))


@pytest.mark.parametrize(
    ("operator", "conditions", "written"),
    [
        ("OR", [("status", "=", "a"), ("id", "<>", "b")], "(item.status == status) | (item.id != id)"),
        ("AND", [("status", "between", "a b")], "(item.status >= status) & (item.status <= status_other)"),
        (
            "OR",
            [("status", "between", "a b"), ("id", "attribute_exists", "")],
            "((item.status >= status) & (item.status <= status_other)) | exists(item.id)",
        ),
        ("AND", [("status", "in", "a b c")], "one_of(item.status, status, status_other, status_other_other)"),
        (
            "AND",
            [("status", "begins_with", "a"), ("id", "contains", "b")],
            "begins_with(item.status, status) & contains(item.id, id)",
        ),
        ("AND", [("status", "attribute_not_exists", "")], "not_(exists(item.status))"),
        (
            "AND",
            [("status", ">", "a"), ("status", "<", "b"), ("id", "attribute_exists", "")],
            "(item.status > status) & (item.status < status_other) & exists(item.id)",
        ),
    ],
)
def test_a_filter_expression_of_a_schema_json_becomes_an_equivalent_lambda(
    operator: str, conditions: list[tuple[str, str, str]], written: str
) -> None:
    functions = ("begins_with", "contains", "attribute_exists", "attribute_not_exists")
    rows: list[dict[str, Any]] = []
    for field, word, given_names in conditions:
        names = given_names.split()
        row: dict[str, Any] = {"field": field, ("function" if word in functions else "operator"): word}
        row |= {"params": names} if word == "in" else dict(zip(("param", "param2"), names, strict=False))
        rows.append(row)
    expression = {"logical_operator": operator, "conditions": rows}
    parameters = [name for _, _, names in conditions for name in names.split()]
    pattern = _pattern(1, "filtered", "Query", "customer_id", *parameters, filter_expression=expression)
    table = _read(_schema(pattern))
    assert not table.notes
    assert f"filter=lambda item: {written}" in python_source(Draft("Filtered", (table,)))


@pytest.mark.parametrize(
    ("pattern", "finding"),
    [
        (_pattern(1, "every", "Scan"), "needs a Scan"),
        (_pattern(1, "by_status", "Query", "status"), "no parameter provides customer_id"),
        (
            _pattern(1, "by_key_and_more", "GetItem", "customer_id", "placed", "id", "status"),
            "needs equality on status",
        ),
        (_pattern(1, "without_key", "UpdateItem", "customer_id", "status"), "no parameter provides"),
    ],
)
def test_an_unserved_pattern_of_a_schema_json_is_imported_and_rejected_by_check(
    pattern: dict[str, Any], finding: str, tmp_path: Path
) -> None:
    table = _read(_schema(pattern))
    assert [each.name for each in table.patterns] == [pattern["name"]]
    (report,) = reports(read_schema_json(json.dumps(_schema(pattern)), "schema.json"), tmp_path)
    assert not report.passes
    assert any(finding in str(each) for each in report.findings)


@pytest.mark.parametrize(
    ("pattern", "note", "is_declared"),
    [
        (_pattern(1, "several", "BatchGetItem", "id"), "get_many", False),
        (_pattern(1, "odd", "Query", "customer_id", "x", "y", "z"), "x, y, z were left out", True),
        (_pattern(1, "nothing", "UpdateItem", "customer_id", "placed", "id"), "has only parameters of the key", True),
    ],
)
def test_a_difference_from_the_schema_json_becomes_a_note(
    pattern: dict[str, Any], note: str, is_declared: bool
) -> None:
    table = _read(_schema(pattern))
    assert bool(table.patterns) == is_declared
    (found,) = (each for each in table.notes if pattern["name"] in each)
    assert note in found


def test_an_optional_key_field_of_a_schema_json_makes_the_index_sparse() -> None:
    fields = [{"name": name, **STRING} for name in ("customer_id", "placed", "id")]
    table = _read(_schema(fields=[*fields, {"name": "status", "type": "string", "required": False}]))
    assert table.entities[0].keys["statuses"].sparse
    assert "native" in python_source(read_schema_json(json.dumps(_schema()), "schema.json"))


def test_a_field_of_a_schema_json_with_the_name_of_a_key_attribute_is_composed_by_the_key() -> None:
    """The published package delivery app lists `sort_key` as a field, next to a template for it."""
    fields = [{"name": name, **STRING} for name in ("customer_id", "placed", "id", "status", "sk")]
    mapping = {"name": "Statuses", "pk_template": ["{status}", "{customer_id}"], "sk_template": ["{sk}"]}
    document = _schema(_pattern(1, "drop", "DeleteItem", "customer_id", "sk"), fields=fields, gsi_mappings=[mapping])
    document["tables"][0]["gsi_list"][0]["sort_key"] = ["sk"]
    table = _read(document)
    order = table.entities[0]
    assert [each.name for each in order.fields] == ["customer_id", "placed", "id", "status"]
    assert order.keys["statuses"].sort == order.keys["key"].sort == ("ORDER#{placed}#{id}",)
    assert [each.name for each in table.patterns[0].parameters] == ["customer_id", "placed", "id"]
    assert (
        "Order.sk is not a field of the model, because it is composed from the fields of the key ORDER#{placed}#{id}."
        in table.notes
    )


def test_an_entity_of_a_schema_json_with_all_key_attributes_of_an_index_is_in_the_index() -> None:
    table = _read(_schema(gsi_mappings=[]))
    assert table.entities[0].keys["statuses"].sort == (NativeKey("placed"),)
    assert "Order is also in the index Statuses, because its items have status, customer_id, placed." in table.notes


@pytest.mark.parametrize("text", ["", "[", "null", "[]", "{}", '{"tables": 1}', "9" * 5000, "[" * 100_000])
def test_a_document_that_is_not_a_schema_json_is_rejected(text: str) -> None:
    with pytest.raises(ImportRefused, match=r"schema\.json"):
        read_schema_json(text, "schema.json")


ONE = _pattern(1, "one", "GetItem", "customer_id", "placed", "id")
SINCE = _pattern(2, "since", "Query", "customer_id", "day", range_condition=">=")


@settings(max_examples=60, deadline=None)
@given(document=mutated(_schema(ONE, SINCE)))
def test_a_mutated_schema_json_is_imported_or_rejected(document: Any) -> None:
    try:
        draft = import_draft(read_schema_json(json.dumps(document), "schema.json"))
    except ImportRefused:
        return
    assert_only_declarations(python_source(draft))
    assert all(each.pattern for table in draft.tables for each in find_objections(table))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_mutated_published_schema_json_is_imported_or_rejected_with_its_problems(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(FOLDER.glob("*.json"))))
    document = data.draw(mutated(json.loads(path.read_text(encoding="utf-8"))))
    try:
        draft = read_schema_json(json.dumps(document), "schema.json")
    except ImportRefused as refused:
        problems = str(refused).splitlines()
    else:
        assert_only_declarations(python_source(draft))
        return
    assert problems[0].startswith("schema.json is not a valid schema.json")
    assert len(problems) > 1


def test_an_id_of_a_schema_json_outside_the_key_is_not_part_of_the_identity(tmp_path: Path) -> None:
    fields = [{"name": name, **STRING} for name in ("customer_id", "placed", "id")]
    document = _schema(sk_template="ORDER#{placed}", fields=fields, gsi_mappings=[])
    draft = read_schema_json(json.dumps(document), "schema.json")
    order = next(each for each in draft.tables[0].entities if each.class_name == "Order")
    assert order.identity == ("customer_id", "placed")
    (report,) = reports(draft, tmp_path)
    assert report.passes
