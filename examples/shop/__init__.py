"""An online shop: four entities, thirteen rows, six access patterns, one table with one index."""

TOUR = ("whole_order",)
"""The scripts, in the order in which one should read them."""
