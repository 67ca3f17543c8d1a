"""Two indexes have the bookings of a room, and only one of them has an order."""

from dataclasses import dataclass

from singletable import GSI, Page, Table, entity, get, native, pattern, query


@entity(
    key=("BOOKING#{id}", "BOOKING"),
    gsi1=native("room_id"),
    gsi2=(native("room_id"), native("starts_at")),
    expected_per_partition={"key": 1, "gsi1": 100, "gsi2": 100},
)
@dataclass
class Booking:
    id: str
    room_id: str
    starts_at: str


class Hotel(
    Table,
    entities=[Booking],
    indexes=[GSI("gsi1", keys=("room_id",)), GSI("gsi2", keys=("room_id", "starts_at"))],
):
    @pattern()
    def booking(self, id: str) -> Booking | None:
        """Get a booking."""
        return get(Booking)

    @pattern()
    def bookings_of_room(self, room_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Booking]:
        """Bookings of a room."""
        return query(Booking)

    @pattern()
    def bookings_by_start(self, room_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Booking]:
        """Bookings of a room in the order of their start."""
        return query(Booking, order_by=lambda b: b.starts_at)
