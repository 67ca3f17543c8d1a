"""What each ratio has to reach: how many times as long a contender takes as we do, in the same run."""

from __future__ import annotations

from bench.engine_bench.targets import Target, at_least

GET, QUERY_100, QUERY_1000 = "get", "100", "1000"
ROWS = {GET: "GetItem", QUERY_100: "Query 100 items", QUERY_1000: "Query 1,000 items"}

IN_PROCESS_TO_BOTO3 = at_least(20)


def over_http(row: str, peer: str) -> Target | None:
    """On one server, whatever the class of ours."""
    if row == QUERY_1000:
        return {"boto3 resource": at_least(8), "pydynox Model": at_least(3), "pydynox dicts": at_least(1)}.get(peer)
    if row == GET and peer in ("pydynox Model", "pydynox dicts"):
        return at_least(1)
    return None
