"""Find a product's recent reviews: they share GSI1 with the orders, in separate partitions."""

from singletable import Page

from ..script import Script
from .model import Commerce, Review
from .rows import ROWS


def execute(table: Commerce) -> Page[Review]:
    return table.reviews_of_product("P9")


def show(reviews: Page[Review]) -> None:
    for review in reviews:
        print(f"{review.written_at:%Y-%m-%d}  {'*' * review.stars:<5}  {review.text}")


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
