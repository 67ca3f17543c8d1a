"""Fields and sizes of entities, from further tables of a worksheet: the types, the identity, and the expected sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from singletable.importers.draft import DraftField, FieldType
from singletable.importers.names import field_name
from singletable.importers.worksheet.worksheet_requests import entity_words

FieldColumn = Literal["entity", "field", "type", "key", "items", "bytes"]
FIELD_NAMES: Mapping[FieldColumn, tuple[str, ...]] = {
    "entity": ("entity",),
    "field": ("field", "attribute"),
    "type": ("type", "data type"),
    "key": ("key", "identity"),
    "items": ("items", "expected items", "number of items", "count"),
    "bytes": ("bytes", "expected bytes", "item size", "size"),
}
_ALIASES = {"string": "str", "text": "str", "number": "Decimal", "boolean": "bool", "binary": "bytes"}
_COUNT_MAX = 15
"""The maximum number of digits of a number of items or bytes."""


@dataclass(frozen=True)
class WorksheetFields:
    """What the tables of fields and sizes say about the entities. The keys are the words of an entity."""

    fields: Mapping[str, Sequence[DraftField]]
    keys: Mapping[str, Sequence[str]]
    options: Mapping[str, Mapping[str, int]]
    notes: Sequence[str] = ()


class FieldReader:
    """Reads the rows of the tables of fields and sizes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._fields: dict[str, dict[str, DraftField]] = {}
        self._keys: dict[str, list[str]] = {}
        self._options: dict[str, dict[str, int]] = {}
        self._notes: list[str] = []

    @property
    def found(self) -> WorksheetFields:
        """The rows that were read."""
        fields = {words: tuple(each.values()) for words, each in self._fields.items()}
        return WorksheetFields(fields, self._keys, self._options, self._notes)

    def read(self, line: int, cells: Mapping[FieldColumn, str]) -> None:
        """Read a row."""
        words = entity_words(cells.get("entity", ""))
        if not words:
            return
        if cells.get("field"):
            self._read_field(line, words, cells)
        for column, option in (("items", "expected_items"), ("bytes", "expected_bytes")):
            digits = cells.get(column, "").replace(",", "").replace("_", "")  # type: ignore[call-overload]  # a column
            if digits.isascii() and digits.isdigit() and len(digits) <= _COUNT_MAX and int(digits):
                self._options.setdefault(words, {})[option] = int(digits)
            elif digits and digits != "0":
                self._notes.append(f"{self._name}:{line}: {column} is not a number, and was left out.")

    def _read_field(self, line: int, words: str, cells: Mapping[FieldColumn, str]) -> None:
        name = _own_name(words, cells["field"])
        base, _, rest = cells.get("type", "").partition("|")
        kind = _ALIASES.get(base.strip().lower(), base.strip()) or "str"
        if kind not in get_args(FieldType):
            known = ", ".join(get_args(FieldType))
            self._notes.append(f"{self._name}:{line}: unknown type of {name}, so it became str. Known types: {known}.")
            kind = "str"
        optional = rest.strip().lower() == "none"
        self._fields.setdefault(words, {})[name] = DraftField(name, kind, optional)
        if cells.get("key") and name not in self._keys.setdefault(words, []):
            self._keys[words].append(name)


def _own_name(words: str, text: str) -> str:
    """Return the name of a field. The id of an entity is `id`."""
    name = field_name(text)
    return "id" if name == field_name(f"{words} id") else name


def merged_fields(own: Mapping[str, str], given: Sequence[DraftField]) -> Iterator[DraftField]:
    """Yield the given fields, and then the fields that only the access patterns show."""
    yield from given
    names = {each.name for each in given}
    yield from (DraftField(name, kind) for name, kind in own.items() if name not in names)
