"""Saves the tables of a tour to one store file, for `singletable serve` and your own programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from singletable.client.table import Table
from singletable.demo.tour import FilledTable, Tour
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused
from singletable.model.table_schema import create_table_request

BATCH_ITEMS_MAX = 25


@dataclass(frozen=True)
class SavedTable:
    """A saved table: its name in the file, its example system, its model and its number of items."""

    name: str
    system: str
    model: type[Table]
    items: int

    @property
    def is_renamed(self) -> bool:
        """Whether the table has a different name because another table has the name of the model."""
        return self.name != self.model.design.name


def check_new_path(path: Path) -> None:
    """Raise StoreRefused if the path exists, or if its folder does not exist."""
    if path.exists():
        raise StoreRefused(f"{path} already exists, and the demo does not overwrite files.\n  Choose another path.")
    if not path.absolute().parent.is_dir():
        raise StoreRefused(
            f"Cannot create {path.name}: the folder {path.parent} does not exist.\n  Create the folder, or choose "
            "another path."
        )


def save_tables(path: Path, tours: Iterable[Tour]) -> tuple[SavedTable, ...]:
    """Write the tables of these tours to a new file, in the state before any script runs."""
    check_new_path(path)
    saved: list[SavedTable] = []
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        for tour in tours:
            for filled in tour.tables:
                name = free_name(filled.model, tour.system.name, {each.name for each in saved})
                _write(engine, name, filled)
                saved.append(SavedTable(name, tour.system.name, filled.model, len(filled.items)))
    return tuple(saved)


def free_name(model: type[Table], system: str, taken: set[str]) -> str:
    """Return the table name of the model. If it is taken, put the name of the example in front of it."""
    own = model.design.name
    candidates: Iterator[str] = iter((own, f"{system}.{own}", f"{system}.{own}.{model.__name__}"))
    return next(name for name in candidates if name not in taken)


def _write(engine: Engine, name: str, filled: FilledTable) -> None:
    """Create a table and write its items."""
    design = filled.model.design
    engine.call("CreateTable", create_table_request(design, name))
    if design.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": design.ttl_attribute}
        engine.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting})
    puts = [{"PutRequest": {"Item": item}} for item in filled.items]
    for start in range(0, len(puts), BATCH_ITEMS_MAX):
        engine.call("BatchWriteItem", {"RequestItems": {name: puts[start : start + BATCH_ITEMS_MAX]}})
