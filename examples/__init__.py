"""Five example systems with single tables: each has a model, rows, and one script per access pattern."""

SYSTEMS = ("customers", "commerce", "papers", "shop", "guide")
"""The folders, in reading order."""
