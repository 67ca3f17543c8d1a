"""Table reader, which all reads share: builds requests, selects items, skips expired items and counts capacity."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from singletable.client.items.item_types import ItemTypes
from singletable.client.items.key_literals import CheckingDecoder, ItemDecoder, KeyLiterals
from singletable.client.items.rows import Row
from singletable.client.metrics import Metrics
from singletable.client.reading.plan_decoder import PlanDecoder
from singletable.client.reading.unreadable_items import Readable, UnreadableItems, read_items
from singletable.client.request_steps import Call
from singletable.client.responses import Capacity, Item, PageChunks, PageResponse
from singletable.client.retries import Retries
from singletable.errors import ArgumentRefused, ItemRefused, UnknownItemWarning
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.parameter_types import holds
from singletable.model.source_location import user_stacklevel
from singletable.planner.plan import Plan
from singletable.planner.planned_requests import Request
from singletable.planner.trims import TrimTests, trim_tests
from singletable.values.fast_path import NotOnFastPath
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

if TYPE_CHECKING:
    from singletable.client.reading.both_keys import RangesOfBothKeys
    from singletable.client.reading.cursors import Cursors


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
        """Return these options with the tests that the client applies to each item, for these arguments."""
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
    has_two_keys: bool = False
    """Whether a migration moves items, so that the key of an item can be that of the old or the new design."""
    both_keys: RangesOfBothKeys | None = None
    """The old ranges of keys, while a migration moves items."""
    _ttl: str | None = field(init=False)
    _plan_decoders: dict[tuple[str, type | None], PlanDecoder] = field(init=False, default_factory=dict)
    _key_forms: dict[str, str] = field(init=False, default_factory=dict)
    _decoders: dict[tuple[str, str, type | None], ItemDecoder] = field(init=False, default_factory=dict)

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

    @property
    def transaction_items_max(self) -> int:
        """The most items of any kind that fit into one transaction. A moved item needs two actions."""
        return TRANSACTION_ACTIONS_MAX if self.both_keys is None else TRANSACTION_ACTIONS_MAX // 2

    def has_fast_path(self, plan: Plan) -> bool:
        """Return whether a plan is one Query in which every item matches, so that reads need only the objects."""
        if self.both_keys is not None and self.both_keys.merges(plan):
            return False
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
            decoder = self._plan_decoders[cache_key] = PlanDecoder(self.design, plan, self.item_types, self.literals)
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
        return self.entity_of(item, source) is entity

    def unreadable_items(self, warn_as: str | None = None) -> UnreadableItems | None:
        """Return an object that collects or reports the unreadable items of a read.

        Return None if reads raise ItemRefused.
        """
        return UnreadableItems(self.design.table.key_attributes, warn_as) if self.reports_unreadable else None

    def decoded(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None = None) -> list[Any]:
        """Return the objects, or views, of items."""
        return self.readable(items, plan, unreadable).objects

    def key_form(self, plan: Plan) -> str:
        """Return the fingerprint of the templates that make the keys of a plan's items, for cursors."""
        known = self._key_forms.get(plan.pattern.name)
        if known is None:
            from singletable.client.reading.cursors import key_form

            known = self._key_forms[plan.pattern.name] = key_form(plan, self.design.table)
        return known

    def literals(self, entity: Entity, plan: Plan | None = None) -> KeyLiterals:
        """Return the check of the keys of an entity's items that a plan or a scan reads."""
        return KeyLiterals(entity, plan, has_two_keys=self.has_two_keys)

    def decoder(self, entity: Entity, plan: Plan | None = None) -> ItemDecoder:
        """Return the decoder for the items of an entity that a plan or a scan reads. It checks their keys."""
        if plan is not None and plan.operation != "Query":  # the request names the whole key
            return self.item_types.decoder(entity, plan.view)
        view = None if plan is None else plan.view
        cache_key = (entity.name, "" if plan is None else plan.pattern.name, view)
        known = self._decoders.get(cache_key)
        if known is None:
            known, literals = self.item_types.decoder(entity, view), self.literals(entity, plan)
            if literals.columns:
                known = CheckingDecoder(known, literals, self.item_types.upgrader(entity))
            self._decoders[cache_key] = known
        return known

    def readable(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None) -> Readable:
        """Return the readable items and their objects, in the order of the items."""
        entity, *others = plan.entities
        if others:
            return self._readable_of_several(items, plan, unreadable)
        return read_items(self.decoder(entity, plan), items, unreadable)

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
            found = read_items(self.decoder(entity, plan), [items[place] for place in own], unreadable)
            known = {id(items[place]): place for place in own}
            placed += [(known[id(item)], item, value) for item, value in zip(found.items, found.objects, strict=True)]
        placed.sort(key=lambda each: each[0])
        return Readable([item for _, item, _ in placed], [value for _, _, value in placed])

    def read(self, item: Item, entity: Entity, source: str) -> Any:
        """Return the object of an item.

        If the item is unreadable and the table reports such items, warn and return None.
        """
        try:
            return self.decoder(entity).read(item)
        except ItemRefused as error:
            unreadable = self.unreadable_items(source)
            if unreadable is None:
                raise
            unreadable.report(item, error)
            return None
