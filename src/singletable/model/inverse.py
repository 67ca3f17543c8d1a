"""Inverse indexes: the table's own keys, swapped, under which every item of the table is found from its other end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.errors import Problem
from singletable.model.entity import EntityDeclaration
from singletable.model.index import GSI, TABLE, Index, default_name
from singletable.model.keys import Placement
from singletable.model.settings import TableSettings


def inverse_index(declared: GSI, table: Index) -> Index:
    """The index, partitioned by the table's sort key and sorted by its partition key."""
    name = declared.name or default_name(declared.alias)
    return Index(declared.alias, name, "GSI", table.sort, table.partition, declared.projection, is_inverse=True)


def inverse_placement(index: Index, base: Placement) -> Placement:
    """An entity's place in the index: that in the table, with its templates swapped."""
    return Placement(index, base.sort, base.partition, False, base.location)


def misnamed_inverse(settings: TableSettings) -> Iterator[Problem]:
    """An inverse index that takes the name under which entities give their keys in the table itself."""
    if any(isinstance(each, GSI) and each.is_inverse and each.alias == TABLE for each in settings.indexes):
        message = f"{settings.name}: {TABLE!r} is the table itself, and no index of it"
        yield Problem(message, settings.location, 'Call the index otherwise: inverse("gsi1").')


def inverse_problems(
    settings: TableSettings, declared: GSI, table: Index, declarations: Sequence[EntityDeclaration]
) -> Iterator[Problem]:
    """A table that has nothing to swap, and entities that give the index keys of their own."""
    alias = declared.alias
    if not table.sort:
        message = f"{settings.name}: {alias} is the inverse of the table, which has no sort key to be partitioned by"
        yield Problem(message, settings.location, "Give every entity a sort key, or take the index out.")
    for declaration in declarations:
        if alias in declaration.keys:
            message = (
                f"{declaration.cls.__name__}: {alias}={declaration.keys[alias]!r} is given, but {alias} is the inverse "
                f"of the table, whose keys are those of key=, swapped"
            )
            remedy = f"Take {alias}= out; every item of the table is in {alias} by itself."
            yield Problem(message, declaration.location, remedy)
