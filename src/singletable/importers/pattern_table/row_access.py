"""The request that a row of a pattern table describes: the operation, the table or index, and the key conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from singletable.importers import names as python_names
from singletable.importers.pattern_table.condition_cells import OtherConditions, other_conditions
from singletable.importers.pattern_table.key_cells import KeyCell, key_cells
from singletable.importers.pattern_table.pattern_rows import PatternTableRow

OperationKind = Literal["get", "query", "scan", "put", "update", "delete", "other"]

_OPERATIONS: Mapping[str, OperationKind] = {
    **dict.fromkeys(("getitem", "get", "batchgetitem"), "get"),
    "query": "query",
    "scan": "scan",
    **dict.fromkeys(("putitem", "put", "create", "insert"), "put"),
    **dict.fromkeys(("updateitem", "update"), "update"),
    **dict.fromkeys(("deleteitem", "delete"), "delete"),
}
_BASE = re.compile(r"(?:the )?(?:base|main|primary)?[ -]?(?:table|index|key)?", re.IGNORECASE)
_INDEX_IN_HEADING = re.compile(r"\b((?:GSI|LSI)[ _-]?\d*)\b")
_VERBS = frozenset(
    {
        *("get", "list", "find", "fetch", "show", "read", "load", "query", "retrieve", "view", "track", "search"),
        *("create", "add", "insert", "put", "save", "update", "change", "set", "delete", "remove", "expire", "send"),
        *("escalate", "join", "leave", "mark", "register", "place", "store", "write", "look", "lookup", "count"),
    }
)
_JOINTS = frozenset(
    {
        *("by", "for", "of", "from", "in", "with", "between", "who", "given", "on", "to", "where", "that", "since"),
        *("at", "and", "or", "as", "per", "within", "during", "using", "under", "needing", "belonging"),
    }
)
_SMALL = frozenset(
    {
        *("a", "an", "the", "all", "new", "latest", "last", "recent", "specific", "single", "every", "own", "given"),
        *("list", "details", "detail", "info", "information", "metadata", "attributes", "any", "current", "up"),
    }
)


@dataclass(frozen=True)
class Access:
    """A parsed row. `index` is None for the table. `partition` and `sort` are the key conditions."""

    row: PatternTableRow
    kind: OperationKind
    index: str | None
    partition: KeyCell | None
    sort: tuple[KeyCell, ...]
    conditions: OtherConditions
    noun: str
    unread: tuple[str, ...]
    """The cells that the importer did not understand."""

    @property
    def title(self) -> str:
        """The access pattern, in the words of the file."""
        return self.row.title

    @property
    def has_whole_sort_key(self) -> bool:
        """Whether the row contains a complete value for the sort key."""
        return bool(self.sort) and all(cell.operator == "=" for cell in self.sort)


def access_of(row: PatternTableRow) -> Access:
    """Return the request of a row."""
    operation = re.sub(r"[^a-z]", "", row.cell("operation").lower())
    kind = _OPERATIONS.get(operation, "other")
    unread = [f"{text!r}" for text in row.beyond]
    partition, sort = _keys(row, "partition", unread), _keys(row, "sort", unread)
    if len(partition) > 1 or any(cell.operator != "=" for cell in partition):
        unread.append(f"the partition key value {row.cell('partition')!r}")
        partition = ()
    conditions = other_conditions(row.cell("conditions"))
    if re.search(r"\b(?:newest|latest) (?:to oldest|first)\b", row.title, re.IGNORECASE):
        conditions.is_newest_first = True
    if conditions.unread:
        unread.append(f"the condition {conditions.unread!r}")
    if operation == "batchgetitem":
        unread.append("BatchGetItem: the pattern in the model reads one item; to read several items, use get_many(...)")
    noun = _noun(row.title, is_write=kind in ("put", "update", "delete", "other"))
    return Access(row, kind, _index(row), partition[0] if partition else None, sort, conditions, noun, tuple(unread))


def _keys(row: PatternTableRow, header: Literal["partition", "sort"], unread: list[str]) -> tuple[KeyCell, ...]:
    text = row.cell(header)
    cells = key_cells(text) if text else ()
    if cells is None:
        unread.append(f"the {header} key value {text!r}")
    return cells or ()


def _index(row: PatternTableRow) -> str | None:
    """Return the name of the index from its column. If the column is empty, use the heading above the pattern table."""
    place = row.cell("place")
    if "place" not in row.cells:
        found = _INDEX_IN_HEADING.search(row.heading)
        return found[1] if found else None
    return None if _BASE.fullmatch(place) else place


def _noun(title: str, *, is_write: bool) -> str:
    """Return the noun of a title, as words: `follower` for `getFollowerListByUserID`."""
    words = [word.lower() for word in python_names.name_words(re.sub(r"\([^()]*\)|'s\b", " ", title))]
    words = [part for word in words for part in _parts(word)]
    if len(words) > 1 and (words[0] in _VERBS or is_write):
        words = words[1:]
    end = next((at for at, word in enumerate(words) if word in _JOINTS or _is_participle(word, at)), len(words))
    chosen = [word for word in words[:end] if word not in _SMALL]
    if not chosen:
        chosen = [word for word in words[-1:] if word not in _SMALL]
    return " ".join([*chosen[:-1], python_names.singular(chosen[-1])]) if chosen else ""


def _parts(word: str) -> Sequence[str]:
    """Split a preposition from the end of a word: `severityby` into `severity` and `by`."""
    return (word[:-2], "by") if re.fullmatch(r"\w{5,}(?<!near)by", word) else (word,)


def _is_participle(word: str, position: int) -> bool:
    return position > 0 and word.endswith("ed") and len(word) > 5
