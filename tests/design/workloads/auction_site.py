"""An auction site (the RUBiS benchmark) without keys: the browsing mix and the bidding mix, in requests per second."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from singletable import Page, Since, Table, copy, create, entity, field, get, pattern, query, ref, update


@entity(expected_items=50)
@dataclass
class Category:
    """A category of items."""

    id: str
    name: str


@entity(expected_items=5)
@dataclass
class Region:
    """A region in which users live."""

    id: str
    name: str


@entity(expected_items=2_000)
@dataclass
class User:
    """A user, who sells and buys."""

    id: str
    nickname: str
    region_id: str
    rating: int


@entity(expected_items=20_000, cardinality={"category_id": 50, "region_id": 5})
@dataclass
class Item:
    """An item for sale. Its region is the one of its seller, which never changes."""

    id: str
    seller_id: str
    category_id: str
    region_id: str
    name: str
    quantity: int
    nb_of_bids: int
    max_bid: Decimal
    end_date: datetime


@entity(
    expected_items=200_000,
    references={"item_id": ref(Item, mean=10, max=90, changes=False), "user_id": ref(User, mean=100, changes=False)},
    copies=[copy(Item, by={"id": "item_id"}, fields={"end_date": "item_end_date"})],
)
@dataclass
class Bid:
    """A bid, with a copy of the end date of its item."""

    id: str
    item_id: str
    user_id: str
    qty: int
    bid: Decimal
    date: datetime
    item_end_date: datetime


@entity(expected_items=100_000, references={"to_user_id": ref(User, mean=50, changes=False)})
@dataclass
class Comment:
    """A comment about a user."""

    id: str
    to_user_id: str
    from_user_id: str
    date: datetime
    text: str


@entity(expected_items=40_000, references={"buyer_id": ref(User, mean=20, changes=False)})
@dataclass
class Purchase:
    """A purchase without a bid."""

    id: str
    item_id: str
    buyer_id: str
    qty: int
    date: datetime


class Browsing(Table, entities=[Category, Region, User, Item, Bid, Comment]):
    """The reads of visitors."""

    @pattern(rate=4.44)
    def categories(self) -> Page[Category]:
        """Statement 2: all categories."""
        return query(Category)

    @pattern(rate=3.21)
    def regions(self) -> Page[Region]:
        """Statement 36: all regions."""
        return query(Region)

    @pattern(rate=8.85)
    def user(self, id: str) -> User | None:
        """Statements 1 and 8: a user by id."""
        return get(User)

    @pattern(rate=25.33)
    def item(self, id: str) -> Item | None:
        """Statements 3 and 5: an item by id."""
        return get(Item)

    @pattern(rate=2.38)
    def bid_history(self, item_id: str) -> Page[Bid]:
        """Statement 4: the bids of an item by date."""
        return query(Bid, order_by=lambda bid: bid.date)

    @pattern(rate=22.95)
    def bids_of_item(self, item_id: str) -> Page[Bid]:
        """Statement 6: the bids of an item."""
        return query(Bid)

    @pattern(rate=27.77)
    def items_in_category(self, category_id: str, end_date: Since[datetime], *, limit: int = 25) -> Page[Item]:
        """Statement 7: the items of a category that end after a date."""
        return query(Item)

    @pattern(rate=8.26)
    def items_in_region(
        self, category_id: str, region_id: str, end_date: Since[datetime], *, limit: int = 25
    ) -> Page[Item]:
        """Statement 35: the items of a category in a region that end after a date."""
        return query(Item)

    @pattern(rate=4.41)
    def comments_about(self, to_user_id: str) -> Page[Comment]:
        """Statement 9: the comments about a user."""
        return query(Comment)


class Bidding(Table, entities=[Category, Region, User, Item, Bid, Comment, Purchase]):
    """The reads and writes of users who bid and sell."""

    @pattern(rate=7.65)
    def categories(self) -> Page[Category]:
        """Statement 2: all categories."""
        return query(Category)

    @pattern(rate=5.39)
    def regions(self) -> Page[Region]:
        """Statement 36: all regions."""
        return query(Region)

    @pattern(rate=18.9)
    def user(self, id: str) -> User | None:
        """Statements 1, 8, 12, 17, 23, 25, 26 and 29: a user by id."""
        return get(User)

    @pattern(rate=27.67)
    def item(self, id: str) -> Item | None:
        """Statements 3, 5, 13, 14, 18, 21 and 24: an item by id."""
        return get(Item)

    @pattern(rate=1.54)
    def bid_history(self, item_id: str) -> Page[Bid]:
        """Statement 4: the bids of an item by date."""
        return query(Bid, order_by=lambda bid: bid.date)

    @pattern(rate=14.17)
    def bids_of_item(self, item_id: str) -> Page[Bid]:
        """Statement 6: the bids of an item."""
        return query(Bid)

    @pattern(rate=5.4)
    def lowest_bids(self, item_id: str, *, limit: int = 2) -> Page[Bid]:
        """Statement 19: the two lowest bids of an item."""
        return query(Bid, order_by=lambda bid: bid.bid)

    @pattern(rate=1.71)
    def running_bids_of_user(self, user_id: str, item_end_date: Since[datetime]) -> Page[Bid]:
        """Statement 34: the bids of a user on items that end after a date."""
        return query(Bid)

    @pattern(rate=15.94)
    def items_in_category(self, category_id: str, end_date: Since[datetime], *, limit: int = 25) -> Page[Item]:
        """Statement 7: the items of a category that end after a date."""
        return query(Item)

    @pattern(rate=6.34)
    def items_in_region(
        self, category_id: str, region_id: str, end_date: Since[datetime], *, limit: int = 25
    ) -> Page[Item]:
        """Statement 35: the items of a category in a region that end after a date."""
        return query(Item)

    @pattern(rate=1.71)
    def items_of_seller(self, seller_id: str, end_date: Since[datetime]) -> Page[Item]:
        """Statement 33: the items of a seller that end after a date."""
        return query(Item)

    @pattern(rate=4.19)
    def comments_about(self, to_user_id: str) -> Page[Comment]:
        """Statements 9 and 30: the comments about a user."""
        return query(Comment)

    @pattern(rate=1.71)
    def comment(self, id: str) -> Comment | None:
        """Statement 31: a comment by id, for the nickname of its author."""
        return get(Comment)

    @pattern(rate=1.71)
    def purchases_of(self, buyer_id: str, date: Since[datetime]) -> Page[Purchase]:
        """Statement 32: the purchases of a user since a date."""
        return query(Purchase)

    @pattern(rate=0.53, fanout=3)
    def register_item(self, item: Item) -> Item:
        """Statement 10."""
        return create(Item)

    @pattern(rate=1.07)
    def register_user(self, user: User) -> User:
        """Statement 11."""
        return create(User)

    @pattern(rate=1.1, fanout=5)
    def buy_now(self, id: str, quantity: int, nb_of_bids: int, end_date: datetime) -> Item:
        """Statement 15: the update knows only the id of the item."""
        return update(
            Item,
            field(Item, lambda item: item.quantity).set(quantity),
            field(Item, lambda item: item.nb_of_bids).set(nb_of_bids),
            field(Item, lambda item: item.end_date).set(end_date),
        )

    @pattern(rate=1.1)
    def store_purchase(self, purchase: Purchase) -> Purchase:
        """Statement 16."""
        return create(Purchase)

    @pattern(rate=3.74)
    def store_bid(self, bid: Bid) -> Bid:
        """Statement 20."""
        return create(Bid)

    @pattern(rate=3.74)
    def raise_bid(self, id: str, nb_of_bids: int, max_bid: Decimal) -> Item:
        """Statement 22: the update knows only the id of the item."""
        return update(
            Item,
            field(Item, lambda item: item.nb_of_bids).set(nb_of_bids),
            field(Item, lambda item: item.max_bid).set(max_bid),
        )

    @pattern(rate=0.45)
    def rate_user(self, id: str, rating: int) -> User:
        """Statement 27."""
        return update(User, field(User, lambda user: user.rating).set(rating))

    @pattern(rate=0.45)
    def store_comment(self, comment: Comment) -> Comment:
        """Statement 28."""
        return create(Comment)
