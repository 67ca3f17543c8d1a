"""An online shop without keys: the 16 access patterns of a published design with two indexes."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Between, Page, Table, collection, entity, get, pattern, query


@entity()
@dataclass
class Customer:
    """A customer."""

    id: str
    email: str


@entity()
@dataclass
class Product:
    """A product."""

    id: str
    price: int


@entity()
@dataclass
class Warehouse:
    """A warehouse."""

    id: str
    city: str


@entity(identity=("product_id", "warehouse_id"))
@dataclass
class WarehouseItem:
    """The stock of a product in a warehouse."""

    product_id: str
    warehouse_id: str
    quantity: int


@entity()
@dataclass
class Order:
    """An order."""

    id: str
    customer_id: str
    date: datetime


@entity(identity=("order_id", "product_id"))
@dataclass
class OrderItem:
    """A product of an order."""

    order_id: str
    product_id: str
    customer_id: str
    date: datetime


@entity()
@dataclass
class Invoice:
    """The invoice of an order, with its payments."""

    id: str
    order_id: str
    customer_id: str
    date: datetime


@entity()
@dataclass
class Shipment:
    """A shipment of an order."""

    id: str
    order_id: str
    warehouse_id: str
    date: datetime


@entity()
@dataclass
class ShipmentItem:
    """A product in a shipment."""

    id: str
    order_id: str
    shipment_id: str
    product_id: str


@dataclass
class WholeOrder:
    """Everything about an order."""

    order: Order
    products: list[OrderItem]
    invoices: list[Invoice]
    shipments: list[Shipment]
    contents: list[ShipmentItem]


@dataclass
class WholeShipment:
    """A shipment with its contents."""

    shipment: list[Shipment]
    contents: list[ShipmentItem]


class OnlineShop(
    Table,
    entities=[Customer, Product, Warehouse, WarehouseItem, Order, OrderItem, Invoice, Shipment, ShipmentItem],
):
    """The patterns in the order of the publication."""

    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def product(self, id: str) -> Product | None:
        return get(Product)

    @pattern()
    def warehouse(self, id: str) -> Warehouse | None:
        return get(Warehouse)

    @pattern()
    def inventory_of_product(self, product_id: str) -> Page[WarehouseItem]:
        return query(WarehouseItem)

    @pattern()
    def order_details(self, order_id: str) -> WholeOrder | None:
        return collection(WholeOrder)

    @pattern()
    def products_of_order(self, order_id: str) -> Page[OrderItem]:
        return query(OrderItem)

    @pattern()
    def invoice_of_order(self, order_id: str) -> Page[Invoice]:
        return query(Invoice)

    @pattern()
    def shipments_of_order(self, order_id: str) -> Page[Shipment]:
        return query(Shipment)

    @pattern()
    def orders_of_product(self, product_id: str, date: Between[datetime]) -> Page[OrderItem]:
        return query(OrderItem)

    @pattern(accept={"ST129": "the publication lists the payments as a pattern of its own"})
    def invoice(self, id: str) -> Page[Invoice]:
        return query(Invoice)

    @pattern()
    def shipment_detail(self, shipment_id: str) -> WholeShipment | None:
        return collection(WholeShipment)

    @pattern()
    def shipments_from_warehouse(self, warehouse_id: str) -> Page[Shipment]:
        return query(Shipment)

    @pattern()
    def inventory_of_warehouse(self, warehouse_id: str) -> Page[WarehouseItem]:
        return query(WarehouseItem)

    @pattern()
    def invoices_of_customer(self, customer_id: str, date: Between[datetime]) -> Page[Invoice]:
        return query(Invoice)

    @pattern()
    def products_of_customer(self, customer_id: str, date: Between[datetime]) -> Page[OrderItem]:
        return query(OrderItem)
