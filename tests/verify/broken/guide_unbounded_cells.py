"""The cells of an area can contain any number of shops."""

from dataclasses import dataclass

from singletable import Radius, Table, entity, geohash, pattern, within


@entity(
    key=("SHOP#{id}", "META"),
    gsi1=("GEO#{cell}", "{id}"),
    derived={"cell": geohash("latitude", "longitude", precision=6)},
)
@dataclass
class Shop:
    id: str
    latitude: float
    longitude: float


class Guide(Table, entities=[Shop]):
    @pattern(fanout=24)
    def shops_near(self, area: Radius) -> list[Shop]:
        """List the shops within a radius."""
        return within(Shop)
