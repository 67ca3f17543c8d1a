"""Fixtures for tests of boto3: no network, no region and no credentials."""

from __future__ import annotations

import socket

import pytest


@pytest.fixture
def connected_to(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record the addresses of all connection attempts, and fail them."""
    tried: list[object] = []

    def connect(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError("a request left the process")

    monkeypatch.setattr(socket.socket, "connect", connect)
    return tried


@pytest.fixture
def nothing_is_configured(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    nowhere = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(nowhere / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(nowhere / "credentials"))
