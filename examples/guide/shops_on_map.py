"""P10 on a map: find the shops in a bounding box, also across the 180th meridian."""

from singletable import Box

from ..script import Script
from .model import Guide, Shop
from .rows import ROWS

TOKYO = Box(35.645, 139.735, 35.660, 139.750)
TAVEUNI = Box(-16.805, 179.990, -16.790, -179.990)


def execute(guide: Guide) -> tuple[list[Shop], list[Shop]]:
    return guide.shops_on_map(TOKYO), guide.shops_on_map(TAVEUNI)


def show(found: tuple[list[Shop], list[Shop]]) -> None:
    for place, shops in zip(("Tokyo", "Taveuni"), found, strict=True):
        print(f"On the map of {place}, from south to north:")
        for shop in shops:
            print(f"{shop.id} {shop.name} ({shop.latitude}, {shop.longitude})")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
