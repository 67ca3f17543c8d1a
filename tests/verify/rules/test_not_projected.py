"""Projections: an index holds its own keys, the table's keys and what it includes, for answers and for filters."""

from dataclasses import dataclass

from singletable import GSI, KEYS_ONLY, Page, Table, entity, include, native, pattern, query
from singletable.verify.design_check import check


@dataclass
class Place:
    device: str
    id: str


@entity(key=(native("device"), native("id")), gsi1=("SITE#{site}", "{at}"), gsi2=("KIND#{kind}", "{at}"))
@dataclass
class Event:
    device: str
    id: str
    site: str
    kind: str
    at: str
    note: str


class Events(
    Table,
    entities=[Event],
    keys=("device", "id"),
    indexes=[GSI("gsi1", projection=KEYS_ONLY), GSI("gsi2", projection=include("note"))],
):
    @pattern()
    def keys_of_the_table(self, site: str) -> Page[Place]:
        return query(Event, view=Place)

    @pattern(expected_items=10, expected_examined=10)
    def filter_on_a_key_of_the_table(self, site: str) -> Page[Place]:
        return query(Event, view=Place, filter=lambda event: event.device == "d1")

    @pattern(expected_items=10, expected_examined=10)
    def filter_on_what_is_included(self, kind: str) -> Page[Place]:
        return query(Event, view=Place, filter=lambda event: event.note != "")

    @pattern(expected_items=10, expected_examined=10)
    def filter_on_a_field_inside_a_key(self, site: str) -> Page[Place]:
        return query(Event, view=Place, filter=lambda event: event.at > "2026")

    @pattern()
    def everything(self, kind: str) -> Page[Event]:
        return query(Event)


def test_the_not_projected_rule_covers_returned_and_filtered_fields() -> None:
    found = {f.subject: f.message.partition(": ")[2] for f in check(Events.design).findings if f.code == "ST115"}
    assert found == {
        # A filter sees attributes; that the field could be read back from the key is of no use to it.
        "filter_on_a_field_inside_a_key": "GSI1 (KEYS_ONLY) does not project at",
        "everything": "GSI2 (INCLUDE note) does not project site",
    }
