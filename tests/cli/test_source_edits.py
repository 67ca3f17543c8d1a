"""Edits of Python source: only the edited declaration changes. Comments, layout and line endings stay the same."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.source_edits import EditNotPossible, edit_source
from singletable.errors import Location
from singletable.planner.remedy import (
    AddElement,
    AddImport,
    AddParameter,
    Edit,
    InnerCall,
    Place,
    RemoveElement,
    RemoveKeyword,
    SetFieldDeclaration,
    SetItem,
    SetKeyword,
    SetParameter,
)

MODEL = '''"""A model."""

import typing as t

from singletable import (
    GSI,
    Page,
    Table,
    entity,  # the decorator
    pattern,
)


@entity(
    key=("ORDER#{id}", "METADATA"),  # é: the identity of an order
    gsi1=("CUST#{customer_id}", "{id}"),
    derived={"month": bucket("at", "month")},
)
class Order:
    id: str
    total: int | None = None  # in cents


class Shop(Table, entities=[Order], indexes=[GSI("gsi1", projection=KEYS_ONLY), GSI("gsi2")]):
    @pattern()
    def orders(self, customer_id: str, *, limit: int = (20)) -> Page[Order]:
        """The orders."""
        return query(Order, consistent=True, limit=(5))
'''


def at(line_text: str, kind: str, name: str, call: str = "", inner: InnerCall | None = None) -> Place:
    line = next(number for number, text in enumerate(MODEL.splitlines(), 1) if text.lstrip().startswith(line_text))
    return Place(kind, name, Location("model.py", line), call, inner)  # type: ignore[arg-type]  # short test names


ENTITY = at("@entity", "entity", "Order")
CLASS = at("@entity", "class", "Order")
TABLE = at("class Shop", "table", "Shop")
PATTERN = at("def orders", "pattern", "orders")
BODY = at("def orders", "body", "orders", "query")
FIRST_INDEX = at("class Shop", "table", "Shop", inner=InnerCall("indexes", "GSI", '"gsi1"'))
SECOND_INDEX = at("class Shop", "table", "Shop", inner=InnerCall("indexes", "GSI", '"gsi2"'))

CASES: list[tuple[Edit, str, str]] = [
    (
        SetKeyword(ENTITY, "gsi2", '("A", "B")'),
        '    derived={"month": bucket("at", "month")},\n',
        '    derived={"month": bucket("at", "month")},\n    gsi2=("A", "B"),\n',
    ),
    (SetKeyword(ENTITY, "gsi1", '("A", "B")'), 'gsi1=("CUST#{customer_id}", "{id}")', 'gsi1=("A", "B")'),
    (SetKeyword(PATTERN, "fanout", "8"), "@pattern()", "@pattern(fanout=8)"),
    (SetKeyword(BODY, "hydrate", "True"), "limit=(5))", "limit=(5), hydrate=True)"),
    (SetKeyword(BODY, "limit", "7"), "limit=(5))", "limit=7)"),
    (SetKeyword(TABLE, "delimiter", '"#"'), 'GSI("gsi2")]):', 'GSI("gsi2")], delimiter="#"):'),
    (SetKeyword(FIRST_INDEX, "projection", 'include("a")'), "projection=KEYS_ONLY", 'projection=include("a")'),
    (SetKeyword(SECOND_INDEX, "name", '"two"'), 'GSI("gsi2")', 'GSI("gsi2", name="two")'),
    (RemoveKeyword(ENTITY, "gsi1"), '    gsi1=("CUST#{customer_id}", "{id}"),\n', ""),
    (RemoveKeyword(BODY, "consistent"), "consistent=True, limit", "limit"),
    (RemoveKeyword(BODY, "limit"), ", limit=(5))", ")"),
    (RemoveKeyword(FIRST_INDEX, "projection"), ", projection=KEYS_ONLY", ""),
    (
        SetItem(ENTITY, "derived", "shard", 'shard("id", of=8)'),
        '"month")}',
        '"month"), "shard": shard("id", of=8)}',
    ),
    (SetItem(ENTITY, "derived", "month", 'bucket("at", "day")'), '"at", "month"', '"at", "day"'),
    (AddElement(TABLE, "indexes", 'GSI("gsi3")'), 'GSI("gsi2")]', 'GSI("gsi2"), GSI("gsi3")]'),
    (RemoveElement(FIRST_INDEX), 'GSI("gsi1", projection=KEYS_ONLY), ', ""),
    (RemoveElement(SECOND_INDEX), ', GSI("gsi2")', ""),
    (AddParameter(PATTERN, "tenant_id", "str"), "customer_id: str, *", "customer_id: str, tenant_id: str, *"),
    (SetParameter(PATTERN, "limit", "int = 9"), "limit: int = (20))", "limit: int = 9)"),
    (SetParameter(PATTERN, "cursor", "str | None = None"), "(20))", "(20), cursor: str | None = None)"),
    (SetFieldDeclaration(CLASS, "total", "total: int = 0"), "total: int | None = None", "total: int = 0"),
    (AddImport(ENTITY, "singletable", "KEYS_ONLY"), "    Page,", "    KEYS_ONLY,\n    Page,"),
    (AddImport(ENTITY, "singletable", "shard"), "    pattern,\n", "    pattern,\n    shard,\n"),
    (AddImport(ENTITY, "singletable", "entity"), "", ""),
    (AddImport(ENTITY, "datetime", "date"), "    pattern,\n)\n", "    pattern,\n)\nfrom datetime import date\n"),
]


@pytest.mark.parametrize(("edit", "old", "new"), CASES, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_source_edits_change_only_their_declaration(edit: Edit, old: str, new: str, newline: str) -> None:
    assert MODEL.count(old) == 1 or not old
    expected = MODEL.replace(old, new).replace("\n", newline)
    assert edit_source(MODEL.replace("\n", newline), [edit]) == expected


TOGETHER = [CASES[number][0] for number in (0, 1, 2, 3, 5, 6, 9, 12, 14, 17, 18, 19, 20, 22)]


@given(st.permutations(TOGETHER))
def test_source_edits_apply_together_in_any_order(edits: list[Edit]) -> None:
    edited = edit_source(MODEL, edits)
    ast.parse(edited)
    for edit in edits:
        if isinstance(edit, RemoveKeyword):
            assert edit.code not in edited
        elif not isinstance(edit, AddImport):
            assert edit.code in edited
    for comment in ("# é: the identity of an order", "# in cents", "# the decorator"):
        assert comment in edited
    # The order decides which element starts a new line when a line becomes too long.
    assert sorted(edited.split()) == sorted(edit_source(MODEL, TOGETHER).split())


@given(
    layout=st.sampled_from(
        [
            "@entity(key=K)",
            "@entity(key=K,)",
            "@entity(key=(\n    K\n))",
            "@entity(\n    key=K,  # note\n)",
            "@entity(\n    key=K\n)",
            "@entity(\n    key=K,\n\n    # last\n)",
            "@entity(**MORE)",
            "@entity()",
            "@m.entity(key=K, name='é')",
        ]
    ),
    values=st.lists(st.sampled_from(["a", "b", "c"]), unique=True, min_size=1),
)
def test_source_edits_add_keywords_to_calls_in_every_layout(layout: str, values: list[str]) -> None:
    source = f"{layout}\nclass Order:\n    id: str\n"
    place = Place("entity", "Order", Location("model.py", 1))
    edited = edit_source(source, [SetKeyword(place, name, f'("{name}", "é")') for name in values])
    (call,) = ast.parse(edited).body[0].decorator_list  # type: ignore[attr-defined]  # a class
    before = ast.parse(source).body[0].decorator_list[0].keywords  # type: ignore[attr-defined]  # a class
    assert [each.arg for each in call.keywords] == [each.arg for each in before] + values
    assert edited.count("#") == source.count("#")
    removed = edit_source(edited, [RemoveKeyword(place, name) for name in values])
    assert ast.dump(ast.parse(removed)) == ast.dump(ast.parse(source))


def test_source_edits_add_keyword_only_parameters_after_all_others() -> None:
    source = MODEL.replace(", *, limit: int = (20)", "")
    edits = [SetParameter(PATTERN, "limit", "int = 9"), SetParameter(PATTERN, "cursor", "str | None = None")]
    expected = "def orders(self, customer_id: str, *, limit: int = 9, cursor: str | None = None) -> Page[Order]:"
    assert expected in edit_source(source, edits)


@pytest.mark.parametrize(
    ("source", "edit", "message"),
    [
        ("Order = entity(key=K)(Base)\n", SetKeyword(ENTITY, "gsi1", "()"), "has no @entity"),
        (MODEL.replace("return query", "found = query"), SetKeyword(BODY, "limit", "5"), "no single return query"),
        (MODEL.replace('{"month": bucket("at", "month")}', "DERIVED"), CASES[12][0], "is not written as a dict"),
        (MODEL, RemoveKeyword(ENTITY, "gsi7"), "@entity of Order has no gsi7="),
        (MODEL, AddParameter(PATTERN, "limit", "int"), "already has the parameter limit"),
        (MODEL.replace("*, limit: int = (20)", "**more: int"), CASES[18][0], "takes any number of parameters"),
        (MODEL, SetFieldDeclaration(CLASS, "status", "status: str"), "does not declare status"),
        (MODEL.replace("indexes=[", "indexes=MORE and ["), RemoveElement(FIRST_INDEX), 'has no GSI("gsi1")'),
    ],
)
def test_source_edits_reject_source_in_another_form(source: str, edit: Edit, message: str) -> None:
    with pytest.raises(EditNotPossible, match=message.replace("(", r"\(").replace(")", r"\)")):
        edit_source(source, [edit])
