"""The items of an answer as a plan reads them: rows of its one entity, or each by what it is among several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from singletable.client.answers import GetAnswer, Item, PageAnswer, read_get, read_page
from singletable.client.items.columns import QuickObjects
from singletable.client.items.kinds import Kinds
from singletable.client.items.rows import Column, Row, row_type
from singletable.client.items.shapes import ConstantColumn, constant_column, text_type
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.plan import Plan
from singletable.wire.decoders import decoder_of

_read_raw_page = decoder_of(PageAnswer[msgspec.Raw]).decode
_read_item = decoder_of(Item).decode
_ITEMS = b'"Items":['


class ObjectsOfRows:
    """Makes objects of answers whose items are rows without keys; raises for any item that is not one."""

    def __init__(
        self, row: type[Row], objects: Callable[[Sequence[Row]], list[Any]], quickly: QuickObjects | None
    ) -> None:
        self._read_page = decoder_of(PageAnswer[row]).decode  # type: ignore[valid-type]  # made at run time
        self._read_rows = decoder_of(list[row]).decode  # type: ignore[valid-type]  # the same
        self._objects = objects
        self._quickly = quickly

    def page(self, body: bytes) -> tuple[PageAnswer[Any], list[Any]]:
        """A whole answer, whose items need not be in it any more, and its objects."""
        if self._quickly is not None:
            with suppress(Exception):  # what it does not expect is looked at below
                return self._page_quickly(self._quickly, body)
        answer = self._read_page(body)
        return answer, self._objects(answer.items)

    def _page_quickly(self, quickly: QuickObjects, body: bytes) -> tuple[PageAnswer[Any], list[Any]]:
        # No text has a quote without a backslash before it, and no attribute is an array: these bytes stand there once.
        start = body.index(_ITEMS) + len(_ITEMS)
        objects, end = quickly.of_array(body, start)
        answer = read_page(b"%b]%b" % (body[:start], body[end:]))
        if answer.count != len(objects):
            raise ValueError("these are not the items that were counted")
        return answer, objects

    def piece(self, items: bytes | msgspec.Raw) -> list[Any]:
        """The objects of some items, which have commas between them."""
        if self._quickly is not None:
            with suppress(Exception):
                return self._quickly.of(items)
        return self._objects(self._read_rows(b"[%b]" % items))


class PlannedItems:
    """Reads the answers of one plan; what is no row of an entity that it wants comes as a map."""

    def __init__(self, design: Design, plan: Plan, kinds: Kinds) -> None:
        self._design, self._plan, self._kinds = design, plan, kinds
        rows = {} if plan.hydrate else {entity.name: row for entity in plan.wanted if (row := self._row_type(entity))}
        self._by_name = {name: decoder_of(row) for name, row in rows.items()}
        self._page: msgspec.json.Decoder[PageAnswer[Row]] | None = None
        self._get: msgspec.json.Decoder[GetAnswer[Row]] | None = None
        if len(rows) == 1 and len(plan.wanted) == 1 and not plan.foreign:
            (row,) = rows.values()
            self._page = decoder_of(PageAnswer[row])  # type: ignore[valid-type]  # made at run time
            self._get = decoder_of(GetAnswer[row])  # type: ignore[valid-type]
        self.objects_of = self._objects_of() if self._page is not None else None
        """What makes objects of an answer at once; None where its items have to be looked at first."""
        self._type_of: msgspec.json.Decoder[Any] | None = None
        name = design.settings.type_attribute
        if name is not None and rows:
            kind = row_type("Kind", [Column(name, "kind", text_type("S"), optional=True)])
            assert kind is not None, "the other rows have the attribute too"
            self._type_of = decoder_of(kind)

    def page(self, body: bytes) -> tuple[PageAnswer[Any], bool]:
        """The answer to a Query, and whether all its items are certain to be of the plan's entity."""
        if self._page is not None:
            try:
                return self._page.decode(body), True
            except msgspec.ValidationError:  # of an item that is another, or is not as the model says
                pass
        if self._type_of is None:
            return read_page(body), False
        answer = _read_raw_page(body)
        items = [self._item(raw) for raw in answer.items]
        return PageAnswer(items, answer.count, answer.last_evaluated_key, answer.consumed_capacity), False

    def one(self, body: bytes) -> tuple[GetAnswer[Any], bool]:
        """The answer to GetItem, and whether its item is certain to be of the plan's entity."""
        if self._get is not None:
            try:
                return self._get.decode(body), True
            except msgspec.ValidationError:
                pass
        return read_get(body), False

    def _item(self, raw: msgspec.Raw) -> Item | Row:
        assert self._type_of is not None, "asked only where items say what they are"
        try:
            kind = self._type_of.decode(raw).kind
            if kind is not None and (decoder := self._by_name.get(kind.S)) is not None:
                return decoder.decode(raw)
        except msgspec.ValidationError:  # the type attribute is not a string, or the item is not as the model says
            pass
        return _read_item(raw)

    def _objects_of(self) -> ObjectsOfRows | None:
        plan = self._plan
        if plan.operation != "Query" or plan.spreads or plan.filter is not None or self._design.ttl_attribute:
            return None
        (entity,) = plan.wanted
        decoder = self._kinds.decoder(entity, plan.view)
        constants = list(self._constants(entity))
        row = decoder.row_type(constants)
        if row is None:
            return None
        return ObjectsOfRows(row, decoder.objects, decoder.quick_objects(each.quick for each in constants))

    def _row_type(self, entity: Entity) -> type[Row] | None:
        """Rows of an entity with what a read needs beside its fields; None where the index has not all of them."""
        decoder = self._kinds.decoder(entity, self._plan.view)
        index, table = self._plan.index, self._design.table
        if index.projection.kind != "ALL":
            held = {*index.projection.attributes, *index.key_attributes, *table.key_attributes}
            if not decoder.attributes <= held:
                return None
        constants: list[Column] = list(self._constants(entity))
        if any(column.attribute in decoder.attributes for column in constants):
            return None
        keys = {each.name: each for each in (*index.partition, *index.sort, *table.partition, *table.sort)}
        columns = [Column(name, f"key{place}", text_type(each.type)) for place, (name, each) in enumerate(keys.items())]
        if self._design.ttl_attribute is not None:
            constants.append(Column(self._design.ttl_attribute, "expiry", dict[str, Any], optional=True))
        return decoder.row_type((*columns, *constants))

    def _constants(self, entity: Entity) -> Iterator[ConstantColumn]:
        """What makes an item one of the entity, and of its present version."""
        settings, version = self._design.settings, entity.declaration.schema_version
        if settings.type_attribute is not None:
            yield constant_column(settings.type_attribute, "kind", "S", entity.name)
        if version is not None:
            yield constant_column(settings.schema_version_attribute, "version", "N", str(version))
