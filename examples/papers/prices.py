"""DynamoDB's on-demand prices in us-east-1, as of 2026."""

READ_UNIT = 0.125 / 1_000_000
WRITE_UNIT = 0.625 / 1_000_000
GB_MONTH = 0.25
GB_BYTES = 1024**3
ENTRY_BYTES = 100
"""The bytes that storage bills in addition to each item and each index entry."""

PRICES = "Prices on demand, us-east-1, 2026: a million read units $0.125, write units $0.625; a GB-month $0.25"

PARTITION_READ_UNITS = 3_000
"""The read units that one partition of a table or an index serves per second."""
NEW_TABLE_READ_UNITS = 12_000
"""The read units that a new on-demand table or index serves per second; later, twice the previous peak."""


def storage_a_month(item_bytes: int) -> float:
    """Return the price of storing bytes for a month, in dollars."""
    return item_bytes / GB_BYTES * GB_MONTH
