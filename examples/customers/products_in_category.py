"""List the books by title: products use the same index as orders, in partitions that start with CATEGORY#."""

from singletable import Page

from ..script import Script
from .model import Orders, Product
from .rows import ORDERS


def execute(table: Orders) -> Page[Product]:
    return table.products_in_category("books")


def show(products: Page[Product]) -> None:
    for product in products:
        print(f"{product.title} ({product.id})")


SCRIPT = Script(Orders, ORDERS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
