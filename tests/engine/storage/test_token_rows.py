"""Idempotency tokens are stored, replaced and purged."""

from __future__ import annotations

from contextlib import suppress

from singletable.engine.storage import token_rows
from singletable.engine.storage.store import Store
from singletable.engine.storage.token_rows import UsedToken


def test_token_rows_store_a_token_until_it_is_purged() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        assert token_rows.find(connection, "t") is None
        token_rows.save(connection, "t", b"fingerprint", 1000.5, b"answer")
        assert token_rows.find(connection, "t") == UsedToken(b"fingerprint", 1000.5, b"answer")
        token_rows.purge(connection, 1000.5)
        assert token_rows.find(connection, "t") is not None
        token_rows.purge(connection, 1000.6)
        assert token_rows.find(connection, "t") is None


def test_token_rows_replace_earlier_uses_of_a_token_by_the_latest() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        token_rows.save(connection, "t", b"one", 1.0, b"first")
        token_rows.save(connection, "t", b"two", 2.0, b"second")
        assert token_rows.find(connection, "t") == UsedToken(b"two", 2.0, b"second")


def test_token_rows_store_no_token_of_a_rolled_back_transaction() -> None:
    with Store.open("memory:") as store:
        with suppress(ZeroDivisionError), store.writing() as connection:
            token_rows.save(connection, "t", b"one", 1.0, b"first")
            raise ZeroDivisionError
        with store.reading() as connection:
            assert token_rows.find(connection, "t") is None
