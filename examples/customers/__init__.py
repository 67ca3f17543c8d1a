"""Customers with their orders, orders by status beside products by category, and users in teams: three small tables."""

TOUR = (
    "customer",
    "customer_with_orders",
    "orders_of_customer",
    "open_orders",
    "orders_by_status",
    "products_in_category",
    "teams_of_user",
    "users_of_team",
    "join_a_team",
)
"""The scripts, in the order in which one should read them."""
