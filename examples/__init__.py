"""Five example systems with single tables: each has a model, rows, and one script per access pattern."""

SYSTEMS = ("customers", "commerce", "papers", "shop", "guide")
"""The folders, in reading order."""

WALKTHROUGHS = {
    "evolve": "Add an index to a table with 2,000 orders while old and new code use it.",
    "migration": "Move the shop from four tables to one in eight steps, while it runs and its processes are killed.",
    "streams": "React to changes: a handler counts shipped orders once, although a change is delivered twice.",
    "analytics": "Analyse data with SQL: which products bring the most revenue?",
}
"""The scripts in the folder `walkthroughs` with their titles. Each one shows a task from start to end."""
