"""Get product by SKU: one GetItem."""

from ..script import Script
from .model import Product, Shop
from .rows import ROWS


def execute(shop: Shop) -> Product | None:
    return shop.product("AVON-TORTOISE")


def show(product: Product | None) -> None:
    assert product is not None
    print(f"{product.sku} {product.name}, £{product.price}")


SCRIPT = Script(Shop, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
