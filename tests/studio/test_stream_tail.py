from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from singletable import Table, entity, key, on, upgrade
from singletable.studio.stream_tail import TAILS_MAX, ShownChange, shown_changes
from singletable.studio.studio_store import send
from singletable.testing import StreamRunner
from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, text_of, view_of, workspace


class Level(Enum):
    LOW = "low"
    HIGH = "high"


@dataclass
class Place:
    room: str
    tags: set[str] = field(default_factory=set)


@entity(key=("SENSOR#{id}", "HEAD"), gsi1=("LEVEL#{level}", "{id}"), unique=["serial"], schema_version=2)
@dataclass
class Sensor:
    id: str
    serial: str
    level: Level = Level.LOW
    seen_at: datetime | None = None
    place: Place | None = None


@upgrade(Sensor, from_version=1)
def with_serial(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "serial": fields.pop("number")}


@on(Sensor, "insert")
def nothing(old: None, new: Sensor) -> None:
    """A handler, so that the table has a stream."""


class Sensors(Table, entities=[Sensor], handlers=[nothing]):
    """Sensors."""


SENSORS = f"{Path(__file__)}:Sensors"
AT = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return store_of(tmp_path, Sensors, ())


@pytest.fixture
def shown(url: str) -> Iterator[Studio]:
    found = studio(workspace(SENSORS, url))
    yield found
    found.space.close()


def follow(shown: Studio, **given: Any) -> Any:
    return shown.ask("changes", "Sensors", **given)


def test_the_stream_tail_shows_changes_of_other_programs_with_old_and_new_values(shown: Studio, url: str) -> None:
    first = follow(shown)
    assert (first["count"], first["shards"]) == (0, "1 shard")
    with Sensors.open(url) as sensors:
        sensors.put(Sensor("s1", "n1", place=Place("attic")))
        sensors.put(Sensor("s1", "n1", Level.HIGH, AT, Place("attic", {"hot"})))
        sensors.delete(key(Sensor, id="s1"))
    answer = follow(shown, tail=first["tail"])
    assert (answer["tail"], answer["count"], answer["internal"]) == (first["tail"], 3, 2)
    text = text_of(answer["html"])
    assert text.index("remove") < text.index("modify") < text.rindex("insert"), "the newest first"
    assert "level Level low high" in text
    assert "seen_at datetime \N{EN DASH} 2026-05-01 12:30:00" in text
    assert "place Place {room: attic} {room: attic, tags: {hot}}" in text
    assert "2 unchanged fields" in text
    assert "internal" in text
    assert follow(shown, tail=first["tail"])["count"] == 0


def test_the_stream_tail_can_begin_with_the_oldest_record_and_follows_the_shards(shown: Studio, url: str) -> None:
    with Sensors.open(url) as sensors:
        for number in range(7):
            sensors.put(Sensor(f"s{number}", f"n{number}"))
    engine = shown.space.table("Sensors").opened().session.transport.engine  # type: ignore[union-attr]  # of the file
    engine.shard_records = 4
    with Sensors.open(url) as sensors:
        sensors.put(Sensor("new", "new"))
    assert follow(shown)["count"] == 0
    counted, tail = 0, ""
    for _ in range(20):
        answer = follow(shown, tail=tail, start="oldest")
        tail, counted = answer["tail"], counted + answer["count"]
        if not answer["has_more"]:
            break
    assert counted == 8


def changes_of(shown: Studio, old: Any, new: Any, *, is_expiry: bool = False) -> list[ShownChange]:
    from singletable.streams.stream_records import StreamRecord

    known = new or old
    record = StreamRecord("1", {"PK": known["PK"], "SK": known["SK"]}, old, new, AT.timestamp(), is_expiry)
    return list(shown_changes(view_of(shown.space, "Sensors"), record))


def item(**attributes: Any) -> dict[str, Any]:
    base = {"PK": {"S": "SENSOR#s1"}, "SK": {"S": "HEAD"}, "entity_type": {"S": "Sensor"}, "id": {"S": "s1"}}
    return base | attributes


def test_images_of_an_older_schema_version_are_upgraded_in_the_tail(shown: Studio) -> None:
    (change,) = changes_of(shown, None, item(number={"S": "n7"}))
    assert [(each.type, each.new) for each in change.fields if each.name == "serial"] == [("str", "n7")]
    assert change.time == "2026-05-01 12:30:00"


def test_the_stream_tail_shows_expired_items_and_changed_entities_as_kinds(shown: Studio) -> None:
    (expired,) = changes_of(shown, item(serial={"S": "n"}, schema_v={"N": "2"}), None, is_expiry=True)
    assert expired.kind == "expire"
    other = item(entity_type={"S": "Gone"})
    kinds = [(each.kind, each.label) for each in changes_of(shown, item(serial={"S": "n"}), other)]
    assert kinds == [("remove", "Sensor"), ("insert", "no entity")]


def test_the_stream_tail_shows_an_item_that_the_model_cannot_read_with_its_attributes(shown: Studio) -> None:
    (change,) = changes_of(shown, None, item(schema_v={"N": "2"}, level={"S": "none"}))
    assert "cannot be read as Sensor" in change.problem
    assert ("level", "S", "none") in [(each.name, each.type, each.new) for each in change.attributes]


def test_the_stream_tail_cuts_long_values_and_escapes_texts(shown: Studio, url: str) -> None:
    script = "<script>alert(1)</script><img src=x>"
    tail = follow(shown)["tail"]
    with Sensors.open(url) as sensors:
        sensors.put(Sensor("s1", script, place=Place("x" * 100_000)))
    answer = follow(shown, tail=tail)
    assert "&lt;script&gt;" in answer["html"]
    assert "<script" not in answer["html"]
    assert "<img" not in answer["html"]
    assert "… (100," in answer["html"]
    assert len(answer["html"]) < 20_000


def test_old_tails_are_forgotten(shown: Studio) -> None:
    first = follow(shown)["tail"]
    for _ in range(TAILS_MAX):
        follow(shown)
    assert first not in shown.space.tails
    assert len(shown.space.tails) == TAILS_MAX


def test_the_stream_tail_leaves_the_records_for_the_handlers(shown: Studio, url: str) -> None:
    tail = follow(shown)["tail"]
    with Sensors.open(url) as sensors:
        sensors.put(Sensor("s1", "n1"))
        assert follow(shown, tail=tail)["count"] == 1
        assert StreamRunner(sensors).run().delivered == 1


def test_the_stream_tail_can_add_a_stream_to_a_table(tmp_path: Path) -> None:
    found = studio(workspace(COMMERCE, store_of(tmp_path)))
    assert "The table has no stream" in text_of(found.ask("changes")["missing"])
    found.ask("enable")
    tail = found.ask("changes")["tail"]
    found.ask("query", statement="DELETE FROM Commerce WHERE PK='USER#42' AND SK='PROFILE'", confirmed=True)
    assert "remove User USER#42" in text_of(found.ask("changes", tail=tail)["html"])
    found.space.close()


def test_the_stream_tail_follows_a_stream_that_replaces_another_one(shown: Studio, url: str) -> None:
    tail = follow(shown)["tail"]
    with Sensors.open(url) as sensors:
        sensors.put(Sensor("s1", "n1"))
        opened = shown.space.table("Sensors").opened()  # type: ignore[union-attr]  # it has this table
        for enabled in ({"StreamEnabled": False}, {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}):
            send(opened, "UpdateTable", {"TableName": "Sensors", "StreamSpecification": enabled})
            if not enabled["StreamEnabled"]:
                assert follow(shown, tail=tail)["count"] == 1
                assert "The table has no stream" in text_of(follow(shown, tail=tail)["missing"])
        sensors.put(Sensor("s2", "n2"))
    answer = follow(shown, tail=tail)
    assert (answer["count"], answer["tail"] != tail) == (1, True)


def test_the_stream_tail_reads_nothing_on_dynamodb_before_a_click_and_never_writes() -> None:
    found = studio(workspace(COMMERCE, "dynamodb://eu-west-1"))
    assert "Nothing was read AWS bills each read" in text_of(found.page("/Commerce/stream"))
    assert "read-only" in found.ask("enable")["error"]
    assert found.space.store.total.cost.requests == 0
    found.space.close()
