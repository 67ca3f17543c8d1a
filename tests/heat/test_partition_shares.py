"""Shares of the hottest partition that are guessed from the type and the name of a field."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

import pytest

from singletable import Table, entity
from singletable.heat.partition_shares import share_of


@entity(
    key=("E#{id}", "META"),
    gsi1=("S#{status}", "{id}"),
    gsi2=("L#{level}", "{id}"),
    gsi3=("D#{day}", "{id}"),
    gsi4=("D#{day}#{status}", "{id}"),
    gsi5=("K#{kind}", "{id}"),
    cardinality={"kind": 8},
)
@dataclass
class Event:
    id: str
    status: str
    level: Literal["a", "b"]
    day: date
    kind: str


class Events(Table, entities=[Event]):
    pass


@pytest.mark.parametrize(
    ("alias", "part", "guessed"),
    [
        ("key", 1 / 10_000, ("the traffic over Event.id: uniform over 10,000 values",)),
        ("gsi1", 1 / 10, ("the traffic over Event.status: uniform over 10 values, a guess from the name",)),
        ("gsi2", 1 / 2, ("the traffic over Event.level: uniform over 2 values",)),
        ("gsi3", 1, ("the traffic over Event.day: all on the current value",)),
        (
            "gsi4",
            1 / 10,
            (
                "the traffic over Event.day: all on the current value",
                "the traffic over Event.status: uniform over 10 values, a guess from the name",
            ),
        ),
        ("gsi5", 1 / 8, ()),
    ],
)
def test_the_share_of_the_hottest_partition(alias: str, part: float, guessed: tuple[str, ...]) -> None:
    (event,) = Events.design.entities
    share = share_of(event, event.placements[alias])
    assert share.part == pytest.approx(part)
    assert share.guessed == guessed
