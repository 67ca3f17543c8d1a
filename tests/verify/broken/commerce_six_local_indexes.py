"""The table has six local secondary indexes, but DynamoDB allows five."""

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(
    key=("USER#{user_id}", "ORDER#{id}"),
    lsi1="STATUS#{status}",
    lsi2="CURRENCY#{currency}",
    lsi3="COUNTRY#{country}",
    lsi4="CARRIER#{carrier}",
    lsi5="COUPON#{coupon}",
    lsi6="CHANNEL#{channel}",
)
class Order(BaseModel):
    user_id: str
    id: str
    status: str
    currency: str
    country: str
    carrier: str
    coupon: str
    channel: str


class Commerce(Table, entities=[Order], accept={"ST112": "only their number matters here"}):
    @pattern()
    def order(self, user_id: str, id: str) -> Order | None:
        """Get one order of a user."""
        return get(Order)
