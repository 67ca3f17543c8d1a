"""The engine with a million items beside the engine with a thousand: a request should not feel the difference."""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bench.engine_bench import targets
from bench.engine_bench.in_process import Ours, Pair, ask, open_engine
from bench.engine_bench.workload import Exchange, Item, create_table, get, item, put, put_all, query

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

SMALL_ITEMS = 1_000
PARTITION_ITEMS = 20
ITEM_BYTES = 300
DRAWER = 1_009
GETS, PUTS, QUERIES = 2_000, 1_000, 500

ROOT = Path(__file__).resolve().parents[2]


class Items:
    """The items of a store by their numbers; their contents come from a drawer, since a million of them are made.

    Those of even partitions are read, those of odd ones are written anew.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.chance = random.Random(count)  # noqa: S311 - chosen so that every run asks the same
        self._drawer = [item("owner#0000000", "00", ITEM_BYTES, self.chance) for _ in range(DRAWER)]

    def one(self, number: int, content: int | None = None) -> Item:
        """The item of this number, as it was loaded unless another content is given."""
        partition, place = divmod(number, PARTITION_ITEMS)
        key = {"pk": {"S": f"owner#{partition:07}"}, "sk": {"S": f"{place:02}"}}
        return self._drawer[(number if content is None else content) % DRAWER] | key

    def partition(self, number: int) -> list[Item]:
        """The items of a partition in order."""
        return [self.one(number * PARTITION_ITEMS + place) for place in range(PARTITION_ITEMS)]

    def anywhere(self, parity: int) -> int:
        """A partition among all that are read (0) or written (1)."""
        return self.chance.randrange(self.count // PARTITION_ITEMS // 2) * 2 + parity


def load(engine: Engine, items: int, say: Callable[[str], None]) -> None:
    """Fills an empty store."""
    ask(engine, create_table())
    stored = Items(items)
    for start in range(0, items, 25):
        if start % 100_000 == 0:
            say(f"loading {items:,} items: {start:,}")
        ask(engine, put_all([stored.one(number) for number in range(start, min(items, start + 25))]))


def requests(items: int, rounds: int) -> Iterator[list[Exchange]]:
    """Reads, writes and queries of items anywhere in the store, others in every round: no cache knows them."""
    stored = Items(items)
    numbers = [stored.anywhere(0) * PARTITION_ITEMS + place % PARTITION_ITEMS for place in range(GETS * rounds)]
    yield [get(stored.one(number)) for number in numbers]
    numbers = [stored.anywhere(1) * PARTITION_ITEMS + place % PARTITION_ITEMS for place in range(PUTS * rounds)]
    yield [put(stored.one(number, content=place)) for place, number in enumerate(numbers)]
    yield [query(stored.partition(stored.anywhere(0)), limit=PARTITION_ITEMS) for _ in range(QUERIES * rounds)]


def pairs(large: Engine, small: Engine, items: int, rounds: int) -> list[Pair]:
    """The rows of a large store beside a small one."""
    names = ("GetItem", "PutItem 300 B", "Query 20 items")
    both = zip(names, (GETS, PUTS, QUERIES), requests(items, rounds), requests(SMALL_ITEMS, rounds), strict=True)
    return [
        Pair(name, Ours(large, many, calls), Ours(small, few, calls), targets.LARGE_TO_SMALL)
        for name, calls, many, few in both
    ]


def kept_store(cache: Path, items: int, say: Callable[[str], None]) -> Engine:
    """A store of so many items, kept between runs of this very engine, since another may store them differently.

    Loading a million items takes longer than all that is measured on them. Stores of other engines are removed.
    """
    sources = sorted(path for part in ("engine", "values") for path in (ROOT / "src/singletable" / part).rglob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in [*sources, Path(__file__)])).hexdigest()[:16]
    kept = cache / "stores" / f"{items}-{digest}"
    for other in kept.parent.glob("*"):
        if other != kept or not (other / "loaded").exists():
            shutil.rmtree(other)
    kept.mkdir(parents=True, exist_ok=True)
    engine = open_engine(kept / "store")
    if not (kept / "loaded").exists():
        load(engine, items, say)
        (kept / "loaded").touch()
    return engine
