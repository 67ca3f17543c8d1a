"""A table to export: its design, its settings and its CreateTable request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from singletable.errors import ExportRefused
from singletable.model.design import Design
from singletable.model.reserved_place import control_design
from singletable.model.table_schema import STREAM_VIEW, create_table_request, no_keys
from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN

StreamView = Literal["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"]
STREAM_VIEWS: tuple[StreamView, ...] = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")
TableClass = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
TABLE_CLASSES: tuple[TableClass, ...] = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
InsightsMode = Literal["THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS"]
INSIGHTS_MODES: tuple[InsightsMode, ...] = ("THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS")

# The tag characters that every AWS service accepts.
_TAG_CHARACTERS = re.compile(r"[\w\s+\-=.:/@]*")
_TAG_KEY_MAX, _TAG_VALUE_MAX, _TAGS_MAX = 128, 256, 50


@dataclass(frozen=True)
class ProvisionedUnits:
    """Provisioned capacity, in units per second."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if self.read < 1 or self.write < 1:
            raise ExportRefused(f"provisioned capacity must be at least 1 unit, got {self.read}:{self.write}")


@dataclass(frozen=True)
class ExportSettings:
    """The settings of an export. The defaults are for a table in production.

    A stream without readers costs nothing. With it, you can add a consumer later without changing the table.
    Contributor Insights for throttled keys costs nothing until a request is throttled. For accessed keys, it is billed
    per request.
    """

    provisioned: ProvisionedUnits | None = None
    index_units: Mapping[str, ProvisionedUnits] = field(default_factory=dict)
    """Provisioned capacity by index name. Other indexes have the capacity of the table."""
    stream: StreamView | None = "NEW_AND_OLD_IMAGES"
    table_class: TableClass = "STANDARD"
    deletion_protection: bool = True
    point_in_time_recovery: bool = True
    insights: InsightsMode | None = "THROTTLED_KEYS"
    alarms: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.index_units and self.provisioned is None:
            raise ExportRefused("an index can have provisioned capacity only if the table has it too; add READ:WRITE")
        if len(self.tags) > _TAGS_MAX:
            raise ExportRefused(f"a table has at most {_TAGS_MAX} tags, got {len(self.tags)}")
        for key, value in self.tags.items():
            if not 1 <= len(key) <= _TAG_KEY_MAX or len(value) > _TAG_VALUE_MAX or key.lower().startswith("aws:"):
                limits = f"a key has 1 to {_TAG_KEY_MAX} characters and must not start with aws:; a value has at most"
                raise ExportRefused(f"invalid tag {key}={value}: {limits} {_TAG_VALUE_MAX} characters")
            if not _TAG_CHARACTERS.fullmatch(key + value):
                raise ExportRefused(f"invalid tag {key}={value}: use letters, digits, spaces and + - = . _ : / @")

    def units_of(self, index: str) -> ProvisionedUnits | None:
        """Return the provisioned capacity of an index. Return None for on-demand capacity."""
        return self.index_units.get(index, self.provisioned)


@dataclass(frozen=True)
class ExportedTable:
    """One table of a model with its export settings."""

    name: str
    description: str
    """The description from the docstring, on one line. It can be empty."""
    design: Design
    settings: ExportSettings

    @property
    def global_indexes(self) -> tuple[str, ...]:
        """The names of the global indexes, which have their own metrics and insights."""
        return tuple(index.name for index in self.design.indexes.values() if index.kind == "GSI")

    @property
    def has_local_indexes(self) -> bool:
        """Whether the table has a local index, which shares its capacity and metrics."""
        return any(index.kind == "LSI" for index in self.design.indexes.values())

    @property
    def create_request(self) -> dict[str, Any]:
        """The CreateTable request."""
        request = create_table_request(self.design, self.name)
        if self.settings.provisioned is not None:
            request["BillingMode"] = "PROVISIONED"
            request["ProvisionedThroughput"] = throughput(self.settings.provisioned)
            for index in request.get("GlobalSecondaryIndexes", ()):
                units = self.settings.units_of(index["IndexName"])
                assert units is not None, "an index without its own units has the units of the table"
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


def throughput(units: ProvisionedUnits) -> dict[str, int]:
    """Return provisioned capacity as a ProvisionedThroughput parameter."""
    return {"ReadCapacityUnits": units.read, "WriteCapacityUnits": units.write}


def exported_table(
    design: Design, *, name: str | None = None, description: str | None = None, settings: ExportSettings | None = None
) -> ExportedTable:
    """Return a table to export; raise ExportRefused if a name is invalid."""
    design.require_keys("an export")
    settings = settings or ExportSettings()
    printed = "".join(each if each.isprintable() else " " for each in description or "")
    table = ExportedTable(name or design.name, " ".join(printed.split()), design, settings)
    problems = list(_problems(table))
    if problems:
        raise ExportRefused("\n".join(problems))
    return table


def with_control_tables(tables: Sequence[ExportedTable]) -> tuple[ExportedTable, ...]:
    """Return the tables, and the control tables that they declare. A control table has no stream."""
    added: dict[str, ExportedTable] = {}
    for table in tables:
        name = table.design.settings.control_table_of(table.name)
        if name is not None:
            settings = replace(table.settings, stream=None, provisioned=None, index_units={})
            owners = sorted({each.name for each in tables if each.design.settings.control_table_of(each.name) == name})
            description = f"Migrations, tokens and stream positions of {', '.join(owners)}."
            added[name] = ExportedTable(name, description, control_design(name), settings)
    made = (*tables, *added.values())
    problems = [
        f"invalid table name {each!r}: {_NAMES}; declare control_table=" for each in added if not _is_name(each)
    ]
    if problems:
        raise ExportRefused("\n".join(problems))
    return made


def check_unique_names(tables: Sequence[ExportedTable]) -> None:
    """Raise ExportRefused if two tables have the same name."""
    names = [table.name for table in tables]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ExportRefused(f"several tables have the same name, {', '.join(twice)}; select one with MODEL:Table")


def _problems(table: ExportedTable) -> Iterator[str]:
    if not table.design.entities:
        yield no_keys(table.name)
    if not _is_name(table.name):
        yield f"invalid table name {table.name!r}: {_NAMES}.\n  Choose another name with --table-name."
    indexes = [index for index in table.design.indexes.values() if not index.is_table]
    for index in indexes:
        if not _is_name(index.name):
            yield f"invalid index name {index.name!r}: {_NAMES}.\n  Change it in indexes=[...] of the table."
    if table.design.settings.handlers and table.settings.stream != STREAM_VIEW:
        yield f"{table.name} has stream handlers, which need the stream view type {STREAM_VIEW}; omit --stream"
    for name in dict.fromkeys(name for index in table.design.indexes.values() for name in index.key_attributes):
        if any("\ud800" <= character <= "\udfff" for character in name):
            yield f"invalid key attribute name {name!r}: it contains a lone surrogate, which UTF-8 cannot encode"
    known = set(table.global_indexes)
    for name in table.settings.index_units:
        if name not in known:
            known_text = f"its global indexes are {', '.join(sorted(known))}" if known else "it has no global index"
            yield f"{table.name} has no global index {name!r} to provision; {known_text}"


_NAMES = f"use {NAME_CHARACTERS_MIN} to {NAME_CHARACTERS_MAX} letters, digits, '_', '-' or '.'"


def _is_name(name: str) -> bool:
    fits = NAME_CHARACTERS_MIN <= len(name) <= NAME_CHARACTERS_MAX
    return fits and re.fullmatch(NAME_PATTERN, name) is not None
