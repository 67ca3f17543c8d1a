"""All intended differences from DynamoDB Local."""

from __future__ import annotations

from tests.differential.compare import Difference
from tests.differential.difference_matchers import IntendedDifference
from tests.differential.exchange import Exchange
from tests.differential.intended_errors import ERRORS
from tests.differential.intended_results import RESULTS
from tests.differential.intended_statements import STATEMENT_RESULTS
from tests.differential.intended_tables import TABLE_SETTINGS

INTENDED = (*ERRORS, *RESULTS, *STATEMENT_RESULTS, *TABLE_SETTINGS)


def intended_difference(exchange: Exchange, difference: Difference) -> IntendedDifference | None:
    """Return the intended difference that a difference matches, or None."""
    return next((each for each in INTENDED if each.applies(exchange, difference)), None)
