"""A OneTable schema becomes a model: value templates are keys, and what cannot be carried over is a note."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.cli.import_text import find_objections, import_draft
from singletable.errors import ImportRefused
from singletable.importers.draft import DraftEntity, NativeKey
from singletable.importers.onetable.onetable_schema import read_onetable
from singletable.importers.python_source import python_source
from tests.importers.imported import PUBLISHED, assert_only_declarations, mutated, reports

SCHEMA: dict[str, Any] = {
    "format": "onetable:1.1.0",
    "indexes": {
        "primary": {"hash": "pk", "sort": "sk"},
        "gs1": {"hash": "gs1pk", "sort": "gs1sk", "project": ["gs1pk", "gs1sk", "data"]},
        "ls1": {"type": "local", "sort": "ls1sk", "project": "keys"},
    },
    "models": {
        "Account": {
            "pk": {"type": "String", "value": "${_type}#${id}"},
            "sk": {"type": "String", "value": "${_type}#"},
            "id": {"type": "String", "generate": "ulid"},
            "name": {"type": "String", "required": True, "unique": True},
        },
        "User": {
            "pk": {"type": "String", "value": "Account#${accountId}"},
            "sk": {"type": "String", "value": "User#${seq:8}"},
            "accountId": {"type": "String"},
            "seq": {"type": "Number"},
            "email": {"type": "String", "map": "em"},
            "role": {"type": "String", "default": "user", "enum": ["admin", "user"]},
            "joined": {"type": "Date", "required": True},
            "expires": {"type": "Number", "ttl": True},
            "city": {"type": "String", "map": "data.city"},
            "gs1pk": {"type": "String", "value": "Email#${email}"},
            "gs1sk": {"type": "String", "value": "User#${joined}"},
            "ls1sk": {"type": "String", "value": "Joined#${joined}"},
        },
    },
    "params": {"typeField": "kind", "isoDates": True, "timestamps": "create"},
}


def _with_field(name: str, **field: Any) -> str:
    changed = json.loads(json.dumps(SCHEMA))
    changed["models"]["User"][name] = field
    return json.dumps(changed)


def _user(text: str) -> tuple[DraftEntity, tuple[str, ...]]:
    (table,) = read_onetable(text, "accounts.json").tables
    return next(each for each in table.entities if each.class_name == "User"), table.notes


def test_the_published_onetable_schema_passes_the_check(tmp_path: Path) -> None:
    text = (PUBLISHED / "onetable" / "OneTable.json").read_text(encoding="utf-8")
    draft = read_onetable(text, "OneTable.json")
    (report,) = reports(draft, tmp_path)
    assert report.passes
    assert [entity.label for entity in report.design.entities] == [
        *("Activity", "Admission", "Doctor", "Medicine", "Nurse", "Patient", "Room", "Treatment")
    ]
    assert len(report.outcomes) == 21
    notes = " ".join(draft.tables[0].notes)
    assert "uses date, which is not a property" in notes
    assert "{roomId}" in notes


def test_value_templates_of_a_onetable_schema_become_keys_and_types_become_field_types() -> None:
    user, notes = _user(json.dumps(SCHEMA))
    assert user.keys["key"].partition == ("Account#{account_id}",)
    assert user.keys["key"].sort == ("User#{seq:08d}",)
    assert user.keys["gs1"].sparse
    assert user.keys["gs1"].sort == ("User#{joined:milliseconds}",)
    assert user.keys["ls1"].partition == ("Joined#{joined:milliseconds}",)
    fields = {each.name: each for each in user.fields}
    assert (fields["seq"].type, fields["seq"].optional) == ("int", False)
    assert fields["email"].attribute == "em"
    assert fields["role"].choices == ("admin", "user")
    assert (user.ttl, fields["expires"].type) == ("expires", "int")
    assert fields["created"].type == "datetime"
    said = " ".join(notes)
    assert 'unique=["name"]' in said
    assert "data.city" in said
    assert (fields["role"].has_default, fields["role"].default) == (True, "user")


@pytest.mark.parametrize(
    ("field", "default"),
    [
        ({"type": "Number", "default": 1.5}, Decimal("1.5")),
        ({"type": "Number", "default": 7, "ttl": True}, 7),
        ({"type": "Boolean", "default": False}, False),
        ({"type": "Array", "default": []}, []),
        ({"type": "Object", "default": {}}, {}),
    ],
)
def test_a_default_of_the_declared_type_in_a_onetable_schema_is_imported(field: dict[str, Any], default: Any) -> None:
    user, notes = _user(_with_field("extra", **field))
    extra = next(each for each in user.fields if each.name == "extra")
    assert (extra.has_default, extra.default) == (True, default)
    assert not any("User.extra" in note for note in notes)


@pytest.mark.parametrize(
    "field",
    [
        {"type": "Number", "default": "x"},
        {"type": "String", "default": 5},
        {"type": "Array", "default": {}},
        {"type": "String", "default": "no", "enum": ["a"]},
        {"type": "Object", "default": {"a": 1.5}},
    ],
)
def test_a_default_of_another_type_in_a_onetable_schema_is_left_out_with_a_note(field: dict[str, Any]) -> None:
    user, notes = _user(_with_field("extra", **field))
    assert not next(each for each in user.fields if each.name == "extra").has_default
    assert any("was left out; add it to the field" in note for note in notes)


def test_the_import_of_a_onetable_schema_notes_key_fields_whose_values_would_be_escaped() -> None:
    _, notes = _user(json.dumps(SCHEMA))
    first, note = (each for each in notes if "escape text" in each)
    assert "in type are not found" in first  # and not the id of Account, which is generated
    assert note.startswith("User: keys of the model escape text (a space becomes %20)")
    assert "in account_id, email are not found: write {account_id:raw}" in note
    apart = json.loads(json.dumps(SCHEMA))
    apart["params"]["separator"] = "|"
    assert any('! " # $ % | in' in each for each in _user(json.dumps(apart))[1])
    native = json.loads(json.dumps(SCHEMA))
    for name in ("pk", "gs1pk", "gs1sk", "ls1sk"):
        native["models"]["User"][name].pop("value")
    assert not any(each.startswith("User: text in keys") for each in _user(json.dumps(native))[1])


def test_an_imported_onetable_schema_passes_the_check(tmp_path: Path) -> None:
    (report,) = reports(read_onetable(json.dumps(SCHEMA), "accounts.json"), tmp_path)
    assert report.passes
    assert report.design.settings.type_attribute == "kind"
    assert {index.name for index in report.design.indexes.values()} >= {"gs1"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("User#${address.zip}", "part of another field"),
        ("User#${unclosed", "contains a brace"),
        ("User#${gs1sk}", "which is a template itself"),
        ("User#{nobody}", "braces are for fields"),
    ],
)
def test_a_value_template_of_a_onetable_schema_that_cannot_be_a_key_becomes_a_note(value: str, said: str) -> None:
    user, notes = _user(_with_field("gs1pk", type="String", value=value))
    assert "gs1" not in user.keys
    assert any(said in note for note in notes)


def test_a_key_property_without_a_template_in_a_onetable_schema_becomes_a_native_key() -> None:
    user, _ = _user(_with_field("gs1pk", type="String"))
    assert user.keys["gs1"].partition == (NativeKey("gs1pk"),)


def test_a_schema_among_the_arguments_of_a_table_is_imported_and_a_second_one_is_noted() -> None:
    model = "pk: {type: String, value: 'a#${id}'}, sk: {type: String, value: 'a#'}, id: {type: String}"
    schema = "schema: {indexes: {primary: {hash: 'pk', sort: 'sk'}}, models: {%s: {" + model + "}}}"
    script = "".join(f"const {each} = new Table({{name: 'T', {schema % each}}})\n" for each in ("Visit", "Room"))
    (table,) = read_onetable(script, "tables.js").tables
    assert [entity.class_name for entity in table.entities] == ["Visit"]
    assert "Another schema of the file (Room) was left out: put it into its own file." in table.notes


def test_a_composed_index_key_of_a_onetable_schema_whose_other_key_is_missing_becomes_a_note() -> None:
    schema = json.loads(json.dumps(SCHEMA))
    del schema["models"]["User"]["gs1sk"]
    _, notes = _user(json.dumps(schema))
    assert "User.gs1pk was left out, because it is a key of the index gs1, and the model has no gs1sk." in notes


def test_a_onetable_schema_in_javascript_is_parsed_without_running_it() -> None:
    script = """
    // a comment
    const Match = { ulid: /^[0-9{}]{26}$/i }
    export default {
        indexes: {primary: {hash: 'pk', sort: "sk"}},
        models: {
            User: {
                pk: {type: String, value: 'user:${id}:${seq}'},
                sk: {type: String, value: `user:`},
                id: {type: String, generate: 'ulid', validate: Match.ulid},
                at: {type: Number, default: () => { return Math.floor(Date.now() / 1, "}") }, generate: x => f(x, [1])},
                seq: {type: Number, default: 1_000, enum: Object.values(Colour, ")")},
            },
        } as const,
        params: {},
    }
    """
    user, _ = _user(script)
    assert user.keys["key"].partition == ("user:{id}:{seq:number}",)


@pytest.mark.parametrize(
    ("script", "line"),
    [("export default {\n  models: {...others},\n}", 2), ("module.exports = {\n\n models: {a: b + c}}", 3)],
)
def test_a_onetable_schema_that_a_script_computes_is_rejected_with_the_line(script: str, line: int) -> None:
    with pytest.raises(ImportRefused, match=rf"schema\.js:{line}: .*JSON"):
        read_onetable(script, "schema.js")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "const x = 1", "export default " + "{a: " * 100_000])
def test_an_invalid_onetable_schema_is_rejected(text: str) -> None:
    with pytest.raises(ImportRefused, match=r"schema\.js"):
        read_onetable(text, "schema.js")


def test_onetable_import_reports_every_problem_with_its_path() -> None:
    document = {"indexes": {"gs1": {"project": 7}}, "models": {"User": {"pk": {"type": "text", "value": 1}, "id": 2}}}
    with pytest.raises(ImportRefused, match="6 problems") as refused:
        read_onetable(json.dumps(document), "schema.json")
    for path in ("indexes.primary", "indexes.gs1.hash", "indexes.gs1.project", "models.User.pk.type", "models.User.id"):
        assert f"\n  {path}: " in str(refused.value)


@settings(max_examples=60, deadline=None)
@given(document=mutated(SCHEMA))
def test_a_mutated_onetable_schema_is_imported_or_rejected(document: Any) -> None:
    try:
        draft = import_draft(read_onetable(json.dumps(document), "schema.json"))
    except ImportRefused:
        return
    assert_only_declarations(python_source(draft))
    assert not any(find_objections(table) for table in draft.tables)


@settings(max_examples=100, deadline=None)
@given(cut=st.integers(0, 400), added=st.text("{}[]()'\"`:,.${}/\\* ab1\n", max_size=12))
def test_a_onetable_schema_with_inserted_characters_is_imported_or_rejected(cut: int, added: str) -> None:
    script = (
        "export default {indexes: {primary: {hash: 'pk'}}, models: {U: {pk: {value: 'u#${id}'}, id: {type: String}}}}"
    )
    problem = "schema.js: none"
    try:
        read_onetable(script[:cut] + added + script[cut:], "schema.js")
    except ImportRefused as refused:
        problem = str(refused)
    assert problem.startswith("schema.js")


def test_a_onetable_model_with_an_id_outside_its_key_gets_an_identity_without_the_id(tmp_path: Path) -> None:
    changed = json.loads(json.dumps(SCHEMA))
    changed["models"]["Account"] |= {
        "pk": {"type": "String", "value": "account:${name}"},
        "sk": {"type": "String", "value": "account:"},
    }
    draft = read_onetable(json.dumps(changed), "größe of it.json")
    (table,) = draft.tables
    account = next(each for each in table.entities if each.class_name == "Account")
    assert account.identity == ("name",)
    (report,) = reports(draft, tmp_path)
    assert report.passes


def test_a_default_that_a_call_computes_does_not_reject_the_schema() -> None:
    script = """const Schema = {
        indexes: { primary: { hash: 'pk', sort: 'sk' } },
        models: { Work: {
            pk: { type: String, value: 'work#${id}' }, sk: { type: String, value: 'work#' }, id: { type: String },
            created: { type: Date, default: new Date(), required: true },
        } },
    }"""
    (table,) = read_onetable(script, "schema.ts").tables
    assert [field.name for field in table.entities[0].fields] == ["id", "created"]
    assert any("Work.id is not required in OneTable; it became required" in note for note in table.notes)


def test_options_that_onetable_does_not_know_and_computed_defaults_become_notes() -> None:
    script = """const Schema = {
        indexes: { primary: { hash: 'pk' } },
        models: { Image: {
            pk: { type: String, value: 'image#${id}' }, id: { type: String, generate: () => uuid() },
            path: { type: String, require: true }, ttl: { type: Number, ttl: true, default: () => now() + 10 },
        } },
        params: { isodates: true, timestamps: false },
    }"""
    (table,) = read_onetable(script, "schema.ts").tables
    assert [field.name for field in table.entities[0].fields if not field.optional] == ["id"]
    assert [note for note in table.notes if "option" in note or "default" in note] == [
        "OneTable has no option isodates in params, so it was ignored.",
        "OneTable has no option require of Image.path, so it was ignored.",
        "Image.ttl: the default is computed and was left out; add it to the field.",
    ]


def test_each_use_of_a_padded_number_in_a_onetable_schema_keeps_its_width() -> None:
    schema = {
        "indexes": {"primary": {"hash": "pk", "sort": "sk"}, "gs1": {"hash": "gs1pk", "sort": "gs1sk"}},
        "models": {
            "Work": {
                "id": {"type": "number", "required": True},
                "owner": {"type": "string", "required": True},
                "pk": {"type": "string", "value": "work#${id:8:0}"},
                "sk": {"type": "string", "value": "work#"},
                "gs1pk": {"type": "string", "value": "owner#${owner}"},
                "gs1sk": {"type": "string", "value": "work#${id:18:0}"},
            }
        },
    }
    (work,) = read_onetable(json.dumps(schema), "schema.json").tables[0].entities
    assert work.keys["key"].partition == ("work#{id:08d}",)
    assert work.keys["gs1"].sort == ("work#{id:018d}",)


def test_a_unique_property_that_is_the_whole_key_needs_no_marker() -> None:
    product = {
        "pk": {"type": "String", "value": "product#${id}"},
        "sk": {"type": "String", "value": "product"},
        "id": {"type": "String", "required": True, "unique": True},
        "name": {"type": "String", "required": True, "unique": True},
    }
    notes = read_onetable(json.dumps({**SCHEMA, "models": {"Product": product}}), "Shop").tables[0].notes
    assert any("Product.id is unique in OneTable, but it is the key already" in note for note in notes)
    assert any('Product.name is unique: add unique=["name"]' in note for note in notes)


def test_an_optional_property_in_an_index_key_adds_a_note() -> None:
    invoice = {
        "pk": {"type": "String", "value": "invoice#${id}"},
        "sk": {"type": "String", "value": "invoice"},
        "id": {"type": "String", "required": True},
        "date": {"type": "String"},
        "gs1pk": {"type": "String", "value": "invoices"},
        "gs1sk": {"type": "String", "value": "${date}"},
    }
    notes = read_onetable(json.dumps({**SCHEMA, "models": {"Invoice": invoice}}), "Shop").tables[0].notes
    assert any("Invoice: Items without date are not in the index gs1" in note for note in notes)


def test_properties_and_enums_that_a_script_computes_become_notes() -> None:
    script = """
    module.exports = {
        indexes: { primary: { hash: 'pk', sort: 'sk' } },
        models: { Note: {
            pk: { type: String, value: 'NOTE#${id}' },
            sk: { type: String, value: 'A' },
            id: ulid({ required: true }),
            status: { type: String, enum: STATUSES },
        } },
    }
    """
    (table,) = read_onetable(script, "notes.js").tables
    assert table.entities[0].keys["key"].partition == ("NOTE#{id}",)
    assert any(note.startswith("Note.id: the script computes this property") for note in table.notes)
    assert any("Note.status: the values STATUSES of its enum are in another file" in note for note in table.notes)


def test_a_time_in_the_key_is_complete_because_javascript_has_milliseconds() -> None:
    visit = {
        "pk": {"type": "String", "value": "gate#${gateId}"},
        "sk": {"type": "String", "value": "${at}#${plate}"},
        "gateId": {"type": "String", "required": True},
        "at": {"type": "Date", "required": True},
        "plate": {"type": "String", "required": True},
    }
    (table,) = read_onetable(json.dumps({**SCHEMA, "models": {"Visit": visit}}), "Gates").tables
    assert set(table.entities[0].accept) == {"ST102"}
    assert any('Visit: accept={"ST102": ...} was added' in note for note in table.notes)
