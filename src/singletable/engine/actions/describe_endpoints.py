"""DescribeEndpoints: the endpoint of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.account_requests import DescribeEndpoints, DescribeEndpointsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

CACHE_MINUTES = 1440


def describe_endpoints(engine: Engine, request: DescribeEndpoints) -> DescribeEndpointsResult:
    """Return the address of this server, so that clients with endpoint discovery continue to use this server."""
    return DescribeEndpointsResult(endpoints=[{"Address": engine.endpoint, "CachePeriodInMinutes": CACHE_MINUTES}])
