"""What every read shares: the table it reads from, how items are judged, and what was consumed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from singletable.client.answers import Capacity, Item, PageAnswer, Pieces
from singletable.client.cursor import Cursors
from singletable.client.items.kinds import Kinds
from singletable.client.items.rows import Row
from singletable.client.metrics import Metrics
from singletable.client.options import Options
from singletable.client.policy import Retries
from singletable.client.reading.planned_items import PlannedItems
from singletable.client.reading.unreadable import Readable, UnreadableItems, read_items
from singletable.client.steps import Call
from singletable.errors import ArgumentRefused, ItemRefused, UnknownItemWarning
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.bind import Request
from singletable.planner.plan import Plan


@dataclass
class Reader:
    """A table's design with everything that reading it needs."""

    design: Design
    name: str
    """The table's name where it is open, which may not be the model's."""
    kinds: Kinds
    cursors: Cursors
    metrics: Metrics
    now: Callable[[], float]
    retries: Retries = field(default_factory=Retries)
    reports_unreadable: bool = False
    """Whether reads report unreadable items and return the others; by default they raise ItemRefused."""
    _ttl: str | None = field(init=False)
    _planned: dict[tuple[str, type | None], PlannedItems] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._ttl = self.design.ttl_attribute

    def page(self, body: bytes, plan: Plan, options: Options) -> PageAnswer[Any]:
        """The answer to a Query, counted, with the items that the plan wants."""
        answer, is_certain = self._items_of(plan).page(body)
        self.consumed(plan, answer.consumed_capacity)
        if is_certain and self._ttl is None:
            return answer
        return PageAnswer(
            self.wanted(answer.items, plan, options), answer.count, answer.last_evaluated_key, answer.consumed_capacity
        )

    def is_straight(self, plan: Plan) -> bool:
        """Whether a plan is one Query, of whose range every item is wanted, and nothing of it but the object."""
        return self._items_of(plan).objects_of is not None

    def objects(
        self, answer: bytes | Pieces, plan: Plan, options: Options, unreadable: UnreadableItems | None = None
    ) -> tuple[list[Any], Item | None]:
        """What a straight read gets by one Query, counted: the objects, and where to go on."""
        objects_of = self._items_of(plan).objects_of
        assert objects_of is not None, "asked only of straight reads"
        if isinstance(answer, bytes):
            try:
                page, objects = objects_of.page(answer)
            except Exception:  # of one of them, which is found when they are read one by one
                return self._objects_one_by_one(answer, plan, options, unreadable)
            self.consumed(plan, page.consumed_capacity)
            return objects, page.last_evaluated_key
        self.consumed(plan, answer.consumed_capacity)
        objects = []
        for piece in answer.items:
            try:
                objects += objects_of.piece(piece)
            except Exception:  # the same, of this piece alone
                objects += self._objects_one_by_one(b'{"Items":[%b]}' % piece, plan, options, unreadable)[0]
        return objects, answer.last_evaluated_key

    def _objects_one_by_one(
        self, body: bytes, plan: Plan, options: Options, unreadable: UnreadableItems | None
    ) -> tuple[list[Any], Item | None]:
        """Decode the items of an answer one by one, after the fast path has failed."""
        page = self.page(body, plan, options)
        if unreadable is not None:
            unreadable.answers = [body]
        return self.decoded(page.items, plan, unreadable), page.last_evaluated_key

    def one(self, body: bytes, plan: Plan, options: Options) -> Any:
        """The item that GetItem answers, counted; None when it is not there or not wanted."""
        answer, is_certain = self._items_of(plan).one(body)
        self.consumed(plan, answer.consumed_capacity)
        if answer.item is None or (is_certain and self._ttl is None):
            return answer.item
        return next(iter(self.wanted((answer.item,), plan, options)), None)

    def _items_of(self, plan: Plan) -> PlannedItems:
        asked = (plan.pattern.name, plan.view)  # a count asks the same for less
        planned = self._planned.get(asked)
        if planned is None:
            planned = self._planned[asked] = PlannedItems(self.design, plan, self.kinds)
        return planned

    def call(self, request: Request, plan: Plan, options: Options, **added: Any) -> Call:
        """A planned request as it is sent."""
        parameters = {**request.parameters, "TableName": self.name, "ReturnConsumedCapacity": "TOTAL", **added}
        if options.consistent is not None:
            if options.consistent and not plan.strong_possible:
                raise ArgumentRefused(
                    f"{plan.pattern.name} reads {plan.index.spoken}, which is eventually consistent only; "
                    "leave consistent=True out"
                )
            parameters["ConsistentRead"] = options.consistent
        return Call(request.operation, parameters)

    def consumed(self, plan: Plan, capacity: Capacity | None) -> None:
        """Counts what a request consumed for the pattern that made it."""
        if capacity is not None:
            self.metrics.read(plan.pattern.name, capacity.capacity_units)

    def is_alive(self, item: Item | Row, options: Options) -> bool:
        """Whether an item has not expired, or expired ones are asked for."""
        if self._ttl is None or options.expired:
            return True
        expires = (item.get(self._ttl) or {}).get("N")
        return expires is None or float(expires) > self.now()

    def wanted(self, items: Sequence[Any], plan: Plan, options: Options) -> list[Any]:
        """The items of a range that the plan wants: of its entities, and not expired."""
        if plan.foreign or len(plan.wanted) > 1 or self._ttl is not None or self.design.settings.type_attribute:
            return [item for item in items if self._is_wanted(item, plan) and self.is_alive(item, options)]
        return list(items)

    def _is_wanted(self, item: Item | Row, plan: Plan) -> bool:
        return self.entity_of(item, plan.pattern.name) in plan.wanted

    def entity_of(self, item: Item | Row, source: str) -> Entity | None:
        """The entity of an item that was met; a warning, and None, for an item that is none of the model's."""
        entity = self.kinds.entity_of(item)
        if entity is None and not self.kinds.is_marker(item):
            keys = {name: item.get(name) for name in self.design.table.key_attributes}
            warnings.warn(
                f"{source} met an item that is none of {self.design.name}'s entities: {keys}",
                UnknownItemWarning,
                stacklevel=2,
            )
        return entity

    def is_of(self, item: Item, entity: Entity, source: str) -> bool:
        """Whether an item does not say that it is of another type; a warning for one that is none of the model's."""
        name = self.design.settings.type_attribute
        said = None if name is None else item.get(name)
        if said is None or said.get("S") == entity.name:
            return True
        self.entity_of(item, source)
        return False

    def unreadable_items(self, warn_as: str | None = None) -> UnreadableItems | None:
        """Return a collector that lists the unreadable items of one read, or warns of them; None if they raise."""
        return UnreadableItems(self.design.table.key_attributes, warn_as) if self.reports_unreadable else None

    def decoded(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None = None) -> list[Any]:
        """Items of the plan's one entity as objects, or as its view."""
        return self.readable(items, plan, unreadable).objects

    def readable(self, items: Sequence[Item | Row], plan: Plan, unreadable: UnreadableItems | None) -> Readable:
        """Return the readable items and their objects."""
        return read_items(self.kinds.decoder(plan.wanted[0], plan.view), items, unreadable)

    def read(self, item: Item, entity: Entity, source: str) -> Any:
        """Return the object of an item; None, with a warning, if it is unreadable and the table reports such items."""
        try:
            return self.kinds.decoder(entity).read(item)
        except ItemRefused as error:
            unreadable = self.unreadable_items(source)
            if unreadable is None:
                raise
            unreadable.report(item, error)
            return None
