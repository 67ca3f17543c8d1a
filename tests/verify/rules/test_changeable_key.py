"""Sort keys with a state before the id, and sort keys whose first field does not change."""

from __future__ import annotations

from dataclasses import make_dataclass

import pytest

from singletable import Table, entity
from singletable.verify.design_check import check


@pytest.mark.parametrize(("field", "is_reported"), [("status", True), ("category", True), ("country", False)])
def test_a_state_before_the_id_in_the_sort_key_changes_the_key(field: str, is_reported: bool) -> None:
    fields = [("customer_id", str), (field, str), ("order_id", str)]
    declared = entity(key=("C#{customer_id}", f"ORDER#{{{field}}}#{{order_id}}"))(make_dataclass("Order", fields))

    class Orders(Table, entities=[declared]):
        pass

    messages = [finding.message for finding in check(Orders.design).findings if finding.code == "ST134"]
    assert any(f"{field} is before order_id in the sort key" in message for message in messages) == is_reported
