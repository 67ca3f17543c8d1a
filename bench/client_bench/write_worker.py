"""Worker process for the write rows: checks the items that a contender writes, then measures each requested row.

    python -m bench.client_bench.write_worker NAME sync|async URL

Each input line is a row, the seconds to measure it and a clock: `put 0.3 wall` or `batch 0.3 cpu`. The answer is the
median time of a call, in seconds. Objects are built before the clock starts. The first output line is `ready`, after
the checks. The worker runs in the environment of the contender, so it depends only on the standard library.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from bench.client_bench.contenders import Contender, Writes, find_contender
from bench.client_bench.rows import BATCH, BATCH_ITEMS, CREATE, TRANSACTION, TRANSACTION_ITEMS
from bench.client_bench.worker_loop import CLOCKS, run_worker, serve
from bench.client_bench.write_checks import WriteChecks, server_reader
from bench.client_bench.write_items import arguments_of

FIRST_NEW = 1_000_000
"""Number of the first order that the row `create` writes."""


class Arguments:
    """Arguments of successive calls of each row. All rows except `create` write the stored orders in turn."""

    def __init__(self, writes: Writes, customer: str) -> None:
        self._build, self._customer = writes.build, customer
        self._numbers: defaultdict[str, Iterator[int]] = defaultdict(count)

    def next_of(self, row: str) -> tuple[Any, ...]:
        """Return the arguments of the next call of a row."""
        call = next(self._numbers[row])
        if row == CREATE:
            number, version = FIRST_NEW + call, 0
        else:
            version, number = divmod(call, BATCH_ITEMS // self._items_of_a_call(row))
        return arguments_of(row, self._build, self._customer, number, version)

    @staticmethod
    def _items_of_a_call(row: str) -> int:
        return {BATCH: BATCH_ITEMS, TRANSACTION: TRANSACTION_ITEMS}.get(row, 1)


def checks_of(contender: Contender, writes: Writes, customer: str, url: str, perform: Callable[..., Any]) -> None:
    """Run the checks of a contender."""
    WriteChecks(contender, writes, customer, perform, writes.read_item or server_reader(url)).run()


def answer_sync(contender: Contender, url: str) -> None:
    """Check once, then measure synchronous calls."""
    writes: Writes = contender.open_writes("sync", url)
    customer = customer_of_process()
    checks_of(contender, writes, customer, url, lambda call, *arguments: call(*arguments))
    arguments = Arguments(writes, customer)

    def measure(row: str, seconds: str, clock_name: str) -> float:
        call, clock, times = writes.calls[row], CLOCKS[clock_name], list[float]()
        end = perf_counter() + float(seconds)
        while not times or perf_counter() < end:
            given = arguments.next_of(row)
            start = clock()
            call(*given)
            times.append(clock() - start)
        return median(times)

    serve(measure)


def answer_async(contender: Contender, url: str) -> None:
    """Check once, then measure awaited calls on one event loop."""
    with asyncio.Runner() as runner:
        writes: Writes = runner.run(contender.open_writes("async", url))
        customer = customer_of_process()

        async def perform(call: Callable[..., Any], *arguments: Any) -> Any:
            return await call(*arguments)

        checks_of(contender, writes, customer, url, lambda *arguments: runner.run(perform(*arguments)))
        arguments = Arguments(writes, customer)

        async def measure(row: str, seconds: str, clock_name: str) -> float:
            call, clock, times = writes.calls[row], CLOCKS[clock_name], list[float]()
            end = perf_counter() + float(seconds)
            while not times or perf_counter() < end:
                given = arguments.next_of(row)
                start = clock()
                await call(*given)
                times.append(clock() - start)
            return median(times)

        serve(lambda *arguments: runner.run(measure(*arguments)))


def customer_of_process() -> str:
    """Return a customer that only this process uses, so that contenders on one server write different items."""
    return f"w{os.getpid():07}"


def main(name: str, mode: str, url: str) -> None:
    """Run one contender until its standard input ends."""
    answer = answer_sync if mode == "sync" else answer_async
    run_worker(lambda: answer(find_contender(name), url))


if __name__ == "__main__":
    main(*sys.argv[1:])
