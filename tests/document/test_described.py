"""What is said of a model is what its author wrote: of each class, and of each module once."""

from __future__ import annotations

from singletable import Table
from singletable.document.described import introduction, module_doc, own_doc


class Told(Table, entities=[]):
    """A table.

    In two paragraphs.
    """


class Untold(Told, entities=[]):
    pass


def test_a_class_says_what_was_written_for_it_and_nothing_that_it_inherits() -> None:
    assert own_doc(Told) == "A table.\n\nIn two paragraphs."
    assert own_doc(Untold) == ""


def test_the_introduction_is_what_each_module_says_once() -> None:
    assert introduction([Told, Untold]) == module_doc(Told) == __doc__
    assert introduction([]) == ""
