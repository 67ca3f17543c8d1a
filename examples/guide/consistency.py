"""Compare the cost of reads: eventually and strongly consistent, through each kind of index, and in a transaction."""

from collections.abc import Callable

from singletable import ArgumentRefused, key
from singletable.testing import measure

from ..script import Script
from .account_rows import ROWS
from .accounts import Account, Accounts, Hold


def execute(accounts: Accounts) -> dict[str, str]:
    balance, hold = key(Account, id="a_1"), key(Hold, account_id="a_1", id="h_1")
    reads: dict[str, Callable[[], object]] = {
        "an account, eventually": lambda: accounts.account("a_1"),
        "an account, strongly": lambda: accounts.account.using(consistent=True)("a_1"),
        "holds by a local index, eventually": lambda: accounts.latest_holds("a_1"),
        "holds by a local index, strongly": lambda: accounts.latest_holds.using(consistent=True)("a_1"),
        "accounts by a global index, eventually": lambda: accounts.accounts_of("Alice"),
        "accounts by a global index, strongly": lambda: accounts.accounts_of.using(consistent=True)("Alice"),
        "balance and hold, eventually": lambda: accounts.get_many([balance, hold]),
        "balance and hold, as of one moment": lambda: accounts.get_many([balance, hold], transaction=True),
    }
    return {title: _cost(accounts, read) for title, read in reads.items()}


def _cost(accounts: Accounts, read: Callable[[], object]) -> str:
    try:
        with measure(accounts) as used:
            read()
    except ArgumentRefused:
        return "refused: they never are"
    return f"{used.operations[0]}, {used.read_units} read units"


def show(costs: dict[str, str]) -> None:
    for title, cost in costs.items():
        print(f"{title + ':':<40}{cost}")


SCRIPT = Script(Accounts, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
