"""Readings of devices: a model for tests with many items and large partitions."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("DEVICE#{device}", "{number:05d}"), gsi1=("ALL", "{number:05d}#{device}"), identity=("device", "number"))
@dataclass
class Reading:
    device: str
    number: int
    level: str = "low"


class Readings(Table, entities=[Reading]):
    @pattern()
    def readings(self, device: str) -> Page[Reading]:
        """Readings of a device."""
        return query(Reading)
