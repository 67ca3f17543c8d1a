"""The reads and writes of an auction site: a public benchmark (RUBiS), stated as a workload."""

from __future__ import annotations

from singletable.key_solver.workload import EntityNeeds, Read, Workload
from tests.key_solver.workloads import read, update

ITEM_BROWSING = ("id", "category>end_date", "category,region>end_date")
BROWSING = Workload(
    (
        EntityNeeds("Category", ("id",), {}, (read(""),)),
        EntityNeeds("Region", ("id",), {}, (read(""),)),
        EntityNeeds("User", ("id",), {}, (read("id"),)),
        EntityNeeds("Item", ("id",), {}, tuple(map(read, ITEM_BROWSING))),
        EntityNeeds("Bid", ("id",), {}, (read("item/date"), read("item"))),
        EntityNeeds("Comment", ("id",), {}, (read("to_user"),)),
    )
)
BIDDING = Workload(
    (
        EntityNeeds("Category", ("id",), {}, (read(""),)),
        EntityNeeds("Region", ("id",), {}, (read(""),)),
        EntityNeeds("User", ("id",), {}, (read("id"),), (update("rating", "id"),)),
        EntityNeeds(
            "Item",
            ("id",),
            {},
            (*map(read, ITEM_BROWSING), read("seller>end_date")),
            (update("quantity,nb_of_bids,end_date", "id"), update("nb_of_bids,max_bid", "id")),
        ),
        EntityNeeds(
            "Bid",
            ("id",),
            {},
            (read("item/date"), read("item"), Read("item/bid", frozenset({"item"}), "bid"), read("user>end_date")),
        ),
        EntityNeeds("Comment", ("id",), {}, (read("to_user"), read("id"))),
        EntityNeeds("Purchase", ("id",), {}, (read("buyer>date"),)),
    )
)
"""The end date of an item that a bid refers to is a copy in the bid."""
