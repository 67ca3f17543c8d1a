"""P10 across the 180th meridian: find shops on both sides of the date line."""

from singletable import Radius

from ..script import Script
from .model import Guide, Shop
from .rows import ROWS

HERE = Radius(-16.8000, 179.9999, 1_000)


def execute(guide: Guide) -> list[Shop]:
    return guide.shops_near(HERE)


def show(shops: list[Shop]) -> None:
    print("Within 1 km of the meridian on Taveuni, nearest first:")
    for shop in shops:
        print(f"{shop.id} {shop.name} ({shop.latitude}, {shop.longitude})")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
