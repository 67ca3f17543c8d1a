"""Policies per tenant: only where every key that may be reached keeps tenants apart."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import ExportRefused, Table, entity
from singletable.export.iam import Place
from singletable.export.table import exported_table
from singletable.export.tenants import tenant_policies
from tests.export.models import Blog, Notes, example_tables

TAG = "${aws:PrincipalTag/tenant}"


def keys_of(table: type[Table], field: str = "tenant") -> dict[str, list[str]]:
    reads, _ = tenant_policies(exported_table(table.design), field, field, Place())
    return {
        statement["Sid"]: statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for statement in reads.statements
    }


def test_a_tenant_reaches_the_partitions_that_begin_with_it() -> None:
    assert keys_of(Notes) == {
        "Table": [f"TENANT#{TAG}", f"TENANT#{TAG}#NOTE#*"],
        "IndexGSI1": [f"TENANT#{TAG}#*"],
    }


def test_reading_and_writing_are_both_held_to_it() -> None:
    for policy in tenant_policies(exported_table(Notes.design), "tenant", "org", Place()):
        for statement in policy.statements:
            held = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
            assert all(key.startswith("TENANT#${aws:PrincipalTag/org}") for key in held)
            assert statement["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}


def test_every_key_that_does_not_begin_with_the_tenant_is_named() -> None:
    with pytest.raises(ExportRefused) as refused:
        keys_of(Blog, "writer_id")
    message = str(refused.value)
    assert "Writer in the table: it has no field 'writer_id'" in message
    assert "Writer: what keeps email unique lies in 'UNIQUE#Writer#email#{email}'" in message
    assert "Post in the table: 'POST#{id}' does not begin with {writer_id}" in message
    assert 'as in "TENANT#{writer_id}#..."' in message


@pytest.mark.parametrize("key", ["T#{tenant}-{id:03d}", "{tenant:raw}", "A#{id}#{tenant}", "T{id:03d}{tenant}"])
def test_a_key_in_which_one_tenant_could_be_taken_for_another_is_refused(key: str) -> None:
    @entity(key=(key, "X"), identity=())
    @dataclass
    class Thing:
        tenant: str
        id: int

    class Things(Table, entities=[Thing]):
        """Keys that do not keep tenants apart."""

    with pytest.raises(ExportRefused, match="does not begin with"):
        keys_of(Things)


def test_a_delimiter_that_a_tag_may_hold_is_warned_of() -> None:
    @entity(key=("T/{tenant}/{id}", "X"))
    @dataclass
    class Thing:
        tenant: str
        id: str

    class Things(Table, entities=[Thing], delimiter="/"):
        """Segments that a tag could imitate."""

    reads, _ = tenant_policies(exported_table(Things.design), "tenant", "tenant", Place())
    assert any("give no tenant" in note for note in reads.notes)


def test_no_example_is_kept_apart_by_a_field_that_none_has() -> None:
    with pytest.raises(ExportRefused, match="has no field 'tenant'"):
        keys_of(example_tables()[0])
