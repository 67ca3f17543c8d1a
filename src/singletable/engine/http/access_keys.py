"""Access keys: pairs of an id and a secret, read from an option, a file or the environment, and never shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from singletable.errors import SingletableError

ENVIRONMENT_VARIABLE = "SINGLETABLE_ACCESS_KEYS"


class AccessKeys:
    """The secrets by their access key id; what it prints of itself is how many there are."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = dict(secrets)

    def secret(self, key_id: str) -> str | None:
        """The secret of an access key, None for one that nobody gave."""
        return self._secrets.get(key_id)

    def __len__(self) -> int:
        return len(self._secrets)

    def __repr__(self) -> str:
        return f"AccessKeys({len(self)})"


def read_access_keys(given: Iterable[str], file: Path | None, environment: Mapping[str, str]) -> AccessKeys:
    """All keys that were given, `ID:SECRET` each; raises SingletableError without repeating what may be a secret.

    A source that is named and holds none is refused too: whoever named it did not mean to let everybody in.
    """
    secrets: dict[str, str] = {}
    for number, pair in enumerate(given, 1):
        _add(secrets, pair, f"--access-key number {number}")
    if file is not None:
        lines = {f"{file}:{number}": line for number, line in enumerate(_lines(file), 1)}
        written = {where: line for where, line in lines.items() if line.strip() and not line.lstrip().startswith("#")}
        _add_all(secrets, written, str(file))
    if (text := environment.get(ENVIRONMENT_VARIABLE)) is not None:
        pairs = {f"{ENVIRONMENT_VARIABLE} number {number}": pair for number, pair in enumerate(text.split(), 1)}
        _add_all(secrets, pairs, ENVIRONMENT_VARIABLE)
    return AccessKeys(secrets)


def _add_all(secrets: dict[str, str], pairs: Mapping[str, str], source: str) -> None:
    if not pairs:
        raise SingletableError(f"{source} holds no access key: write ID:SECRET, or do not name it")
    for where, pair in pairs.items():
        _add(secrets, pair, where)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SingletableError(f"{file}: the access keys cannot be read: {_reason(problem)}") from problem


def _reason(problem: OSError | UnicodeDecodeError) -> str:
    return problem.strerror or str(problem) if isinstance(problem, OSError) else "it is no text in UTF-8"


def _add(secrets: dict[str, str], pair: str, where: str) -> None:
    key_id, colon, secret = pair.strip().partition(":")
    if not (key_id and colon and secret):
        raise SingletableError(f"{where} is no access key: write ID:SECRET")
    if secrets.setdefault(key_id, secret) != secret:
        raise SingletableError(f"{where} gives {key_id} a second secret: an access key has one")
