"""A contender from nothing: the seconds to import it and to declare the model, and then to the first order it reads.

python -m bench.client_bench.cold NAME URL
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

from bench.client_bench.contenders import named
from bench.client_bench.orders import SIZES, customer_of, order_id


def main(name: str, url: str) -> None:
    """Prints both times."""
    contender = named(name)
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
