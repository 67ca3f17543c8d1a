"""Readable conditions: names as they are, parameters in braces."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest

from singletable.expressions.printer import readable_condition
from singletable.expressions.tree import And, Compare, Condition, Constant, Function, In, Not, Or, Parameter, Path


class Status(Enum):
    OPEN = "O"


STATUS, TOTAL = Path(("status",)), Path(("total",))


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Compare("=", STATUS, Constant("OPEN")), "status = 'OPEN'"),
        (Compare(">", TOTAL, Parameter("least")), "total > {least}"),
        (Compare("<>", TOTAL, Constant(Decimal("1.5"))), "total <> 1.5"),
        (Compare("=", STATUS, Constant(Status.OPEN)), "status = 'O'"),
        (Compare("<", STATUS, Constant(date(2026, 1, 2))), "status < '2026-01-02'"),
        (Compare("<", STATUS, Constant(datetime(2026, 1, 2, tzinfo=UTC))), "status < '2026-01-02T00:00:00+00:00'"),
        (Compare("=", STATUS, Constant(UUID(int=1))), "status = '00000000-0000-0000-0000-000000000001'"),
        (Compare("=", Path(("address", "city")), STATUS), "address.city = status"),
        (Compare("=", Path(("items", 0, "sku")), Constant(None)), "items[0].sku = None"),
        (In(STATUS, (Constant("A"), Parameter("b"))), "status IN ('A', {b})"),
        (Function("begins_with", (STATUS, Constant("O"))), "begins_with(status, 'O')"),
        (Not(Function("attribute_exists", (STATUS,))), "NOT attribute_exists(status)"),
        (
            And(
                (Compare("=", STATUS, Constant(1)), Or((Compare("=", TOTAL, Constant(2)), Compare("=", TOTAL, STATUS))))
            ),
            "status = 1 AND (total = 2 OR total = status)",
        ),
    ],
)
def test_the_expression_printer_writes_a_readable_condition_with_names_and_values(
    condition: Condition, text: str
) -> None:
    assert readable_condition(condition) == text
