"""P10: find shops within a kilometre: read the cells that overlap the circle, then discard shops outside the circle."""

from singletable import Radius

from ..script import Script
from .model import Guide, Shop
from .rows import ROWS

HERE = Radius(35.6550, 139.7440, 1_000)


def execute(guide: Guide) -> list[Shop]:
    return guide.shops_near(HERE)


def show(shops: list[Shop]) -> None:
    cells = len(Guide.shops_near.explain(HERE).requests)
    print(f"Within 1 km of 35.6550, 139.7440, nearest first, from {cells} cells:")
    for shop in shops:
        print(f"{shop.id} {shop.name} ({shop.latitude}, {shop.longitude})")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
