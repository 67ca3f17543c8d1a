"""Guesses at misspelt names."""

from __future__ import annotations

import pytest

from singletable.model.suggestion import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        ("custmer_id", ["id", "customer_id"], "Did you mean 'customer_id'?"),
        ("idd", ["id", "customer_id"], "Did you mean 'id'?"),
        ("zzz", ["id", "customer_id"], "The fields are id, customer_id."),
        ("zzz", ["id", "name", "id"], "The fields are id, name."),
        ("", ["id"], "The fields are id."),
    ],
)
def test_a_misspelt_name_is_guessed_or_all_names_are_told(name: str, known: list[str], sentence: str) -> None:
    assert did_you_mean(name, known) == sentence
