"""Shops near a place are read, but no index has the geohash cell in its partition key."""

from pydantic import BaseModel

from singletable import Radius, Table, entity, geohash, pattern, within


@entity(
    key=("SHOP#{id}", "META"),
    derived={"cell": geohash("latitude", "longitude", precision=6)},
)
class Shop(BaseModel):
    id: str
    latitude: float
    longitude: float


class Guide(Table, entities=[Shop]):
    @pattern(fanout=24, expected_items=50)
    def shops_near(self, area: Radius) -> list[Shop]:
        """P10: find points of interest near a place."""
        return within(Shop)
