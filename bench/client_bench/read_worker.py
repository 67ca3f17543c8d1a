"""Worker process for the read rows: checks the orders that a contender reads, then measures each requested row.

    python -m bench.client_bench.read_worker NAME sync|async URL

Each input line is a row, the seconds to measure it and a clock: `get 0.3 wall` or `1000 0.3 cpu`. The answer is the
median time of a call, in seconds. The first output line is `ready`, after the checks. The worker runs in the
environment of the contender, so it depends only on the standard library.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from bench.client_bench.contenders import Contender, Reads, find_contender
from bench.client_bench.orders import SIZES, customer_of, difference, difference_of_dict, order, order_id
from bench.client_bench.rows import GET
from bench.client_bench.worker_loop import CLOCKS, WrongObject, run_worker, serve

LARGEST = max(SIZES)


def check(contender: Contender, found: Any, size: int, number: int) -> None:
    """Raise WrongObject unless an object equals the order with a number."""
    expected = order(size, number)
    problem = (difference if contender.is_typed else difference_of_dict)(found, expected)
    if problem is not None:
        raise WrongObject(f"{contender.name}: {problem}")


def check_all(contender: Contender, found: Any, size: int) -> None:
    """Raise WrongObject unless a list contains all orders of a customer."""
    if len(found) != size:
        raise WrongObject(f"{contender.name} read {len(found)} of {size} orders")
    for number, each in enumerate(found):
        check(contender, each, size, number)


def arguments_of(row: str, number: int) -> tuple[str, ...]:
    """Return the arguments of one call: a different order in every call, or the customer of a Query."""
    return (customer_of(LARGEST), order_id(number * 37 % LARGEST)) if row == GET else (customer_of(int(row)),)


def answer_sync(contender: Contender, url: str) -> None:
    """Check once, then measure synchronous calls."""
    reads: Reads = contender.open("sync", url)
    for number in (0, 3, 7):
        check(contender, reads.get(customer_of(LARGEST), order_id(number)), LARGEST, number)
    for size in SIZES:
        check_all(contender, reads.query(customer_of(size)), size)
    numbers = count()

    def measure(row: str, seconds: str, clock_name: str) -> float:
        call: Callable[..., Any] = reads.get if row == GET else reads.query
        clock, times = CLOCKS[clock_name], list[float]()
        end = perf_counter() + float(seconds)
        while not times or perf_counter() < end:
            arguments = arguments_of(row, next(numbers))
            start = clock()
            call(*arguments)
            times.append(clock() - start)
        return median(times)

    serve(measure)


def answer_async(contender: Contender, url: str) -> None:
    """Check once, then measure awaited calls on one event loop."""
    with asyncio.Runner() as runner:
        reads: Reads = runner.run(contender.open("async", url))

        async def check_reads() -> None:
            for number in (0, 3, 7):
                check(contender, await reads.get(customer_of(LARGEST), order_id(number)), LARGEST, number)
            for size in SIZES:
                check_all(contender, await reads.query(customer_of(size)), size)

        runner.run(check_reads())
        numbers = count()

        async def measure(row: str, seconds: str, clock_name: str) -> float:
            call: Callable[..., Any] = reads.get if row == GET else reads.query
            clock, times = CLOCKS[clock_name], list[float]()
            end = perf_counter() + float(seconds)
            while not times or perf_counter() < end:
                arguments = arguments_of(row, next(numbers))
                start = clock()
                await call(*arguments)
                times.append(clock() - start)
            return median(times)

        serve(lambda *arguments: runner.run(measure(*arguments)))


def main(name: str, mode: str, url: str) -> None:
    """Run one contender until its standard input ends."""
    answer = answer_sync if mode == "sync" else answer_async
    run_worker(lambda: answer(find_contender(name), url))


if __name__ == "__main__":
    main(*sys.argv[1:])
