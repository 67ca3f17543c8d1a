"""Idempotency tokens are stored, replaced and purged."""

from __future__ import annotations

from contextlib import suppress

from singletable.engine.items.transaction_execution import UsedToken, find_token, purge_tokens, save_token
from singletable.engine.storage.store import Store


def test_the_token_of_a_transaction_execution_is_stored_until_it_is_purged() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        assert find_token(connection, "t") is None
        save_token(connection, "t", b"fingerprint", 1000.5, b"answer")
        assert find_token(connection, "t") == UsedToken(b"fingerprint", 1000.5, b"answer")
        purge_tokens(connection, 1000.5)
        assert find_token(connection, "t") is not None
        purge_tokens(connection, 1000.6)
        assert find_token(connection, "t") is None


def test_a_later_use_of_a_token_replaces_the_earlier_transaction_execution() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        save_token(connection, "t", b"one", 1.0, b"first")
        save_token(connection, "t", b"two", 2.0, b"second")
        assert find_token(connection, "t") == UsedToken(b"two", 2.0, b"second")


def test_a_rolled_back_transaction_execution_stores_no_token() -> None:
    with Store.open("memory:") as store:
        with suppress(ZeroDivisionError), store.writing() as connection:
            save_token(connection, "t", b"one", 1.0, b"first")
            raise ZeroDivisionError
        with store.reading() as connection:
            assert find_token(connection, "t") is None
