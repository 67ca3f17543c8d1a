"""Transfer money between accounts: one transaction changes both accounts, and a retry changes nothing."""

from decimal import Decimal
from uuid import uuid4

from singletable import TransactionCancelled, key
from singletable.testing import measure

from ..script import Script
from .account_rows import ROWS
from .accounts import Account, Accounts, transfer


def execute(accounts: Accounts) -> list[str]:
    token = str(uuid4())
    lines = [f"at first: {_balances(accounts)}"]
    with measure(accounts) as used:
        transfer(accounts, "a_1", "a_2", Decimal(30), token=token)
    lines.append(f"30 moved: {_balances(accounts)}, {used.operations[0]}, {used.write_units} write units")
    transfer(accounts, "a_1", "a_2", Decimal(30), token=token)
    lines.append(f"the same token again: {_balances(accounts)}")
    try:
        transfer(accounts, "a_1", "a_2", Decimal(500), token=str(uuid4()))
    except TransactionCancelled as cancelled:
        codes = ", ".join(reason.code for reason in cancelled.reasons)
        lines.append(f"500 refused ({codes}): {_balances(accounts)}")
    transfer(accounts, "a_2", "a_1", Decimal(30), token=str(uuid4()))
    return lines


def _balances(accounts: Accounts) -> str:
    """Read both balances in one transaction."""
    both = accounts.get_many([key(Account, id="a_1"), key(Account, id="a_2")], transaction=True)
    return ", ".join(f"{account.owner} {account.balance}" for account in both if account)


def show(lines: list[str]) -> None:
    print("\n".join(lines))


SCRIPT = Script(Accounts, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
