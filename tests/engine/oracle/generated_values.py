"""Random tables, keys, items and values from small sets, so that requests often meet the same items."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from tests.engine.oracle.oracle_table import OracleIndex, OracleTable
from tests.engine.oracle.oracle_values import Item, Path, Value
from tests.engine.oracle.seeded_choices import SeededChoices


def _binary(content: bytes) -> str:
    return base64.b64encode(content).decode()


# Keys that are adjacent in the sort order: prefixes, the lowest and highest bytes, and different notations of numbers.
KEY_TEXTS: dict[str, tuple[str, ...]] = {
    "S": ("a", "b", "ab", "a\x00", "a\x00b", "\x00", "a\x01", "a\x00\xff", "é", "\uffff", "\U00010000", "A#1"),
    "N": ("0", "1", "-1", "2", "10", "1.0", "1.5", "-1.5", "1e2", "100.0", "-0.001", "99999999999999999999", "-7E100"),
    "B": tuple(map(_binary, (b"a", b"b", b"\x00", b"a\x00", b"a\x00\xff", b"\xff", b"\xff\xff", b"a\xff"))),
}
INDEX_ATTRIBUTES = ("i1", "i2", "i3", "i4", "i5")
ATTRIBUTES = ("a", "b", "n", "s", "l", "m")

# Paths into the values below; some of them do not exist.
NESTED: tuple[Path, ...] = (
    ("m", "a"),
    ("m", "n"),
    ("m", "b"),
    ("m", "l"),
    ("m", "l", 0),
    ("m", "a", "b"),
    ("l", 0),
    ("l", 1),
    ("l", 2),
    ("l", 5),
    ("l", 0, "a"),
    ("l", 1, 0),
    ("a", "n"),
    ("b", 1),
)
PATHS: tuple[Path, ...] = (*((name,) for name in ATTRIBUTES), *NESTED)


@dataclass(frozen=True)
class Given:
    """A table, and the values of its key attributes."""

    table: OracleTable
    pools: dict[str, tuple[str, ...]]

    def key_value(self, chance: SeededChoices, name: str) -> Value:
        """Return one of the few values of a key attribute."""
        return {self.table.kinds[name]: chance.pick(self.pools[name])}

    def any_key_value(self, chance: SeededChoices, name: str) -> Value:
        """Return a value that may occur in no item."""
        kind = self.table.kinds[name]
        return {kind: chance.pick(KEY_TEXTS[kind])}

    def key(self, chance: SeededChoices) -> Item:
        """Return a key, which in most cases belongs to an existing item."""
        if self.table.items and not chance.one_in(3):
            item = self.known_item(chance)
            return {name: item[name] for name in self.table.key_names}
        return self._any_key(chance)

    def known_item(self, chance: SeededChoices) -> Item:
        return chance.pick(list(self.table.items.values()))

    def _any_key(self, chance: SeededChoices) -> Item:
        return {name: self.key_value(chance, name) for name in self.table.key_names}

    def item(self, chance: SeededChoices, *, fits: bool = True) -> Item:
        """Return an item. If it may be invalid, it sometimes has an invalid index key."""
        item = self._any_key(chance)
        for name in chance.several(INDEX_ATTRIBUTES, 2, len(INDEX_ATTRIBUTES)):
            item[name] = self.index_value(chance, name, fits=fits)
        for name in chance.several(ATTRIBUTES, 1, len(ATTRIBUTES)):
            item[name] = attribute(chance, name)
        return item

    def index_value(self, chance: SeededChoices, name: str, *, fits: bool = False) -> Value:
        if fits or not chance.one_in(30):
            return self.key_value(chance, name)
        return {"S": ""} if self.table.kinds[name] == "S" else {"BOOL": True}


def table(chance: SeededChoices, name: str) -> Given:
    kinds = {each: chance.pick("SNB") for each in ("pk", "sk", *INDEX_ATTRIBUTES)}
    pools = {each: tuple(chance.several(KEY_TEXTS[kind], 2, 3 if each == "pk" else 5)) for each, kind in kinds.items()}
    sort = chance.pick(["sk", "sk", None])
    plain = OracleTable(name, "pk", sort, kinds)
    if sort is not None:
        for number in chance.times(0, 2):
            other = chance.pick(INDEX_ATTRIBUTES)
            index = OracleIndex(f"local{number}", ("pk",), (other,), *_projection(chance), is_local=True)
            plain.indexes[index.name] = index
    for number in chance.times(0, 2):
        index = global_index(chance, plain, f"global{number}")
        plain.indexes[index.name] = index
    return Given(plain, pools)


def global_index(chance: SeededChoices, plain: OracleTable, name: str) -> OracleIndex:
    """Return one or two key attributes in most cases, and at most four and four. They may include keys of the table."""
    is_wide = chance.one_in(4)
    partition_count = 1 + chance.below(4) if is_wide else 1
    sort_count = chance.below(5 if is_wide else 2)
    names = chance.several([*INDEX_ATTRIBUTES, *plain.key_names], partition_count + sort_count, 8)
    sort = names[partition_count : partition_count + sort_count]
    return OracleIndex(name, tuple(names[:partition_count]), tuple(sort), *_projection(chance))


def _projection(chance: SeededChoices) -> tuple[str, tuple[str, ...]]:
    kind = chance.pick(["ALL", "KEYS_ONLY", "INCLUDE"])
    return kind, tuple(chance.several(ATTRIBUTES, 1, 3)) if kind == "INCLUDE" else ()


# Values

SCALARS: dict[str, tuple[str, ...]] = {
    "S": ("a", "", "ab", "b", "ba", "é", "\U0001f600"),
    "N": ("1", "0", "2", "-1", "1.50", "10", "1e3", "-0.25", "12345678901234567890"),
    "B": tuple(map(_binary, (b"a", b"", b"ab", b"\xff"))),
}
MEMBERS = {"SS": ("a", "b", "ab", ""), "NS": ("1", "2", "-1.5", "1E1"), "BS": SCALARS["B"]}


def ordered_value(chance: SeededChoices, kind: str | None = None) -> Value:
    """Return a string, number or binary."""
    kind = kind or chance.pick("SNB")
    return {kind: chance.pick(SCALARS[kind])}


def scalar(chance: SeededChoices) -> Value:
    kind = chance.pick(["S", "N", "B", "BOOL", "NULL"])
    if kind == "BOOL":
        return {"BOOL": chance.one_in(2)}
    return {"NULL": True} if kind == "NULL" else ordered_value(chance, kind)


def set_value(chance: SeededChoices, kind: str | None = None) -> Value:
    kind = kind or chance.pick(list(MEMBERS))
    return {kind: chance.several(MEMBERS[kind], 1, 3)}


def list_value(chance: SeededChoices, depth: int = 0) -> Value:
    return {"L": [value(chance, depth + 1) for _ in chance.times(0, 3)]}


def map_value(chance: SeededChoices, depth: int = 0) -> Value:
    return {"M": {name: value(chance, depth + 1) for name in chance.several(("a", "b", "n", "l"), 0, 3)}}


def value(chance: SeededChoices, depth: int = 0) -> Value:
    match chance.below(3 if depth > 2 else 6):
        case 0 | 1:
            return scalar(chance)
        case 2:
            return set_value(chance)
        case 3:
            return list_value(chance, depth)
        case 4:
            return map_value(chance, depth)
        case _:
            return {"N": chance.pick(SCALARS["N"])}


def attribute(chance: SeededChoices, name: str) -> Value:
    """Return the value of an attribute, mostly of the type in its name."""
    if chance.one_in(5):
        return value(chance)
    match name:
        case "n":
            return ordered_value(chance, "N")
        case "s":
            return set_value(chance)
        case "l":
            return list_value(chance)
        case "m":
            return map_value(chance)
        case _:
            return value(chance)
