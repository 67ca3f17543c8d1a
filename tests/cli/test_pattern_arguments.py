"""Arguments from a shell: every type is parsed, and an invalid value is an error with the expected syntax."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import refused, singletable

MODEL = '''"""Every type that a parameter can have."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Literal
from uuid import UUID

from singletable import (
    Between,
    Box,
    Nearest,
    Page,
    Prefix,
    Radius,
    Since,
    Subtree,
    Table,
    Until,
    entity,
    field,
    geohash,
    get,
    native,
    pattern,
    put,
    query,
    update,
    within,
)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 0
    HIGH = 1


@entity(
    key=("THING#{id}", "META"),
    gsi1=("NUMBER#{number:03d}", "{day}"),
    gsi2=("MOMENT", "{at}#{id}"),
    gsi3=("UUID#{uuid}", "{colour}"),
    gsi4=("FLAG#{flag}#{choice}#{level}", "{price}#{ratio}"),
    gsi5=("PATH", "{path}"),
    gsi6=("BLOB#{id}", native("blob")),
    gsi7=("GEO#{cell}", "{id}"),
    gsi8=("NAME", "{name}"),
    derived={"cell": geohash("latitude", "longitude", precision=6)},
)
@dataclass
class Thing:
    id: str
    name: str
    number: int
    day: date
    at: datetime
    uuid: UUID
    colour: Colour
    flag: bool
    choice: Literal["x", "y"]
    rank: Literal[1, 2]
    level: Level
    price: Decimal
    ratio: float
    path: tuple[str, ...]
    blob: bytes
    tags: list[str]
    latitude: float
    longitude: float


@entity(key=("ORG#{org}", "PATH#{path}"))
@dataclass
class Node:
    org: str
    path: tuple[str, ...]
    tags: list[str]
    price: Decimal | None = None
    open: bool = True


class Things(Table, entities=[Thing, Node]):
    @pattern()
    def by_id(self, id: str) -> Thing | None:
        return get(Thing)

    @pattern()
    def on_days(self, number: int, day: Between[date]) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def since(self, at: Since[datetime]) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def until(self, at: Until[datetime]) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def named(self, name: Prefix[str]) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def by_uuid(self, uuid: UUID, colour: Colour) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def priced(self, flag: bool, choice: Literal["x", "y"], level: Level, price: Decimal) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def by_ratio(
        self, flag: bool, choice: Literal["x", "y"], level: Level, price: Decimal, ratio: Since[float]
    ) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def under(self, path: Subtree[tuple[str, ...]]) -> Page[Thing]:
        return query(Thing)

    @pattern()
    def blobs(self, id: str, blob: Since[bytes]) -> Page[Thing]:
        return query(Thing)

    @pattern(fanout=24)
    def near(self, area: Radius) -> list[Thing]:
        return within(Thing)

    @pattern(fanout=24)
    def in_box(self, area: Box) -> list[Thing]:
        return within(Thing)

    @pattern(fanout=24)
    def nearest(self, area: Nearest) -> list[Thing]:
        return within(Thing)

    @pattern(expected_items=9, expected_examined=9)
    def ranked(self, id: str, rank: Literal[1, 2]) -> Page[Thing]:
        return query(Thing, filter=lambda thing: thing.rank == rank)

    @pattern()
    def tag(self, id: str, tags: list[str]) -> Thing:
        return update(Thing, field(Thing, lambda thing: thing.tags).set(tags))

    @pattern()
    def store(self, node: Node) -> Node:
        return put(Node)
'''
UUID_TEXT = "12345678-1234-5678-1234-567812345678"


@pytest.fixture(name="model", scope="module")
def _model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arguments") / "things.py"
    path.write_text(MODEL, encoding="utf-8")
    return path


def values(model: Path, *arguments: str) -> list[str]:
    """Return the key values of the request, in order."""
    finished = singletable("explain", "--json", model, *arguments)
    assert (finished.returncode, finished.stderr) == (0, "")
    (document,) = json.loads(finished.stdout)["patterns"]
    parameters: dict[str, Any] = document["requests"][0]["parameters"]
    found = parameters.get("Key") or parameters.get("ExpressionAttributeValues") or parameters["Item"]
    return [text for value in found.values() for text in value.values()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("by_id", "c1"), ["THING#c1", "META"]),
        (("by_id", "a#b c"), ["THING#a%23b%20c", "META"]),
        (("on_days", "7", "2026-01-01..2026-02-28"), ["NUMBER#007", "2026-01-01", "2026-02-28$"]),
        (("on_days", "7", "2026-01-01..2026-01-01"), ["NUMBER#007", "2026-01-01", "2026-01-01$"]),
        (("since", "2026-01-01.."), ["MOMENT", "2026-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z$"]),
        (
            ("since", "2026-01-01T10:00+02:00"),
            ["MOMENT", "2026-01-01T08:00:00.000000Z", "9999-12-31T23:59:59.999999Z$"],
        ),
        (("until", "..2026-01-01"), ["MOMENT", "2026-01-01T00:00:00.000000Z$"]),
        (("until", "2026-01-01"), ["MOMENT", "2026-01-01T00:00:00.000000Z$"]),
        (("named", "A b"), ["NAME", "A%20b"]),
        (("by_uuid", UUID_TEXT, "red"), [f"UUID#{UUID_TEXT}", "red"]),
        (("by_uuid", UUID_TEXT.replace("-", ""), "RED"), [f"UUID#{UUID_TEXT}", "red"]),
        (("priced", "true", "x", "HIGH", "5"), ["FLAG#true#x#1", "p130.5#"]),
        (("priced", "FALSE", "y", "1", "5"), ["FLAG#false#y#1", "p130.5#"]),
        (("priced", "true", "x", "LOW", "5"), ["FLAG#true#x#0", "p130.5#"]),
        (("priced", "true", "x", "0", "5"), ["FLAG#true#x#0", "p130.5#"]),
        (("under", "a/b"), ["PATH", "a#b", "a#b$"]),
        (("blobs", "c1", "00ff"), ["BLOB#c1", "AP8="]),
        (("ranked", "c1", "1"), ["THING#c1", "META", "1"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_pattern_arguments_of_every_type_are_parsed(
    model: Path, arguments: tuple[str, ...], expected: list[str]
) -> None:
    assert values(model, *arguments) == expected


def test_pattern_arguments_parse_a_radius(model: Path) -> None:
    assert values(model, "near", "52.5,13.4,1000")[0].startswith("GEO#u33")


def test_pattern_arguments_parse_boxes_and_nearest_places(model: Path) -> None:
    assert values(model, "in_box", "area=-0.001,-0.001,0.001,0.001") == ["GEO#7zzzzz"]
    assert values(model, "nearest", "52.5,13.4,3,1000") == values(model, "near", "52.5,13.4,1000")


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ('{"org": "o", "path": "a/b", "tags": []}', "PATH#a#b"),
        ('{"org": "o", "path": ["a", "b"], "tags": ["x", "y"]}', "PATH#a#b"),
        ('{"org": "o", "path": ["a/b"], "tags": [], "price": 12.50, "open": false}', "PATH#a/b"),
        ('{"org": "o", "path": ["a"], "tags": [], "price": null}', "PATH#a"),
    ],
)
def test_pattern_arguments_parse_an_entity_from_json(model: Path, node: str, expected: str) -> None:
    assert values(model, "store", node)[:2] == ["ORG#o", expected]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("on_days", "seven", "2026-01-01..2026-01-02"), ["number='seven' is not a valid int"]),
        (("on_days", "7.5", "2026-01-01..2026-01-02"), ["number='7.5' is not a valid int"]),
        (("on_days", "", "2026-01-01..2026-01-02"), ["number='' is not a valid int"]),
        (("on_days", "1234", "2026-01-01..2026-01-02"), ["1234 does not fit", "number"]),
        (("on_days", "-7", "2026-01-01..2026-01-02"), ["-7 is negative", "number"]),
        (("on_days", "7", "2026-01-01"), ["day='2026-01-01' is not a valid Between[date]", "LOW..HIGH"]),
        (("on_days", "7", "2026-01-01.."), ["is not a valid Between[date]", "LOW..HIGH"]),
        (("on_days", "7", "..2026-01-01"), ["is not a valid Between[date]", "LOW..HIGH"]),
        (("on_days", "7", "2026-01-01..soon"), ["is not a valid Between[date]", "soon"]),
        (("on_days", "7", "2026-02-30..2026-03-01"), ["is not a valid Between[date]", "day is out of range"]),
        (("on_days", "7", "2026-01-02..2026-01-01"), ["day", "2026-01-02", "2026-01-01"]),
        (("since", "yesterday"), ["at='yesterday' is not a valid Since[datetime]"]),
        (("since", "2026-01-01..2026-02-01"), ["is not a valid Since[datetime]", "LOW.."]),
        (("since", "..2026-02-01"), ["is not a valid Since[datetime]"]),
        (("since", "0001-01-01T00:00:00+10:00"), ["outside the years 1 to 9999"]),
        (("until", "2026-01-01..2026-02-01"), ["is not a valid Until[datetime]", "..HIGH"]),
        (("until", "2026-01-01.."), ["is not a valid Until[datetime]"]),
        (("by_uuid", "x", "red"), ["uuid='x' is not a valid UUID"]),
        (("by_uuid", UUID_TEXT, "green"), ["colour='green' is not a valid Colour", "red", "blue"]),
        (("priced", "maybe", "x", "HIGH", "5"), ["flag='maybe' is not a valid bool", "true", "false"]),
        (("priced", "true", "z", "HIGH", "5"), ["choice='z' is not a valid Literal", "x, y"]),
        (("priced", "true", "x", "MEDIUM", "5"), ["level='MEDIUM' is not a valid Level", "0", "1"]),
        (("priced", "true", "x", "HIGH", "five"), ["price='five' is not a valid Decimal", "a number"]),
        (("priced", "true", "x", "HIGH", "NaN"), ["price", "pass a finite number"]),
        (("priced", "true", "x", "HIGH", "1e400"), ["price", "outside 1E-130 to 9.99E+125"]),
        (("by_ratio", "true", "x", "HIGH", "5", "half"), ["ratio='half' is not a valid Since[float]"]),
        (("by_ratio", "true", "x", "HIGH", "5", "inf"), ["ratio", "pass a finite number"]),
        (("under", ""), ["path", "needs at least one element"]),
        (("under", "/"), ["path", "needs at least one element"]),
        (("blobs", "c1", "xyz"), ["blob='xyz' is not a valid Since[bytes]"]),
        (("near", "52.5,13.4"), ["area='52.5,13.4' is not a valid Radius", "LAT,LNG,METERS"]),
        (("near", "here,there,5"), ["area='here,there,5' is not a valid Radius"]),
        (("near", "91,2,100"), ["latitude 91.0 is out of range"]),
        (("near", "52.5,13.4,-5"), ["radius -5.0 is not a distance"]),
        (("near", "nan,nan,nan"), ["is not"]),
        (("near", "52.5,13.4,100000000"), ["geohash cells", "allowed"]),
        (("near", "52.5,13.4,10000"), ["declares fanout=24"]),
        (("in_box", "52,13,53"), ["area='52,13,53' is not a valid Box", "SOUTH,WEST,NORTH,EAST"]),
        (("in_box", "53,13,52,14"), ["south 53.0 is greater than north 52.0: swap them"]),
        (("in_box", "52,13,53,14"), ["a box of 1 by 1 degrees", "geohash cells", "allowed"]),
        (("nearest", "52.5,13.4,1000"), ["is not a valid Nearest", "LAT,LNG,COUNT,METERS"]),
        (("nearest", "52.5,13.4,2.5,1000"), ["area='52.5,13.4,2.5,1000' is not a valid Nearest"]),
        (("nearest", "52.5,13.4,0,1000"), ["count must be an int, 1 or greater, got 0"]),
        (("nearest", "52.5,13.4,5,10000"), ["declares fanout=24"]),
        (("ranked", "c1", "3"), ["rank='3' is not a valid Literal[1, 2]", "1, 2"]),
        (("tag", "c1", '["a"]'), ["list[str] cannot be passed on the command line"]),
        (("store", "{"), ["is not a valid Node"]),
        (("store", "[1]"), ["is not a valid Node", "a JSON object"]),
        (("store", "5"), ["is not a valid Node", "a JSON object"]),
        (("store", "null"), ["is not a valid Node", "a JSON object"]),
        (("store", '"text"'), ["is not a valid Node", "a JSON object"]),
        (("store", '{"org": "o", "colour": "red"}'), ["is not a valid Node", "colour", "org, path, tags, price, open"]),
        (("store", '{"org": "o"}'), ["is not a valid Node", "path"]),
        (
            ("store", '{"org": "o", "path": "a", "tags": [], "open": "perhaps"}'),
            ["is not a valid Node", "true", "false"],
        ),
        (("store", '{"org": "o", "path": "a", "tags": [], "price": "much"}'), ["is not a valid Node", "a number"]),
        (("store", '{"org": "o", "path": [], "tags": []}'), ["path", "needs at least one element"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_invalid_pattern_arguments_are_errors_with_the_syntax(
    model: Path, arguments: tuple[str, ...], said: list[str]
) -> None:
    message = refused(singletable("explain", model, *arguments))
    for piece in said:
        assert piece in message, message
    assert "ConversionSyntax" not in message
    assert "values to unpack" not in message
