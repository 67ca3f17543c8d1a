"""Steps of access patterns: each read and each kind of write, which a model declares as a pattern of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from singletable.catalogue.access_patterns import AccessPattern, numbered, shortened, words_of
from singletable.catalogue.recorded_catalogue import RecordedCatalogue
from singletable.catalogue.request_groups import RequestGroup
from singletable.catalogue.request_shapes import RequestShape
from singletable.lazy_dataclass import dataclass, replace

_VERBS = {"Query": "query", "Scan": "scan", "PutItem": "put", "UpdateItem": "update", "DeleteItem": "delete"}
_LABEL = re.compile(r"([^\W\d_][\w-]*)[#|:/]")
_NOT_VALID = "ValidationException"
"""The error of an invalid request, which reads and writes nothing."""
_ITEM_READS = ("GetItem", "BatchGetItem", "TransactGetItems")


@dataclass(frozen=True)
class PatternStep:
    """One kind of read or write in an access pattern. One step has the name of the pattern."""

    name: str
    pattern: AccessPattern
    group: RequestGroup
    shape: RequestShape
    """The shape of the group, or of one part of its batches or transactions."""
    count: int
    """The number of these reads or writes."""
    entity: str
    """The words of the entity of the step, from the name of the table or from the keys: `order_items`."""
    members: tuple[str, ...] = ()
    """The entities that further reads with the same key return. One request could read all of them."""
    other_groups: tuple[RequestGroup, ...] = ()
    """The groups of these reads."""
    same_groups: tuple[RequestGroup, ...] = ()
    """Further groups with the same read or write, such as transactions with other parts."""

    @property
    def is_transaction(self) -> bool:
        """Whether the read or write is part of a transaction."""
        return self.group.shape.operation in ("TransactGetItems", "TransactWriteItems")


def pattern_steps(catalogue: RecordedCatalogue) -> tuple[PatternStep, ...]:
    """Return the steps of all patterns, each with a different name."""
    taken = {pattern.name for pattern in catalogue.patterns}
    found: list[PatternStep] = []
    for pattern in catalogue.patterns:
        steps = _with_members(_distinct(_unnamed(catalogue, pattern)))
        first = _main_step(steps)
        for step in sorted(steps, key=lambda step: step is not first):
            name = pattern.name
            if step is not first:
                verb = "get" if _is_item_read(step.shape) else _VERBS.get(step.shape.operation, "write")
                name = numbered(shortened(f"{pattern.name}_{verb}_{step.entity}"), taken.__contains__)
                taken.add(name)
            found.append(replace(step, name=name))
    return tuple(found)


def _unnamed(catalogue: RecordedCatalogue, pattern: AccessPattern) -> Iterator[PatternStep]:
    for group in pattern.groups:
        shape = group.shape
        if shape.statement is not None or group.errors[_NOT_VALID] == group.requests:
            continue
        parts: Sequence[tuple[RequestShape, int]] = list(zip(shape.parts, group.part_totals, strict=True))
        for part, count in parts or [(shape, group.reads)]:
            if part.operation != "ConditionCheck" and part.table:
                yield PatternStep("", pattern, group, part, count, _entity(catalogue, part))


def _distinct(steps: Iterator[PatternStep]) -> list[PatternStep]:
    """Join the steps that are one pattern in a model: the same write of an entity, or the same read of an entity."""
    found: dict[object, PatternStep] = {}
    for step in steps:
        shape = step.shape
        key: tuple[object, ...] = (shape.operation, step.entity)
        if _is_read(step):
            conditions = tuple((each.attribute, each.operator) for each in shape.key)
            key = (*key, shape.index, conditions, shape.filter, shape.descending)
        elif shape.operation == "UpdateItem":
            key = (*key, shape.update)
        known = found.get(key)
        if known is None:
            found[key] = step
        else:
            found[key] = replace(known, count=known.count + step.count, same_groups=(*known.same_groups, step.group))
    return list(found.values())


def _with_members(steps: list[PatternStep]) -> list[PatternStep]:
    """Join a read of an item with the Query of the items that refer to it, if one call sends both."""
    head = next((step for step in steps if step.shape.operation == "GetItem" and len(step.shape.key) == 1), None)
    if head is None:
        return steps
    members = [
        step
        for step in steps
        if step.shape.operation == "Query"
        and len(step.shape.key) == 1
        and step.shape.filter is None
        and step.entity != head.entity
        and not step.group.limits
        and step.group.shared_keys(head.group)
    ]
    if not members:
        return steps
    groups = tuple(step.group for step in members)
    joined = replace(head, members=tuple(step.entity for step in members), other_groups=groups)
    return [joined if step is head else step for step in steps if step not in members]


def _main_step(steps: Sequence[PatternStep]) -> PatternStep | None:
    """Return the step that gets the name of the pattern: the write with the fewest items (the order, not its lines).

    The reads of a function that also writes only prepare its write.
    """
    writes = [step for step in steps if not _is_read(step)]
    return min(writes, key=lambda step: step.count) if writes else next(iter(steps), None)


def _is_read(step: PatternStep) -> bool:
    return step.shape.is_read


def _is_item_read(shape: RequestShape) -> bool:
    return shape.operation in _ITEM_READS


def _entity(catalogue: RecordedCatalogue, shape: RequestShape) -> str:
    """Return the words of the entity: the last label of the keys, or else the name of the table."""
    labels = [found[1] for key in shape.key if (found := _LABEL.match(key.values[0] if key.values else ""))]
    return "_".join(words_of(labels[-1])) if labels else catalogue.tables[shape.table].short_name
