"""Each thread has an id in its key."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("FORUM#{forum}", "THREAD#{id}"))
@dataclass
class Thread:
    forum: str
    id: str
    subject: str


class Forum(Table, entities=[Thread]):
    @pattern()
    def thread(self, forum: str, id: str) -> Thread | None:
        """Get a thread."""
        return get(Thread)
