"""Analyse data with SQL: which products bring the most revenue?"""

from collections import Counter

import duckdb

from singletable.cli.output import print_table
from singletable.testing import measure

from ..script import fill
from ..shop.model import Shop
from ..shop.rows import ROWS

QUESTION = """\
SELECT p.name, sum(i.quantity) AS sold, sum(i.quantity * CAST(i.price AS DECIMAL(12, 2))) AS revenue
FROM Product p JOIN OrderItem i USING (sku)
GROUP BY ALL ORDER BY revenue DESC"""
ONE_PRODUCT = "SELECT sum(quantity) AS sold FROM OrderItem WHERE sku = 'AVON-TORTOISE'"


def main() -> None:
    """Answer a question about all orders, and one about a single product."""
    with Shop.open("memory:") as shop:
        fill(shop, ROWS)
        _answer(shop, "Which products bring the most revenue? The statement reads the whole table.", QUESTION)
        _answer(shop, "How often was one product ordered? The condition is on a key of an index.", ONE_PRODUCT)


def _answer(shop: Shop, title: str, statement: str) -> None:
    print(f"{title}\n")
    for line in statement.splitlines():
        print(f"  {line}")
    print()
    with measure(shop) as used:
        answer = shop.sql(statement)
        rows = answer.fetchall()
    reads = Counter(name for name in used.operations if name != "DescribeTable")
    requests = ", ".join(f"{count} x {name}" for name, count in reads.items())
    _print_answer(f"{requests}, {used.read_units:g} read units", answer, rows)


def _print_answer(title: str, answer: duckdb.DuckDBPyRelation, rows: list[tuple[object, ...]]) -> None:
    print_table(title, answer.columns, [tuple(str(value) for value in row) for row in rows])
    print()


if __name__ == "__main__":
    main()
