"""Values copied from one entity into another, so that a listing needs no second read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Copy:
    """Fields of another entity that this one repeats, and how its item is found."""

    source: type
    by: Mapping[str, str]
    fields: Mapping[str, str]
    in_parts: bool = False


def copy(
    source: type, *, by: Mapping[str, str], fields: Mapping[str, str] | Iterable[str], in_parts: bool = False
) -> Copy:
    """Declare that fields repeat those of `source`.

    `by` names, for each field of the source's key, the field here that holds the same value; `fields` names the
    copied fields, or maps the source's names to the names here. A change of the source changes the copies in the same
    transaction, which holds 100 items; `in_parts` lets what is more follow in further ones, before the call returns.
    """
    mapping = dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields}
    return Copy(source, dict(by), mapping, in_parts)
