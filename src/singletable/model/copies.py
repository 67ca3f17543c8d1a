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


def copy(source: type, *, by: Mapping[str, str], fields: Mapping[str, str] | Iterable[str]) -> Copy:
    """Declare that fields repeat those of `source`.

    `by` names, for each field of the source's key, the field here that holds the same value; `fields` names the
    copied fields, or maps the source's names to the names here.
    """
    mapping = dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields}
    return Copy(source, dict(by), mapping)
