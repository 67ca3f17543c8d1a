"""A contender in a process of its own: checks what it reads, and measures when it is told to.

    python -m bench.client_bench.worker NAME sync|async URL

Each line that it is given is a row, the seconds to measure it for and a clock: `get 0.3 wall` or `1000 0.3 cpu`. Its
answer is the median of the seconds that the calls took. The first line that it writes is `ready`, once all it reads
is right. It runs in the environment of the contender, so it needs nothing but Python.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from itertools import count
from statistics import median
from time import perf_counter, process_time
from typing import Any

from bench.client_bench.contenders import Contender, Reads, named
from bench.client_bench.orders import SIZES, customer_of, difference, difference_of_dict, order, order_id

GET = "get"
LARGEST = max(SIZES)

Clock = Callable[[], float]
CLOCKS: dict[str, Clock] = {"wall": perf_counter, "cpu": process_time}


class WrongObject(Exception):
    """What a contender read is not what was stored."""


def checked(contender: Contender, found: Any, size: int, number: int) -> None:
    """Refuses an object that is not the order it should be."""
    expected = order(size, number)
    problem = (difference if contender.is_typed else difference_of_dict)(found, expected)
    if problem is not None:
        raise WrongObject(f"{contender.name}: {problem}")


def checked_all(contender: Contender, found: Any, size: int) -> None:
    """Refuses a list of other orders."""
    if len(found) != size:
        raise WrongObject(f"{contender.name} read {len(found)} orders of {size}")
    for number, each in enumerate(found):
        checked(contender, each, size, number)


def arguments_of(row: str, number: int) -> tuple[str, ...]:
    """What a row asks for: another order in every call, or all orders of a customer."""
    return (customer_of(LARGEST), order_id(number * 37 % LARGEST)) if row == GET else (customer_of(int(row)),)


def answer_sync(contender: Contender, url: str) -> None:
    """Checks once, then measures whatever is asked."""
    reads: Reads = contender.open("sync", url)
    for number in (0, 3, 7):
        checked(contender, reads.get(customer_of(LARGEST), order_id(number)), LARGEST, number)
    for size in SIZES:
        checked_all(contender, reads.query(customer_of(size)), size)
    numbers = count()

    def measured(row: str, seconds: float, clock: Clock) -> list[float]:
        call: Callable[..., Any] = reads.get if row == GET else reads.query
        spent: list[float] = []
        over = perf_counter() + seconds
        while not spent or perf_counter() < over:
            arguments = arguments_of(row, next(numbers))
            started = clock()
            call(*arguments)
            spent.append(clock() - started)
        return spent

    serve(measured)


def answer_async(contender: Contender, url: str) -> None:
    """The same on one event loop."""
    with asyncio.Runner() as runner:
        reads: Reads = runner.run(contender.open("async", url))

        async def check() -> None:
            for number in (0, 3, 7):
                checked(contender, await reads.get(customer_of(LARGEST), order_id(number)), LARGEST, number)
            for size in SIZES:
                checked_all(contender, await reads.query(customer_of(size)), size)

        runner.run(check())
        numbers = count()

        async def measured(row: str, seconds: float, clock: Clock) -> list[float]:
            call: Callable[..., Any] = reads.get if row == GET else reads.query
            spent: list[float] = []
            over = perf_counter() + seconds
            while not spent or perf_counter() < over:
                arguments = arguments_of(row, next(numbers))
                started = clock()
                await call(*arguments)
                spent.append(clock() - started)
            return spent

        serve(lambda row, seconds, clock: runner.run(measured(row, seconds, clock)))


def serve(measured: Callable[[str, float, Clock], list[float]]) -> None:
    """Answers lines until there are no more."""
    print("ready", flush=True)
    for line in sys.stdin:
        row, seconds, clock = line.split()
        print(median(measured(row, float(seconds), CLOCKS[clock])), flush=True)


def main(name: str, mode: str, url: str) -> None:
    """Runs one contender until its standard input ends."""
    try:
        (answer_sync if mode == "sync" else answer_async)(named(name), url)
    except WrongObject as problem:
        print(f"wrong {problem}", flush=True)
    except ImportError as problem:
        print(f"missing {problem}", flush=True)
    sys.stdout.flush()
    os._exit(0)  # threads of some libraries panic while Python shuts down, after everything is done


if __name__ == "__main__":
    main(*sys.argv[1:])
