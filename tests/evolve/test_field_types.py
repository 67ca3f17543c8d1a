"""Field types as JSON documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import pytest

from singletable.evolve.field_types import stored_kind, type_document, type_of, type_text
from tests.evolve.models import Address, Level, Size


@dataclass
class Tree:
    name: str
    child: Tree | None = None


@pytest.mark.parametrize(
    ("declared", "document", "text", "kind"),
    [
        (str, "str", "str", "S"),
        (datetime, "datetime", "datetime", "S"),
        (Decimal, "Decimal", "Decimal", "N"),
        (Any, "any", "any", "?"),
        (list[str], {"list": ["str"]}, "list[str]", "L<S>"),
        (list, "list", "list", "L"),
        (tuple[str, ...], {"tuple": ["str", "..."]}, "tuple[str, ...]", "L<S,?>"),
        (dict[str, int], {"dict": ["str", "int"]}, "dict[str, int]", "M"),
        (Literal["a", "b"], {"literal": ["a", "b"]}, "Literal['a', 'b']", "S"),
        (str | int, {"union": ["str", "int"]}, "str | int", "?"),
        (list[int | None], {"list": [{"union": ["int", "None"]}]}, "list[int | None]", "L<N>"),
        (Size, {"enum": {"name": "Size", "members": {"SMALL": "S", "LARGE": "L"}}}, "Size", "S"),
        (Level, {"enum": {"name": "Level", "members": {"LOW": 1, "HIGH": 2}, "mixin": "int"}}, "Level", "N"),
        (Address, {"object": {"name": "Address", "fields": {"street": "str", "city": "str"}}}, "Address", "M"),
        (
            Tree,
            {
                "object": {
                    "name": "Tree",
                    "fields": {"name": "str", "child": {"union": [{"object": {"name": "Tree"}}, "None"]}},
                }
            },
            "Tree",
            "M",
        ),
    ],
)
def test_a_field_type_has_a_document_a_text_and_a_stored_kind(
    declared: Any, document: Any, text: str, kind: str
) -> None:
    assert type_document(declared) == document
    assert type_text(document) == text
    assert stored_kind(document) == kind
    assert type_document(type_of(document)) == document


def test_a_field_type_that_only_the_user_knows_becomes_any() -> None:
    class Own: ...

    assert type_document(Own) == {"other": Own.__qualname__}
    assert type_of({"other": "Own"}) is Any
