"""Drafts without keys: the entities and patterns of an imported source, for which the design then chooses keys."""

from __future__ import annotations

from dataclasses import replace

from singletable.importers.draft import Draft, DraftEntity, DraftTable, identity_of
from singletable.model.table_schema import TABLE

_OPTIONS_OF_KEYS = ("expected_per_partition", "mirror_of")
_DERIVED_OF_READS = ("geohash", "depth")
"""Derived values without which no key can serve a read of an area or of the children of a node."""


def keyless_draft(draft: Draft) -> Draft:
    """Return the draft without keys and indexes. Each entity keeps the identity that its key gives it."""
    return replace(draft, tables=tuple(map(_keyless_table, draft.tables)))


def _keyless_table(table: DraftTable) -> DraftTable:
    return replace(
        table,
        entities=tuple(map(_keyless_entity, table.entities)),
        keys=("PK", "SK"),
        indexes=(),
        delimiter="#",
        # Importers propose patterns because of the keys of the source, so these patterns are not requirements.
        patterns=tuple(each for each in table.patterns if not each.is_proposed),
    )


def _keyless_entity(entity: DraftEntity) -> DraftEntity:
    names = [each.name for each in entity.fields]
    own = entity.keys.get(TABLE)
    identity = entity.identity or (identity_of(entity.class_name, names, own) if own is not None else None)
    options = {name: value for name, value in entity.options.items() if name not in _OPTIONS_OF_KEYS}
    derived = {name: value for name, value in entity.derived.items() if value.kind in _DERIVED_OF_READS}
    return replace(entity, keys={}, identity=identity or None, options=options, derived=derived)
