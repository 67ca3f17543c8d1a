"""Derived values, told from keys: which segments are a shard, a day, a letter, a depth or a cell of fields."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from singletable.drafts.draft import DerivedKind, DraftDerived
from singletable.drafts.item_fields import Fields
from singletable.model.derived.bucket import Bucket, Span
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import FirstLetter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth, Parent

_SPANS: tuple[Span, ...] = ("year", "month", "day", "hour")
_SHARDS_MAX = 1000
# Chance agrees with a wrong guess less often than once in so many times, or nothing is said.
_EVIDENCE = 10_000


def tree_slot(fields: Fields, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """The slot of a depth or a parent of a path; a number that says the same can do less."""
    return _slot(fields, column, indices, _trees(fields, column))


def derived_slot(fields: Fields, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """The slot of a derived value that is this segment in every item; it is added to what the fields derive."""
    return _slot(fields, column, indices, _candidates(fields, column, indices))


def _slot(
    fields: Fields,
    column: Sequence[str],
    indices: Sequence[int],
    candidates: Iterator[tuple[DraftDerived, DerivedValue]],
) -> str | None:
    for made, derived in candidates:
        if not _is(fields, derived, column, indices):
            continue
        for name, known in fields.derived.items():
            if known == made:
                return f"{{{name}}}"
        usual = (
            str(made.argument)
            if made.kind == "bucket"
            else {"first_letter": "letter", "geohash": "cell", "depth": "level"}.get(made.kind)
        )
        name = fields.free_name(usual or made.kind)
        fields.derived[name] = made
        return f"{{{name}}}"
    return None


def _is(fields: Fields, derived: DerivedValue, column: Sequence[str], indices: Sequence[int]) -> bool:
    try:
        for place, text in zip(indices, column, strict=True):
            values = [fields.values[name][place] for name in derived.fields]
            if any(value is None for value in values) or derived.compute(*values) != text:
                return False
    except (ValueError, TypeError, ArithmeticError, IndexError):  # a value that cannot be derived from
        return False
    return True


def _candidates(
    fields: Fields, column: Sequence[str], indices: Sequence[int]
) -> Iterator[tuple[DraftDerived, DerivedValue]]:
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


def _trees(fields: Fields, column: Sequence[str]) -> Iterator[tuple[DraftDerived, DerivedValue]]:
    if len(set(column)) == 1:
        return
    kinds: tuple[tuple[DerivedKind, type[DerivedValue]], ...] = (("depth", Depth), ("parent", Parent))
    for name, each in fields.by_name.items():
        if each.type == "tuple[str, ...]":
            yield from ((DraftDerived(kind, (name,)), cls((name,))) for kind, cls in kinds)


def _shards(names: list[str], column: Sequence[str], count: int) -> Iterator[tuple[DraftDerived, DerivedValue]]:
    widths = {len(text) for text in column}
    if len(widths) != 1 or not all(text.isascii() and text.isdigit() for text in column):
        return
    low = max(2, max(map(int, column)) + 1)
    for of in range(low, min(_SHARDS_MAX, 10 ** widths.pop()) + 1):
        if count * math.log(of) > math.log(_EVIDENCE):
            yield from ((DraftDerived("shard", (name,), of), Shard((name,), of)) for name in names)
