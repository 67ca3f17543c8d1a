"""An online shop: four entities, thirteen rows, six access patterns, one table with one index."""

TOUR = (
    "customer",
    "orders_of_customer",
    "whole_order",
    "product",
    "orders_with_sku",
    "customers_by_signup",
    "customers_by_hash",
    "customers_by_letter",
    "customers_named",
    "customers_by_month",
    "customers_by_region",
    "customers_in_region",
    "customers_by_function",
    "orders_in_status",
)
"""The scripts, in reading order."""

ASIDE = ("seventh_pattern",)
"""Scripts that do not use the table they are given."""
