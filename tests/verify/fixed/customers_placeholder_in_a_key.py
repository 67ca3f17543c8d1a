"""The fields are in braces."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("CUST#{customer_id}", "ORDER#{order_id}#{line:03d}"))
@dataclass
class OrderLine:
    customer_id: str
    order_id: str
    line: int


@entity(key=("CUST#{customer_id}", "INVOICE#{invoice_id}#{line:03d}"))
@dataclass
class Bill:
    customer_id: str
    invoice_id: str
    line: int


class Customers(Table, entities=[OrderLine, Bill]):
    @pattern()
    def order_line(self, customer_id: str, order_id: str, line: int) -> OrderLine | None:
        """Get a line of an order."""
        return get(OrderLine)
