"""The number of values of the fields in a partition key."""

from dataclasses import dataclass
from datetime import date, datetime

from singletable import Table, bucket, entity, get, native, pattern, skewed
from singletable.planner.partition_values import PartitionValue, partition_values


@entity(
    key=("E#{id}", "META"),
    gsi1=("S#{status}#{region}", "{id}"),
    gsi2=("D#{day}", "{id}"),
    gsi3=("H#{at:hours}", "{id}"),
    gsi4=("M#{at:minutes}", "{id}"),
    gsi5=("B#{month}#{id}", "{at}"),
    gsi6=(native("kind"), native("born")),
    gsi7=("BORN#{born}", "{id}"),
    derived={"month": bucket("at", "month")},
    cardinality={"region": skewed(3, hottest=0.5)},
)
@dataclass
class Event:
    id: str
    status: str
    region: str
    day: date
    at: datetime
    kind: str
    born: str


class Events(Table, entities=[Event]):
    @pattern()
    def event(self, id: str) -> Event | None:
        """Get an event."""
        return get(Event)


def values(alias: str) -> list[PartitionValue]:
    (event,) = Events.design.entities
    return list(partition_values(event, event.placements[alias]))


def test_declared_numbers_of_partition_values_take_precedence_over_guesses() -> None:
    status, region = values("gsi1")
    assert (status.count, status.is_guess, status.is_declared) == (10, True, False)
    assert (region.count, region.hottest, region.is_guess, region.is_declared) == (3, 0.5, False, True)


def test_partition_values_of_days_and_hours_are_the_current_time_and_of_minutes_are_not() -> None:
    assert [values(alias)[0].is_current_time for alias in ("gsi2", "gsi3", "gsi4")] == [True, True, False]


def test_a_bucket_is_the_current_time_and_an_id_has_many_values() -> None:
    month, identifier = values("gsi5")
    assert (month.is_current_time, month.derived is not None) == (True, True)
    assert (identifier.count, identifier.is_current_time) == (None, False)


def test_partition_values_of_native_keys_count_like_templates() -> None:
    (kind,) = values("gsi6")
    assert (kind.name, kind.count) == ("kind", 10)


def test_partition_values_of_other_text_are_many() -> None:
    assert values("gsi7") == [PartitionValue("born")]
