"""The server's access keys: pairs of an ID and a secret, read from an option, a file or the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from singletable.errors import SingletableError

ENVIRONMENT_VARIABLE = "SINGLETABLE_ACCESS_KEYS"


class AccessKeys:
    """The secrets by access key ID. The repr of this object shows only the number of keys."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = dict(secrets)

    def secret(self, key_id: str) -> str | None:
        """Return the secret of an access key, or None if the key is unknown."""
        return self._secrets.get(key_id)

    @property
    def key_ids(self) -> frozenset[str]:
        """Return the IDs of all access keys."""
        return frozenset(self._secrets)

    def with_secrets(self, secrets: Mapping[str, str], source: str) -> AccessKeys:
        """Return these keys and others. Raise SingletableError if a key has two different secrets."""
        merged = dict(self._secrets)
        for key_id, secret in secrets.items():
            _add(merged, f"{key_id}:{secret}", source)
        return AccessKeys(merged)

    def __len__(self) -> int:
        return len(self._secrets)

    def __repr__(self) -> str:
        return f"AccessKeys({len(self)})"


def read_access_keys(pairs: Iterable[str], file: Path | None, environment: Mapping[str, str]) -> AccessKeys:
    """Return all access keys, which are written as `ID:SECRET`. Raise SingletableError for an invalid key.

    A source without any key is an error too: if a user names a source, the server must not accept unsigned requests.
    Error messages never contain text that may be a secret.
    """
    secrets: dict[str, str] = {}
    for number, pair in enumerate(pairs, 1):
        _add(secrets, pair, f"--access-key number {number}")
    if file is not None:
        lines = {f"{file}:{number}": line for number, line in enumerate(_lines(file), 1)}
        keys = {where: line for where, line in lines.items() if line.strip() and not line.lstrip().startswith("#")}
        _add_all(secrets, keys, str(file))
    if (text := environment.get(ENVIRONMENT_VARIABLE)) is not None:
        keys = {f"{ENVIRONMENT_VARIABLE} number {number}": pair for number, pair in enumerate(text.split(), 1)}
        _add_all(secrets, keys, ENVIRONMENT_VARIABLE)
    return AccessKeys(secrets)


def _add_all(secrets: dict[str, str], pairs: Mapping[str, str], source: str) -> None:
    if not pairs:
        raise SingletableError(f"{source} contains no access key: add a key as ID:SECRET, or do not use {source}")
    for where, pair in pairs.items():
        _add(secrets, pair, where)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SingletableError(f"{file}: cannot read the access keys: {_reason(error)}") from error


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "the file is not UTF-8 text"


def _add(secrets: dict[str, str], pair: str, where: str) -> None:
    key_id, colon, secret = pair.strip().partition(":")
    if not (key_id and colon and secret):
        raise SingletableError(f"{where} is not a valid access key: write ID:SECRET")
    if secrets.setdefault(key_id, secret) != secret:
        raise SingletableError(f"{where}: access key {key_id} already has another secret; use one secret per key")
