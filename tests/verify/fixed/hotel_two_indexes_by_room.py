"""One index has the bookings of a room."""

from dataclasses import dataclass

from singletable import GSI, Page, Table, entity, get, native, pattern, query


@entity(
    key=("BOOKING#{id}", "BOOKING"),
    gsi2=(native("room_id"), native("starts_at")),
    expected_per_partition={"key": 1, "gsi2": 100},
)
@dataclass
class Booking:
    id: str
    room_id: str
    starts_at: str


class Hotel(
    Table,
    entities=[Booking],
    indexes=[GSI("gsi2", keys=("room_id", "starts_at"))],
):
    @pattern()
    def booking(self, id: str) -> Booking | None:
        """Get a booking."""
        return get(Booking)

    @pattern()
    def bookings_of_room(self, room_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Booking]:
        """Bookings of a room."""
        return query(Booking)
