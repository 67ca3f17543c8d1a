"""Cold start of a contender: the seconds to import it and declare its model, and the seconds until its first order.

python -m bench.client_bench.cold_start NAME URL
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

from bench.client_bench.contenders import find_contender
from bench.client_bench.orders import SIZES, customer_of, order_id


def main(name: str, url: str) -> None:
    """Print both times."""
    contender = find_contender(name)
    arguments = customer_of(max(SIZES)), order_id(7)
    began = perf_counter()
    contender.load()
    imported = perf_counter()
    if "sync" in contender.modes:
        contender.open("sync", url).get(*arguments)
    else:
        import asyncio

        async def first() -> None:
            await (await contender.open("async", url)).get(*arguments)

        asyncio.run(first())
    print(imported - began, perf_counter() - imported, flush=True)
    os._exit(0)  # threads of some libraries panic while Python shuts down


if __name__ == "__main__":
    main(*sys.argv[1:])
