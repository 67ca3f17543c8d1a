"""NoSQL Workbench models of every format are imported; an invalid document is rejected with the path of the problem."""

from __future__ import annotations

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.load_model import load_tables
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft, NativeKey
from singletable.importers.workbench.workbench_document import read_workbench
from singletable.verify.design_check import check
from tests.importers.imported import PUBLISHED, workbench_draft, workbench_source

ENTITIES = {
    "ACL": "user group role privilege groupUser userGroup permission privelege",
    "AnOnlineShop_1": "OnlineShopItem",
    "AnOnlineShop_facets": "customer product warehouse warehouseItem orderItem shipment shipmentItem invoice payment",
    "CartModel": "Cart",
    "ConnectedVehiclesSchema": (
        "Vehicle VehicleFeature VehicleVin VehicleActive User UserPreferences UserCameras UserSeats UserVin"
    ),
    "DeviceStateLog_7": "DeviceStateLogItem",
    "banking": "customer account transaction purchase",
}
KEYLESS = {"ACL": "groupUser userGroup permission privelege"}
"""Declared models that have neither a key template nor rows."""


def published(name: str) -> Draft:
    return workbench_draft((PUBLISHED / f"{name}.json").read_bytes())


@pytest.mark.parametrize("name", ENTITIES)
def test_a_published_workbench_model_passes_the_check_unless_a_key_is_missing(name: str, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(workbench_source((PUBLISHED / f"{name}.json").read_bytes()), encoding="utf-8")
    (table,) = load_tables(str(file))
    assert [entity.name for entity in table.design.all_entities] == ENTITIES[name].split()
    assert [entity.name for entity in table.design.keyless] == KEYLESS.get(name, "").split()
    failing = [finding.code for finding in check(table.design).findings if finding.fails]
    assert set(failing) == ({"ST004"} if name in KEYLESS else set())


def test_the_workbench_import_turns_model_schema_templates_that_match_the_rows_into_key_templates() -> None:
    (table,) = published("banking").tables
    keys = {each.stored_name or each.class_name: each.keys for each in table.entities}
    assert keys["transaction"]["key"].sort == ("{acct_id}#{timestamp}",)
    assert keys["purchase"]["gsi2"].partition == ("{p_id}",)


def test_the_workbench_import_reads_entities_and_templates_from_map_functions() -> None:
    """An older tool wrote the templates of each entity into the key attributes, as in the published Hospital model."""
    document = copy.deepcopy(MINIMAL)
    (table,) = document["DataModel"]
    sort = {"AttributeName": "SK", "AttributeType": "S", "MapFunction": {"visit": "${day}#${room}"}}
    table["KeyAttributes"]["SortKey"] = sort
    rows = [{"type": "visit", "PK": "P1", "SK": "2020#R1", "day": "2020", "room": "R1"}]
    rows += [{"type": kind, "PK": f"{kind[0].upper()}1", "SK": "A"} for kind in ("patient", "nurse")]
    table["TableData"] = [{name: {"S": value} for name, value in row.items()} for row in rows]
    (draft,) = workbench_draft(json.dumps(document)).tables
    assert [each.stored_name for each in draft.entities] == ["visit", "patient", "nurse"]
    assert draft.entities[0].keys["key"].sort == ("{day}#{room}",)


def test_the_workbench_import_composes_a_key_attribute_named_after_two_fields_of_both() -> None:
    (table,) = published("DeviceStateLog_7").tables
    (entity,) = table.entities
    assert entity.keys["key"].sort == ("{state}#{date}",)


def test_the_workbench_import_reads_a_model_schema_next_to_data_model() -> None:
    document = copy.deepcopy(MINIMAL)
    document["ModelSchema"] = {"models": {"visit": {"PK": {"value": "V#${id}"}, "id": {"type": "String"}}}}
    (table,) = workbench_draft(json.dumps(document)).tables
    assert "visit" in {entity.stored_name for entity in table.entities}


def test_the_workbench_import_notes_repeated_attributes_overwritten_rows_and_missing_indexes() -> None:
    document = copy.deepcopy(MINIMAL)
    (table,) = document["DataModel"]
    table["NonKeyAttributes"] = [{"AttributeName": "room", "AttributeType": "S"} for _ in range(2)]
    table["TableData"] = [{"PK": {"S": "V#1"}, "room": {"S": room}} for room in ("a", "b")]
    table["ModelSchema"] = {"indexes": {"primary": {"hash": "PK"}, "GSI3": {"hash": "GSI3PK"}}, "models": {}}
    (draft,) = workbench_draft(json.dumps(document)).tables
    assert "Attributes declared several times: room. Each is one attribute in the model." in draft.notes
    assert "The index GSI3 of ModelSchema was left out, because the table does not have it." in draft.notes
    assert any(note.startswith("Rows with the key of an earlier row: PK=V#1.") for note in draft.notes)


def test_the_workbench_import_notes_saved_queries_and_declared_attributes_without_values() -> None:
    document = copy.deepcopy(MINIMAL)
    (table,) = document["DataModel"]
    table["SavedQuery"] = {"visits of today": {"PK": "V#1"}}
    table["TableData"] = [{"PK": {"S": "V#1"}, "type": {"S": "visit"}}]
    table["ModelSchema"] = {"models": {"visit": {"PK": {"value": "V#${id}"}, "room": {"type": "String"}}}}
    (draft,) = workbench_draft(json.dumps(document)).tables
    assert "The saved query visits of today was left out, because its format is not documented." in draft.notes
    assert "Visit: declared attributes without a value in any of its rows were left out: room." in draft.notes


def test_the_workbench_import_numbers_a_facet_with_the_name_of_another_class() -> None:
    document = copy.deepcopy(MINIMAL)
    (table,) = document["DataModel"]
    table["TableFacets"] = [{"FacetName": "Visit", "TableData": [{"PK": {"S": "V#1"}}]}]
    document["DataModel"].append({**table, "TableName": "Archive"})
    _, archive = workbench_draft(json.dumps(document)).tables
    assert "The class of Visit is Visit2, because another class of the file has the name Visit." in archive.notes


MINIMAL: dict[str, Any] = {
    "ModelName": "M",
    "ModelMetadata": {"Version": "3.0"},
    "DataModel": [
        {
            "TableName": "T",
            "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}},
            "TableData": [{"PK": {"S": "A#1"}}],
        }
    ],
}


def changed(path: str, value: Any) -> str:
    document = copy.deepcopy(MINIMAL)
    place: Any = document
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        place = place[step]
    place[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the document is empty at line 1, column 1"),
        (b'{"ModelName": "gr\xf6"}', r"byte 17 \(line 1\) is not UTF-8; save the file as UTF-8"),
        ("[" * 100_000, "nested deeper than 200 levels at line 1, column 201"),
        ("[]", "no DataModel"),
        ("{}", "no DataModel"),
        (changed("DataModel", {}), "DataModel must be an array, got an object"),
        (changed("DataModel", []), "DataModel contains no table"),
        (changed("ModelMetadata/Version", "9.0"), r"ModelMetadata.Version must be 1.0, 2.0 or 3.0, got '9.0'"),
        (changed("DataModel/0/TableName", ""), r"DataModel\[0\].TableName must be a string, got an empty string"),
        (changed("DataModel/0/KeyAttributes", {}), r"DataModel\[0\].KeyAttributes has no PartitionKey"),
        (
            changed("DataModel/0/KeyAttributes/PartitionKey/AttributeType", "Q"),
            r"KeyAttributes.PartitionKey.AttributeType must be S, N or B, got 'Q'",
        ),
        (
            changed(
                "DataModel/0/LocalSecondaryIndexes",
                [{"IndexName": "L", "KeyAttributes": {"SortKey": {"AttributeName": "at", "AttributeType": "BOOL"}}}],
            ),
            r"LocalSecondaryIndexes\[0\].KeyAttributes.SortKey.AttributeType must be S, N or B, got 'BOOL'",
        ),
        (changed("DataModel/0/TableData/0", {"SK": {"S": "x"}}), r"DataModel\[0\].TableData\[0\] has no PK"),
        (changed("DataModel/0/TableData/0/PK", "A#1"), r"TableData\[0\].PK must be an object, got a string"),
        (changed("DataModel/0/TableData/0/PK", {"X": 1}), r"TableData\[0\].PK is not a DynamoDB JSON value"),
        (changed("DataModel/0/TableData/0/PK", {"BOOL": True}), "not a string, number or binary"),
        (changed("DataModel/0/TableFacets", [{}]), r"TableFacets\[0\] has no FacetName"),
        (changed("DataModel/0/GlobalSecondaryIndexes", [{"IndexName": "G"}]), r"Indexes\[0\] has no KeyAttributes"),
        (changed("DataModel/0/ModelSchema", {"singletable": {"name": "T"}}), "singletable has no class"),
    ],
)
def test_an_invalid_workbench_model_is_rejected_with_the_path_of_the_problem(text: str | bytes, said: str) -> None:
    with pytest.raises(ImportRefused, match=said):
        workbench_source(text)


@pytest.mark.parametrize(
    ("value", "expected", "said"),
    [
        ({"N": "ten"}, {"S": "ten"}, 'n.N ("ten", read as S)'),
        ({"N": " 61.00"}, {"N": "61.00"}, 'n.N (" 61.00", read as N)'),
        ({"M": [{"S": "a"}]}, {"L": [{"S": "a"}]}, "read as L"),
    ],
)
def test_the_workbench_import_notes_a_value_that_its_type_cannot_have(
    value: dict[str, Any], expected: dict[str, Any], said: str
) -> None:
    text = changed("DataModel/0/TableData/0/n", value)
    assert read_workbench(text).tables[0].sample.items[0]["n"] == expected
    assert any(
        "DynamoDB rejects these values" in note and said in note for note in workbench_draft(text).tables[0].notes
    )


@pytest.mark.parametrize("version", ["1.0", "2.0", "3.0", None])
def test_a_workbench_model_of_any_format_version_is_imported(version: str | None) -> None:
    document = changed("ModelMetadata/Version", version)
    assert workbench_draft(document).tables[0].entities[0].keys["key"].partition == ("A#{a_id}",)


def test_the_workbench_import_merges_rows_of_a_table_and_its_facets() -> None:
    facet = {"FacetName": "Letter", "TableData": [{"PK": {"S": "A#1"}, "x": {"S": "y"}}, {"PK": {"S": "A#2"}}]}
    (table,) = workbench_draft(changed("DataModel/0/TableFacets", [facet])).tables
    (entity,) = table.entities
    assert entity.class_name == "Letter"
    assert entity.doc == "Letter, inferred from 2 items."
    assert {each.name for each in entity.fields} == {"x", "a_id"}


def test_the_workbench_import_turns_a_facet_without_rows_into_an_entity_with_its_declared_keys() -> None:
    document = json.loads(changed("DataModel/0/TableData", []))
    alias = {"PartitionKeyAlias": "customer_id"}
    document["DataModel"][0]["TableFacets"] = [
        {"FacetName": "Customer", "KeyAttributeAlias": alias, "NonKeyAttributes": ["email"]}
    ]
    (table,) = workbench_draft(json.dumps(document)).tables
    (entity,) = table.entities
    assert entity.keys["key"].partition == (NativeKey("customer_id"),)
    assert [each.name for each in entity.fields] == ["customer_id", "email"]
    assert "Customer: types and keys are as declared, because there are no rows." in table.notes


def test_the_workbench_import_rejects_code_in_the_singletable_section() -> None:
    evil = {"class": "T", "model": "class T(Table, entities=[]):\n    import os\n"}
    with pytest.raises(ImportRefused, match="line 2 of the model: Import is not allowed"):
        workbench_source(changed("DataModel/0/ModelSchema", {"singletable": evil}))


def test_the_workbench_import_writes_two_tables_with_equal_entity_names_into_one_file(tmp_path: Path) -> None:
    document = json.loads(changed("ModelName", "Two"))
    second = copy.deepcopy(document["DataModel"][0])
    second["TableName"] = "U"
    document["DataModel"].append(second)
    file = tmp_path / "two.py"
    file.write_text(workbench_source(json.dumps(document)), encoding="utf-8")
    assert [table.design.name for table in load_tables(str(file))] == ["T", "U"]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
PLACES = st.sampled_from(
    [
        "DataModel/0/TableName",
        "DataModel/0/KeyAttributes",
        "DataModel/0/KeyAttributes/SortKey",
        "DataModel/0/NonKeyAttributes",
        "DataModel/0/TableData",
        "DataModel/0/TableData/0",
        "DataModel/0/TableData/0/x",
        "DataModel/0/TableFacets",
        "DataModel/0/GlobalSecondaryIndexes",
        "DataModel/0/ModelSchema",
        "ModelMetadata",
        "ModelName",
    ]
)


@given(PLACES, JSON)
def test_the_workbench_import_reads_or_rejects_a_randomly_changed_document(place: str, value: Any) -> None:
    with contextlib.suppress(ImportRefused):
        compile(workbench_source(changed(place, value)), "model.py", "exec")
