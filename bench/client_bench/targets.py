"""Targets of the client benchmark: ratios of times in one run."""

from __future__ import annotations

from bench.client_bench.rows import GET, MOVE, PUT, PUT_MANY, QUERY_1000, UPDATE, WRITE_ROWS
from bench.engine_bench.targets import Target, at_least, at_most

IN_PROCESS_TO_BOTO3 = at_least(20)

TO_ENGINE = {PUT: at_most(1.6), UPDATE: at_most(2), MOVE: at_most(2), PUT_MANY: at_most(1.5)}
"""Processor time of a typed call, relative to the engine alone for the same requests."""


def over_http(row: str, peer: str) -> Target | None:
    """Return the target for the time of a peer relative to ours, on one server; the same for all our classes."""
    if row in WRITE_ROWS:
        return {"boto3 resource": at_least(5), "pydynox dicts": at_least(1)}.get(peer)
    if row == QUERY_1000:
        return {"boto3 resource": at_least(8), "pydynox Model": at_least(3), "pydynox dicts": at_least(1)}.get(peer)
    if row == GET and peer in ("pydynox Model", "pydynox dicts"):
        return at_least(1)
    return None
