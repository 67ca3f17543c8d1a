"""Shops have one partition per geohash cell, but the search around a place declares no maximum number of cells."""

from pydantic import BaseModel

from singletable import Radius, Table, entity, geohash, pattern, within


@entity(
    key=("SHOP#{id}", "META"),
    gsi1=("GEO#{cell}", "{latitude:number}#{longitude:number}#{id}"),
    derived={"cell": geohash("latitude", "longitude", precision=6)},
)
class Shop(BaseModel):
    id: str
    latitude: float
    longitude: float


class Guide(Table, entities=[Shop]):
    @pattern(expected_items=50)
    def shops_near(self, area: Radius) -> list[Shop]:
        """P10: find points of interest near a place."""
        return within(Shop)
