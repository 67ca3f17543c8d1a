"""Optimistic locking: two writers read the same version; the first write succeeds, and `edit` retries the second."""

from decimal import Decimal

from singletable import VersionConflict, key

from ..script import Script
from .accounts import Accounts, Bill


def execute(accounts: Accounts) -> list[str]:
    bill = key(Bill, id="b_1")
    accounts.delete(bill)
    accounts.create(Bill(id="b_1", total=Decimal(100)))
    first, second = accounts.bill("b_1"), accounts.bill("b_1")
    assert first is not None
    assert second is not None
    lines = [f"both read version {first.version}, a total of {first.total}"]
    won = accounts.put(first.model_copy(update={"total": Decimal(110)}))
    lines.append(f"the first writes version {won.version}, a total of {won.total}")
    try:
        accounts.put(second.model_copy(update={"total": Decimal(90)}))
    except VersionConflict as conflict:
        lines.append(f"the second is rejected: the stored version is {conflict.item.version}")
    return [*lines, *_edited(accounts)]


def _edited(accounts: Accounts) -> list[str]:
    """Edit a bill that another writer changes during the first attempt, and describe the result."""
    bill, seen = key(Bill, id="b_1"), list[int]()

    def rebate(read: Bill) -> Bill:
        if not seen:
            accounts.edit(bill, lambda other: other.model_copy(update={"total": other.total + 5}))
        seen.append(read.version)
        return read.model_copy(update={"total": read.total - 10})

    edited = accounts.edit(bill, rebate)
    read = " and ".join(map(str, seen))
    return [f"an edit reads versions {read}, and writes version {edited.version}, a total of {edited.total}"]


def show(lines: list[str]) -> None:
    print("\n".join(lines))


SCRIPT = Script(Accounts, (), execute, show)

if __name__ == "__main__":
    SCRIPT.main()
