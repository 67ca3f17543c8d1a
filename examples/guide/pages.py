"""Paginate in both directions with signed cursors; the client rejects a modified cursor."""

from dataclasses import dataclass

from singletable import CursorRefused, Page

from ..script import Script
from .model import Guide, Order
from .rows import ROWS


@dataclass
class Walk:
    """All pages in order, the page before the last, and the result of a modified cursor."""

    forwards: list[Page[Order]]
    back: Page[Order]
    rejected: bool


def execute(guide: Guide) -> Walk:
    pages = [guide.latest_orders("u_002", limit=2)]
    while (cursor := pages[-1].cursor) is not None:
        pages.append(guide.latest_orders("u_002", limit=2, cursor=cursor))
    back = guide.latest_orders("u_002", limit=2, cursor=pages[-1].previous)
    return Walk(pages, back, _is_rejected(guide, _tampered(pages[0])))


def _tampered(page: Page[Order]) -> str:
    assert page.cursor is not None
    middle = len(page.cursor) // 2
    return page.cursor[:middle] + ("A" if page.cursor[middle] != "A" else "B") + page.cursor[middle + 1 :]


def _is_rejected(guide: Guide, cursor: str) -> bool:
    try:
        guide.latest_orders("u_002", limit=2, cursor=cursor)
    except CursorRefused:
        return True
    return False


def show(walk: Walk) -> None:
    for number, page in enumerate(walk.forwards, start=1):
        print(f"page {number}:", ", ".join(order.id for order in page))
    print("and back:", ", ".join(order.id for order in walk.back))
    print(f"a changed cursor: {'rejected' if walk.rejected else 'accepted'}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
