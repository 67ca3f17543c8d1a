"""Descriptions come from the docstrings of users. Each module occurs once."""

from __future__ import annotations

from singletable import Table
from singletable.document.docstrings import introduction, module_doc, own_doc


class Told(Table, entities=[]):
    """A table.

    In two paragraphs.
    """


class Untold(Told, entities=[]):
    pass


def test_document_docstrings_exclude_inherited_and_generated_ones() -> None:
    assert own_doc(Told) == "A table.\n\nIn two paragraphs."
    assert own_doc(Untold) == ""


def test_document_docstrings_give_an_introduction_with_each_module_once() -> None:
    assert introduction([Told, Untold]) == module_doc(Told) == __doc__
    assert introduction([]) == ""
