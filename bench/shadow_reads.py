"""Measure what shadow reads add to the latency of the served answer.

    python -m bench.shadow_reads                    all patterns, in the process and over HTTP
    python -m bench.shadow_reads --place process    with the engine in the process only

The old implementation is the shop on four tables with boto3; the new one is the shop on one table. One thread calls
a pattern without a pause, which is the worst case, because comparisons then never find an idle moment. Each block of
calls runs once without shadow reads and once for each share of compared calls; it lasts a second, and the comparisons
of its calls run meanwhile. A ratio is the median latency of a block compared with the median of the block without
shadow reads just before or after it; the median of these ratios is printed, so that other programs on the machine do
not distort it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from statistics import median
from time import perf_counter, thread_time
from typing import Any

import boto3  # type: ignore[import-untyped]  # boto3 has no type information

from examples.shop.model import Shop
from examples.shop_tables import tables
from examples.shop_tables.old_shop_reads import ShopReads
from examples.shop_tables.shop_application import ShopApplication
from singletable.consolidation import ShadowSettings, read_pattern_states, switch_mode
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource
from tests.consolidation.shop_reads import objects

SAMPLES = (0.0, 0.05, 1.0)
BLOCK_SECONDS, WARM_SECONDS = 1.0, 0.3
"""How long a block is measured, and how long it runs before, so that its comparisons have begun."""
CUSTOMERS, ORDERS, PRODUCTS = 30, 78, 12
Call = Callable[[int], object]


def calls_of(reads: ShopReads) -> dict[str, tuple[Call, Call]]:
    """Return for each pattern a call of the old implementation, and the same call through shadow reads."""

    def old(name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = vars(ShopReads)[name].function.__get__(reads)
        return function

    arguments: dict[str, Callable[[int], str]] = {
        "customer": lambda number: tables.customer_id(1 + number % CUSTOMERS),
        "orders_of_customer": lambda number: tables.customer_id(1 + number % CUSTOMERS),
        "whole_order": lambda number: tables.order_id(1 + number % ORDERS),
        "orders_with_sku": lambda number: tables.sku(1 + number % PRODUCTS),
    }

    def pair(name: str, argument: Callable[[int], str]) -> tuple[Call, Call]:
        direct, shadowed = old(name), getattr(reads, name)
        return lambda number: direct(argument(number)), lambda number: shadowed(argument(number))

    return {name: pair(name, argument) for name, argument in arguments.items()}


@contextmanager
def in_process() -> Generator[tuple[Any, Any, Any], None, None]:
    """Yield a boto3 client, a resource and a place for the table, in an engine in this process."""
    engine = Engine("memory:")
    yield boto3_client(engine), boto3_resource(engine), engine


@contextmanager
def over_http() -> Generator[tuple[Any, Any, Any], None, None]:
    """Yield a boto3 client, a resource and a URL, of a server in another process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "singletable",
            "serve",
            "--port",
            "0",
            "--json",
            "--data",
            f"{folder}/store.db",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own server
        try:
            assert server.stdout is not None, "the output is a pipe"
            url = json.loads(server.stdout.readline())["url"]
            options = {"endpoint_url": url, "region_name": "us-east-1"}
            keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
            yield boto3.client("dynamodb", **options, **keys), boto3.resource("dynamodb", **options, **keys), url
        finally:
            server.terminate()
            server.wait()


def block_median(call: Call, clock: Callable[[], float]) -> float:
    """Return the median latency of a block of calls, on a clock."""
    found: list[float] = []
    measured = clock() + WARM_SECONDS
    last = measured + BLOCK_SECONDS
    ended = clock()
    for number in count():
        started = ended
        call(number)
        ended = clock()
        if ended > last:
            return median(found)
        if started > measured:
            found.append(ended - started)
    raise AssertionError("the block ends after its time")


def measure(place: str, client: Any, resource: Any, target: Any, blocks: int, clock: Callable[[], float]) -> None:
    """Print the median of each pattern without shadow reads, and the ratios with them."""
    tables.create_tables(client)
    tables.fill(client, 300)
    old = ShopApplication(client, resource)
    with Shop.open(target, create=True) as shop:
        shop.put_many(objects())
        every = [ShopReads(shop, old, ShadowSettings(sample=share)) for share in SAMPLES]
        every[0].customer("c000001")
        assert every[0].drain()
        pairs = [calls_of(reads) for reads in every]
        for name in pairs[0]:
            switch_mode(shop, name, "shadow")
        for reads in every:
            assert reads.refresh()
        for name in pairs[0]:
            contenders = [pairs[0][name][0], *(each[name][1] for each in pairs)]
            medians: list[list[float]] = []
            for block in range(blocks):
                row = [0.0] * len(contenders)
                for number in rotated(range(len(contenders)), block):
                    row[number] = block_median(contenders[number], clock)
                    assert all(reads.drain() for reads in every), "the comparisons were not made in time"
                medians.append(row)
            ratios = [median(row[number] / row[0] for row in medians) for number in range(1, len(contenders))]
            shown = "  ".join(f"{share:>4.0%} {ratio:.3f}" for share, ratio in zip(SAMPLES, ratios, strict=True))
            direct = median(row[0] for row in medians) * 1e6
            states = read_pattern_states(shop)[name]
            compared = f"{states.compared:,} compared, {states.dropped:,} dropped"
            print(
                f"{place:<12}{name:<20}{direct:>8.0f} us without;  ratio with a share of  {shown}  {compared}",
                flush=True,
            )


def rotated(numbers: range, by: int) -> list[int]:
    """Return the numbers, beginning with another one each time."""
    start = by % len(numbers)
    return [*numbers[start:], *numbers[:start]]


def main() -> None:
    """Measure both places."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=12, help="blocks of a second for each share (default: 12)")
    parser.add_argument(
        "--processor-time", action="store_true", help="measure the processor time of a call, on a machine under load"
    )
    parser.add_argument("--place", choices=("process", "http"), help="measure only one place (default: both)")
    options = parser.parse_args()
    places = {"process": ("in process", in_process), "http": ("over HTTP", over_http)}
    for place, opened in [places[options.place]] if options.place else places.values():
        with opened() as (client, resource, target):
            measure(
                place,
                client,
                resource,
                target,
                options.blocks,
                thread_time if options.processor_time else perf_counter,
            )


if __name__ == "__main__":
    main()
