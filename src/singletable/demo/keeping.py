"""Tables of a tour kept in one file, for `singletable serve` and for programs of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from singletable.client.table import Table
from singletable.demo.tour import Filled, Tour
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused
from singletable.model.create_table import create_table_request

BATCH_ITEMS_MAX = 25


@dataclass(frozen=True)
class Kept:
    """A table in the file: its name there, whose it is, and how many items it holds."""

    name: str
    system: str
    model: type[Table]
    items: int

    @property
    def is_renamed(self) -> bool:
        """Whether another table had taken the model's own name."""
        return self.name != self.model.design.name


def refuse_existing(path: Path) -> None:
    """Refuses a path that something lies at already, or that lies in no folder."""
    if path.exists():
        raise StoreRefused(
            f"{path} is there already, and the demo overwrites nothing.\n  Name a file that is not there."
        )
    if not path.absolute().parent.is_dir():
        raise StoreRefused(f"there is no folder {path.parent} to keep {path.name} in.\n  Make it, or name another one.")


def keep(path: Path, tours: Iterable[Tour]) -> tuple[Kept, ...]:
    """Writes the tables of these tours into a new file, as they were before any question."""
    refuse_existing(path)
    kept: list[Kept] = []
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        for tour in tours:
            for filled in tour.tables:
                name = free_name(filled.model, tour.system.name, {each.name for each in kept})
                _write(engine, name, filled)
                kept.append(Kept(name, tour.system.name, filled.model, len(filled.items)))
    return tuple(kept)


def free_name(model: type[Table], system: str, taken: set[str]) -> str:
    """The model's own name for its table, with the example's in front where another table has it already."""
    own = model.design.name
    wanted: Iterator[str] = iter((own, f"{system}.{own}", f"{system}.{own}.{model.__name__}"))
    return next(name for name in wanted if name not in taken)


def _write(engine: Engine, name: str, filled: Filled) -> None:
    """Makes a table with its items."""
    design = filled.model.design
    engine.call("CreateTable", create_table_request(design, name))
    if design.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": design.ttl_attribute}
        engine.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting})
    puts = [{"PutRequest": {"Item": item}} for item in filled.items]
    for start in range(0, len(puts), BATCH_ITEMS_MAX):
        engine.call("BatchWriteItem", {"RequestItems": {name: puts[start : start + BATCH_ITEMS_MAX]}})
