"""Validation of a draft: every part that cannot be loaded becomes a note with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from singletable.errors import ImportRefused
from singletable.importers.draft import Draft, DraftEntity, DraftPattern, DraftTable, left_out_index
from singletable.importers.proposals import with_new_proposals
from singletable.model.table_schema import TABLE


@dataclass(frozen=True)
class Objection:
    """The reason why a table cannot be loaded or, with the name of a pattern, why no request serves the pattern."""

    reason: str
    pattern: str | None = None


Judge = Callable[[DraftTable], Sequence[Objection]]
"""A function that loads and plans a table. The command line passes it, because it can import the client."""


def validated(draft: Draft, judge: Judge) -> Draft:
    """Return the draft without parts that cannot be loaded. Raise ImportRefused if no entity remains.

    If no request serves a pattern of the source, the pattern stays, so that `check` reports it. A pattern that the
    importer proposed is removed.
    """
    tables = [_table(table, judge) for table in draft.tables]
    if not any(table.entities for table in tables):
        reasons = "".join(f"\n  {note}" for table in tables for note in table.notes)
        raise ImportRefused(f"{draft.title}: no entity can be imported{reasons}")
    notes = [*draft.notes]
    for table in tables:
        if not table.entities:
            notes += [
                f"The table {table.name} was left out, because none of its entities can be imported.",
                *table.notes,
            ]
    return replace(draft, tables=tuple(table for table in tables if table.entities), notes=tuple(notes))


def _table(table: DraftTable, judge: Judge) -> DraftTable:
    if not table.entities:
        return table
    objections = judge(table)
    if all(each.pattern is not None for each in objections):
        return _without_proposals(table, {str(each.pattern) for each in objections})
    notes = list(table.notes)
    entities = _entities(replace(table, patterns=(), notes=()), judge, notes)
    loadable = _with_entities(replace(table, patterns=(), notes=()), entities)
    notes += [
        left_out_index(index, "no entity has its keys") for index in table.indexes if index not in loadable.indexes
    ]
    if not entities:
        _patterns(loadable, table.patterns, judge, notes)
        return replace(table, entities=(), notes=tuple(dict.fromkeys(notes)))
    proposed = with_new_proposals(replace(loadable, patterns=table.patterns, notes=tuple(notes)), table)
    notes = list(proposed.notes)
    patterns = _patterns(loadable, proposed.patterns, judge, notes)
    loaded = replace(loadable, patterns=patterns, notes=tuple(dict.fromkeys(notes)))
    return _without_proposals(loaded, {str(each.pattern) for each in judge(loaded)})


def _without_proposals(table: DraftTable, unsupported: set[str]) -> DraftTable:
    kept = tuple(each for each in table.patterns if not (each.is_proposed and each.name in unsupported))
    return replace(table, patterns=kept)


def _load_problem(table: DraftTable, judge: Judge) -> str | None:
    return next((each.reason for each in judge(table) if each.pattern is None), None)


def _entities(table: DraftTable, judge: Judge, notes: list[str]) -> tuple[DraftEntity, ...]:
    """Return the entities that can be loaded together, with the indexes for which each can be loaded."""
    kept: tuple[DraftEntity, ...] = ()
    for declared in table.entities:
        entity = declared
        base = replace(entity, keys={alias: keys for alias, keys in entity.keys.items() if alias == TABLE})
        if problem := _load_problem(_with_entities(table, (*kept, base)), judge):
            without = replace(base, ttl=None)
            if entity.ttl is None or _load_problem(_with_entities(table, (*kept, without)), judge):
                notes.append(_sentence(f"The entity {_with_attributes(table, entity)} was left out: {problem}"))
                continue
            notes.append(_sentence(f"{entity.class_name}: ttl={entity.ttl} was left out: {problem}"))
            base, entity = without, replace(entity, ttl=None)
        if not _load_problem(_with_entities(table, (*kept, entity)), judge):
            kept = (*kept, entity)
            continue
        for alias, keys in entity.keys.items():
            wider = replace(base, keys={**base.keys, alias: keys})
            if problem := _load_problem(_with_entities(table, (*kept, wider)), judge):
                notes.append(_sentence(f"{entity.class_name} is not in the index {_shown(table, alias)}: {problem}"))
            else:
                base = wider
        kept = (*kept, base)
    return kept


def _patterns(
    table: DraftTable, patterns: Sequence[DraftPattern], judge: Judge, notes: list[str]
) -> tuple[DraftPattern, ...]:
    names = {entity.class_name for entity in table.entities}
    kept: list[DraftPattern] = []
    for pattern in patterns:
        if missing := [name for name in pattern.entities if name not in names]:
            problem: str | None = f"the entity {missing[0]} was left out"
        else:
            problem = _load_problem(replace(table, patterns=(*kept, pattern)), judge)
        if problem is None:
            kept.append(pattern)
        elif not pattern.is_proposed:
            notes.append(_sentence(f"The pattern {pattern.name} ({pattern.title}) was left out: {problem}"))
    return tuple(kept)


def _with_entities(table: DraftTable, entities: tuple[DraftEntity, ...]) -> DraftTable:
    used = tuple(index for index in table.indexes if any(index.alias in entity.keys for entity in entities))
    return replace(table, entities=entities, indexes=used)


def _with_attributes(table: DraftTable, entity: DraftEntity) -> str:
    """Return the name of an entity in the model and in the source, with its attributes."""
    of_indexes = (
        name for index in table.indexes if index.alias in entity.keys for name in index.partition + index.sort
    )
    attributes = dict.fromkeys((*table.keys, *(each.stored_as for each in entity.fields), *of_indexes))
    stored = "" if entity.stored_name in (None, entity.class_name) else f"{entity.stored_name}: "
    return f"{entity.class_name} ({stored}{', '.join(attributes)})"


def _shown(table: DraftTable, alias: str) -> str:
    """Return the name of an index with its key attributes, because the entity does not have them."""
    index = next(each for each in table.indexes if each.alias == alias)
    return f"{index.name} ({', '.join((*index.partition, *index.sort))})"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
