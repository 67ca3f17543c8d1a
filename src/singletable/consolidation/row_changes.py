"""Row changes: the writes of the old tables that follow from writes of the new table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, KeyId, key_id
from singletable.client.write.stored_expressions import same_stored_value
from singletable.consolidation.dual_writer import DualWriter, row_guards
from singletable.consolidation.entity_changes import RowChange
from singletable.consolidation.row_mapping import MappedEntity, MappedRow, RowMapping
from singletable.consolidation.sources import DynamoDBSource
from singletable.consolidation.write_requests import Place, RequestedWrite, key_text
from singletable.errors import ConsolidationRefused, ItemRefused
from singletable.expressions.tree import Change, Constant, Path


@dataclass
class _RowDraft:
    """The changes of one row that follow from the writes of its entities."""

    mapping: RowMapping
    key: Item
    sets: Item = field(default_factory=dict)
    whole: Item = field(default_factory=dict)
    """All attributes that the written entities contain. If the row does not exist, it is created from them."""
    removes: set[str] = field(default_factory=set)
    written: dict[KeyId, Item] = field(default_factory=dict)
    """The attributes that each written entity contains."""
    deleted: set[KeyId] = field(default_factory=set)


class RowChanges:
    """Computes the entries of a transaction for the rows of the entities that it writes."""

    def __init__(self, writer: DualWriter, mappings: Sequence[RowMapping]) -> None:
        self._writer, self._table = writer, writer.table
        self._by_class = {cls: each for each in mappings for cls in each.classes}
        self._by_class |= {cls: each for each in mappings for cls in each.restored}

    def entities(self, items: Sequence[Item | None]) -> list[MappedEntity | None]:
        """Return the objects of some items of the new table, or None for an item without rows."""
        return [None if item is None else self._entity(self._table, item) for item in items]

    def _entity(self, table: ConnectedTable, item: Item) -> MappedEntity | None:
        types = table.reader.item_types
        entity = types.entity_of(item)
        if entity is None or entity.cls not in self._by_class:
            return None
        return MappedEntity(entity, types.decoder(entity).read(item))

    def entries(
        self, writes: Sequence[RequestedWrite], befores: Sequence[Item | None], afters: Sequence[Item | None]
    ) -> Steps[list[Mapping[str, Any]]]:
        """Return the entries for the rows. Raise ItemRefused if a row cannot express a write."""
        drafts: dict[Place, _RowDraft] = {}
        both = zip(writes, self.entities(befores), self.entities(afters), strict=True)
        for write, before, after in both:
            if write.kind != "ConditionCheck":
                self._add(drafts, before, after)
        rows = yield from self._writer.read_rows([(each.mapping.name, each.key) for each in drafts.values()])
        entries = [self._entry(draft, rows[place]) for place, draft in drafts.items()]
        return [each for each in entries if each is not None]

    def _add(self, drafts: dict[Place, _RowDraft], before: MappedEntity | None, after: MappedEntity | None) -> None:
        old = {} if before is None else self._part(before)
        new = {} if after is None else self._part(after)
        if before is not None:
            draft = self._draft(drafts, before, old)
            if after is None or self._key(after, new) != draft.key:
                draft.deleted.add(before.key_id)
                draft.removes |= old.keys() - draft.key.keys()
        if after is not None:
            draft = self._draft(drafts, after, new)
            is_same_row = before is not None and self._key(before, old) == draft.key
            known = old if is_same_row else {}
            draft.written[after.key_id] = new
            draft.whole |= new
            draft.sets |= {name: value for name, value in new.items() if not same_stored_value(known.get(name), value)}
            draft.removes |= known.keys() - new.keys()

    def _part(self, each: MappedEntity) -> Item:
        mapping = self._by_class[each.entity.cls]
        part = mapping.row_part(each.value) if isinstance(mapping.source, DynamoDBSource) else None
        if part is None:
            raise ConsolidationRefused(
                f"{each.label} cannot be written through the new table, because {mapping.name} has no function that "
                f"returns the row of a {each.entity.label}; nothing was written.\n  Add it to row_of, or write through "
                "the old system until `singletable consolidate retire`."
            )
        return part

    def _key(self, each: MappedEntity, part: Item) -> Item:
        mapping = self._by_class[each.entity.cls]
        names = self._writer.keys[mapping.name]
        if missing := [name for name in names if name not in part]:
            raise ItemRefused(f"row_of of {mapping.name} returned no {', '.join(missing)} for {each.label}")
        return {name: part[name] for name in names}

    def _draft(self, drafts: dict[Place, _RowDraft], each: MappedEntity, part: Item) -> _RowDraft:
        mapping = self._by_class[each.entity.cls]
        key = self._key(each, part)
        return drafts.setdefault((mapping.name, key_id(key)), _RowDraft(mapping, key))

    def _entry(self, draft: _RowDraft, row: Item | None) -> Mapping[str, Any] | None:
        """Return the write of a row. It requires that all attributes that the mapping has read are unchanged."""
        name = draft.mapping.name
        before = None if row is None else self._writer.mapped(name, row)
        known = self._writer.entities.mapped([before])
        expected = (known.keys() - draft.deleted) | draft.written.keys()
        if not expected:
            return None if row is None else self._action("Delete", draft, row, before, None).entry(name)
        sets = draft.whole if row is None else draft.sets
        sets = {each: value for each, value in sets.items() if row is None or row.get(each) != value}
        removes = sorted(each for each in draft.removes - draft.sets.keys() if row is not None and each in row)
        after_row = {each: value for each, value in (row or draft.key).items() if each not in removes} | sets
        after = self._writer.mapped(name, after_row)
        self._check(draft, expected, known, self._writer.entities.mapped([after]))
        if row is None:
            return self._action("Put", draft, row, before, after, after_row).entry(name)
        if not sets and not removes:
            return None
        changes = [
            Change("SET", Path((each,)), Constant(value)) for each, value in sets.items() if each not in draft.key
        ]
        changes += [Change("REMOVE", Path((each,))) for each in removes]
        return self._action("Update", draft, row, before, after, changes=tuple(changes)).entry(name)

    def _check(
        self,
        draft: _RowDraft,
        expected: set[KeyId],
        before: Mapping[KeyId, MappedEntity],
        after: Mapping[KeyId, MappedEntity],
    ) -> None:
        """Raise ItemRefused if the row maps to other entities than the new table will contain."""
        where = f"{draft.mapping.name} {key_text(draft.key)}"
        if wrong_keys := after.keys() ^ expected:
            raise ItemRefused(
                f"the row {where} does not map to the written items: the key {min(wrong_keys)} differs; nothing "
                "was written.\n  entity_of and row_of of the source must fit together."
            )
        for key, each in after.items():
            part = draft.written.get(key)
            restored = {} if part is None else self._part(each)
            if part is not None and (
                wrong := [name for name, value in part.items() if not same_stored_value(restored.get(name), value)]
            ):
                raise ItemRefused(
                    f"the row {where} does not map to the written {each.label}: {', '.join(wrong)} would change; "
                    "nothing was written.\n  entity_of and row_of of the source must fit together."
                )
            if part is None and self._writer.entities.differences(each, before[key]):
                raise ItemRefused(
                    f"the write would also change {each.label}, which has the same row {where}; nothing was written.\n"
                    "  Write both in one transaction."
                )

    def _action(
        self,
        kind: Any,
        draft: _RowDraft,
        row: Item | None,
        before: MappedRow | None,
        after: MappedRow | None,
        item: Item | None = None,
        changes: tuple[Change, ...] = (),
    ) -> ItemAction:
        guards = row_guards(row, self._writer.keys[draft.mapping.name], RowChange(before, after))
        return ItemAction(kind, draft.key, 0, item, changes, guards=tuple(guards))
