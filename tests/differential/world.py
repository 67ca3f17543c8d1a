"""The expected state of both sides: permanent tables, temporary tables, and their items."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tests.differential.sides import Request
from tests.engine.oracle.generated_values import INDEX_ATTRIBUTES, KEY_TEXTS, Given
from tests.engine.oracle.oracle_table import Key, OracleIndex, OracleTable
from tests.engine.oracle.oracle_values import Invalid, Item, Value
from tests.engine.oracle.seeded_choices import SeededChoices

TEMPORARY = "temporary"
PASSING_COUNT = 3
PASSING_KINDS = {"pk": "S", "sk": "N", "i1": "S", "i2": "N", "i3": "B", "i4": "S", "i5": "N"}


@dataclass
class World:
    """The tables by name, with the key values that requests use."""

    givens: dict[str, Given] = field(default_factory=dict)
    tokens: list[Request] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: [f"{TEMPORARY}{number}" for number in range(1, PASSING_COUNT + 1)])
    retired: int = 0

    @property
    def tables(self) -> list[Given]:
        return list(self.givens.values())

    @property
    def permanent_names(self) -> tuple[str, ...]:
        return tuple(name for name in self.givens if not name.startswith(TEMPORARY))

    @property
    def temporary(self) -> list[Given]:
        """The tables that requests may change and delete."""
        return [self.givens[name] for name in self.names if name in self.givens]

    def retire(self, name: str) -> None:
        """Stop using the name of a table, and use a new one."""
        if name in self.names:
            self.retired += 1
            self.names[self.names.index(name)] = f"{TEMPORARY}{PASSING_COUNT + self.retired}"

    def forget_token(self, request: Request) -> None:
        """Forget the token of a transaction that only one side has executed."""
        token = request.get("ClientRequestToken")
        self.tokens = [known for known in self.tokens if known["ClientRequestToken"] != token]

    def contents(self) -> dict[str, dict[Key, Item]]:
        """Return all current items."""
        return {name: dict(given.table.items) for name, given in self.givens.items()}

    def named_in(self, request: Any) -> list[str]:
        """Return the tables that a request names, as a parameter or in a statement."""
        text = repr(request)
        return [name for name in self.givens if repr(name) in text or f'"{name}"' in text]

    def touched(self, request: Any) -> list[tuple[str, Item]]:
        """Return the keys that a request may write, with their tables."""
        found: dict[tuple[str, Key], tuple[str, Item]] = {}
        for name, each in _documents(request, ""):
            given = self.givens.get(name)
            if given is None:
                continue
            try:
                key = given.table.key_of(each)
            except (Invalid, ValueError, TypeError, ArithmeticError, AttributeError):
                continue
            found[name, key] = (name, {part: copy.deepcopy(each[part]) for part in given.table.key_names})
        return list(found.values())


def _documents(node: Any, table: str) -> list[tuple[str, Item]]:
    """Yield everything in a request that can be a key or an item, with its table."""
    found: list[tuple[str, Item]] = []
    if isinstance(node, list):
        for each in node:
            found += _documents(each, table)
    elif isinstance(node, dict):
        name = node.get("TableName")
        table = name if isinstance(name, str) else table
        if table:
            found.append((table, node))
        for key, each in node.items():
            found += _documents(each, table or (key if isinstance(each, list) else ""))
    return found


def permanent_tables(chance: SeededChoices) -> list[Given]:
    """Return tables with every kind of key and index; each run chooses their key values."""
    return [
        _given(
            chance,
            OracleTable("hash-only", "pk", None, _kinds("S", "S", "SNBSN")),
            OracleIndex("all", ("i1",), (), "ALL"),
            OracleIndex("sparse", ("i2",), ("i3",), "KEYS_ONLY"),
        ),
        _given(
            chance,
            OracleTable("texts", "pk", "sk", _kinds("S", "S", "SNBSN")),
            OracleIndex("local-all", ("pk",), ("i1",), "ALL", is_local=True),
            OracleIndex("local-keys", ("pk",), ("i2",), "KEYS_ONLY", is_local=True),
            OracleIndex("local-some", ("pk",), ("i3",), "INCLUDE", ("a", "n"), is_local=True),
            OracleIndex("all", ("i4",), ("i5",), "ALL"),
            OracleIndex("keys", ("i5",), (), "KEYS_ONLY"),
            OracleIndex("inverted", ("sk",), ("pk",), "INCLUDE", ("m", "l")),
        ),
        _given(
            chance,
            OracleTable("numbers", "pk", "sk", _kinds("N", "N", "BSNSN")),
            OracleIndex("local-some", ("pk",), ("i1",), "INCLUDE", ("b", "s"), is_local=True),
            OracleIndex("sparse", ("i3",), ("sk",), "ALL"),
        ),
        _given(
            chance,
            OracleTable("binaries", "pk", "sk", _kinds("B", "B", "BNSBS")),
            OracleIndex("some", ("i1",), ("i2",), "INCLUDE", ("n", "a")),
        ),
        _given(chance, OracleTable("no-index", "pk", "sk", _kinds("S", "N", "SSSSS"))),
    ]


def _kinds(partition: str, sort: str, others: str) -> dict[str, str]:
    return {"pk": partition, "sk": sort, **dict(zip(INDEX_ATTRIBUTES, others, strict=True))}


def _given(chance: SeededChoices, table: OracleTable, *indexes: OracleIndex) -> Given:
    for index in indexes:
        table.indexes[index.name] = index
    return with_pools(chance, table)


def with_pools(chance: SeededChoices, table: OracleTable) -> Given:
    """Return a table with its small set of key values."""
    pools = {
        name: tuple(chance.several(KEY_TEXTS[kind], 2, 3 if name == "pk" else 5)) for name, kind in table.kinds.items()
    }
    return Given(table, pools)


def described(description: Request) -> OracleTable | None:
    """Return the table of a description. Return None if no requests can be generated for it."""
    kinds = PASSING_KINDS | {
        each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]
    }
    (partition, *_), sort = _key(description)
    table = OracleTable(description["TableName"], partition, next(iter(sort), None), kinds)
    for word, is_local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        for index in description.get(word, ()):
            projection = index["Projection"]
            included = tuple(sorted(projection.get("NonKeyAttributes", ())))
            table.indexes[index["IndexName"]] = OracleIndex(
                index["IndexName"], *_key(index), projection["ProjectionType"], included, is_local
            )
    return table if set(kinds) == set(PASSING_KINDS) else None


def _key(description: Request) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def of_kind(kind: str) -> tuple[str, ...]:
        return tuple(each["AttributeName"] for each in description["KeySchema"] if each["KeyType"] == kind)

    return of_kind("HASH"), of_kind("RANGE")


def large(chance: SeededChoices, item: Item) -> Item:
    """Return an item that is sometimes several kilobytes large, so that it costs more than one unit."""
    if chance.one_in(8):
        filler: Value = {"S": "x" * chance.pick([900, 1000, 1024, 2048, 4000, 4096, 9000])}
        return {**item, "filler": filler}
    return item
