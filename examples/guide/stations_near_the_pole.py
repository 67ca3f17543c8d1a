"""P10 around a pole: a circle around a pole contains every longitude, and 32 large cells cover it."""

from singletable import Radius

from ..script import Script
from .model import Guide, Station
from .rows import ROWS

SOUTH = Radius(-89.5, 75.0, 200_000)
NORTH = Radius(90.0, 0.0, 200_000)


def execute(guide: Guide) -> tuple[list[Station], list[Station]]:
    return guide.stations_near(SOUTH), guide.stations_near(NORTH)


def show(found: tuple[list[Station], list[Station]]) -> None:
    for pole, stations in zip(("south", "north"), found, strict=True):
        print(f"Within 200 km near the {pole} pole, nearest first:")
        for station in stations:
            print(f"{station.id} {station.name} ({station.latitude}, {station.longitude})")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
