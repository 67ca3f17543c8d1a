"""The partition key of an index has five native attributes, but DynamoDB allows four."""

from pydantic import BaseModel

from singletable import Page, Table, entity, native, pattern, query


@entity(
    key=("DEVICE#{device_id}", "EVT#{id}"),
    gsi1=((native("country"), native("region"), native("city"), native("site"), native("kind")), native("id")),
)
class Event(BaseModel):
    device_id: str
    id: str
    country: str
    region: str
    city: str
    site: str
    kind: str


class Guide(Table, entities=[Event]):
    @pattern()
    def events_at(
        self, country: str, region: str, city: str, site: str, kind: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Event]:
        """The events of one kind at one site."""
        return query(Event)
