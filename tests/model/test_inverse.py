"""Inverse indexes: the table's keys swapped, for every entity, with nothing written for them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import ALL, GSI, KEYS_ONLY, DesignError, KeyRefused, Table, entity, inverse, native
from singletable.model.index import KeyAttribute
from singletable.planner.items import item_of, values_of


@entity(key=("USER#{user}", "TEAM#{team}"), identity=("user", "team"))
@dataclass(frozen=True)
class Membership:
    user: str
    team: str


@entity(key=("TEAM#{id}", "TEAM#{id}"))
@dataclass(frozen=True)
class Team:
    id: str


class Edges(Table, entities=[Membership, Team], indexes=[inverse("gsi1")]):
    pass


def test_its_keys_are_the_tables_own_swapped() -> None:
    index = Edges.design.indexes["gsi1"]
    assert (index.name, index.kind, index.projection) == ("GSI1", "GSI", ALL)
    assert (index.partition, index.sort) == ((KeyAttribute("SK"),), (KeyAttribute("PK"),))


def test_every_entity_is_in_it_under_its_own_templates_swapped() -> None:
    assert Edges.design.placed_in(Edges.design.indexes["gsi1"]) == Edges.design.entities
    for entity_ in Edges.design.entities:
        placed = entity_.placements["gsi1"]
        assert (placed.partition, placed.sort) == (entity_.base.sort, entity_.base.partition)


def test_nothing_is_written_for_it() -> None:
    membership = Edges.design.entity_of(Membership)
    item = item_of(Edges.design, membership, values_of(membership, Membership("u", "t")))
    assert sorted(item) == ["PK", "SK", "entity_type", "team", "user"]


def test_its_name_its_attributes_and_what_it_holds_are_settable() -> None:
    class Named(
        Table, entities=[Team], keys=("pk", "sk"), indexes=[inverse("edges", name="sk-pk", projection=KEYS_ONLY)]
    ):
        pass

    index = Named.design.indexes["edges"]
    assert (index.name, index.key_attributes, index.projection) == ("sk-pk", ("sk", "pk"), KEYS_ONLY)


@entity(key=(native("device"), native("at")), identity=("device", "at"))
@dataclass(frozen=True)
class Reading:
    device: str
    at: int


def test_the_types_of_native_keys_are_kept() -> None:
    class Readings(Table, entities=[Reading], indexes=[inverse("by_time")]):
        pass

    assert Readings.design.indexes["by_time"].partition == (KeyAttribute("at", "N"),)


def test_a_partition_key_that_is_too_long_to_sort_by_is_refused() -> None:
    membership = Edges.design.entity_of(Membership)
    with pytest.raises(KeyRefused, match="PK would have 1105 bytes, and DynamoDB takes at most 1024"):
        item_of(Edges.design, membership, {"user": "u" * 1100, "team": "t"})


@entity(key=("USER#{user}", "TEAM#{team}"), gsi1=("TEAM#{team}", "USER#{user}"), identity=("user", "team"))
@dataclass(frozen=True)
class Stubborn:
    user: str
    team: str


def test_an_entity_that_gives_it_keys_is_refused() -> None:
    with pytest.raises(
        DesignError, match=r"Stubborn: gsi1=.* is given, but gsi1 is the inverse of the table"
    ) as caught:

        class Wrong(Table, entities=[Team, Stubborn], indexes=[inverse("gsi1")]):
            pass

    (problem,) = caught.value.problems
    assert problem.remedy == "Take gsi1= out; every item of the table is in gsi1 by itself."


@entity(key="TEAM#{id}")
@dataclass(frozen=True)
class Bare:
    id: str


def test_a_table_without_a_sort_key_has_no_inverse() -> None:
    with pytest.raises(DesignError, match="which has no sort key to be partitioned by"):

        class Wrong(Table, entities=[Bare], indexes=[inverse("gsi1")]):
            pass


def test_the_table_is_no_index_of_itself() -> None:
    with pytest.raises(DesignError, match="'key' is the table itself"):

        class Wrong(Table, entities=[Team], indexes=[inverse("key")]):
            pass


def test_an_index_that_is_one_in_fact_is_to_be_called_one() -> None:
    with pytest.raises(DesignError) as caught:

        class Wrong(Table, entities=[Team], indexes=[GSI("gsi1", keys=("SK", "PK"))]):
            pass

    assert (
        caught.value.problems[0].remedy == 'Declare it as inverse("gsi1"): every item is in it, with its keys swapped.'
    )


@entity(key=("A#{id}", "B"), expected_per_partition={"key": 1, "gsi1": 9, "gsi9": 2})
@dataclass(frozen=True)
class Expected:
    id: str


def test_what_is_expected_in_it_can_be_said() -> None:
    with pytest.raises(DesignError, match=r"expected_per_partition names 'gsi9'; its keys are key, gsi1$"):

        class Wrong(Table, entities=[Expected], indexes=[inverse("gsi1")]):
            pass
