"""Derived values in keys: segments that are a shard, a bucket, a letter, a depth or a geohash cell of fields."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from singletable.importers.draft import DerivedKind, DraftDerived
from singletable.importers.live.item_fields import ItemFields
from singletable.model.derived.bucket import Bucket, Span
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import FirstLetter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth, Parent

_SPANS: tuple[Span, ...] = ("year", "month", "day", "hour")
_SHARDS_MAX = 1000
# A shard is inferred only if the probability that a wrong guess matches all items is below one in this number.
_EVIDENCE = 10_000
_NAMES = {"first_letter": "letter", "geohash": "cell", "depth": "level"}

Candidate = tuple[DraftDerived, DerivedValue]


def tree_slot(fields: ItemFields, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """Return the slot for a segment that is the depth or the parent of a path field. Return None if it is neither."""
    return _slot(fields, column, indices, _trees(fields, column))


def derived_slot(fields: ItemFields, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """Return the slot of a derived value that equals the segment in every item, or None. Add it to the fields."""
    return _slot(fields, column, indices, _candidates(fields, column, indices))


def _slot(
    fields: ItemFields, column: Sequence[str], indices: Sequence[int], candidates: Iterator[Candidate]
) -> str | None:
    for draft, derived in candidates:
        if not _matches(fields, derived, column, indices):
            continue
        for name, known in fields.derived.items():
            if known == draft:
                return f"{{{name}}}"
        usual = str(draft.argument) if draft.kind == "bucket" else _NAMES.get(draft.kind, draft.kind)
        name = fields.free_name(usual)
        fields.derived[name] = draft
        return f"{{{name}}}"
    return None


def _matches(fields: ItemFields, derived: DerivedValue, column: Sequence[str], indices: Sequence[int]) -> bool:
    try:
        for place, text in zip(indices, column, strict=True):
            values = [fields.values[name][place] for name in derived.fields]
            if any(value is None for value in values) or derived.compute(*values) != text:
                return False
    except (ValueError, TypeError, ArithmeticError, IndexError):  # the value cannot be computed from these fields
        return False
    return True


def _candidates(fields: ItemFields, column: Sequence[str], indices: Sequence[int]) -> Iterator[Candidate]:
    names = {
        kind: [name for name, each in fields.by_name.items() if each.type == kind and name not in fields.key_only]
        for kind in ("datetime", "date", "str", "int", "Decimal")
    }
    for name in (*names["datetime"], *names["date"]):
        for span in _SPANS:
            yield DraftDerived("bucket", (name,), span), Bucket((name,), span)
    if len(set(column)) > 1:
        if all(len(text) == 1 for text in column):
            yield from ((DraftDerived("first_letter", (name,)), FirstLetter((name,))) for name in names["str"])
        precision = len(column[0])
        if 1 <= precision <= 12:
            pairs = [(first, second) for first in names["Decimal"] for second in names["Decimal"] if first != second]
            yield from ((DraftDerived("geohash", pair, precision), GeohashCell(pair, precision)) for pair in pairs)
    yield from _shards([*names["str"], *names["int"]], column, len(set(indices)))


def _trees(fields: ItemFields, column: Sequence[str]) -> Iterator[Candidate]:
    if len(set(column)) == 1:
        return
    kinds: tuple[tuple[DerivedKind, type[DerivedValue]], ...] = (("depth", Depth), ("parent", Parent))
    for name, each in fields.by_name.items():
        if each.type == "tuple[str, ...]":
            yield from ((DraftDerived(kind, (name,)), cls((name,))) for kind, cls in kinds)


def _shards(names: list[str], column: Sequence[str], count: int) -> Iterator[Candidate]:
    widths = {len(text) for text in column}
    if len(widths) != 1 or not all(text.isascii() and text.isdigit() for text in column):
        return
    low = max(2, max(map(int, column)) + 1)
    for of in range(low, min(_SHARDS_MAX, 10 ** widths.pop()) + 1):
        if count * math.log(of) > math.log(_EVIDENCE):
            yield from ((DraftDerived("shard", (name,), of), Shard((name,), of)) for name in names)
