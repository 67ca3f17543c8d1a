"""Measure `singletable export parquet` with a million items, compared with a bare Scan loop with pyarrow.

    python bench/export_rate.py                      generate a store of 1,000,000 items and export it
    python bench/export_rate.py --items 100000       fewer items
    python bench/export_rate.py --store FILE         keep the store, for the next run

The bare loop knows nothing but the attributes of this store: it sends Scan requests to the embedded engine, appends the
values to one list per column, and writes the same Parquet files. Both run in processes of their own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    # Import from the root of the repository, as mypy and the tests do. A script starts with its own folder on the path.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.check_items import BenchmarkShop, fill

MODEL = Path(__file__).with_name("check_items.py")
SAMPLE_SECONDS = 0.05
STEP_ROWS = 250_000
"""The rows of a file, as in the export."""
Value = dict[str, Any]


def _text(value: Value) -> Any:
    return value["S"]


def _integer(value: Value) -> Any:
    return int(value["N"])


def _number(value: Value) -> Any:
    return value["N"]


def _texts(value: Value) -> Any:
    return [each["S"] for each in value["L"]]


COLUMNS: dict[str, dict[str, tuple[Callable[[Value], Any], str]]] = {
    "Customer": {
        "id": (_text, "string"),
        "email": (_text, "string"),
        "name": (_text, "string"),
        "created_at": (_text, "time"),
    },
    "Order": {
        "id": (_text, "string"),
        "customer_id": (_text, "string"),
        "status": (_text, "string"),
        "total": (_number, "string"),
        "created_at": (_text, "time"),
        "day": (_text, "date"),
    },
    "Line": {
        "order_id": (_text, "string"),
        "number": (_integer, "int"),
        "sku": (_text, "string"),
        "quantity": (_integer, "int"),
        "price": (_number, "string"),
        "note": (_text, "string"),
    },
    "Product": {
        "sku": (_text, "string"),
        "title": (_text, "string"),
        "shelf": (_integer, "int"),
        "tags": (_texts, "texts"),
    },
    "Ticket": {
        "id": (_text, "string"),
        "customer_id": (_text, "string"),
        "text": (_text, "string"),
        "assignee": (_text, "string"),
    },
}
"""The columns of each entity, with the conversion of a value and the type."""


class Measurement(NamedTuple):
    """The time and the peak memory of a process."""

    seconds: float
    cpu_seconds: float
    own_mebibytes: float
    """Without the pages of files, such as the store, which the engine maps: the system can discard them at any time."""
    total_mebibytes: float


def bare_loop(store: Path, folder: Path) -> None:
    """Scan the store, and write the rows of each entity to Parquet files."""
    import msgspec
    import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information
    import pyarrow.parquet as pq  # type: ignore[import-untyped]  # as above

    types = {
        "string": pa.string(),
        "int": pa.int64(),
        "texts": pa.list_(pa.string()),
        "time": pa.timestamp("us", "UTC"),
        "date": pa.date32(),
    }
    waiting: dict[str, dict[str, list[Any]]] = {}
    count = files = 0

    def write() -> None:
        nonlocal files
        for name, columns in waiting.items():
            arrays = {
                # pyarrow parses the texts of a whole column at once
                column: pa.array(values).cast(types[COLUMNS[name][column][1]])
                for column, values in columns.items()
            }
            pq.write_table(pa.table(arrays), folder / f"{name}-{files:05}.parquet", compression="zstd")
        files += 1
        waiting.clear()

    with BenchmarkShop.open(f"file:{store}") as shop:
        transport = shop._opened().session.transport
        request: dict[str, Any] = {"TableName": "BenchmarkShop"}
        while True:
            page = msgspec.json.decode(transport.send("Scan", msgspec.json.encode(request)))
            for item in page["Items"]:
                known = COLUMNS.get(item.get("entity_type", {}).get("S", ""))
                if known is None:
                    continue
                name = item["entity_type"]["S"]
                columns = waiting.get(name)
                if columns is None:
                    columns = waiting[name] = {column: [] for column in known}
                for column, (read, _) in known.items():
                    value = item.get(column)
                    columns[column].append(None if value is None else read(value))
                count += 1
            if count >= STEP_ROWS:
                write()
                count = 0
            if "LastEvaluatedKey" not in page:
                break
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    write()


def measured(*command: str | Path) -> Measurement:
    """Run a command, and return its time and its peak memory."""
    started = time.perf_counter()
    running = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)  # noqa: S603  # our own command
    own = 0.0
    while True:
        pid, status, usage = os.wait4(running.pid, os.WNOHANG)
        if pid:
            break
        own = max(own, _own_mebibytes(running.pid))
        time.sleep(SAMPLE_SECONDS)
    running.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if running.returncode:
        raise SystemExit(running.returncode)
    total = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Measurement(seconds, usage.ru_utime + usage.ru_stime, own or total, total)


def _own_mebibytes(pid: int) -> float:
    """Return the memory of a process without mapped files; 0 if the system is not Linux."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 2**10 for line in lines if line.startswith("RssAnon")), 0.0)


def rows_in(folder: Path) -> int:
    """Return the number of rows in the Parquet files below a folder."""
    import pyarrow.parquet as pq

    return sum(pq.ParquetFile(path).metadata.num_rows for path in folder.rglob("*.parquet"))


def compare(store: Path, folder: Path) -> None:
    """Run both, and print their rates."""
    (folder / "bare").mkdir()
    bare = measured(sys.executable, __file__, "--bare", folder / "bare", "--store", store)
    singletable = (sys.executable, "-m", "singletable", "export", "parquet")
    export = measured(*singletable, f"{MODEL}:BenchmarkShop", f"file:{store}", folder / "export")
    count = rows_in(folder / "export")
    if rows_in(folder / "bare") != count:
        raise SystemExit("the files of the bare loop have another number of rows")
    for name, each in (("bare Scan loop", bare), ("singletable export parquet", export)):
        times = f"{each.seconds:.1f} s, of them {each.cpu_seconds:.1f} s CPU"
        memory = f"{each.own_mebibytes:.0f} MB, and {each.total_mebibytes:.0f} MB with the mapped store"
        print(f"{name}: {count:,} items in {times}; peak memory {memory}")
    by_cpu = bare.cpu_seconds / export.cpu_seconds
    print(f"rate of the export: {bare.seconds / export.seconds:.2f} of the bare loop, {by_cpu:.2f} by CPU time")


def run() -> None:
    """Generate the store unless it exists, then export it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000, metavar="N", help="the number of items (1,000,000)")
    parser.add_argument("--store", type=Path, metavar="FILE", help="keep the store in this file")
    parser.add_argument("--bare", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare is not None:
        bare_loop(options.store, options.bare)
        return
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "shop.db"
        if not store.exists():
            # Linux counts the memory of a process as the peak of the processes that it starts, so this one stays small.
            filling = multiprocessing.get_context("spawn").Process(target=fill, args=(store, options.items))
            filling.start()
            filling.join()
        compare(store, Path(folder))


if __name__ == "__main__":
    run()
