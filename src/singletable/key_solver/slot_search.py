"""The best slots of all collections and reads for given numbers of indexes: an exact search, part by part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from singletable.key_solver.entity_slots import NOT_SERVED, EntityKeys, EntitySearch
from singletable.key_solver.partition_lines import connected, partition_line
from singletable.key_solver.workload import Collection, EntityNeeds, Workload
from singletable.planner.formatting import format_list

_Lines = Mapping[str, tuple[str, ...]]
ASSIGNMENTS_MAX = 300_000
"""The maximum number of assignments of collections that the search tries, which takes about a minute."""


class SearchTooLarge(ValueError):
    """So many collections share entities that an exact search takes too long."""

    def __init__(self, collections: Sequence[Collection]) -> None:
        names = format_list([each.name for each in collections])
        super().__init__(f"the collections {names} share entities in too many ways for an exact search")


@dataclass(frozen=True)
class SlotChoice:
    """The keys of entities, the slot of each collection, and the order of the entities in it."""

    entities: tuple[EntityKeys, ...]
    slots: Mapping[str, int]
    lines: _Lines
    local_indexes: int

    @property
    def sums(self) -> tuple[float, ...]:
        """The parts of the rank, added over all entities."""
        return tuple(math.fsum(column) for column in zip(*(each.rank[:-1] for each in self.entities), strict=True))

    @property
    def not_served(self) -> int:
        """The number of reads without a key, and of writes with parameters that the table key does not contain."""
        return sum(each.rank.not_served for each in self.entities)

    @property
    def rank(self) -> tuple[object, ...]:
        """The rank of the choice. A local index is used only if more reads are then served, or fewer are fan-outs."""
        sums = self.sums
        return (
            *sums[:2],
            self.local_indexes,
            *sums[2:],
            tuple(each.rank.text for each in self.entities),
            tuple(sorted(self.slots.items())),
        )


class SlotSearch:
    """A search of all assignments of collections and reads to the table and to indexes."""

    def __init__(self, workload: Workload, searches: Mapping[str, EntitySearch]) -> None:
        self.searches = searches
        self.parts = tuple(_independent_parts(workload))
        self._tried = 0
        self._line_orders: dict[tuple[str, ...], _Lines | None] = {}
        self._entity_keys: dict[tuple[object, ...], EntityKeys | None] = {}

    @property
    def visited(self) -> int:
        """The number of partial and complete assignments that were tried."""
        return self._tried + sum(each.visited for each in self.searches.values())

    def best(self, indexes: int, local_indexes: int, not_served: int) -> SlotChoice | None:
        """Return the best choice with these numbers of indexes. Return None if more reads than this have no key.

        Entities without a common collection do not influence each other, so each part is searched alone.
        """
        chosen: list[SlotChoice] = []
        for part in self.parts:
            left = not_served - sum(each.not_served for each in chosen)
            choice = self._best_of_part(part, indexes, local_indexes, left)
            if choice is None:
                return None
            chosen.append(choice)
        entities = sorted((entity for part in chosen for entity in part.entities), key=lambda each: each.entity)
        slots = {name: slot for part in chosen for name, slot in part.slots.items()}
        lines = {name: line for part in chosen for name, line in part.lines.items()}
        return SlotChoice(tuple(entities), slots, lines, local_indexes)

    def _best_of_part(self, part: Workload, indexes: int, local_indexes: int, not_served: int) -> SlotChoice | None:
        best: SlotChoice | None = None
        for slots, lines in self._collection_slots(part.collections, indexes, not_served):
            found = [self._keys(each, indexes, local_indexes, slots) for each in part.entities]
            entities = tuple(each for each in found if each is not None)
            choice = SlotChoice(entities, slots, lines, local_indexes)
            if len(entities) == len(found) and choice.not_served <= not_served:
                best = choice if best is None or choice.rank < best.rank else best
        return best

    def _keys(
        self, entity: EntityNeeds, indexes: int, local_indexes: int, slots: Mapping[str, int]
    ) -> EntityKeys | None:
        own = {each.collection: slots[each.collection] for each in entity.reads if each.collection is not None}
        memo = (entity.name, indexes, local_indexes, tuple(sorted(own.items())))
        if memo not in self._entity_keys:
            self._entity_keys[memo] = self.searches[entity.name].best(indexes, own, local_indexes)
        return self._entity_keys[memo]

    def _collection_slots(
        self, collections: tuple[Collection, ...], indexes: int, not_served: int
    ) -> Iterator[tuple[dict[str, int], _Lines]]:
        """Yield the slots of the collections, and the order of the entities for every collection that is served.

        Unused indexes are interchangeable, so only the first one is tried.
        """

        def extend(slots: dict[str, int], lines: _Lines, left: int) -> Iterator[tuple[dict[str, int], _Lines]]:
            self._tried += 1
            if self._tried > ASSIGNMENTS_MAX:
                raise SearchTooLarge(collections)
            if len(slots) == len(collections):
                yield slots, lines
                return
            collection, last = collections[len(slots)], max([0, *slots.values()])
            for slot in range(1 if collection.is_in_table else min(last + 1, indexes) + 1):
                together = [each for each in collections[: len(slots)] if slots[each.name] == slot]
                found = self._lines([*together, collection])
                if found is not None:
                    yield from extend({**slots, collection.name: slot}, {**lines, **found}, left)
            if left >= len(collection.members):
                left -= len(collection.members)
                yield from extend({**slots, collection.name: NOT_SERVED}, lines, left)

        yield from extend({}, {}, not_served)

    def _lines(self, collections: Sequence[Collection]) -> _Lines | None:
        memo = tuple(each.name for each in collections)
        if memo not in self._line_orders:
            self._line_orders[memo] = _lines_of(collections)
        return self._line_orders[memo]


def _independent_parts(workload: Workload) -> Iterator[Workload]:
    """Yield the entities that collections connect, with these collections, and each other entity alone."""
    alone = {each.name for each in workload.entities}
    for collections in connected(workload.collections):
        names = {member.entity for each in collections for member in each.members}
        alone -= names
        entities = tuple(each for each in workload.entities if each.name in names)
        yield Workload(entities, tuple(each for each in workload.collections if each in collections))
    yield from (Workload((each,)) for each in workload.entities if each.name in alone)


def _lines_of(collections: Sequence[Collection]) -> dict[str, tuple[str, ...]] | None:
    """Return the order of the entities for each collection in one index. Return None if there is none."""
    lines: dict[str, tuple[str, ...]] = {}
    for group in connected(collections):
        line = partition_line(group)
        if line is None:
            return None
        lines |= {each.name: line for each in group}
    return lines
