"""Pages: items in order, and where they go on."""

from __future__ import annotations

from singletable.model.page import Page


def test_a_page_is_gone_through_as_its_items_are() -> None:
    page = Page([1, 2, 3], "next")
    assert list(page) == [1, 2, 3]
    assert len(page) == 3
    assert page.cursor == "next"


def test_a_page_without_a_cursor_is_the_last() -> None:
    assert Page(()).cursor is None
    assert not list(Page(()))
