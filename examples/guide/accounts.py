"""Accounts with transfers in transactions, holds in a local index, and bills with a version."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Page, Table, entity, field, get, key, pattern, query


@entity(
    key=("ACCOUNT#{id}", "BALANCE"),
    gsi1=("OWNER#{owner}", "ACCOUNT#{id}"),
    name="ACCOUNT",
    expected_per_partition={"gsi1": 3},
)
class Account(BaseModel):
    """A bank account."""

    id: str
    owner: str
    balance: Decimal


@entity(
    key=("ACCOUNT#{account_id}", "HOLD#{id}"),
    lsi1="HOLD#{changed_at:seconds}#{id}",
    name="HOLD",
    expected_per_partition=5,
)
class Hold(BaseModel):
    """A reserved part of a balance; a local index sorts the holds of an account by their last change."""

    account_id: str
    id: str
    amount: Decimal
    changed_at: datetime


@entity(key=("BILL#{id}", "BILL"), version="version", name="BILL")
class Bill(BaseModel):
    """A bill with a version for optimistic locking."""

    id: str
    total: Decimal
    version: int = 0


class Accounts(Table, entities=[Account, Hold, Bill], type_attribute="Type"):
    """Balances, holds and bills."""

    @pattern(frequency="high", budget_ms=10)
    def account(self, id: str) -> Account | None:
        """Get an account."""
        return get(Account)

    @pattern(frequency="medium", budget_ms=30)
    def accounts_of(self, owner: str) -> Page[Account]:
        """List the accounts of an owner."""
        return query(Account)

    @pattern(frequency="medium", budget_ms=30)
    def latest_holds(self, account_id: str) -> Page[Hold]:
        """List the holds of an account, last changed first."""
        return query(Hold, newest_first=True)

    @pattern(frequency="high", budget_ms=10)
    def bill(self, id: str) -> Bill | None:
        """Get a bill."""
        return get(Bill)


def transfer(accounts: Accounts, source: str, target: str, amount: Decimal, *, token: str) -> None:
    """Debit one account and credit another in one transaction; the token makes retries safe."""
    balance = field(Account, lambda account: account.balance)
    with accounts.transaction(token=token) as both:
        both.update(key(Account, id=source), balance.add(-amount), where=lambda account: account.balance >= amount)
        both.update(key(Account, id=target), balance.add(amount))
