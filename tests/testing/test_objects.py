"""Objects that Hypothesis makes for a model are stored, and come back equal, on the engine."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from singletable import ArgumentRefused, Table, key
from singletable.testing import objects_of
from tests.planner.test_witness import tables
from tests.testing.models import Every, Limited, Models, Node, Reading, Readings

TABLES: list[type[Table]] = [*tables(), Models, Readings]
ENTITIES = [
    pytest.param(table, entity.cls, id=f"{table.__name__}.{entity.label}")
    for table in TABLES
    for entity in table.design.entities
    # Copies need a source, and a mirror is written with what it mirrors; items_of makes both.
    if not entity.declaration.copies and entity.declaration.mirror_of is None
]


@pytest.mark.parametrize(("table", "cls"), ENTITIES)
@settings(max_examples=max(8, settings().max_examples // 12), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_object_comes_back_as_it_was_put(table: type[Table], cls: type, data: st.DataObject) -> None:
    made = data.draw(objects_of(table, cls))
    entity = table.design.entity_of(cls)
    with table.open("memory:") as opened:
        put = opened.put(made)
        again = opened.get(key(cls, **{name: getattr(made, name) for name in entity.base.fields}))
    assert again == put
    if entity.declaration.version is None:
        assert again == made


def test_values_are_varied() -> None:
    seen: list[Every] = []

    @settings(
        max_examples=100,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
        derandomize=True,
    )
    @given(objects_of(Models, Every))
    def collect(made: Every) -> None:
        seen.append(made)

    collect()
    assert any(made.maybe is None for made in seen)
    assert any(made.maybe is not None and made.sized is not None for made in seen)
    assert any(made.size.note is None for made in seen)
    assert any(made.part.parts for made in seen)
    assert {type(made.either) for made in seen} == {int, str}
    assert any(made.number > 9 for made in seen)
    assert any(character in made.id for made in seen for character in "#%$ ")
    assert any(abs(made.free) > 10**20 for made in seen)
    assert any(0 < abs(made.free) < 1 for made in seen)


@settings(max_examples=max(20, settings().max_examples // 5), suppress_health_check=[HealthCheck.too_slow])
@given(objects_of(Models, Every))
def test_what_is_not_stored_is_not_made(made: Every) -> None:
    assert made.tags
    assert made.numbers
    assert made.later is not None, "it would come back as its default"
    assert made.maybe != "", "the key would be empty"


@given(objects_of(Models, Limited))
def test_constraints_are_kept(made: Limited) -> None:
    assert 0 < made.positive <= 10
    assert made.even in range(-6, 7, 2)
    assert made.ends > 4_000_000_000
    assert made.upper == made.upper.upper() != ""


@given(objects_of(Models, Limited, positive=st.just(7), upper=st.just("x")))
def test_a_field_can_have_a_strategy_of_its_own(made: Limited) -> None:
    assert (made.positive, made.upper) == (7, "X")


def test_what_is_no_entity_or_no_field_is_refused() -> None:
    with pytest.raises(ArgumentRefused, match="Reading is no entity of Models"):
        objects_of(Models, Reading)
    with pytest.raises(ArgumentRefused, match="colour is no field of Node; it has path"):
        objects_of(Models, Node, colour=st.none())
