"""The same items in a table for each entity, on an engine of their own, where the same requests are measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from singletable.client.items.kinds import Kinds
from singletable.client.table import Table
from singletable.demo.captured import Captured, Document
from singletable.demo.retarget import Retargeted, retargeted, table_of
from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from singletable.model.create_table import create_table_request
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.plan import Plan

COMPARISON = (
    "Measured beside each: the same items under the same keys and indexes, in a table for every entity.\n"
    "A read of one entity costs the same there; a read of several is a request to each of their tables."
)


class TablePerEntity:
    """One table for each entity of a model: its keys, the indexes that its items are in, and its items."""

    def __init__(self, model: type[Table], items: Iterable[Document]) -> None:
        self._model = model
        self._design = model.design
        self._kinds = Kinds(model.design)
        self._owners: dict[str, Entity] = {}
        self._engine = Engine("memory:", sweep_seconds=None)
        for entity in self._design.entities:
            self._engine.call("CreateTable", create_table_request(_alone(self._design, entity), table_of(entity)))
        for item in items:
            owner = self._owner_of(item)
            self._engine.call("PutItem", {"TableName": table_of(owner), "Item": item})

    def replay(self, requests: Iterable[Captured]) -> tuple[Captured, ...]:
        """What these requests to the one table become here, answered."""
        return tuple(
            answered
            for request in requests
            for sent in retargeted(self._design, request, self._plan(request), self._owner_of)
            for answered in self._answers(sent)
        )

    def close(self) -> None:
        """Lets go of the engine."""
        self._engine.close()

    def _plan(self, request: Captured) -> Plan | None:
        pattern = getattr(self._model, request.pattern, None) if request.pattern else None
        plan = pattern.plan if pattern is not None else None
        # A write reads what it needs to know by requests of its own, which are not what its plan is about.
        return plan if isinstance(plan, Plan) and not plan.pattern.is_write else None

    def _owner_of(self, item: Document) -> Entity:
        key = json.dumps([item[name] for name in self._design.table.key_attributes])
        owner = self._owners.get(key)
        if owner is None:
            owner = self._kinds.entity_of(item) or self._kinds.kept_for(item) or self._design.entities[0]
            self._owners[key] = owner
        return owner

    def _answers(self, sent: Retargeted) -> Iterator[Captured]:
        """The answer, and those of the pages behind it."""
        parameters = sent.parameters
        while True:
            try:
                answer = self._engine.call(sent.operation, parameters)
            except RequestRefused as refusal:
                yield Captured(sent.operation, parameters, refusal=refusal.code)
                return
            yield Captured(sent.operation, parameters, answer)
            if not sent.reads_on or "LastEvaluatedKey" not in answer:
                return
            parameters = {**parameters, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _alone(design: Design, entity: Entity) -> Design:
    """A design with one entity, and the indexes that its items are in."""
    indexes = {alias: index for alias, index in design.indexes.items() if alias in entity.placements}
    return replace(design, entities=(entity,), indexes=indexes, patterns=())
