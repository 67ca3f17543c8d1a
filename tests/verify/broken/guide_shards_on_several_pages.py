"""Every shard of a list is larger than one page."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query, shard


@entity(
    key=("EVENT#{id}", "EVENT"),
    gsi1=("EVENTS#{shard}", "{id}"),
    derived={"shard": shard("id", of=4)},
    expected_bytes=500,
    expected_per_partition={"gsi1": 5_000},
)
@dataclass
class Event:
    id: str


class Guide(Table, entities=[Event]):
    @pattern(fanout=4)
    def events(self) -> Page[Event]:
        """List all events, one Query per shard."""
        return query(Event)
