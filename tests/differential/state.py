"""Keeps both sides and what is known of them alike: after a write, after a disagreement, and while shrinking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.differential.ask import Exchange
from tests.differential.compare import STORED, Difference, documents_differ
from tests.differential.sides import Request, Side, Told, is_active
from tests.differential.world import World, described, standing, with_pools
from tests.engine.chance import Chance
from tests.engine.generated_values import Given
from tests.engine.plain_table import Key, PlainTable
from tests.engine.plain_values import Item

STATEMENTS = frozenset(("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"))
ITEM_WRITES = STATEMENTS | {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
STATEMENTS_OF = frozenset(("Statement", "Statements", "TransactStatements"))
TABLE_WRITES = frozenset(("CreateTable", "UpdateTable", "DeleteTable"))


class BothSides:
    """The two sides, and the world that both of them hold."""

    def __init__(self, ours: Side, theirs: Side, chance: Chance) -> None:
        self.sides = (ours, theirs)
        self.world = World()
        for given in standing(chance):
            self.make(given)

    def ask_both(self, action: str, request: Request) -> tuple[Told, Told]:
        ours, theirs = (side.ask(action, request) for side in self.sides)
        return ours, theirs

    def make(self, given: Given, items: Iterable[Item] = ()) -> None:
        """A table that both have."""
        for told in self.ask_both("CreateTable", given.table.creation()):
            assert not told.is_refused, f"{given.table.name} cannot be made: {told.document}"
        self._settle(given.table.name)
        self.world.givens[given.table.name] = given
        for item in items:
            self._put(given.table, item)

    def _settle(self, table: str) -> None:
        for side in self.sides:
            side.settle(table)

    def _put(self, table: PlainTable, item: Item) -> None:
        told = self.ask_both("PutItem", {"TableName": table.name, "Item": item})
        if any(each.is_refused for each in told):
            self._delete(table, {name: item[name] for name in table.key_names})
        else:
            table.items[table.key_of(item)] = item

    def _delete(self, table: PlainTable, key: Item) -> None:
        self.ask_both("DeleteItem", {"TableName": table.name, "Key": key})
        table.items.pop(table.key_of(key), None)

    # After an exchange

    def learn(self, exchange: Exchange) -> list[Difference]:
        """Brings what is known up to date, and both sides together again; tells what they stored differently."""
        if exchange.action in ITEM_WRITES:
            return self._learn_items(exchange)
        if exchange.action in TABLE_WRITES:
            return self._learn_table(exchange)
        if exchange.action == "UpdateTimeToLive":
            self._learn_time_to_live(exchange)
        return []

    def _learn_items(self, exchange: Exchange) -> list[Difference]:
        is_refused = exchange.ours.is_refused and exchange.theirs.is_refused
        if is_refused and exchange.action not in STATEMENTS:
            return []
        # Local does some of the statements of a batch that it refuses.
        if is_refused or not exchange.is_agreed:
            contents = self.world.contents()
            self.set_contents({name: contents[name] for name in self.world.named_in(exchange.request)})
            return []
        found: list[Difference] = []
        for name, key in self._written(exchange.request):
            table = self.world.givens[name].table
            known = table.items.get(table.key_of(key))
            wanted = {"TableName": name, "Key": key, "ConsistentRead": True}
            ours, theirs = (told.document.get("Item") for told in self.ask_both("GetItem", wanted))
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
        """The keys that were written, as far as the request tells; a statement may have written any."""
        if STATEMENTS_OF.isdisjoint(request):
            return self.world.touched(request)
        tables = [self.world.givens[name].table for name in self.world.named_in(request)]
        return [
            (table.name, {part: item[part] for part in table.key_names})
            for table in tables
            for item in [*table.items.values(), *self._everything(table).values()]
        ]

    def _everything(self, table: PlainTable) -> dict[Key, Item]:
        """The items of both sides."""
        return {key: item for side in self.sides for key, item in _contents(side, table).items()}

    def _learn_table(self, exchange: Exchange) -> list[Difference]:
        name = exchange.request.get("TableName")
        if not isinstance(name, str) or (exchange.ours.is_refused and exchange.theirs.is_refused):
            return []
        self._settle(name)
        ours, theirs = self.ask_both("DescribeTable", {"TableName": name})
        if not theirs.is_refused and not is_active(theirs.document["Table"]):
            # Local now and then never finishes with an index, or not before the name is that of another table.
            self.remove(name)
            self.world.retire(name)
            return []
        if not exchange.is_agreed or ours.is_refused != theirs.is_refused:
            self.remove(name)
            return []
        if theirs.is_refused:
            self.world.givens.pop(name, None)
            return []
        found = documents_differ(ours.document, theirs.document)
        table = described(theirs.document["Table"])
        known = self.world.givens.get(name)
        if table is None or name not in self.world.names:
            self.remove(name)
        else:
            table.items.update(known.table.items if known else {})
            self.world.givens[name] = with_pools(Chance(sum(name.encode())), table)
        return found

    def _learn_time_to_live(self, exchange: Exchange) -> None:
        name = exchange.request.get("TableName")
        if not isinstance(name, str) or (exchange.ours.is_refused and exchange.theirs.is_refused):
            return
        if not exchange.is_agreed:
            self._expire_alike(name)
        self._settle(name)

    def _expire_alike(self, name: str) -> None:
        """Has the items of the other side expire by the attribute that they expire by on ours, if any."""
        ours, theirs = (
            told.document.get("TimeToLiveDescription", {}).get("AttributeName")
            for told in self.ask_both("DescribeTimeToLive", {"TableName": name})
        )
        for attribute, enabled in ((theirs, False), (ours, True)):
            if attribute is not None and ours != theirs:
                specification = {"AttributeName": attribute, "Enabled": enabled}
                self.sides[1].ask("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification})

    def remove(self, name: str) -> None:
        """The end of a table on both sides, protected or not."""
        if name in self.world.names_of_standing:
            return
        self.ask_both("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
        self._settle(name)
        self.ask_both("DeleteTable", {"TableName": name})
        self._settle(name)
        self.world.givens.pop(name, None)

    def forget(self, name: str) -> None:
        """The end of a table, whichever it is."""
        self.ask_both("DeleteTable", {"TableName": name})
        self._settle(name)
        del self.world.givens[name]

    # While shrinking

    def set_contents(self, wanted: Mapping[str, Mapping[Key, Item]]) -> None:
        """Gives some tables exactly these items, on both sides."""
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
        """Makes a table that comes and goes as it was, or as absent as it was."""
        self.remove(name)
        if given is not None:
            given.table.items.clear()
            self.make(given, items)


def _contents(side: Side, table: PlainTable) -> dict[Key, Item]:
    items: dict[Key, Item] = {}
    request: dict[str, Any] = {"TableName": table.name, "ConsistentRead": True}
    while True:
        document = side.ask("Scan", request).document
        for item in document.get("Items", ()):
            items[table.key_of(item)] = item
        if "LastEvaluatedKey" not in document:
            return items
        request["ExclusiveStartKey"] = document["LastEvaluatedKey"]
