"""DescribeGlobalTable: what a global table of the first version is, of which there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.errors import RequestRefused
from singletable.wire.surroundings import DescribeGlobalTable

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_global_table(engine: Engine, request: DescribeGlobalTable) -> NoReturn:
    """Refuses as the service does where there is no such global table."""
    raise no_global_table(request.global_table_name)


def no_global_table(name: str) -> RequestRefused:
    """The refusal when a global table is not there."""
    return RequestRefused("GlobalTableNotFoundException", f"Global table with name: '{name}' does not exist.")
