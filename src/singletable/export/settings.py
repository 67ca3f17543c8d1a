"""What an export says of a table beside its model: billing, stream, recovery, protection, insights, alarms, tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from singletable.errors import ExportRefused

StreamView = Literal["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"]
STREAM_VIEWS: tuple[StreamView, ...] = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")
TableClass = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
TABLE_CLASSES: tuple[TableClass, ...] = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
InsightsMode = Literal["THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS"]
INSIGHTS_MODES: tuple[InsightsMode, ...] = ("THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS")

# What every AWS service takes in a tag.
_TAG_CHARACTERS = re.compile(r"[\w\s+\-=.:/@]*")
_TAG_KEY_MAX, _TAG_VALUE_MAX, _TAGS_MAX = 128, 256, 50


@dataclass(frozen=True)
class Units:
    """Provisioned capacity, in units a second."""

    read: int
    write: int

    def __post_init__(self) -> None:
        if self.read < 1 or self.write < 1:
            raise ExportRefused(f"{self.read}:{self.write} is no provisioned capacity: both are at least 1 unit")


@dataclass(frozen=True)
class Settings:
    """The settings of an export; those that are not given are what a table in production should have.

    A stream that nobody reads costs nothing, and what is to follow the table later needs no change of it. Insights
    into throttled keys cost nothing until something is throttled; into accessed keys, they are billed by request.
    """

    provisioned: Units | None = None
    index_units: Mapping[str, Units] = field(default_factory=dict)
    """Indexes whose provisioned capacity is not the table's, by name."""
    stream: StreamView | None = "NEW_AND_OLD_IMAGES"
    table_class: TableClass = "STANDARD"
    deletion_protection: bool = True
    point_in_time_recovery: bool = True
    insights: InsightsMode | None = "THROTTLED_KEYS"
    alarms: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.index_units and self.provisioned is None:
            raise ExportRefused("indexes have provisioned capacity only if the table has: give READ:WRITE for it too")
        if len(self.tags) > _TAGS_MAX:
            raise ExportRefused(f"there are {len(self.tags)} tags, and a table takes at most {_TAGS_MAX}")
        for key, value in self.tags.items():
            if not 1 <= len(key) <= _TAG_KEY_MAX or len(value) > _TAG_VALUE_MAX or key.lower().startswith("aws:"):
                limits = f"a key has 1 to {_TAG_KEY_MAX} characters and does not begin with aws:, a value at most"
                raise ExportRefused(f"{key}={value} is no tag: {limits} {_TAG_VALUE_MAX}")
            if not _TAG_CHARACTERS.fullmatch(key + value):
                raise ExportRefused(f"{key}={value} is no tag: use letters, digits, spaces and + - = . _ : / @")

    def units_of(self, index: str) -> Units | None:
        """The provisioned capacity of an index; None on demand."""
        return self.index_units.get(index, self.provisioned)
