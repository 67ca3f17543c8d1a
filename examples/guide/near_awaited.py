"""Run two fan-outs at the same time with asyncio: the cells of both circles are read concurrently."""

import asyncio

from singletable import Radius

from ..script import Script
from .model import Guide, Shop
from .rows import ROWS


def execute(guide: Guide) -> tuple[list[Shop], list[Shop]]:
    async def both() -> tuple[list[Shop], list[Shop]]:
        tokyo, taveuni = Radius(35.6586, 139.7454, 500), Radius(-16.8000, 179.9999, 500)
        first, second = await asyncio.gather(guide.shops_near.aio(tokyo), guide.shops_near.aio(taveuni))
        return first, second

    return asyncio.run(both())


def show(found: tuple[list[Shop], list[Shop]]) -> None:
    for place, shops in zip(("Tokyo Tower", "the meridian"), found, strict=True):
        print(f"Within 500 m of {place}:", ", ".join(shop.name for shop in shops))


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
