"""What requests consumed of their tables and indexes, and the ConsumedCapacity that an answer carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Detail = Literal["INDEXES", "TOTAL", "NONE"] | None


@dataclass
class Consumed:
    """What a request consumed of one table: the table itself, and each of its indexes."""

    table: float = 0.0
    local: dict[str, float] = field(default_factory=dict)
    global_: dict[str, float] = field(default_factory=dict)

    def add_index(self, name: str, units: float, *, is_local: bool) -> None:
        """Adds what one index consumed; an index that was not touched does not appear."""
        of_kind = self.local if is_local else self.global_
        of_kind[name] = of_kind.get(name, 0.0) + units

    @property
    def total(self) -> float:
        """Table and indexes together."""
        if not self.local and not self.global_:
            return self.table
        return self.table + sum(self.local.values()) + sum(self.global_.values())


def add(units: dict[str, Consumed], table: str, more: Consumed) -> None:
    """Adds what one write or read of several consumed to the units of its table."""
    of_table = units.setdefault(table, Consumed())
    of_table.table += more.table
    for name, amount in more.local.items():
        of_table.add_index(name, amount, is_local=True)
    for name, amount in more.global_.items():
        of_table.add_index(name, amount, is_local=False)


def told(table: str, consumed: Consumed, detail: Detail, axis: str | None = None) -> dict[str, Any]:
    """ConsumedCapacity of one table; transactions also say which kind of units (`axis`) it was."""
    if detail == "TOTAL" and axis is None:  # as nearly always
        return {"TableName": table, "CapacityUnits": consumed.total}

    def units(amount: float) -> dict[str, float]:
        return {"CapacityUnits": amount} if axis is None else {"CapacityUnits": amount, axis: amount}

    document: dict[str, Any] = {"TableName": table, **units(consumed.total)}
    if detail == "INDEXES":
        document["Table"] = units(consumed.table)
        if consumed.local:
            document["LocalSecondaryIndexes"] = {name: units(amount) for name, amount in consumed.local.items()}
        if consumed.global_:
            document["GlobalSecondaryIndexes"] = {name: units(amount) for name, amount in consumed.global_.items()}
    return document


def told_of_each(units: Mapping[str, Consumed], detail: Detail, axis: str | None = None) -> list[dict[str, Any]]:
    """ConsumedCapacity of several tables, in the order of their names."""
    return [told(table, of_table, detail, axis) for table, of_table in sorted(units.items())]
