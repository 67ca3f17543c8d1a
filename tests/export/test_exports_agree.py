"""Exports create the same table on the engine as the model does."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import GSI, LSI, Table, entity, include
from singletable.errors import Location
from singletable.export.exported_table import ExportedTable, ExportSettings, ProvisionedUnits, exported_table
from singletable.model.design import Design, compile_design
from singletable.model.table_schema import TableSettings
from tests.export.created import BARE, EXPORTS, by_model, without_settings
from tests.export.models import Blog, Notes, Readings, example_tables
from tests.planner.test_random_designs import Case, cases

TABLES = [*example_tables(), Readings, Notes, Blog]


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_an_exported_table_is_created_like_the_table_that_opening_the_model_creates(
    table: type[Table], export: str
) -> None:
    bare = exported_table(table.design, description=table.__doc__, settings=BARE)
    assert EXPORTS[export](bare) == by_model(table.design)


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("table", [Readings, Notes, Blog], ids=lambda table: table.__name__)
def test_an_exported_table_has_a_stream_and_deletion_protection_in_every_format(
    table: type[Table], export: str
) -> None:
    made = EXPORTS[export](exported_table(table.design, description=table.__doc__))
    assert made["table"]["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert made["table"]["DeletionProtectionEnabled"] is True
    assert without_settings(made) == without_settings(by_model(table.design))


@pytest.mark.parametrize("export", EXPORTS)
def test_an_exported_table_has_the_same_capacity_class_and_name_in_every_format(export: str) -> None:
    chosen = ExportSettings(
        provisioned=ProvisionedUnits(7, 3),
        index_units={"GSI1": ProvisionedUnits(9, 4)},
        stream="KEYS_ONLY",
        table_class="STANDARD_INFREQUENT_ACCESS",
        tags={"team": "notes"},
    )
    made = EXPORTS[export](exported_table(Notes.design, name="notes.test", settings=chosen))["table"]
    units, (index,) = made["ProvisionedThroughput"], made["GlobalSecondaryIndexes"]
    assert (units["ReadCapacityUnits"], units["WriteCapacityUnits"]) == (7, 3)
    assert (index["ProvisionedThroughput"]["ReadCapacityUnits"], index["IndexName"]) == (9, "GSI1")
    assert made["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert made["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
    assert made["TableName"] == "notes.test"


@given(case=cases())
@settings(max_examples=25)
def test_an_exported_table_of_a_random_design_is_the_same_in_every_format(case: Case) -> None:
    _all_alike(case.design)


# What has a meaning in one of the languages, and what none of them prints.
HOSTILE = st.text(st.sampled_from(["a", "Z", "0", '"', "'", "\\", "$", "{", "}", "%", "#", ":", "-", "\n", "\t", " ",
                                   ",", "[", "!", "&", "*", "?", "|", ">", "@", "`", "é", "☃", "🐍", "\x00", "\x85",
                                   "\u2028", "\ufeff", "\u00a0"]), min_size=1, max_size=12)  # fmt: skip
names = st.text(st.sampled_from("aZ09_.-"), min_size=3, max_size=12)


@st.composite
def hostile_designs(draw: st.DrawFn) -> Design:
    """Names of attributes, indexes and tables as nobody in their right mind gives them."""
    attributes = draw(st.lists(HOSTILE, min_size=6, max_size=6, unique=True))
    table, first, second = draw(st.lists(names, min_size=3, max_size=3, unique=True))

    @entity(
        key=("A#{first}", "{second}"),
        gsi1=("B#{second}", "{first}"),
        lsi1="{second}",
        ttl="expires",
        attributes={"expires": attributes[5]},
    )
    @dataclass
    class Thing:
        first: str
        second: str
        expires: int | None = None

    indexes: list[GSI | LSI] = [
        GSI(
            "gsi1",
            first,
            (attributes[2], attributes[3]),
            include(*draw(st.lists(HOSTILE, min_size=1, max_size=2, unique=True))),
        ),
        LSI("lsi1", second, attributes[4]),
    ]
    keys = (attributes[0], attributes[1])
    return compile_design(TableSettings(table, Location("hostile", 1), keys, indexes), [Thing], [])


@given(design=hostile_designs(), description=HOSTILE)
@settings(max_examples=60)
def test_an_exported_table_with_hostile_names_has_valid_syntax_in_every_format(
    design: Design, description: str
) -> None:
    _all_alike(design, description)


def _all_alike(design: Design, description: str = "") -> None:
    expected = by_model(design)
    table = exported_table(design, description=description, settings=BARE)
    # The parser of Terraform's language takes no `$${` without a `}`; test_hcl.py asks Terraform itself.
    left_out = {"terraform"} if _has_brace(table) else set()
    for name in EXPORTS.keys() - left_out:
        assert EXPORTS[name](table) == expected, name


def _has_brace(table: ExportedTable) -> bool:
    """Whether a name that is exported holds a brace."""
    request = table.create_request
    names = [each["AttributeName"] for each in request["AttributeDefinitions"]] + [table.design.ttl_attribute or ""]
    names += [name for index in table.design.indexes.values() for name in index.projection.attributes]
    return any("{" in name for name in names)
