"""What both sides hold: the tables that stand for the whole run, those that come and go, and the items in them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tests.differential.sides import Request
from tests.engine.chance import Chance
from tests.engine.generated_values import INDEX_ATTRIBUTES, KEY_TEXTS, Given
from tests.engine.plain_table import Key, PlainIndex, PlainTable
from tests.engine.plain_values import Invalid, Item, Value

PASSING = "passing"
PASSING_COUNT = 3
PASSING_KINDS = {"pk": "S", "sk": "N", "i1": "S", "i2": "N", "i3": "B", "i4": "S", "i5": "N"}


@dataclass
class World:
    """The tables by name, with the values that their keys are given."""

    givens: dict[str, Given] = field(default_factory=dict)
    tokens: list[Request] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: [f"{PASSING}{number}" for number in range(1, PASSING_COUNT + 1)])
    retired: int = 0

    @property
    def tables(self) -> list[Given]:
        return list(self.givens.values())

    @property
    def names_of_standing(self) -> tuple[str, ...]:
        return tuple(name for name in self.givens if not name.startswith(PASSING))

    @property
    def passing(self) -> list[Given]:
        """The tables that may be changed and deleted."""
        return [self.givens[name] for name in self.names if name in self.givens]

    def retire(self, name: str) -> None:
        """Has tables of that name come no more, but of a new one."""
        if name in self.names:
            self.retired += 1
            self.names[self.names.index(name)] = f"{PASSING}{PASSING_COUNT + self.retired}"

    def forget_token(self, request: Request) -> None:
        """A transaction that only one side has done is not sent again."""
        token = request.get("ClientRequestToken")
        self.tokens = [known for known in self.tokens if known["ClientRequestToken"] != token]

    def contents(self) -> dict[str, dict[Key, Item]]:
        """Every item as it is now."""
        return {name: dict(given.table.items) for name, given in self.givens.items()}

    def named_in(self, request: Any) -> list[str]:
        """The tables whose names stand in a request, as a text or in a statement."""
        text = repr(request)
        return [name for name in self.givens if repr(name) in text or f'"{name}"' in text]

    def touched(self, request: Any) -> list[tuple[str, Item]]:
        """The keys that a request may write to, with the names of their tables; what fits no table is nobody's key."""
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
    """Everything in a request that could be a key or an item, with the table it stands under."""
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


def standing(chance: Chance) -> list[Given]:
    """Tables with every kind of key and index; the few values of their keys are chosen anew for each run."""
    return [
        _given(
            chance,
            PlainTable("hash-only", "pk", None, _kinds("S", "S", "SNBSN")),
            PlainIndex("all", ("i1",), (), "ALL"),
            PlainIndex("sparse", ("i2",), ("i3",), "KEYS_ONLY"),
        ),
        _given(
            chance,
            PlainTable("texts", "pk", "sk", _kinds("S", "S", "SNBSN")),
            PlainIndex("local-all", ("pk",), ("i1",), "ALL", is_local=True),
            PlainIndex("local-keys", ("pk",), ("i2",), "KEYS_ONLY", is_local=True),
            PlainIndex("local-some", ("pk",), ("i3",), "INCLUDE", ("a", "n"), is_local=True),
            PlainIndex("all", ("i4",), ("i5",), "ALL"),
            PlainIndex("keys", ("i5",), (), "KEYS_ONLY"),
            PlainIndex("inverted", ("sk",), ("pk",), "INCLUDE", ("m", "l")),
        ),
        _given(
            chance,
            PlainTable("numbers", "pk", "sk", _kinds("N", "N", "BSNSN")),
            PlainIndex("local-some", ("pk",), ("i1",), "INCLUDE", ("b", "s"), is_local=True),
            PlainIndex("sparse", ("i3",), ("sk",), "ALL"),
        ),
        _given(
            chance,
            PlainTable("binaries", "pk", "sk", _kinds("B", "B", "BNSBS")),
            PlainIndex("some", ("i1",), ("i2",), "INCLUDE", ("n", "a")),
        ),
        _given(chance, PlainTable("no-index", "pk", "sk", _kinds("S", "N", "SSSSS"))),
    ]


def _kinds(partition: str, sort: str, others: str) -> dict[str, str]:
    return {"pk": partition, "sk": sort, **dict(zip(INDEX_ATTRIBUTES, others, strict=True))}


def _given(chance: Chance, table: PlainTable, *indexes: PlainIndex) -> Given:
    for index in indexes:
        table.indexes[index.name] = index
    return with_pools(chance, table)


def with_pools(chance: Chance, table: PlainTable) -> Given:
    """A table with the few values that its keys will have."""
    pools = {
        name: tuple(chance.several(KEY_TEXTS[kind], 2, 3 if name == "pk" else 5)) for name, kind in table.kinds.items()
    }
    return Given(table, pools)


def described(description: Request) -> PlainTable | None:
    """The table that a DescribeTable tells of; None when requests for it could not be generated."""
    kinds = PASSING_KINDS | {
        each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]
    }
    (partition, *_), sort = _key(description)
    table = PlainTable(description["TableName"], partition, next(iter(sort), None), kinds)
    for word, is_local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        for index in description.get(word, ()):
            projection = index["Projection"]
            included = tuple(sorted(projection.get("NonKeyAttributes", ())))
            table.indexes[index["IndexName"]] = PlainIndex(
                index["IndexName"], *_key(index), projection["ProjectionType"], included, is_local
            )
    return table if set(kinds) == set(PASSING_KINDS) else None


def _key(description: Request) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def of_kind(kind: str) -> tuple[str, ...]:
        return tuple(each["AttributeName"] for each in description["KeySchema"] if each["KeyType"] == kind)

    return of_kind("HASH"), of_kind("RANGE")


def large(chance: Chance, item: Item) -> Item:
    """Now and then an item of several kilobytes, so that units are more than one."""
    if chance.one_in(8):
        filler: Value = {"S": "x" * chance.pick([900, 1000, 1024, 2048, 4000, 4096, 9000])}
        return {**item, "filler": filler}
    return item
