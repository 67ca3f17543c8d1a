"""AttributesToGet: the attributes that a read returns, by their names alone."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.asked import WHOLE, Projected
from singletable.engine.legacy.conditions import INVALID
from singletable.errors import invalid
from singletable.expressions.project import Projection
from singletable.expressions.tree import Path
from singletable.values.checks import check_name


def attributes_of(names: Sequence[str] | None) -> Projected:
    """The projection that the names ask for; a dot in a name is nothing but a dot."""
    if names is None:
        return WHOLE
    seen: set[str] = set()
    for name in names:
        check_name(name)
        if name in seen:
            raise invalid(f"{INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return Projected(Projection(Path((name,)) for name in names))
