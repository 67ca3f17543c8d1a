"""Five systems in single tables: for each a model, its rows, and a script for every access pattern."""

SYSTEMS = ("customers", "commerce", "papers", "shop", "guide")
"""The folders, in the order in which one should read them."""
