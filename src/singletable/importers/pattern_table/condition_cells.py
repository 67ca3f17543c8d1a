"""The cell of other conditions: limits, the order, filters, and the changes of an update."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from singletable.importers import names as python_names

_LIMIT = re.compile(r"\blimit\b\s*(?:=|:|to|of)?\s*(\d{1,6})\b", re.IGNORECASE)
_ORDER = re.compile(
    r"\bscan[_ -]?index[_ -]?forward\b\s*(?:=|:|is)?\s*(true|false)\b|\b(newest|latest) (?:to oldest|first)\b",
    re.IGNORECASE,
)
_NEW = re.compile(r"\b(?:if )?not[ _]exists\b|\battribute_not_exists\s*\([^()]*\)", re.IGNORECASE)
_UPDATE = re.compile(r"(?:update-?expression\s*:?\s*)?[\"']?\bset\s+(\w+)\s*=\s*(?:(\w+)\s*(\S)\s*)?:(\w+)[\"']?", re.I)
_FILTER = re.compile(r"filter-?expression\s*:?\s*[\"']?(\w+)\s*=\s*:(\w+)[\"']?", re.IGNORECASE)
_VALUES = re.compile(r"expression-?attribute-?values\s*:?\s*'?\{(.*)\}'?", re.IGNORECASE)
_VALUE = re.compile(r"[\"']:(\w+)[\"']\s*:\s*(?:\{\s*[\"'][SN][\"']\s*:\s*)?[\"']([^\"']*)[\"']")


@dataclass(frozen=True)
class Setting:
    """A field that an update sets to a parameter, or to which it adds the parameter."""

    field: str
    parameter: str
    is_added: bool
    is_negative: bool = False
    """Whether the parameter is subtracted. A call then adds its negative value."""


@dataclass
class OtherConditions:
    """The content of the cell. `unread` is the rest of its text."""

    limit: int | None = None
    is_newest_first: bool = False
    is_new: bool = False
    """Whether the item must not exist."""
    filters: dict[str, str | None] = field(default_factory=dict)
    """The fields that must equal a value. The value is None if the cell does not contain it."""
    settings: list[Setting] = field(default_factory=list)
    unread: str = ""


def other_conditions(text: str) -> OtherConditions:
    """Read the cell."""
    found = OtherConditions()
    rest, values = text, {}
    if match := _VALUES.search(rest):
        values = dict(_VALUE.findall(match[1]))
        rest = rest.replace(match[0], " ")
    for match in _FILTER.finditer(rest):
        found.filters[python_names.field_name(match[1])] = values.get(match[2])
    rest = _FILTER.sub(" ", rest)
    for match in _UPDATE.finditer(rest):
        target, source, sign, parameter = match.groups()
        if source is None or (
            source == target and sign in "+-\u2022\u2013\u2212"
        ):  # converters print a minus sign as a bullet
            is_negative = source is not None and sign != "+"
            found.settings.append(
                Setting(
                    python_names.field_name(target), python_names.field_name(parameter), sign is not None, is_negative
                )
            )
            rest = rest.replace(match[0], " ")
    if match := _LIMIT.search(rest):
        found.limit = int(match[1])
    if match := _ORDER.search(rest):
        found.is_newest_first = match[2] is not None or match[1].lower() == "false"
    found.is_new = _NEW.search(rest) is not None
    for known in (_LIMIT, _ORDER, _NEW):
        rest = known.sub(" ", rest)
    found.unread = " ".join(rest.strip(" ,;.&()\"'").split())
    return found
