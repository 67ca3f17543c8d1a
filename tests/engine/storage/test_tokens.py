"""Idempotency tokens are kept, replaced and forgotten."""

from __future__ import annotations

from contextlib import suppress

from singletable.engine.storage import tokens
from singletable.engine.storage.store import Store
from singletable.engine.storage.tokens import Token


def test_a_token_is_kept_until_it_is_too_old() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        assert tokens.find(connection, "t") is None
        tokens.keep(connection, "t", b"fingerprint", 1000.5, b"answer")
        assert tokens.find(connection, "t") == Token(b"fingerprint", 1000.5, b"answer")
        tokens.purge(connection, 1000.5)
        assert tokens.find(connection, "t") is not None
        tokens.purge(connection, 1000.6)
        assert tokens.find(connection, "t") is None


def test_a_token_that_is_used_again_is_what_it_was_used_for_last() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        tokens.keep(connection, "t", b"one", 1.0, b"first")
        tokens.keep(connection, "t", b"two", 2.0, b"second")
        assert tokens.find(connection, "t") == Token(b"two", 2.0, b"second")


def test_a_token_goes_with_its_transaction() -> None:
    with Store.open("memory:") as store:
        with suppress(ZeroDivisionError), store.writing() as connection:
            tokens.keep(connection, "t", b"one", 1.0, b"first")
            raise ZeroDivisionError
        with store.reading() as connection:
            assert tokens.find(connection, "t") is None
