"""The file of `serve --principals`: the principal of each access key, with its policies and tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.engine.access.policy_document import PolicyDocument, parse_json, parse_policies
from singletable.engine.access.principal import Principal
from singletable.errors import PolicyRefused

_ELEMENTS = ("AccessKeyId", "SecretAccessKey", "Arn", "Tags", "Identity", "Policies")


@dataclass(frozen=True)
class PrincipalsFile:
    """The principals by access key ID, and the secrets that the file contains.

    The repr shows only the number of keys.
    """

    path: Path
    principals: Mapping[str, Principal]
    secrets: Mapping[str, str]

    def __repr__(self) -> str:
        return f"PrincipalsFile({len(self.principals)})"


def read_principals(path: Path, account: str) -> PrincipalsFile:
    """Return the principals of a file. Raise PolicyRefused with the file and the element if anything is invalid.

    A policy can be a policy document, the output of `singletable export iam`, or the path of a file with one of these.
    The path is relative to this file. `policies.json#ShopReadOnly` selects one policy of a file.
    """
    document = parse_json(_text(path), str(path))
    if not isinstance(document, Mapping) or set(document) != {"Principals"} or not document["Principals"]:
        raise PolicyRefused(f'{path} must be an object with a list of principals: {{"Principals": [...]}}')
    principals: dict[str, Principal] = {}
    secrets: dict[str, str] = {}
    given = document["Principals"]
    if not isinstance(given, list):
        raise PolicyRefused(f"{path}: Principals must be a list, got {given!r}")
    for number, each in enumerate(given):
        place = f"{path}: Principals[{number}]"
        if not isinstance(each, Mapping):
            raise PolicyRefused(f"{place} must be an object, got {type(each).__name__}")
        for element in each:
            if element not in _ELEMENTS:
                raise PolicyRefused(f"{place}: unknown element {element!r}; write {', '.join(_ELEMENTS)}")
        key_id = _key_part(each, "AccessKeyId", place)
        if key_id in principals:
            raise PolicyRefused(f"{place}: access key {key_id} already has a principal")
        if "SecretAccessKey" in each:
            secrets[key_id] = _key_part(each, "SecretAccessKey", place)
        principals[key_id] = _principal(each, key_id, account, path, place)
    return PrincipalsFile(path, principals, secrets)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the file is not UTF-8 text"
        raise PolicyRefused(f"{path}: cannot read the file: {reason}") from error


def _key_part(given: Mapping[str, Any], element: str, place: str) -> str:
    """Return an access key ID or a secret. The error message does not contain the text, because it may be a secret."""
    text = given.get(element)
    if not isinstance(text, str) or not text or ":" in text or text != text.strip():
        raise PolicyRefused(f"{place}.{element} must be a string without colons and without spaces around it")
    return text


def _principal(given: Mapping[str, Any], key_id: str, account: str, path: Path, place: str) -> Principal:
    arn = given.get("Arn", f"arn:aws:iam::{account}:user/{key_id}")
    policies = given.get("Policies")
    if not isinstance(arn, str):
        raise PolicyRefused(f"{place}.Arn must be a string, got {arn!r}")
    if not isinstance(policies, list):
        raise PolicyRefused(f"{place}.Policies must be a list of policy documents or file names")
    found = tuple(policy for number, each in enumerate(policies) for policy in _policies(each, path, place, number))
    try:
        return Principal(arn, found, _texts(given, "Tags", place), _texts(given, "Identity", place))
    except PolicyRefused as error:
        raise PolicyRefused(f"{place}: {error}") from None


def _policies(given: Any, path: Path, place: str, number: int) -> Iterator[PolicyDocument]:
    if not isinstance(given, str):
        yield from parse_policies(given, f"{place}.Policies[{number}]")
        return
    name, _, chosen = given.partition("#")
    file = path.parent / name
    yield from parse_policies(parse_json(_text(file), str(file)), str(file), chosen or None)


def _texts(given: Mapping[str, Any], element: str, place: str) -> dict[str, str]:
    texts = given.get(element, {})
    if not isinstance(texts, Mapping) or not all(isinstance(value, str) for value in texts.values()):
        raise PolicyRefused(f"{place}.{element} must be an object of strings, got {texts!r}")
    return dict(texts)
