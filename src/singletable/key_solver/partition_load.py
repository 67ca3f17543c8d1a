"""The load of the hottest partition of a key, the shards that it needs, and the monthly cost of the key."""

from __future__ import annotations

import math

from singletable.key_solver.workload import EntityNeeds

WRITE_UNITS_MAX = 1_000
"""The write units per second that one partition serves."""
SHARDS_MAX = 100
ASSUMED_RATE = 1.0
"""The assumed rate of a write that declares none, for the comparison of costs. It never makes a partition hot."""
ENTRY_OVERHEAD_BYTES = 100
_SECONDS_PER_MONTH = 730 * 3600
_DOLLARS_PER_WRITE_UNIT = 0.625e-6
_DOLLARS_PER_GB = 0.25
_WRITE_UNIT_BYTES = 1024


def write_units(entity: EntityNeeds, columns: frozenset[str], *, is_index: bool, declared_only: bool = False) -> float:
    """Return the write units per second in the table or an index.

    If a write changes a column of an index key, DynamoDB deletes one entry and writes another.
    """
    unit = math.ceil(entity.item_bytes / _WRITE_UNIT_BYTES)
    assumed = 0.0 if declared_only else ASSUMED_RATE
    if not entity.writes:
        return assumed * unit
    return math.fsum(
        unit * (assumed if each.rate is None else each.rate) * (2 if is_index and each.moves_entry(columns) else 1)
        for each in entity.writes
    )


def largest_share(entity: EntityNeeds, partition: tuple[str, ...]) -> float:
    """Return the share of the traffic that goes to the hottest partition."""
    return math.prod(entity.facts(name).largest_share for name in partition)


def hottest_write_units(
    entity: EntityNeeds, partition: tuple[str, ...], columns: frozenset[str], *, is_index: bool = True
) -> float:
    """Return the write units per second of the hottest partition of a key, from the declared rates."""
    share = largest_share(entity, partition)
    return share * write_units(entity, columns, is_index=is_index, declared_only=True) if share else 0.0


def shards_needed(entity: EntityNeeds, partition: tuple[str, ...], columns: frozenset[str]) -> int:
    """Return the number of shards with which the hottest partition of an index serves its writes. 1 means no shards."""
    return max(1, math.ceil(hottest_write_units(entity, partition, columns) / WRITE_UNITS_MAX))


def monthly_dollars(entity: EntityNeeds, columns: frozenset[str], *, is_index: bool) -> float:
    """Return the monthly cost of the writes and the storage of one key, in whole cents, to compare keys."""
    if not is_index:
        return 0.0  # every design stores the items in the table once
    writes = write_units(entity, columns, is_index=True) * _SECONDS_PER_MONTH * _DOLLARS_PER_WRITE_UNIT
    in_key = sum(entity.facts(name).bytes for name in sorted(columns))
    entry = entity.item_bytes + in_key + ENTRY_OVERHEAD_BYTES
    return round(writes + (entity.items or 0) * entry * _DOLLARS_PER_GB / 1e9, 2)
