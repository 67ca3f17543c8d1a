"""Order and Invoice have the same key template, so one overwrites the other."""

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(key=("ACCT#{account}", "{month}"))
class Order(BaseModel):
    account: str
    month: str


@entity(key=("ACCT#{account}", "{month}"))
class Invoice(BaseModel):
    account: str
    month: str


class Shop(Table, entities=[Order, Invoice]):
    @pattern()
    def order(self, account: str, month: str) -> Order | None:
        """Get the order of a month."""
        return get(Order)
