"""DescribeGlobalTableSettings: the settings of a global table of the first version, of which there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from singletable.engine.actions.describe_global_table import no_global_table
from singletable.wire.surroundings import DescribeGlobalTableSettings

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_global_table_settings(engine: Engine, request: DescribeGlobalTableSettings) -> NoReturn:
    """Refuses as the service does where there is no such global table."""
    raise no_global_table(request.global_table_name)
