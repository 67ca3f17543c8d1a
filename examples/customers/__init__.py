"""Three small tables: customers with their orders, orders by status with products by category, and users in teams."""

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
"""The scripts, in reading order."""
