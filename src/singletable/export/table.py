"""A table as it is exported: the CreateTable request with its settings, and what is set once the table is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import ExportRefused
from singletable.export.settings import Settings, Units
from singletable.model.create_table import create_table_request, no_keys
from singletable.model.design import Design
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN


@dataclass(frozen=True)
class ExportedTable:
    """One table of a model with the settings it is exported with."""

    name: str
    description: str
    """What the model's author says of it, on one line; may be empty."""
    design: Design
    settings: Settings

    @property
    def global_indexes(self) -> tuple[str, ...]:
        """The names of its global indexes: those that have metrics and insights of their own."""
        return tuple(index.name for index in self.design.indexes.values() if index.kind == "GSI")

    @property
    def has_local_indexes(self) -> bool:
        """Whether it has a local index, which shares the table's capacity and its metrics."""
        return any(index.kind == "LSI" for index in self.design.indexes.values())

    @property
    def create_request(self) -> dict[str, Any]:
        """What CreateTable is sent."""
        request = create_table_request(self.design, self.name)
        if self.settings.provisioned is not None:
            request["BillingMode"] = "PROVISIONED"
            request["ProvisionedThroughput"] = throughput(self.settings.provisioned)
            for index in request.get("GlobalSecondaryIndexes", ()):
                units = self.settings.units_of(index["IndexName"])
                assert units is not None, "an index has the table's units unless it has its own"
                index["ProvisionedThroughput"] = throughput(units)
        if self.settings.stream is not None:
            request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": self.settings.stream}
        if self.settings.table_class != "STANDARD":
            request["TableClass"] = self.settings.table_class
        if self.settings.deletion_protection:
            request["DeletionProtectionEnabled"] = True
        if self.settings.tags:
            request["Tags"] = [{"Key": key, "Value": value} for key, value in sorted(self.settings.tags.items())]
        return request


def throughput(units: Units) -> dict[str, int]:
    """Provisioned capacity as DynamoDB is told it."""
    return {"ReadCapacityUnits": units.read, "WriteCapacityUnits": units.write}


def exported_table(
    design: Design, *, name: str | None = None, description: str | None = None, settings: Settings | None = None
) -> ExportedTable:
    """A design made ready for export; raises ExportRefused when no table could have its names."""
    settings = settings or Settings()
    printed = "".join(each if each.isprintable() else " " for each in description or "")
    table = ExportedTable(name or design.name, " ".join(printed.split()), design, settings)
    problems = list(_problems(table))
    if problems:
        raise ExportRefused("\n".join(problems))
    return table


def refuse_same_names(tables: Sequence[ExportedTable]) -> None:
    """Refuse tables that could not stand in one document."""
    names = [table.name for table in tables]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ExportRefused(f"two tables are called {', '.join(twice)}; pick one as MODEL:Table")


def _problems(table: ExportedTable) -> Iterator[str]:
    if not table.design.entities:
        yield no_keys(table.name)
    if not _is_name(table.name):
        yield f"{table.name!r} cannot be the name of a table: {_NAMES}.\n  Give it another with --table-name."
    indexes = [index for index in table.design.indexes.values() if not index.is_table]
    for index in indexes:
        if not _is_name(index.name):
            yield f"{index.name!r} cannot be the name of an index: {_NAMES}.\n  Name it in the table's indexes=[...]."
    for name in dict.fromkeys(name for index in table.design.indexes.values() for name in index.key_attributes):
        if any("\ud800" <= character <= "\udfff" for character in name):
            yield f"the key attribute {name!r} holds half of a surrogate pair, which has no UTF-8 form"
    known = set(table.global_indexes)
    for name in table.settings.index_units:
        if name not in known:
            has = f"its global indexes are {', '.join(sorted(known))}" if known else "it has no global index"
            yield f"{table.name} has no global index {name!r} that could have provisioned capacity; {has}"


_NAMES = f"take {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} letters, digits, '_', '-' or '.'"


def _is_name(name: str) -> bool:
    fits = NAME_CHARACTERS_MIN <= len(name) <= NAME_CHARACTERS_MAX
    return fits and re.fullmatch(NAME_PATTERN, name) is not None
