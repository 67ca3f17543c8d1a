"""Questions about renamed fields: a field that vanished and a similar one that appeared may be the same field."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot


def ask_about_renames(before: Snapshot, after: Snapshot) -> Snapshot:
    """Return the new design with the renames that the user confirms. Ask only if the standard input is a terminal."""
    from singletable.evolve.operation import with_entity
    from singletable.evolve.renamed_fields import possible_renames

    if not sys.stdin.isatty():
        return after
    for name, entity in after.entities.items():
        if (old := before.entities.get(name)) is None:
            continue
        found = {new: gone for gone, new in possible_renames(old, entity) if _is_renamed(entity, gone, new)}
        if found:
            after = with_entity(after, name, renamed_from={**entity.renamed_from, **found})
    return after


def rename_declarations(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the `renamed_from=` to declare in the model, for each entity with renames that the user confirmed."""
    for name, entity in after.entities.items():
        declared = before.entities[name].renamed_from
        if entity.renamed_from != declared:
            shown = ", ".join(f'"{new}": "{old}"' for new, old in sorted(entity.renamed_from.items()))
            yield f"{entity.label}: @entity(..., renamed_from={{{shown}}})"


def _is_renamed(entity: EntitySnapshot, gone: str, new: str) -> bool:
    print(f"{entity.label}: was the field {gone!r} renamed to {new!r}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
