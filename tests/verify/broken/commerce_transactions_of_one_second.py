"""The key of a transaction has its time, but not its number."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("CUSTOMER#{customer_id}", "{account_id}#{timestamp}"))
@dataclass
class Transaction:
    customer_id: str
    account_id: str
    timestamp: str
    trans_id: str


class Bank(Table, entities=[Transaction]):
    @pattern()
    def transaction_at(self, customer_id: str, account_id: str, timestamp: str) -> Transaction | None:
        """Get a transaction."""
        return get(Transaction)
