"""The key cells of a pattern table: `PK=<UserID>`, `SK begins_with "post#"`, `Date between a and b`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from singletable.importers import names as python_names

Operator = Literal["=", "begins_with", "between", ">", ">=", "<", "<="]

DELIMITER = "#"
_CONSTANTS = frozenset(
    {
        *("metadata", "meta", "info", "information", "profile", "detail", "details", "count", "config", "settings"),
        *("root", "main", "header", "summary", "latest", "current", "data", "default", "a", "aa"),
    }
)
_FIELD_WORDS = re.compile(
    r"(?:^|.*[a-z0-9_ -])(?:id|uuid|guid|date|time|timestamp|name|email|number|code|status|state|type|sku|position|"
    r"key|at|day|month|year|category|region|country|city|score|value|url|token|hash|version)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"<([^<>]+)>|\$?\{([^{}]+)\}|:([A-Za-z_]\w*)|\$([A-Za-z_]\w*)")
_END = re.compile(r"^(?:from|to|start|end|min|max|since|until|lower|upper|first|last)_")
_BEGINS = r"begins[ _-]?with"


@dataclass(frozen=True)
class KeyText:
    """Fixed text in a key value."""

    text: str


@dataclass(frozen=True)
class KeyField:
    """A placeholder in a key value. Each call passes the value of this field."""

    field: str


Piece = KeyText | KeyField


@dataclass(frozen=True)
class KeyValue:
    """A key value: its segments, which `#` separates, and the pieces of each segment."""

    segments: tuple[tuple[Piece, ...], ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields, in order, each once."""
        found = (piece.field for segment in self.segments for piece in segment if isinstance(piece, KeyField))
        return tuple(dict.fromkeys(found))

    @property
    def template(self) -> str:
        """The value as a key template: `post#{post_id}`."""
        return DELIMITER.join(
            "".join(piece.text if isinstance(piece, KeyText) else f"{{{piece.field}}}" for piece in segment)
            for segment in self.segments
        )

    @property
    def is_one_slot(self) -> bool:
        """Whether the value consists of only one field."""
        return len(self.segments) == 1 and len(self.segments[0]) == 1 and isinstance(self.segments[0][0], KeyField)


@dataclass(frozen=True)
class KeyCell:
    """A condition on a key attribute. `attribute` is None if the cell does not name it."""

    attribute: str | None
    operator: Operator
    value: KeyValue
    upper: KeyValue | None = None
    """The upper bound of `between`."""


def key_cells(text: str) -> tuple[KeyCell, ...] | None:
    """Return the conditions of a cell (several for a transaction). Return None if the cell is not a key condition."""
    parts = [text] if "between" in text.lower() else re.split(r",(?=\s*[\w#.-]+\s*=)|\s+and\s+(?=[\w#.-]+\s*=)", text)
    cells = [_cell(part.strip()) for part in parts if part.strip()]
    return tuple(cell for cell in cells if cell) if cells and all(cells) else None


def _cell(text: str) -> KeyCell | None:
    if found := re.fullmatch(rf"{_BEGINS}\s*\(\s*([^,\s]+)\s*,\s*(.+?)\s*\)", text, re.IGNORECASE):
        return _made(found[1], "begins_with", found[2])
    if found := re.fullmatch(rf"(?:(\S+?)\s*=?\s*)?\b{_BEGINS}\s*[:(]?\s*(.+?)\)?", text, re.IGNORECASE):
        return _made(found[1], "begins_with", found[2])
    if found := re.fullmatch(r"(?:(\S+?)\s*=?\s*)?\bbetween\b\s*\(?\s*(.+?)\s*(?:,|\band\b)\s*(.+?)\s*\)?", text, re.I):
        lower, upper = _value(found[2], found[1]), _value(found[3], found[1])
        return KeyCell(found[1], "between", _end_of_range(lower), upper) if lower and upper else None
    if found := re.fullmatch(r"([^\s=<>\"']+)\s*(>=|<=|>|<(?![^<>]*>))\s*(\S.*)", text):  # excludes the `<` of `<id>`
        made = _made(found[1], found[2], found[3])
        return made and replace(made, value=_end_of_range(made.value))
    if found := re.fullmatch(r"([^\s=<>\"']+)\s*==?\s*(\S.*)", text):
        return _made(found[1], "=", found[2])
    return _made(None, "=", text)


def _made(attribute: str | None, operator: str, text: str) -> KeyCell | None:
    value = _value(text, attribute)
    return KeyCell(attribute, operator, value) if value else None  # type: ignore[arg-type]  # the patterns above


def _end_of_range(value: KeyValue) -> KeyValue:
    """Rename the field of a bound of a range to the field of the range: `FromPosition` becomes `position`."""
    last = value.segments[-1]
    renamed = tuple(
        KeyField(_END.sub("", piece.field) or piece.field) if isinstance(piece, KeyField) else piece for piece in last
    )
    return KeyValue((*value.segments[:-1], renamed))


def _value(text: str, attribute: str | None) -> KeyValue | None:
    """Parse a value. If it has no placeholder, its words decide which parts are fields."""
    plain = text.strip().strip("()").strip()
    is_quoted = plain[:1] in "\"'" and plain.count(plain[:1]) == 2 and plain.endswith(plain[:1])
    plain = re.sub(r"[\"']\s*\+?\s*|\s*\+\s*(?=[\"'\w<])", "", plain) if '"' in plain or "'" in plain else plain
    if not plain or len(plain) > 200:
        return None
    has_placeholder = _PLACEHOLDER.search(plain) is not None
    names = {_letters(part) for part in (attribute or "").split(DELIMITER)}
    segments = []
    for part in plain.split(DELIMITER):
        if has_placeholder:
            segments.append(_with_placeholders(part))
        elif _is_field(part, names, is_quoted=is_quoted, is_whole=DELIMITER not in plain):
            segments.append((KeyField(_field(part)),))
        else:
            segments.append((KeyText(part),) if part else ())
    return KeyValue(tuple(segments))


def _with_placeholders(text: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        if found.start() > end:
            pieces.append(KeyText(text[end : found.start()]))
        pieces.append(KeyField(_field(next(filter(None, found.groups())))))
        end = found.end()
    if end < len(text):
        pieces.append(KeyText(text[end:]))
    return tuple(pieces)


def _field(text: str) -> str:
    """Return the field of a placeholder. `date1` and `date2` are the bounds of a range of `date`."""
    return python_names.field_name(re.sub(r"(?<=[A-Za-z])[12]$", "", text.strip()))


def _is_field(part: str, names: set[str], *, is_quoted: bool, is_whole: bool) -> bool:
    word = re.sub(r"(?<=[A-Za-z])[12]$", "", part.strip())
    if not re.fullmatch(r"[A-Za-z][\w -]*", word) or (word.isupper() and _letters(word) not in names):
        return False
    if _letters(word) in names or (_FIELD_WORDS.fullmatch(word) and word.lower() not in _CONSTANTS):
        return True
    return is_whole and not is_quoted and word.lower() not in _CONSTANTS


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
