"""Plan decoder: turns the responses of one plan into rows and objects, with fast paths for pages of one entity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from singletable.client.items.item_types import ItemTypes
from singletable.client.items.key_literals import KeyLiterals
from singletable.client.items.row_columns import ConstantColumn, FastObjects, constant_column, text_type
from singletable.client.items.rows import FAST_OBJECTS, FAST_ROWS, Column, Row, row_type
from singletable.client.responses import GetResponse, Item, PageResponse, read_get, read_page
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.plan import Plan
from singletable.values.fast_path import NotOnFastPath
from singletable.wire.api_types import decoder_of

_read_raw_page = decoder_of(PageResponse[msgspec.Raw]).decode
_read_item = decoder_of(Item).decode
_ITEMS = b'"Items":['


class PageFastPath:
    """Fast paths for a page: create objects from the bytes of a response without checking each item.

    The compiled reader runs first, then msgspec. Both raise NotOnFastPath if an item does not match.
    """

    def __init__(
        self,
        row: type[Row],
        objects: Callable[[Sequence[Row]], list[Any]],
        literals: KeyLiterals,
        fast: FastObjects | None,
    ) -> None:
        self._read_page = decoder_of(PageResponse[row]).decode  # type: ignore[valid-type]  # created at run time
        self._read_rows = decoder_of(list[row]).decode  # type: ignore[valid-type]  # the same
        self._create, self._literals = objects, literals
        self._fast = fast

    def page(self, body: bytes) -> tuple[PageResponse[Any], list[Any]]:
        """Return a response, whose `items` may be missing, and the objects of its items.

        Raise NotOnFastPath if one does not match.
        """
        if self._fast is not None:
            try:
                response, objects = self._compiled_page(self._fast, body)
            except NotOnFastPath:
                FAST_ROWS.misses += 1
            else:
                FAST_ROWS.hits += 1
                return response, objects
        try:
            response, objects = self._page_of_rows(body)
        except NotOnFastPath:
            FAST_OBJECTS.misses += 1
            raise
        FAST_OBJECTS.hits += 1
        return response, objects

    def _page_of_rows(self, body: bytes) -> tuple[PageResponse[Any], list[Any]]:
        try:
            response = self._read_page(body)
        except msgspec.MsgspecError as problem:
            raise NotOnFastPath from problem
        return response, self._objects(response.items)

    def _compiled_page(self, fast: FastObjects, body: bytes) -> tuple[PageResponse[Any], list[Any]]:
        # JSON escapes the quotes in a text, and no attribute value is a bare array. So these bytes occur only once.
        start = body.find(_ITEMS) + len(_ITEMS)
        if start < len(_ITEMS):
            raise NotOnFastPath
        objects, end = fast.of_array(body, start)
        try:
            response = read_page(b"%b]%b" % (body[:start], body[end:]))
        except msgspec.MsgspecError as problem:
            raise NotOnFastPath from problem
        if response.count != len(objects):
            raise NotOnFastPath
        return response, objects

    def _objects(self, rows: Sequence[Row]) -> list[Any]:
        if not self._literals.fit(rows):
            raise NotOnFastPath
        return self._create(rows)

    def chunk(self, items: bytes | msgspec.Raw) -> list[Any]:
        """Return the objects of comma-separated items. Raise NotOnFastPath if an item does not match."""
        if self._fast is not None:
            try:
                objects = self._fast.of(items)
            except NotOnFastPath:
                FAST_ROWS.misses += 1
            else:
                FAST_ROWS.hits += 1
                return objects
        try:
            objects = self._chunk_of_rows(items)
        except NotOnFastPath:
            FAST_OBJECTS.misses += 1
            raise
        FAST_OBJECTS.hits += 1
        return objects

    def _chunk_of_rows(self, items: bytes | msgspec.Raw) -> list[Any]:
        try:
            rows = self._read_rows(b"[%b]" % items)
        except msgspec.MsgspecError as problem:
            raise NotOnFastPath from problem
        return self._objects(rows)


class PlanDecoder:
    """Decodes the responses of one plan: items of its entities as rows, other items as dicts."""

    def __init__(
        self, design: Design, plan: Plan, item_types: ItemTypes, literals: Callable[[Entity, Plan], KeyLiterals]
    ) -> None:
        self._design, self._plan, self._item_types = design, plan, item_types
        self._literals = literals
        # A view can lack the fields that the client checks, so the client reads whole items.
        reads_whole_items = plan.hydrate or (bool(plan.trims) and plan.view is not None)
        rows = (
            {}
            if reads_whole_items
            else {entity.name: row for entity in plan.entities if (row := self._row_type(entity))}
        )
        self._by_name: dict[str, msgspec.json.Decoder[Row]] = {}
        self._page: msgspec.json.Decoder[PageResponse[Row]] | None = None
        self._get: msgspec.json.Decoder[GetResponse[Row]] | None = None
        self.page_fast_path: PageFastPath | None = None
        """The fast path; None if the client must check each item."""
        self._type_of: msgspec.json.Decoder[Any] | None = None
        has_one_type = len(rows) == 1 and len(plan.entities) == 1 and not plan.other_entities
        if plan.operation == "GetItem":
            if has_one_type:
                (row,) = rows.values()
                self._get = decoder_of(GetResponse[row])  # type: ignore[valid-type]  # created at run time
            return
        self._by_name = {name: decoder_of(row) for name, row in rows.items()}
        if has_one_type:
            (row,) = rows.values()
            self._page = decoder_of(PageResponse[row])  # type: ignore[valid-type]  # created at run time
            self.page_fast_path = self._page_fast_path()
        name = design.settings.type_attribute
        if name is not None and rows:
            kind = row_type("Kind", [Column(name, "kind", text_type("S"), optional=True)])
            assert kind is not None, "the rows of the entities have the type attribute too"
            self._type_of = decoder_of(kind)

    def page(self, body: bytes) -> tuple[PageResponse[Any], bool]:
        """Return the response to a Query, and whether all its items are of the plan's entity."""
        if self._page is not None:
            try:
                return self._page.decode(body), True
            except msgspec.ValidationError:  # an item is of another entity, or does not match the model
                pass
        if self._type_of is None:
            return read_page(body), False
        response = _read_raw_page(body)
        items = [self._item(raw) for raw in response.items]
        return PageResponse(items, response.count, response.last_evaluated_key, response.consumed_capacity), False

    def get_item(self, body: bytes) -> tuple[GetResponse[Any], bool]:
        """Return the response to GetItem, and whether its item is of the plan's entity."""
        if self._get is not None:
            try:
                return self._get.decode(body), True
            except msgspec.ValidationError:
                pass
        return read_get(body), False

    def _item(self, raw: msgspec.Raw) -> Item | Row:
        assert self._type_of is not None, "only called for a table with a type attribute"
        try:
            kind = self._type_of.decode(raw).kind
            if kind is not None and (decoder := self._by_name.get(kind.S)) is not None:
                return decoder.decode(raw)
        except msgspec.ValidationError:  # the type attribute is not a string, or the item does not match the model
            pass
        return _read_item(raw)

    def _page_fast_path(self) -> PageFastPath | None:
        plan = self._plan
        if plan.operation != "Query" or plan.fan_outs or plan.filter is not None or self._design.ttl_attribute:
            return None
        if plan.trims:
            return None
        (entity,) = plan.entities
        decoder = self._item_types.decoder(entity, plan.view)
        literals = self._literals(entity, plan)
        constants = list(self._constants(entity))
        keys = list(literals.page_columns())
        row = decoder.row_type([*(column for column, _ in keys), *constants])
        if row is None:
            return None
        fast = decoder.fast_objects([*(column for _, column in keys), *(each.fast for each in constants)])
        return PageFastPath(row, decoder.objects, literals, fast)

    def _row_type(self, entity: Entity) -> type[Row] | None:
        """Return the row type of an entity: fields, keys, type and expiry.

        Return None if the index lacks some of them.
        """
        decoder = self._item_types.decoder(entity, self._plan.view)
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
        """Yield the columns that identify the entity and its current schema version."""
        settings, version = self._design.settings, entity.declaration.schema_version
        if settings.type_attribute is not None:
            yield constant_column(settings.type_attribute, "kind", "S", entity.name)
        if version is not None:
            yield constant_column(settings.schema_version_attribute, "version", "N", str(version))
