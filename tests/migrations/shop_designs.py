"""Designs of a small shop with optional features, for migrations between any two of them."""

from __future__ import annotations

from dataclasses import make_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from singletable import GSI, Page, Table, copy, count, entity, pattern, query, shard
from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.client.table_metaclass import TableMeta
from singletable.evolve.design_snapshot import snapshot_of
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import ControlItems, control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import MigrationRun, RunSettings, migration_run

FEATURES = ("unique", "counter", "open_counter", "copy", "mirror", "index", "rename", "rename_source", "rename_entity")
MOVES = ("customer_key", "order_key", "member_key", "mirror_key", "sharded", "resharded")
"""Features that change the key of an entity. No migration makes them together with the others."""
SHARDS = {"sharded": 2, "resharded": 3}
CONTROL_TABLE = "control_table"
"""The feature of a design whose reserved items are in a control table."""
Features = frozenset[str]


class Shop:
    """The classes and the table of one design."""

    def __init__(self, features: Features) -> None:
        self.features = features
        counters: list[Any] = [("order_count", int, 0)] if "counter" in features else []
        counters += [("open_count", int, 0)] if "open_counter" in features else []
        customer = make_dataclass("Customer", [("id", str), ("name", str), *counters])
        customer.__module__ = __name__
        title = {"name": "title"} if "rename_source" in features else {}
        customer_key = ("CLIENT#{id}" if "customer_key" in features else "CUST#{id}", "METADATA")
        self.Customer: Any = entity(key=customer_key, name="Customer", attributes=title)(customer)
        order = make_dataclass(
            "Order",
            [("id", str), ("customer", str), ("status", str), ("code", str | None, None), ("customer_name", str, "")],
        )
        order.__module__ = __name__
        shards = max((SHARDS.get(each, 0) for each in features), default=0)
        order_key = ("O#{id}" if "order_key" in features else "ORDER#{id}", "METADATA")
        self.Order: Any = entity(
            key=("ORDERS#{shard}", "ORDER#{id}") if shards else order_key,
            derived={"shard": shard("id", of=shards)} if shards else {},
            name="Order",
            attributes={"status": "st", "code": "c"} if "rename" in features else {},
            gsi1=("CUST#{customer}", "{status}#{id}" if "index" in features else "{id}"),
            unique=["code"] if "unique" in features else [],
            counted=self._counters(),
            copies=[copy(self.Customer, by={"id": "customer"}, fields={"name": "customer_name"})]
            if "copy" in features
            else [],
            expected_per_partition={"gsi1": 10},
        )(order)
        link = make_dataclass("Member", [("group", str), ("user", str), ("role", str)])
        link.__module__ = __name__
        name = "Participant" if "rename_entity" in features else "Member"
        member_key = ("GROUP#{group}", "MEMBER#{user}" if "member_key" in features else "USER#{user}")
        self.Member: Any = entity(key=member_key, name=name, expected_per_partition=5)(link)
        self.Mirror: Any = None
        entities = [self.Customer, self.Order, self.Member]
        if "mirror" in features:
            mirror = make_dataclass("Membership", [("group", str), ("user", str), ("role", str)])
            mirror.__module__ = __name__
            mirror_key = ("OF#{user}" if "mirror_key" in features else "USER#{user}", "GROUP#{group}")
            self.Mirror = entity(key=mirror_key, name="Membership", mirror_of=self.Member, expected_per_partition=5)(
                mirror
            )
            entities.append(self.Mirror)
        self.table: Any = self._table(entities)
        self.snapshot = snapshot_of(self.table.design)
        self.control: ControlItems = control_items(self.table.design, "Shop")

    def _counters(self) -> list[Any]:
        counters = []
        if "counter" in self.features:
            counters.append(count(self.Customer, by={"id": "customer"}, field="order_count"))
        if "open_counter" in self.features:
            is_open: Any = lambda order: order.status == "OPEN"  # noqa: E731  # a condition is a lambda
            counters.append(count(self.Customer, by={"id": "customer"}, field="open_count", where=is_open))
        return counters

    def _table(self, entities: list[Any]) -> Any:
        body = {"of_customer": _pattern("of_customer", "customer", self.Order)}
        body["members_of"] = _pattern("members_of", "group", self.Member)
        if self.features & SHARDS.keys():
            body["every_order"] = _pattern("every_order", "", self.Order)
        if self.Mirror is not None:
            body["groups_of"] = _pattern("groups_of", "user", self.Mirror)
        indexes = [GSI("gsi1", name="ByStatus", keys=("ByStatusPK", "ByStatusSK"))] if "index" in self.features else []
        given: Any = {"control_table": CONTROL_TABLE in self.features}
        return TableMeta("Shop", (Table,), body, entities=entities, name="Shop", indexes=indexes, **given)


def _pattern(name: str, parameter: str, cls: Any) -> Any:
    """Return the pattern for all items with a value of one field."""
    body: Any = {
        "customer": lambda self, customer: query(cls),
        "user": lambda self, user: query(cls),
        "group": lambda self, group: query(cls),
        "": lambda self: query(cls),
    }[parameter]
    body.__name__, body.__qualname__, body.__doc__ = name, name, f"{cls.__name__} items by {parameter}."
    body.__annotations__ = {**({parameter: str} if parameter else {}), "return": Page[cls]}
    return pattern(fanout=None if parameter else 8)(body)


@cache
def shop(*features: str) -> Shop:
    """Return the shop with these features."""
    return Shop(frozenset(features))


def record(session: Session, before: Shop) -> None:
    """Record the design of a table that was never migrated."""
    run(baseline(before.control, _files(before)[0]), session)


def _files(*shops: Shop) -> tuple[MigrationFile, ...]:
    return tuple(
        MigrationFile(number, f"m{number}", Path(f"{number:04d}_m{number}.json"), each.snapshot)
        for number, each in enumerate(shops, 1)
    )


def next_run(session: Session, *shops: Shop, **settings: Any) -> MigrationRun:
    """Return the next run of the migrations that lead through these designs."""
    control = shops[-1].control
    state = run(control.state(), session)
    assert state is not None
    given: dict[str, Any] = {"wait_seconds": 0.0, "segments": 2, **settings}
    chosen = RunSettings(**given)
    files = _files(*shops)
    found = migration_run(control, files, state, shops[-1].table.design, files[-1].snapshot, chosen)
    assert found is not None
    return found
