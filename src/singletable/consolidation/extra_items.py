"""Extra items: finds items of the new table whose row does not exist in the old tables."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.client.request_steps import Steps, pause
from singletable.client.responses import Item
from singletable.client.write.item_actions import key_id
from singletable.consolidation.dual_writer import DualWriter
from singletable.consolidation.row_copies import CopyResult
from singletable.consolidation.row_mapping import RowMapping
from singletable.consolidation.write_requests import key_text
from singletable.errors import ItemRefused
from singletable.migrations.item_changes import ItemFailure
from singletable.migrations.item_pass import RECHECK_SECONDS, RECHECKS, SegmentedScan


class ExtraItems:
    """Scans the new table, and reads the row of each item. Items of classes without `row_of` are skipped."""

    def __init__(self, writer: DualWriter, mappings: Sequence[RowMapping], segments: int) -> None:
        self._writer = writer
        self._by_class = {cls: each for each in mappings for cls in each.restored if cls not in writer.shared}
        self._scan = SegmentedScan(writer.table.reader.name, ({},) * segments)
        self.result = CopyResult()

    def steps(self) -> Steps[CopyResult]:
        """Return the items without a row as failures."""
        while not self._scan.is_finished:
            items = yield from self._scan.page()
            extra = yield from self._without_row(items)
            for _ in range(RECHECKS):
                if not extra:
                    break
                yield from pause(RECHECK_SECONDS)  # a client may just have deleted both
                keys = self._writer.table.reader.design.table.key_attributes
                again = yield from self._writer.read_items([{name: item[name] for name in keys} for item in extra])
                extra = yield from self._without_row([each for each in again.values() if each is not None])
            for item in extra:
                keys = self._writer.table.reader.design.table.key_attributes
                key = key_text({name: item[name] for name in keys})
                self.result.fail(ItemFailure(f"{self._writer.table.reader.name} {key}", "the item has no row"))
        self.result.read_units += self._scan.read_units
        return self.result

    def _without_row(self, items: Sequence[Item]) -> Steps[list[Item]]:
        places: list[tuple[str, Item, Item]] = []
        extra: list[Item] = []
        types = self._writer.table.reader.item_types
        for item in items:
            entity = types.entity_of(item)
            if entity is None or (mapping := self._by_class.get(entity.cls)) is None:
                continue
            if self._is_expired(item):
                continue
            try:
                part = mapping.row_part(types.decoder(entity).read(item))
            except ItemRefused:
                extra.append(item)
                continue
            if part is not None:
                places.append((mapping.name, {name: part[name] for name in self._writer.keys[mapping.name]}, item))
        rows = yield from self._writer.read_rows([(table, key) for table, key, _ in places])
        return extra + [item for table, key, item in places if not self._maps_to(table, rows[table, key_id(key)], item)]

    def _maps_to(self, table: str, row: Item | None, item: Item) -> bool:
        """Return whether a row maps to the key of an item."""
        if row is None:
            return False
        try:
            mapped = self._writer.entities.mapped([self._writer.mapped(table, row)])
        except ItemRefused:
            return False
        names = self._writer.table.reader.design.table.key_attributes
        return key_id({name: item[name] for name in names}) in mapped

    def _is_expired(self, item: Item) -> bool:
        reader = self._writer.table.reader
        stored = item.get(reader.design.ttl_attribute or "", {}).get("N")
        return stored is not None and float(stored) <= reader.now()
