"""Two accounts, and two holds on the first."""

from decimal import Decimal

from pydantic import BaseModel

from .accounts import Account, Hold
from .rows import moment

ROWS: list[BaseModel] = [
    Account(id="a_1", owner="Alice", balance=Decimal(100)),
    Account(id="a_2", owner="Bob", balance=Decimal(20)),
    Hold(account_id="a_1", id="h_1", amount=Decimal(15), changed_at=moment("2026-04-26T09:00:00")),
    Hold(account_id="a_1", id="h_2", amount=Decimal(5), changed_at=moment("2026-04-25T17:30:00")),
]
