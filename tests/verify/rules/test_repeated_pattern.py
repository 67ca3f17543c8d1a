"""Patterns that do the same as another pattern, and patterns that only look like it."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Table, entity, field, get, pattern, update
from singletable.verify.design_check import check


@entity(key=("ORDER#{id}", "ORDER"))
@dataclass
class Order:
    id: str
    status: str
    note: str


class Orders(Table, entities=[Order]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order."""
        return get(Order)

    @pattern()
    def fresh_order(self, id: str) -> Order | None:
        """Get an order with a strong read."""
        return get(Order, consistent=True)

    @pattern()
    def set_status(self, id: str, status: str) -> Order:
        """Change the status."""
        return update(Order, field(Order, lambda item: item.status).set(status))

    @pattern()
    def change_status(self, id: str, status: str) -> Order:
        """Change the status too."""
        return update(Order, field(Order, lambda item: item.status).set(status))

    @pattern()
    def set_note(self, id: str, note: str) -> Order:
        """Change the note."""
        return update(Order, field(Order, lambda item: item.note).set(note))


def test_an_update_of_the_same_fields_is_repeated_and_a_strong_read_is_not() -> None:
    found = [finding.subject for finding in check(Orders.design).findings if finding.code == "ST129"]
    assert found == ["change_status"]
