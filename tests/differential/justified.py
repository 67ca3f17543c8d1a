"""Every difference to DynamoDB Local that is meant, looked up by an exchange and a field of it."""

from __future__ import annotations

from tests.differential.ask import Exchange
from tests.differential.compare import Difference
from tests.differential.justification import Justified
from tests.differential.justified_answers import ANSWERS
from tests.differential.justified_refusals import REFUSALS
from tests.differential.justified_statements import STATEMENT_ANSWERS
from tests.differential.justified_tables import TABLE_SETTINGS

JUSTIFIED = (*REFUSALS, *ANSWERS, *STATEMENT_ANSWERS, *TABLE_SETTINGS)


def justification(exchange: Exchange, difference: Difference) -> Justified | None:
    """Why a difference is meant, if it is."""
    return next((each for each in JUSTIFIED if each.applies(exchange, difference)), None)
