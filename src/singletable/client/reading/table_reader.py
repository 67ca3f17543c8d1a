"""Table reader, which all reads share: builds requests, decodes responses, skips expired items and counts capacity."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from singletable.client.items.item_types import ItemTypes
from singletable.client.items.row_columns import ConstantColumn, FastObjects, constant_column, text_type
from singletable.client.items.rows import FAST_OBJECTS, FAST_ROWS, Column, Row, row_type
from singletable.client.metrics import Metrics
from singletable.client.reading.unreadable_items import Readable, UnreadableItems, read_items
from singletable.client.request_steps import Call
from singletable.client.responses import Capacity, GetResponse, Item, PageChunks, PageResponse, read_get, read_page
from singletable.client.retries import Retries
from singletable.errors import ArgumentRefused, ItemRefused, UnknownItemWarning
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.parameter_types import holds
from singletable.model.source_location import user_stacklevel
from singletable.planner.plan import Plan
from singletable.planner.planned_requests import Request
from singletable.planner.trims import TrimTests, trim_tests
from singletable.values.fast_path import NotOnFastPath
from singletable.wire.api_types import decoder_of

if TYPE_CHECKING:
    from singletable.client.reading.cursors import Cursors

_read_raw_page = decoder_of(PageResponse[msgspec.Raw]).decode
_read_item = decoder_of(Item).decode
_ITEMS = b'"Items":['


class PageFastPath:
    """Fast paths for a page: create objects from the bytes of a response without checking each item.

    The compiled reader runs first, then msgspec. Both raise NotOnFastPath if an item does not match.
    """

    def __init__(self, row: type[Row], objects: Callable[[Sequence[Row]], list[Any]], fast: FastObjects | None) -> None:
        self._read_page = decoder_of(PageResponse[row]).decode  # type: ignore[valid-type]  # created at run time
        self._read_rows = decoder_of(list[row]).decode  # type: ignore[valid-type]  # the same
        self._objects = objects
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

    def __init__(self, design: Design, plan: Plan, item_types: ItemTypes) -> None:
        self._design, self._plan, self._item_types = design, plan, item_types
        # A view can lack the fields that the client checks, so the client reads whole items.
        reads_whole_items = plan.hydrate or (bool(plan.trims) and plan.view is not None)
        rows = (
            {}
            if reads_whole_items
            else {entity.name: row for entity in plan.entities if (row := self._row_type(entity))}
        )
        self._by_name = {name: decoder_of(row) for name, row in rows.items()}
        self._page: msgspec.json.Decoder[PageResponse[Row]] | None = None
        self._get: msgspec.json.Decoder[GetResponse[Row]] | None = None
        if len(rows) == 1 and len(plan.entities) == 1 and not plan.other_entities:
            (row,) = rows.values()
            self._page = decoder_of(PageResponse[row])  # type: ignore[valid-type]  # created at run time
            self._get = decoder_of(GetResponse[row])  # type: ignore[valid-type]
        self.page_fast_path = self._page_fast_path() if self._page is not None else None
        """The fast path; None if the client must check each item."""
        self._type_of: msgspec.json.Decoder[Any] | None = None
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
        constants = list(self._constants(entity))
        row = decoder.row_type(constants)
        if row is None:
            return None
        return PageFastPath(row, decoder.objects, decoder.fast_objects(each.fast for each in constants))

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


@dataclass(frozen=True)
class ReadOptions:
    """The options of one read, from `.using(...)` or from `limit` and `cursor` in the signature."""

    consistent: bool | None = None
    """Whether the read is strongly consistent; None means that the pattern decides."""
    expired: bool = False
    """Whether to return expired items, which DynamoDB has not deleted yet."""
    limit: int | None = None
    cursor: str | None = None
    trims: TrimTests | None = None
    """The tests that the client applies to each item, because the key contains only the unit of a time."""

    def trimming(self, plan: Plan, arguments: Mapping[str, Any]) -> ReadOptions:
        """Return the options with the tests of a plan for these arguments."""
        return replace(self, trims=trim_tests(plan, arguments)) if plan.trims else self


@dataclass
class TableReader:
    """The parts that all reads of a table share: the design, cursors, metrics, clock and settings."""

    design: Design
    name: str
    """The name of the table in DynamoDB, which can differ from the name in the model."""
    item_types: ItemTypes
    cursors: Cursors
    metrics: Metrics
    now: Callable[[], float]
    retries: Retries = field(default_factory=Retries)
    reports_unreadable: bool = False
    """Whether reads report unreadable items and return the others; by default they raise ItemRefused."""
    _ttl: str | None = field(init=False)
    _plan_decoders: dict[tuple[str, type | None], PlanDecoder] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._ttl = self.design.ttl_attribute

    def page(self, body: bytes, plan: Plan, options: ReadOptions) -> PageResponse[Any]:
        """Return the response to a Query with only the matching items, and count its capacity."""
        response, is_typed = self._plan_decoder(plan).page(body)
        self.count_capacity(plan, response.consumed_capacity)
        if is_typed and self._ttl is None and not options.trims:
            return response
        return PageResponse(
            self.matching(response.items, plan, options),
            response.count,
            response.last_evaluated_key,
            response.consumed_capacity,
        )

    def has_fast_path(self, plan: Plan) -> bool:
        """Return whether a plan is one Query in which every item matches, so that reads need only the objects."""
        return self._plan_decoder(plan).page_fast_path is not None

    def objects(
        self, response: bytes | PageChunks, plan: Plan, options: ReadOptions, unreadable: UnreadableItems | None = None
    ) -> tuple[list[Any], Item | None]:
        """Return the objects of a Query on the fast path, and its last evaluated key; count its capacity."""
        page_fast_path = self._plan_decoder(plan).page_fast_path
        assert page_fast_path is not None, "only called if there is a fast path"
        if isinstance(response, bytes):
            try:
                page, objects = page_fast_path.page(response)
            except NotOnFastPath:
                pass
            else:
                self.count_capacity(plan, page.consumed_capacity)
                return objects, page.last_evaluated_key
            return self._objects_one_by_one(response, plan, options, unreadable)
        self.count_capacity(plan, response.consumed_capacity)
        objects = []
        for chunk in response.items:
            try:
                found = page_fast_path.chunk(chunk)
            except NotOnFastPath:
                found = None
            if found is None:
                found, _ = self._objects_one_by_one(b'{"Items":[%b]}' % chunk, plan, options, unreadable)
            objects += found
        return objects, response.last_evaluated_key

    def _objects_one_by_one(
        self, body: bytes, plan: Plan, options: ReadOptions, unreadable: UnreadableItems | None
    ) -> tuple[list[Any], Item | None]:
        """Decode the items of a response one by one, after the fast path has failed."""
        page = self.page(body, plan, options)
        if unreadable is not None:
            unreadable.responses = [body]
        return self.decoded(page.items, plan, unreadable), page.last_evaluated_key

    def get_item(self, body: bytes, plan: Plan, options: ReadOptions) -> Any:
        """Return the item of a GetItem response, and count its capacity.

        Return None if it is missing or does not match.
        """
        response, is_typed = self._plan_decoder(plan).get_item(body)
        self.count_capacity(plan, response.consumed_capacity)
        if response.item is None or (is_typed and self._ttl is None):
            return response.item
        return next(iter(self.matching((response.item,), plan, options)), None)

    def _plan_decoder(self, plan: Plan) -> PlanDecoder:
        cache_key = (plan.pattern.name, plan.view)  # a count has another view of the same pattern
        decoder = self._plan_decoders.get(cache_key)
        if decoder is None:
            decoder = self._plan_decoders[cache_key] = PlanDecoder(self.design, plan, self.item_types)
        return decoder

    def call(self, request: Request, plan: Plan, options: ReadOptions, **added: Any) -> Call:
        """Return the call for a planned request, with the name of the table and the read options."""
        parameters = {**request.parameters, "TableName": self.name, "ReturnConsumedCapacity": "TOTAL", **added}
        if options.consistent is not None:
            if options.consistent and not plan.strong_possible:
                raise ArgumentRefused(
                    f"{plan.pattern.name} reads {plan.index.display_name}, "
                    "which supports only eventually consistent reads; remove consistent=True"
                )
            parameters["ConsistentRead"] = options.consistent
        return Call(request.operation, parameters, source=plan.pattern.name)

    def count_capacity(self, plan: Plan, capacity: Capacity | None) -> None:
        """Add the consumed capacity of a request to the metrics of its pattern."""
        if capacity is not None:
            self.metrics.read(plan.pattern.name, capacity.capacity_units)

    def is_alive(self, item: Item | Row, options: ReadOptions) -> bool:
        """Return whether an item has not expired, or the options include expired items."""
        if self._ttl is None or options.expired:
            return True
        expires = (item.get(self._ttl) or {}).get("N")
        return expires is None or float(expires) > self.now()

    def matching(self, items: Sequence[Any], plan: Plan, options: ReadOptions) -> list[Any]:
        """Return the items that belong to the plan's entities and have not expired."""
        if (
            plan.other_entities
            or len(plan.entities) > 1
            or self._ttl is not None
            or self.design.settings.type_attribute
        ):
            items = [item for item in items if self._is_in_plan(item, plan) and self.is_alive(item, options)]
        return self.trimmed(items, plan, options)

    def trimmed(self, items: Sequence[Any], plan: Plan, options: ReadOptions) -> list[Any]:
        """Return the items whose exact times match. Keep items whose time the index does not contain."""
        if not options.trims:
            return list(items)
        return [item for item in items if self._is_at_time(item, plan, options.trims)]

    def _is_at_time(self, item: Item | Row, plan: Plan, tests: TrimTests) -> bool:
        entity = plan.entities[0] if len(plan.entities) == 1 else self.item_types.entity_of(item)
        if entity is None:
            return True
        decoder = self.item_types.decoder(entity)
        try:
            found = [(decoder.field(item, test.field), test.predicate) for test in tests.get(entity.name, ())]
        except ItemRefused:  # the read reports the item as unreadable
            return True
        return all(value is None or holds(predicate, value) for value, predicate in found)

    def _is_in_plan(self, item: Item | Row, plan: Plan) -> bool:
        return self.entity_of(item, plan.pattern.name) in plan.entities

    def entity_of(self, item: Item | Row, source: str) -> Entity | None:
        """Return the entity of an item. For an item that belongs to no entity of the model, warn and return None."""
        entity = self.item_types.entity_of(item)
        if entity is None and not self.item_types.is_marker(item):
            keys = {name: item.get(name) for name in self.design.table.key_attributes}
            warnings.warn(
                f"{source} found an item that belongs to no entity of {self.design.name}: {keys}",
                UnknownItemWarning,
                stacklevel=user_stacklevel(),
            )
        return entity

    def is_of(self, item: Item, entity: Entity, source: str) -> bool:
        """Return whether the type attribute of an item is missing or names the entity. Warn if the type is unknown."""
        name = self.design.settings.type_attribute
        stored = None if name is None else item.get(name)
        if stored is None or stored.get("S") == entity.name:
            return True
        self.entity_of(item, source)
        return False

    def unreadable_items(self, warn_as: str | None = None) -> UnreadableItems | None:
        """Return an object that collects or reports the unreadable items of a read.

        Return None if reads raise ItemRefused.
        """
        return UnreadableItems(self.design.table.key_attributes, warn_as) if self.reports_unreadable else None

    def decoded(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None = None) -> list[Any]:
        """Return the objects, or views, of items."""
        return self.readable(items, plan, unreadable).objects

    def readable(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None) -> Readable:
        """Return the readable items and their objects, in the order of the items."""
        entity, *others = plan.entities
        if others:
            return self._readable_of_several(items, plan, unreadable)
        return read_items(self.item_types.decoder(entity, plan.view), items, unreadable)

    def _readable_of_several(
        self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None
    ) -> Readable:
        """Decode the items of each entity together, and return them in the order of `items`."""
        placed: list[tuple[int, Item | Row, Any]] = []
        places: dict[str, list[int]] = {}
        for place, item in enumerate(items):
            entity = self.item_types.entity_of(item)
            places.setdefault("" if entity is None else entity.name, []).append(place)
        for entity in plan.entities:
            own = places.get(entity.name, [])
            found = read_items(self.item_types.decoder(entity, plan.view), [items[place] for place in own], unreadable)
            known = {id(items[place]): place for place in own}
            placed += [(known[id(item)], item, value) for item, value in zip(found.items, found.objects, strict=True)]
        placed.sort(key=lambda each: each[0])
        return Readable([item for _, item, _ in placed], [value for _, _, value in placed])

    def read(self, item: Item, entity: Entity, source: str) -> Any:
        """Return the object of an item.

        If the item is unreadable and the table reports such items, warn and return None.
        """
        try:
            return self.item_types.decoder(entity).read(item)
        except ItemRefused as error:
            unreadable = self.unreadable_items(source)
            if unreadable is None:
                raise
            unreadable.report(item, error)
            return None
