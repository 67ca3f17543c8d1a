"""Declarations of stream handlers: wrong ones are design errors, and a table with handlers needs a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from singletable import ChangeEvent, DesignError, Table, TableDiffers, entity, on
from singletable.engine import Engine
from singletable.model.table_schema import create_table_request


@entity(key=("A#{id}", "HEAD"))
@dataclass
class Ship:
    id: str


@entity(key=("B#{id}", "HEAD"))
@dataclass
class Port:
    id: str


@entity(key=("CREW#{ship}", "SAILOR#{sailor}"))
@dataclass
class Crew:
    ship: str
    sailor: str


@entity(key=("SAILOR#{sailor}", "CREW#{ship}"), mirror_of=Crew)
@dataclass
class Voyages:
    ship: str
    sailor: str


@on(Ship, "insert")
def launched(old: None, new: Ship) -> str:
    return new.id


@on(Ship, "modify", "remove")
def moved(old: Ship | None, new: Ship | None, event: ChangeEvent[Ship]) -> None: ...


@on(Ship, Port, "insert", batch=True)
def noted(events: Sequence[ChangeEvent[Ship | Port]]) -> int:
    return len(events)


def takes_one(new: Ship) -> None: ...


def takes_two(old: None, new: Ship) -> None: ...


def problem_of(**keywords: Any) -> str:
    with pytest.raises(DesignError) as raised:
        type("Harbour", (Table,), {}, entities=[Ship, Port], **keywords)
    return str(raised.value)


def test_a_handler_can_be_called_like_its_function() -> None:
    assert launched(None, Ship("s1")) == "s1"


def test_a_stream_handler_of_another_entity_is_an_error() -> None:
    @on(Crew, "insert")
    def hired(old: None, new: Crew) -> None: ...

    assert "Crew is not an entity of Harbour" in problem_of(handlers=[hired])


def test_a_stream_handler_of_a_mirrored_edge_is_an_error() -> None:
    @on(Voyages, "insert")
    def sailed(old: None, new: Voyages) -> None: ...

    with pytest.raises(DesignError, match="Voyages mirrors Crew, so its items are derived data"):
        type("Harbour", (Table,), {}, entities=[Crew, Voyages], handlers=[sailed])


def test_two_stream_handlers_of_one_name_are_an_error() -> None:
    assert "have the name launched" in problem_of(handlers=[launched, launched])


def test_a_stream_handler_without_on_is_an_error() -> None:
    assert "handlers must contain functions with @on" in problem_of(handlers=[print])


@pytest.mark.parametrize("selected", [(Ship,), ("insert",), (Ship, "create"), ()])
def test_a_stream_handler_needs_entities_and_kinds(selected: tuple[Any, ...]) -> None:
    with pytest.raises(DesignError, match="@on needs entities, followed by kinds of change"):
        on(*selected)


def test_the_parameters_of_a_stream_handler_are_checked() -> None:
    with pytest.raises(DesignError, match=r"must take \(old, new\) or \(old, new, event\)"):
        on(Ship, "insert")(takes_one)  # type: ignore[arg-type]  # the test is about this error
    with pytest.raises(DesignError, match=r"must take \(events\), because batch=True"):
        on(Ship, "insert", batch=True)(takes_two)  # type: ignore[arg-type]  # as above


def test_a_table_with_handlers_is_created_with_a_stream_of_both_images() -> None:
    class Harbour(Table, entities=[Ship, Port], handlers=[launched, moved, noted]): ...

    request = create_table_request(Harbour.design, "Harbour")
    assert request["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    Harbour.open("memory:").close()


@pytest.mark.parametrize("view", [None, "KEYS_ONLY"])
def test_open_rejects_a_table_without_the_stream(view: str | None) -> None:
    class Plain(Table, entities=[Ship, Port], name="Harbour"): ...

    class Harbour(Table, entities=[Ship, Port], handlers=[launched]): ...

    with Engine() as engine:
        Plain.open(engine, create=True).close()
        if view is not None:
            specification = {"StreamEnabled": True, "StreamViewType": view}
            engine.call("UpdateTable", {"TableName": "Harbour", "StreamSpecification": specification})
        with pytest.raises(TableDiffers, match="the stream handlers of the model need NEW_AND_OLD_IMAGES"):
            Harbour.open(engine)
