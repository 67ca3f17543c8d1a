"""The number of days is declared."""

from dataclasses import dataclass
from datetime import date

from singletable import Page, Table, entity, pattern, query


@entity(key=("SUB#{id}", "META"), gsi1=("DUE#{next_reminder_date}", "{id}"), cardinality={"next_reminder_date": 365})
@dataclass
class Subscription:
    id: str
    next_reminder_date: date


class Subscriptions(Table, entities=[Subscription]):
    @pattern()
    def due_on(self, next_reminder_date: date, *, limit: int = 20, cursor: str | None = None) -> Page[Subscription]:
        """List the subscriptions with a reminder on one day."""
        return query(Subscription)
