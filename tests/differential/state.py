"""Keeps both sides and the expected state in sync: after a write, after a difference, and during minimisation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.differential.compare import STORED, Difference, documents_differ
from tests.differential.exchange import Exchange
from tests.differential.sides import Request, Response, Side, is_active
from tests.differential.world import World, described, permanent_tables, with_pools
from tests.engine.oracle.generated_values import Given
from tests.engine.oracle.oracle_table import Key, OracleTable
from tests.engine.oracle.oracle_values import Item
from tests.engine.oracle.seeded_choices import SeededChoices

STATEMENTS = frozenset(("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"))
ITEM_WRITES = STATEMENTS | {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
STATEMENTS_OF = frozenset(("Statement", "Statements", "TransactStatements"))
TABLE_WRITES = frozenset(("CreateTable", "UpdateTable", "DeleteTable"))


class BothSides:
    """The two sides, and the tables and items that both should have."""

    def __init__(self, ours: Side, theirs: Side, chance: SeededChoices) -> None:
        self.sides = (ours, theirs)
        self.world = World()
        for given in permanent_tables(chance):
            self.make(given)

    def send_to_both(self, action: str, request: Request) -> tuple[Response, Response]:
        ours, theirs = (side.send(action, request) for side in self.sides)
        return ours, theirs

    def make(self, given: Given, items: Iterable[Item] = ()) -> None:
        """Create a table on both sides."""
        for response in self.send_to_both("CreateTable", given.table.creation()):
            assert not response.is_error, f"{given.table.name} cannot be created: {response.document}"
        self._settle(given.table.name)
        self.world.givens[given.table.name] = given
        for item in items:
            self._put(given.table, item)

    def _settle(self, table: str) -> None:
        for side in self.sides:
            side.settle(table)

    def _put(self, table: OracleTable, item: Item) -> None:
        response = self.send_to_both("PutItem", {"TableName": table.name, "Item": item})
        if any(each.is_error for each in response):
            self._delete(table, {name: item[name] for name in table.key_names})
        else:
            table.items[table.key_of(item)] = item

    def _delete(self, table: OracleTable, key: Item) -> None:
        self.send_to_both("DeleteItem", {"TableName": table.name, "Key": key})
        table.items.pop(table.key_of(key), None)

    # After an exchange

    def learn(self, exchange: Exchange) -> list[Difference]:
        """Update the expected state and synchronise both sides. Return the differences in stored items."""
        if exchange.action in ITEM_WRITES:
            return self._learn_items(exchange)
        if exchange.action in TABLE_WRITES:
            return self._learn_table(exchange)
        if exchange.action == "UpdateTimeToLive":
            self._learn_time_to_live(exchange)
        return []

    def _learn_items(self, exchange: Exchange) -> list[Difference]:
        is_error = exchange.ours.is_error and exchange.theirs.is_error
        if is_error and exchange.action not in STATEMENTS:
            return []
        # Local executes some of the statements of a batch that it rejects.
        if is_error or not exchange.is_agreed:
            contents = self.world.contents()
            self.set_contents({name: contents[name] for name in self.world.named_in(exchange.request)})
            return []
        found: list[Difference] = []
        for name, key in self._written(exchange.request):
            table = self.world.givens[name].table
            known = table.items.get(table.key_of(key))
            request = {"TableName": name, "Key": key, "ConsistentRead": True}
            ours, theirs = (response.document.get("Item") for response in self.send_to_both("GetItem", request))
            differ = documents_differ({STORED: ours}, {STORED: theirs})
            if differ:
                found += differ
                self._put(table, known) if known else self._delete(table, key)
            elif theirs is None:
                table.items.pop(table.key_of(key), None)
            else:
                table.items[table.key_of(theirs)] = theirs
        return found

    def _written(self, request: Request) -> list[tuple[str, Item]]:
        """Return the keys that the request may have written. A statement may have written any key."""
        if STATEMENTS_OF.isdisjoint(request):
            return self.world.touched(request)
        tables = [self.world.givens[name].table for name in self.world.named_in(request)]
        return [
            (table.name, {part: item[part] for part in table.key_names})
            for table in tables
            for item in [*table.items.values(), *self._everything(table).values()]
        ]

    def _everything(self, table: OracleTable) -> dict[Key, Item]:
        """Return the items of both sides."""
        return {key: item for side in self.sides for key, item in _contents(side, table).items()}

    def _learn_table(self, exchange: Exchange) -> list[Difference]:
        name = exchange.request.get("TableName")
        if not isinstance(name, str) or (exchange.ours.is_error and exchange.theirs.is_error):
            return []
        self._settle(name)
        ours, theirs = self.send_to_both("DescribeTable", {"TableName": name})
        if not theirs.is_error and not is_active(theirs.document["Table"]):
            # Local sometimes never finishes creating an index, or only after another table gets the name.
            self.remove(name)
            self.world.retire(name)
            return []
        if not exchange.is_agreed or ours.is_error != theirs.is_error:
            self.remove(name)
            return []
        if theirs.is_error:
            self.world.givens.pop(name, None)
            return []
        found = documents_differ(ours.document, theirs.document)
        table = described(theirs.document["Table"])
        known = self.world.givens.get(name)
        if table is None or name not in self.world.names:
            self.remove(name)
        else:
            table.items.update(known.table.items if known else {})
            self.world.givens[name] = with_pools(SeededChoices(sum(name.encode())), table)
        return found

    def _learn_time_to_live(self, exchange: Exchange) -> None:
        name = exchange.request.get("TableName")
        if not isinstance(name, str) or (exchange.ours.is_error and exchange.theirs.is_error):
            return
        if not exchange.is_agreed:
            self._expire_alike(name)
        self._settle(name)

    def _expire_alike(self, name: str) -> None:
        """Set the time to live of the other side to the attribute of our side, if it has one."""
        ours, theirs = (
            response.document.get("TimeToLiveDescription", {}).get("AttributeName")
            for response in self.send_to_both("DescribeTimeToLive", {"TableName": name})
        )
        for attribute, enabled in ((theirs, False), (ours, True)):
            if attribute is not None and ours != theirs:
                specification = {"AttributeName": attribute, "Enabled": enabled}
                self.sides[1].send("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification})

    def remove(self, name: str) -> None:
        """Delete a table on both sides, even if it is protected."""
        if name in self.world.permanent_names:
            return
        self.send_to_both("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
        self._settle(name)
        self.send_to_both("DeleteTable", {"TableName": name})
        self._settle(name)
        self.world.givens.pop(name, None)

    def forget(self, name: str) -> None:
        """Delete a table on one side."""
        self.send_to_both("DeleteTable", {"TableName": name})
        self._settle(name)
        del self.world.givens[name]

    # While minimising

    def set_contents(self, wanted: Mapping[str, Mapping[Key, Item]]) -> None:
        """Give some tables exactly these items on both sides."""
        for name, items in wanted.items():
            table = self.world.givens[name].table
            for key, item in self._everything(table).items():
                if key not in items:
                    self._delete(table, {part: item[part] for part in table.key_names})
            mine, other = (_contents(side, table) for side in self.sides)
            for key, item in items.items():
                if mine.get(key) != item or other.get(key) != item:
                    self._put(table, item)

    def set_table(self, name: str, given: Given | None, items: Iterable[Item]) -> None:
        """Restore a temporary table, or its absence."""
        self.remove(name)
        if given is not None:
            given.table.items.clear()
            self.make(given, items)


def _contents(side: Side, table: OracleTable) -> dict[Key, Item]:
    items: dict[Key, Item] = {}
    request: dict[str, Any] = {"TableName": table.name, "ConsistentRead": True}
    while True:
        document = side.send("Scan", request).document
        for item in document.get("Items", ()):
            items[table.key_of(item)] = item
        if "LastEvaluatedKey" not in document:
            return items
        request["ExclusiveStartKey"] = document["LastEvaluatedKey"]
