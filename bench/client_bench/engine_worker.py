"""Worker process that compares typed writes with the processor time of the engine for the same requests.

    python -m bench.client_bench.engine_worker NAME sync URL

An input line is a row and the seconds to measure it, such as `put 0.3`. The answer is the processor time in seconds: of
a typed call, and of `Engine.answer` for the request that this call sends. The row `put_many` takes no seconds.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter, process_time
from typing import Any

import msgspec

from bench.client_bench.contenders import Contender, Writes, find_contender
from bench.client_bench.contenders.singletable_write_functions import methods_of, on_engine
from bench.client_bench.request_capture import Capture, Request, capture_requests
from bench.client_bench.rows import ENGINE_ROWS, PUT_MANY, PUT_MANY_ITEMS
from bench.client_bench.worker_loop import WrongObject, run_worker, serve
from bench.client_bench.write_items import arguments_of, order_to_write
from singletable.engine import Engine

CALLS = 50
"""The number of calls between two readings of the clock, each for another order."""
CUSTOMER = "w0000000"


def typed_calls(writes: Writes, row: str, version: int) -> list[tuple[Any, ...]]:
    """Return the arguments of the calls of one block."""
    return [arguments_of(row, writes.build, CUSTOMER, number, version) for number in range(CALLS)]


def write_all(writes: Writes) -> None:
    """Store the orders that the blocks write."""
    writes.put_batch([writes.build(order_to_write(CUSTOMER, number)) for number in range(CALLS)])


@contextmanager
def open_with_capture(contender: Contender) -> Iterator[tuple[Writes, Capture]]:
    """Open the table of a contender over HTTP, and record its requests."""
    table = contender.load_writes().Orders
    with Engine("memory:") as engine, capture_requests(engine) as capture:
        found = table.open(capture.url, create=True)
        try:
            yield methods_of(found), capture
        finally:
            found.close()


def requests_of_rows(contender: Contender) -> dict[str, list[Request]]:
    """Return the requests of one block of each row, as the client sends them."""
    found: dict[str, list[Request]] = {}
    with open_with_capture(contender) as (writes, capture):
        write_all(writes)
        capture.take()
        for row in ENGINE_ROWS:
            for arguments in typed_calls(writes, row, 1):
                writes.calls[row](*arguments)
            found[row] = capture.take()
            if len(found[row]) != CALLS:
                raise WrongObject(f"{contender.name}, {row}: {CALLS} calls sent {len(found[row])} requests")
    return found


def compare(writes: Writes, engine: Engine, row: str, requests: list[Request], seconds: float) -> tuple[float, float]:
    """Return the processor seconds of a typed call and of its request, from alternating blocks."""
    call, calls, answer = writes.calls[row], typed_calls(writes, row, 0), engine.answer
    typed, raw = list[float](), list[float]()
    end = perf_counter() + seconds
    while not typed or perf_counter() < end:
        start = process_time()
        for arguments in calls:
            call(*arguments)
        middle = process_time()
        for target, body in requests:
            answer(target, body)
        typed.append(middle - start)
        raw.append(process_time() - middle)
    return median(typed) / CALLS, median(raw) / CALLS


def compare_put_many(contender: Contender, requests: list[tuple[str, Any]]) -> tuple[float, float]:
    """Return the processor seconds per item of `put_many` and of a loop of BatchWriteItem, each on a new table."""
    table = contender.load_writes().Orders

    def put_many(engine: Engine, writes: Writes) -> float:
        orders = orders_of_put_many(writes)
        written, spent = time_call(lambda: writes.put_batch(orders))
        if written.written != len(orders):
            raise WrongObject(f"{contender.name}, put_many: wrote {written.written} of {len(orders)} orders")
        return spent

    def batch_loop(engine: Engine, writes: Writes) -> float:
        encode = msgspec.json.Encoder().encode
        answers, spent = time_call(lambda: [engine.answer(target, encode(request)) for target, request in requests])
        if any(answer.status != 200 or b'"UnprocessedItems":{}' not in answer.body for answer in answers):
            raise WrongObject(f"{contender.name}, put_many: the engine did not write every item")
        return spent

    figures = []
    for measure in (put_many, batch_loop):
        with Engine("memory:") as engine:
            figures.append(measure(engine, on_engine(table, engine)))
    return figures[0] / PUT_MANY_ITEMS, figures[1] / PUT_MANY_ITEMS


def requests_of_put_many(contender: Contender) -> list[tuple[str, Any]]:
    """Return the requests of `put_many`, decoded."""
    with open_with_capture(contender) as (writes, capture):
        orders = orders_of_put_many(writes)
        capture.take()
        writes.put_batch(orders)
        return [(target, msgspec.json.decode(body)) for target, body in capture.take()]


def orders_of_put_many(writes: Writes) -> list[Any]:
    """Build the objects that `put_many` writes."""
    return [writes.build(order_to_write(CUSTOMER, number)) for number in range(PUT_MANY_ITEMS)]


def time_call(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a function and the processor seconds that it took."""
    gc.collect()
    gc.freeze()  # the garbage collector must not visit existing objects, in either measurement
    start = process_time()
    result = function()
    return result, process_time() - start


def answer_comparisons(contender: Contender, url: str) -> None:
    """Capture the requests, then compare each requested row."""
    requests = requests_of_rows(contender)
    many: list[tuple[str, Any]] = []
    with Engine(url) as engine:
        writes = on_engine(contender.load_writes().Orders, engine)
        write_all(writes)
        for row, block in requests.items():
            if any(engine.answer(target, body).status != 200 for target, body in block):
                raise WrongObject(f"{contender.name}, {row}: the engine rejects a captured request")

        def measure(row: str, seconds: str) -> str:
            if row != PUT_MANY:
                return "{} {}".format(*compare(writes, engine, row, requests[row], float(seconds)))
            if not many:
                many.extend(requests_of_put_many(contender))
            return "{} {}".format(*compare_put_many(contender, many))

        serve(measure)


def main(name: str, mode: str, url: str) -> None:
    """Run one contender until its standard input ends."""
    assert mode == "sync", "the engine is compared with synchronous calls"
    run_worker(lambda: answer_comparisons(find_contender(name), url))


if __name__ == "__main__":
    main(*sys.argv[1:])
