"""Key positions as an entity gives them."""

from __future__ import annotations

from singletable.model.positions import Native, Sparse, native, sparse


def test_a_native_position_is_a_field_and_perhaps_a_format() -> None:
    assert native("at") == Native("at", "")
    assert native("at", "seconds") == Native("at", "seconds") != native("at")


def test_sparse_keeps_the_positions_it_was_given() -> None:
    assert sparse("A#{note}") == Sparse(("A#{note}",))
    assert sparse("A#{note}", native("at")) == Sparse(("A#{note}", Native("at")))
    assert sparse(("A#{note}", native("id")), "B") == Sparse((("A#{note}", Native("id")), "B"))
