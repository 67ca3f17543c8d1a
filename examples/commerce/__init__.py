"""A small e-commerce backend: users, orders, line items and reviews in one table with two overloaded indexes."""

TOUR = (
    "drawers",
    "profile",
    "recent_orders",
    "order_with_items",
    "orders_placed",
    "orders_in_status",
    "reviews_of_product",
    "user_with_recent_orders",
    "place_order",
    "set_status",
    "move_to_status",
    "schema_versions",
)
"""The scripts, in reading order."""
