"""Flips one bit of a store file, and compares every read and `check_store` with the state before the flip."""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage.store_format import PAGE_BYTES
from singletable.errors import RequestRefused, StoreRefused
from tests.engine.table_requests import create, create_indexed, get, projection, put, query, scan, texts, values

PARTITIONS = 4
PAGE_HEAD_BYTES = 100
ITEMS = 80
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}

Read = Callable[[Engine], Any]


def fill_plain(engine: Engine) -> None:
    """Fill one table without indexes."""
    create(engine)
    for number in range(ITEMS):
        put(engine, key(number) | texts(text=f"{number} " * (10 + number)))


def fill_indexed(engine: Engine) -> None:
    """Fill a table with two indexes, a stream, an expiry time per item and a backup."""
    create_indexed(engine, gsi=projection("text"))
    engine.call("UpdateTable", {"TableName": "table", "StreamSpecification": STREAM})
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    engine.call("UpdateTimeToLive", {"TableName": "table", "TimeToLiveSpecification": ttl})
    engine.sweep()  # enables TTL
    for number in range(ITEMS // 2):
        item = key(number) | texts(text=f"{number} " * 40, gsiPk=f"group {number % 3}", lsiSk=f"{number % 7}")
        put(engine, item | {"ttl": {"N": str(10**10 + number)}})
    engine.call("CreateBackup", {"TableName": "table", "BackupName": "backup"})


def key(number: int) -> dict[str, Any]:
    """Return the key of an item."""
    return texts(pk=f"partition {number % PARTITIONS}", sk=f"{number:04}")


def reads(has_indexes: bool) -> Iterator[tuple[str, Read]]:
    """Yield reads of every item in several ways, with their names."""
    for number in range(ITEMS):
        yield "GetItem", partial(get, key=key(number))
    yield "Scan", _scanned
    yield "filtered Scan", partial(_scanned, FilterExpression="pk <> sk")
    for number in range(PARTITIONS):
        partition = values(v=f"partition {number}")
        yield "Query", partial(_queried, given=partition)
        yield "Query with Limit", partial(_queried, given=partition, Limit=15)
        yield "Query backwards", partial(_queried, given=partition, ScanIndexForward=False)
        yield "Query of a range", partial(_queried, condition="pk = :v AND sk > :s", given=partition | values(s="0010"))
    if has_indexes:
        for number in range(3):
            yield (
                "Query of an index",
                partial(_queried, condition="gsiPk = :v", given=values(v=f"group {number}"), IndexName="gsi"),
            )
        for number in range(PARTITIONS):
            yield "Query of an index", partial(_queried, given=values(v=f"partition {number}"), IndexName="lsi")
        yield "GetRecords", _records
        yield "restore", _restored


def _scanned(engine: Engine, **parameters: Any) -> Any:
    return sorted(scan(engine, **parameters)["Items"], key=repr)


def _queried(engine: Engine, condition: str = "pk = :v", **parameters: Any) -> Any:
    given = parameters.pop("given")
    return query(engine, condition, given, **parameters)["Items"]


def _records(engine: Engine) -> Any:
    [stream] = engine.call("ListStreams", {})["Streams"]
    arn = stream["StreamArn"]
    [shard] = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = engine.call("GetShardIterator", request)["ShardIterator"]
    found = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
    return [(each["eventName"], each["dynamodb"].get("OldImage"), each["dynamodb"].get("NewImage")) for each in found]


def _restored(engine: Engine) -> Any:
    [backup] = engine.call("ListBackups", {})["BackupSummaries"]
    engine.call("RestoreTableFromBackup", {"BackupArn": backup["BackupArn"], "TargetTableName": "restored"})
    return sorted(scan(engine, "restored")["Items"], key=repr)


class FlippedStore:
    """A closed store, whose copies are damaged by one bit each."""

    def __init__(self, folder: Path, fill: Callable[[Engine], None]) -> None:
        self._whole = folder / "whole.db"
        self._copy = folder / "copy.db"
        with Engine(f"file:{self._whole}") as engine:
            fill(engine)
        self.reads = list(reads(fill is fill_indexed))
        shutil.copy(self._whole, self._copy)
        with Engine(f"file:{self._copy}", sweep_seconds=None) as engine:
            self._expected = [read(engine) for _, read in self.reads]
        self._known = elements(self._expected)
        self._content = self._whole.read_bytes()
        self._data = contents(self._whole)
        self.counts: Counter[str] = Counter()

    def flip(self, seed: int) -> list[str]:
        """Flip one bit chosen by the seed; return the broken promises."""
        rng = random.Random(seed)
        at, bit = rng.randrange(len(self._content)), rng.randrange(8)
        if rng.random() < 0.3:  # the head of a page, which orders its rows
            at = at // PAGE_BYTES * PAGE_BYTES + rng.randrange(PAGE_HEAD_BYTES)
        damaged = bytearray(self._content)
        damaged[at] ^= 1 << bit
        self._write_copy(damaged)
        where = f"seed {seed}, byte {at}, bit {bit}"
        return self._broken_promises(where)

    def flip_in_row(self, seed: int) -> list[str]:
        """Flip one bit in a row of a table, index, backup, change log or metadata table; return the broken promises."""
        rng = random.Random(seed)
        self._write_copy(self._content)
        with closing(sqlite3.connect(self._copy)) as connection, connection:
            where = flip_in_row(connection, rng)
        return self._broken_promises(f"row seed {seed}, {where}")

    def _write_copy(self, content: bytes | bytearray) -> None:
        for suffix in ("-wal", "-shm"):
            Path(f"{self._copy}{suffix}").unlink(missing_ok=True)
        self._copy.write_bytes(content)

    def _broken_promises(self, where: str) -> list[str]:
        self.counts["flips"] += 1
        return [f"{where}: {problem}" for problem in (*self._wrong_check(), *self._wrong_reads())]

    def _wrong_check(self) -> Iterator[str]:
        changed = contents(self._copy) != self._data
        try:
            is_found = bool(check_store(self._copy).problems)
        except StoreRefused:
            is_found = True
        self.counts["changed data"] += changed
        self.counts["found by check-store"] += is_found
        if changed and not is_found:
            yield "check-store finds no problem"

    def _wrong_reads(self) -> Iterator[str]:
        failed = missing = 0
        try:
            with Engine(f"file:{self._copy}", sweep_seconds=None) as engine:
                for (name, read), expected in zip(self.reads, self._expected, strict=True):
                    try:
                        found = read(engine)
                    except (StoreRefused, RequestRefused):
                        failed += 1
                        continue
                    if found != expected:
                        if is_part(found, self._known):
                            missing += 1
                        else:
                            yield f"{name} returned altered data: {found!r:.300}"
        except StoreRefused:
            failed += 1
        self.counts["reads raised an error"] += bool(failed)
        self.counts["reads missed an item"] += bool(missing)


def flip_in_row(connection: sqlite3.Connection, rng: random.Random, table: str | None = None) -> str:
    """Flip a random bit of a random value, in this table or in any table with checksums; return the place."""
    names = [table] if table else _with_checksums(connection)
    while True:
        name = rng.choice(names)
        column = rng.choice([row[1] for row in connection.execute(f"PRAGMA table_info({name})")])
        number, value = rng.choice(connection.execute(f"SELECT rowid, {column} FROM {name}").fetchall())
        flipped = _flipped(value, rng)
        if flipped is not None:
            break
    with suppress(sqlite3.IntegrityError):  # another row has this value
        connection.execute(f"UPDATE {name} SET {column} = ? WHERE rowid = ?", (flipped, number))
    return f"{name}.{column}, row {number}"


def _with_checksums(connection: sqlite3.Connection) -> list[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    rows = {
        name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        for (name,) in names
        if name in ("catalog", "streams", "backups") or (name[0] in "rbc" and name[1].isdigit())
    }
    return [name for name, count in rows.items() if count]


def _flipped(value: Any, rng: random.Random) -> Any:
    """Return a value with one bit changed, or None for a value without bits."""
    if isinstance(value, int):
        return value ^ 1 << rng.randrange(8)
    if isinstance(value, float):
        (number,) = struct.unpack(">q", struct.pack(">d", value))
        return struct.unpack(">d", struct.pack(">q", number ^ 1 << rng.randrange(52)))[0]
    if not value:
        return None
    is_text = isinstance(value, str)
    data = value.encode("latin-1") if is_text else value
    at = rng.randrange(len(data))
    flipped = data[:at] + bytes((data[at] ^ 1 << rng.randrange(7),)) + data[at + 1 :]
    return flipped.decode("latin-1") if is_text else flipped


def elements(results: list[Any]) -> set[str]:
    """Return all items and records in the results of reads."""
    return {repr(each) for result in results for each in (result if isinstance(result, list) else [result])}


def is_part(found: Any, known: set[str]) -> bool:
    """Return whether a read returned only known items and records, perhaps too few of them."""
    return all(repr(each) in known or each is None for each in (found if isinstance(found, list) else [found]))


def contents(path: Path) -> object:
    """Return all rows of all tables, read through each index and without an index; an error counts as a change."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode").fetchone()
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
            rows = {}
            for name in names:
                rows[name] = connection.execute(f"SELECT * FROM {name} NOT INDEXED").fetchall()
                if name[0] in "rb" and name[1].isdigit():
                    rows[f"{name} by key"] = connection.execute(f"SELECT key, item FROM {name} ORDER BY key").fetchall()
            return schema, rows
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's message can quote damaged text
        return str(error)
