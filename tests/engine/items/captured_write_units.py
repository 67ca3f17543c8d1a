"""Consumed units of writes, captured from the service by the dynoxide project (MIT, Apache-2.0).

Each row overwrites an existing item. It has the units of the table, of the global and of the local index.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A write over an existing item, and the units of the table, the global and the local index."""

    claim: str
    is_included: bool  # the local index projects only `proj` instead of everything
    before: dict[str, str] | None
    write: str
    changes: dict[str, str]
    units: tuple[float, float | None, float | None]


_BOTH = {"pk": "b", "sk": "1", "gsiPk": "g", "lsiSk": "L1", "proj": "p", "extra": "o"}


def _sized(letter: str, count: int, **more: str) -> dict[str, str]:
    return {"pk": "s", "sk": "1", "proj": letter * count, **more}


ROWS = [
    Row("a new entry in the global index", False, None, "put", {"pk": "a", "sk": "1", "gsiPk": "g"}, (1, 1, None)),
    Row("an item in no index", False, None, "put", {"pk": "a", "sk": "1", "extra": "o"}, (1, None, None)),
    Row("a new entry in the local index", False, None, "put", {"pk": "a", "sk": "1", "lsiSk": "L1"}, (1, None, 1)),
    Row("an entry in both", False, None, "put", {"pk": "a", "sk": "1", "gsiPk": "g", "lsiSk": "L1"}, (1, 1, 1)),
    Row(
        "the same item again",
        False,
        {"pk": "a", "sk": "1", "gsiPk": "g", "proj": "p"},
        "put",
        {"pk": "a", "sk": "1", "gsiPk": "g", "proj": "p"},
        (1, None, None),
    ),
    Row("an attribute the global index lacks", False, _BOTH, "set", {"extra": "o2"}, (1, None, 1)),
    Row("an attribute that both hold", False, _BOTH, "set", {"proj": "p2"}, (1, 1, 1)),
    Row("the global index's key moves", False, _BOTH, "set", {"gsiPk": "g2"}, (1, 2, 1)),
    Row("the global index's key goes", False, _BOTH, "remove", {"gsiPk": ""}, (1, 1, 1)),
    Row("the local index's key moves", False, _BOTH, "set", {"lsiSk": "L2"}, (1, None, 2)),
    Row("a delete of an item in both", False, _BOTH, "delete", {}, (1, 1, 1)),
    Row("a delete of an item in none", False, {"pk": "c", "sk": "1", "extra": "o"}, "delete", {}, (1, None, None)),
    Row(
        "an entry is as large as its projection",
        True,
        None,
        "put",
        _sized("p", 1, gsiPk="g", extra="x" * 3000),
        (3, 1, None),
    ),
    Row("it shrinks in place", True, _sized("x", 3000, gsiPk="g"), "set", {"proj": "p"}, (3, 3, None)),
    Row("it grows in place", True, _sized("p", 1, gsiPk="g"), "set", {"proj": "x" * 3000}, (3, 3, None)),
    Row("it changes and keeps its size", True, _sized("x", 1500, gsiPk="g"), "set", {"proj": "y" * 1500}, (2, 2, None)),
    Row("both sides of a move are rounded", True, _sized("x", 1500, gsiPk="A"), "set", {"gsiPk": "B"}, (2, 4, None)),
    Row("a move that shrinks", True, _sized("x", 3000, gsiPk="A"), "set", {"gsiPk": "B", "proj": "p"}, (3, 4, None)),
    Row("a large entry is deleted", True, _sized("x", 3000, gsiPk="g"), "delete", {}, (3, 3, None)),
    Row("a large entry leaves the index", True, _sized("x", 3000, gsiPk="g"), "remove", {"gsiPk": ""}, (3, 3, None)),
    Row("a local entry grows", True, _sized("p", 1, lsiSk="L"), "set", {"proj": "x" * 3000}, (3, None, 3)),
    Row("a local entry moves", True, _sized("x", 3000, lsiSk="A"), "set", {"lsiSk": "B", "proj": "p"}, (3, None, 4)),
    Row("an item shrinks", True, _sized("x", 2000, gsiPk="g"), "set", {"proj": "x" * 100}, (2, 2, None)),
]
