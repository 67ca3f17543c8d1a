"""Hotels with rooms and reviews: the name of an entity outside a collection sorts between those of its members."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, collection, entity, pattern, query


@entity()
@dataclass
class Hotel:
    id: str


@entity(identity=("hotel_id", "number"), expected_per_partition=100)
@dataclass
class Room:
    hotel_id: str
    number: str


@entity(identity=("hotel_id", "written_at"), expected_per_partition=5_000)
@dataclass
class Review:
    hotel_id: str
    written_at: datetime
    text: str


@dataclass
class HotelWithRooms:
    hotel: Hotel
    rooms: list[Room]


class HotelReviews(Table, entities=[Hotel, Room, Review]):
    @pattern(rate=20)
    def hotel_with_rooms(self, hotel_id: str, *, limit: int = 100) -> HotelWithRooms | None:
        """A hotel with its rooms."""
        return collection(HotelWithRooms)

    @pattern(rate=20)
    def reviews_of_hotel(self, hotel_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Review]:
        """The reviews of a hotel, newest first."""
        return query(Review, newest_first=True)
