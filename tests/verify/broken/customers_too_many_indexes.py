"""The table has 21 global secondary indexes, but DynamoDB allows 20."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(
    key=("CUSTOMER#{id}", "PROFILE"),
    gsi1=("PLAN#1#{plan}", "{id}"),
    gsi2=("PLAN#2#{plan}", "{id}"),
    gsi3=("PLAN#3#{plan}", "{id}"),
    gsi4=("PLAN#4#{plan}", "{id}"),
    gsi5=("PLAN#5#{plan}", "{id}"),
    gsi6=("PLAN#6#{plan}", "{id}"),
    gsi7=("PLAN#7#{plan}", "{id}"),
    gsi8=("PLAN#8#{plan}", "{id}"),
    gsi9=("PLAN#9#{plan}", "{id}"),
    gsi10=("PLAN#10#{plan}", "{id}"),
    gsi11=("PLAN#11#{plan}", "{id}"),
    gsi12=("PLAN#12#{plan}", "{id}"),
    gsi13=("PLAN#13#{plan}", "{id}"),
    gsi14=("PLAN#14#{plan}", "{id}"),
    gsi15=("PLAN#15#{plan}", "{id}"),
    gsi16=("PLAN#16#{plan}", "{id}"),
    gsi17=("PLAN#17#{plan}", "{id}"),
    gsi18=("PLAN#18#{plan}", "{id}"),
    gsi19=("PLAN#19#{plan}", "{id}"),
    gsi20=("PLAN#20#{plan}", "{id}"),
    gsi21=("PLAN#21#{plan}", "{id}"),
)
@dataclass
class Customer:
    id: str
    plan: str


class Customers(Table, entities=[Customer], accept={"ST112": "only their number matters here"}):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer's profile."""
        return get(Customer)
