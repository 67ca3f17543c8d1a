"""The consolidation of the four tables into the table of the shop: one pair of functions for each old table."""

from datetime import datetime
from decimal import Decimal
from typing import NotRequired, TypedDict

from singletable.consolidation import Consolidation, DynamoDBSource

from ..shop.model import Customer, Order, OrderItem, Product, Shop
from .tables import CUSTOMERS, ORDER_ITEMS, ORDERS, PRODUCTS, time_text


class CustomerRow(TypedDict):
    id: str
    name: str
    email: str
    created_at: str


class ProductRow(TypedDict):
    sku: str
    name: str
    price: Decimal
    description: NotRequired[str]


class OrderRow(TypedDict):
    id: str
    customer_id: str
    status: str
    total: Decimal
    created_at: str


class OrderItemRow(TypedDict):
    order_id: str
    sku: str
    quantity: int
    price: Decimal


def customer_of(row: CustomerRow) -> Customer:
    created = datetime.fromisoformat(row["created_at"])
    return Customer(id=row["id"], name=row["name"], email=row["email"], created_at=created)


def row_of_customer(customer: Customer) -> CustomerRow:
    created = time_text(customer.created_at)
    return {"id": customer.id, "name": customer.name, "email": customer.email, "created_at": created}


def product_of(row: ProductRow) -> Product:
    return Product(sku=row["sku"], name=row["name"], price=row["price"])


def row_of_product(product: Product) -> ProductRow:
    return {"sku": product.sku, "name": product.name, "price": product.price}


def order_of(row: OrderRow) -> Order:
    return Order(
        id=row["id"],
        customer_id=row["customer_id"],
        status=row["status"],
        total=row["total"],
        created_at=datetime.fromisoformat(row["created_at"]),
    )


def row_of_order(order: Order) -> OrderRow:
    return {
        "id": order.id,
        "customer_id": order.customer_id,
        "status": order.status,
        "total": order.total,
        "created_at": time_text(order.created_at),
    }


def order_item_of(row: OrderItemRow) -> OrderItem:
    return OrderItem(**row)


def row_of_order_item(item: OrderItem) -> OrderItemRow:
    return {"order_id": item.order_id, "sku": item.sku, "quantity": item.quantity, "price": item.price}


CONSOLIDATION = Consolidation(
    Shop,
    DynamoDBSource(CUSTOMERS, customer_of, row_of_customer),
    DynamoDBSource(PRODUCTS, product_of, row_of_product),
    DynamoDBSource(ORDERS, order_of, row_of_order),
    DynamoDBSource(ORDER_ITEMS, order_item_of, row_of_order_item),
)
