"""A draft without what does not hold: what cannot be loaded or is not one request becomes a note that says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from singletable.drafts.draft import Draft, DraftEntity, DraftPattern, DraftTable
from singletable.errors import ImportRefused
from singletable.model.table_schema import TABLE


@dataclass(frozen=True)
class Objection:
    """Why a table of a draft does not hold: a pattern by its name, or the table as a whole."""

    reason: str
    pattern: str | None = None


Judge = Callable[[DraftTable], Sequence[Objection]]
"""Makes the model that a drafted table is, and plans it; the command line has one, since it may load models."""


def proved(draft: Draft, judge: Judge, *, are_proposed: bool = False) -> Draft:
    """The draft with everything that holds; raises ImportRefused when no entity is left of it.

    Patterns that were only proposed are left out without a note: nobody asked for them.
    """
    tables = tuple(_table(table, judge, are_proposed=are_proposed) for table in draft.tables)
    if not any(table.entities for table in tables):
        reasons = "".join(f"\n  {note}" for table in tables for note in table.notes)
        raise ImportRefused(f"{draft.title}: none of its entities can be a model{reasons}")
    return replace(draft, tables=tuple(table for table in tables if table.entities))


def _table(table: DraftTable, judge: Judge, *, are_proposed: bool) -> DraftTable:
    if not table.entities or not judge(table):
        return table
    notes = list(table.notes)
    entities = _entities(replace(table, patterns=(), notes=()), judge, notes)
    indexes = tuple(index for index in table.indexes if any(index.alias in entity.keys for entity in entities))
    kept = replace(table, entities=entities, indexes=indexes, patterns=(), notes=())
    said: list[str] = []
    patterns = _patterns(kept, table.patterns, judge, said) if entities else ()
    notes += [] if are_proposed else said
    return replace(kept, patterns=patterns, notes=tuple(dict.fromkeys(notes)))


def _entities(table: DraftTable, judge: Judge, notes: list[str]) -> tuple[DraftEntity, ...]:
    """The entities, one after the other, each with the indexes that it can be in beside those before it."""
    kept: tuple[DraftEntity, ...] = ()
    for wanted in table.entities:
        entity = wanted
        base = replace(entity, keys={TABLE: entity.keys[TABLE]})
        if objections := judge(_with(table, (*kept, base))):
            if entity.ttl and not judge(_with(table, (*kept, replace(base, ttl=None)))):
                notes.append(
                    _sentence(f"{entity.class_name}: items do not expire by {entity.ttl}: {objections[0].reason}")
                )
                base, entity = replace(base, ttl=None), replace(entity, ttl=None)
            else:
                notes.append(_sentence(f"{entity.class_name} was left out: {objections[0].reason}"))
                continue
        if not judge(_with(table, (*kept, entity))):
            kept = (*kept, entity)
            continue
        for alias, keys in entity.keys.items():
            wider = replace(base, keys={**base.keys, alias: keys})
            if objections := judge(_with(table, (*kept, wider))):
                notes.append(_sentence(f"{entity.class_name} is not in {alias}: {objections[0].reason}"))
            else:
                base = wider
        kept = (*kept, base)
    return kept


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _with(table: DraftTable, entities: tuple[DraftEntity, ...]) -> DraftTable:
    used = tuple(index for index in table.indexes if any(index.alias in entity.keys for entity in entities))
    return replace(table, entities=entities, indexes=used)


def _patterns(
    table: DraftTable, patterns: Sequence[DraftPattern], judge: Judge, notes: list[str]
) -> tuple[DraftPattern, ...]:
    """The patterns that are one request of the table, alone and beside the others."""
    names = {entity.class_name for entity in table.entities}
    kept: list[DraftPattern] = []
    for pattern in patterns:
        if missing := [name for name in pattern.entities if name not in names]:
            reason = f"{missing[0]} was left out"
        elif objections := judge(replace(table, patterns=(pattern,))):
            reason = objections[0].reason
        else:
            kept.append(pattern)
            continue
        notes.append(_sentence(f"{pattern.name} ({pattern.title}) was left out: {reason}"))
    if kept and judge(replace(table, patterns=tuple(kept))):
        together: list[DraftPattern] = []
        for pattern in kept:
            if objections := judge(replace(table, patterns=(*together, pattern))):
                notes.append(_sentence(f"{pattern.name} ({pattern.title}) was left out: {objections[0].reason}"))
            else:
                together.append(pattern)
        kept = together
    return tuple(kept)
