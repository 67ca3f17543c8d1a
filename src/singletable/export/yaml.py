"""YAML as people read it, of what JSON could hold, with CloudFormation's functions in their short form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from singletable.export.quoted import quoted

# A text that begins with a letter and holds nothing that YAML gives a meaning to stands as it is, unless it is a word
# that some reader takes for a truth value or for nothing.
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./;()+-]|::|,(?= )| (?=[A-Za-z0-9(]))*")
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def to_yaml(document: Mapping[str, Any]) -> str:
    """The document as YAML."""
    return "\n".join(_mapping(document, "")) + "\n"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, each in value.items():
        yield from _entry(f"{indent}{_text(key)}:", each, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    """A value behind a key: on the same line when it is short in nature, else below it."""
    if not _is_block(value):
        yield f"{head} {_flow(value)}"
    elif isinstance(value, Mapping):
        yield head
        yield from _mapping(value, indent + "  ")
    else:
        yield head
        yield from _sequence(value, indent + "  ")


def _sequence(value: list[Any], indent: str) -> Iterator[str]:
    for each in value:
        if isinstance(each, Mapping) and _is_block(each):
            first, *rest = _mapping(each, indent + "  ")
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from rest
        else:
            yield f"{indent}- {_flow(each)}"


def _is_block(value: Any) -> bool:
    """Whether a value is written over several lines."""
    if isinstance(value, Mapping):
        return bool(value) and _function(value) is None
    return isinstance(value, list) and bool(value)


def _flow(value: Any, *, inside: bool = False) -> str:
    """A value on one line; `inside` brackets a comma has a meaning."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quoted(value) if inside and "," in value else _text(value)
    if isinstance(value, list):
        return f"[{', '.join(_flow(each, inside=True) for each in value)}]"
    function = _function(value)
    if function is not None:
        return f"!{function.removeprefix('Fn::')} {_flow(value[function], inside=inside)}"
    return f"{{{', '.join(f'{quoted(key)}: {_flow(each, inside=True)}' for key, each in value.items())}}}"


def _function(value: Mapping[str, Any]) -> str | None:
    name = next(iter(value), "")
    return name if len(value) == 1 and (name == "Ref" or name.startswith("Fn::")) else None


def _text(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quoted(text)
