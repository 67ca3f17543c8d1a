"""React to changes: a handler counts shipped orders once, although a change is delivered twice."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from singletable import ChangeEvent, Table, entity, field, key, on
from singletable.testing import StreamRunner


@entity(key=("ORDER#{id}", "HEAD"))
@dataclass
class Order:
    id: str
    customer: str
    status: str = "NEW"


@entity(key=("CUST#{id}", "HEAD"))
@dataclass
class Customer:
    id: str
    shipped: int = 0


deliveries: list[str] = []


@on(Order, "modify", where=lambda event: "status" in event.changed)
def count_shipped(old: Order, new: Order, event: ChangeEvent[Order]) -> None:
    if new.status == "SHIPPED":
        with event.transaction() as tx:  # counts once, however often the change is delivered
            tx.update(key(Customer, id=new.customer), field(Customer, lambda c: c.shipped).add(1))
    deliveries.append(f"{new.id}: {old.status} -> {new.status}")
    if len(deliveries) == 1:
        raise ConnectionError("the program fails after the transaction")


class Shop(Table, entities=[Order, Customer], handlers=[count_shipped]):
    """Orders and customers."""


def main() -> None:
    """Change two orders, and deliver the changes to the handler."""
    print("The handler:")
    for line in inspect.getsource(count_shipped.function).rstrip().splitlines():
        print(f"  {line}")
    deliveries.clear()
    with Shop.open("memory:") as shop:
        runner = StreamRunner(shop)
        shop.put_many([Customer("c1"), Order("o1", "c1"), Order("o2", "c1")])
        shop.put(Order("o1", "c1", "SHIPPED"))
        shop.put(Order("o2", "c1", "CANCELLED"))
        report = runner.run()
        customer = shop.get(key(Customer, id="c1"))
    print("\nThe calls of the handler; the first one fails after its transaction, so the change is delivered again:")
    for delivery in deliveries:
        print(f"  {delivery}")
    assert customer is not None
    print(f"\n{report.delivered} changes were delivered, and {report.failed} attempt failed.")
    print(f"Customer {customer.id} has {customer.shipped} shipped order.")


if __name__ == "__main__":
    main()
