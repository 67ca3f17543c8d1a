"""P10 by count: find the three shops nearest to a point, ring by ring, up to two kilometres."""

from singletable import Nearest

from ..script import Script
from .model import Guide, Shop
from .rows import ROWS


def execute(guide: Guide) -> list[Shop]:
    return guide.nearest_shops(Nearest(35.6550, 139.7440, 3, meters=2_000))


def show(shops: list[Shop]) -> None:
    print("The nearest to 35.6550, 139.7440:")
    for shop in shops:
        print(f"{shop.id} {shop.name}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
