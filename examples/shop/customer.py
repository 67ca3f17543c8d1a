"""Get customer by ID: one GetItem."""

from ..script import Script
from .model import Customer, Shop
from .rows import ROWS


def execute(shop: Shop) -> Customer | None:
    return shop.customer("c1")


def show(customer: Customer | None) -> None:
    assert customer is not None
    print(f"{customer.id} {customer.name} <{customer.email}>, here since {customer.created_at:%Y-%m-%d}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
