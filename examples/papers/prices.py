"""What units and bytes cost: DynamoDB's on-demand prices in us-east-1, as of 2026."""

READ_UNIT = 0.125 / 1_000_000
WRITE_UNIT = 0.625 / 1_000_000
GB_MONTH = 0.25
GB_BYTES = 1024**3
ENTRY_BYTES = 100
"""What storage bills for each item and each index entry beside its own bytes."""

PRICES = "Prices on demand, us-east-1, 2026: a million read units $0.125, write units $0.625; a GB-month $0.25"

PARTITION_READ_UNITS = 3_000
"""What one partition of a table or an index answers in a second."""
NEW_TABLE_READ_UNITS = 12_000
"""What a new on-demand table or index answers in a second; later it is twice the highest so far."""


def storage_a_month(item_bytes: int) -> float:
    """Dollars for bytes that lie there for a month."""
    return item_bytes / GB_BYTES * GB_MONTH
