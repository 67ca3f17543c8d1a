"""Conditions in plain words: names as they are, parameters in braces."""

from __future__ import annotations

from decimal import Decimal

import pytest

from singletable.expressions.plain import plain
from singletable.expressions.tree import And, Compare, Condition, Constant, Function, In, Not, Or, Parameter, Path

STATUS, TOTAL = Path(("status",)), Path(("total",))


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Compare("=", STATUS, Constant("OPEN")), "status = 'OPEN'"),
        (Compare(">", TOTAL, Parameter("least")), "total > {least}"),
        (Compare("<>", TOTAL, Constant(Decimal("1.5"))), "total <> Decimal('1.5')"),
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
def test_a_condition_reads_as_a_person_would_write_it(condition: Condition, text: str) -> None:
    assert plain(condition) == text
