"""Terraform's language: blocks, arguments and comments, laid out as `terraform fmt` leaves them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.export.quoted import quoted


@dataclass(frozen=True)
class Expression:
    """Something that Terraform works out, written as it is."""

    text: str


@dataclass(frozen=True)
class Block:
    """A block: its type and labels, its arguments in groups that a blank line parts, and the blocks in it."""

    type: str
    labels: tuple[str, ...] = ()
    groups: Sequence[Mapping[str, Any]] = ()
    blocks: Sequence[Block] = ()
    comment: str = ""


def to_hcl(blocks: Sequence[Block], heading: Sequence[str]) -> str:
    """The text of a file."""
    written = ["\n".join(f"# {line}".rstrip() for line in heading)]
    written += ["\n".join(_block(block, "")) for block in blocks]
    return "\n\n".join(written) + "\n"


def _block(block: Block, indent: str) -> Iterator[str]:
    if block.comment:
        yield f"{indent}# {block.comment}"
    head = " ".join((block.type, *(quoted(label) for label in block.labels)))
    yield f"{indent}{head} {{"
    inner = [list(_arguments(group, indent + "  ")) for group in block.groups if group]
    inner += [list(_block(each, indent + "  ")) for each in block.blocks]
    for number, lines in enumerate(inner):
        if number:
            yield ""
        yield from lines
    yield f"{indent}}}"


def _arguments(arguments: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Arguments with their equal signs in one column; what takes several lines has its own."""
    written = {name: _value(value, indent) for name, value in arguments.items()}
    runs: list[list[str]] = [[]]
    for name, text in written.items():
        if "\n" in text:
            runs += [[name], []]
        else:
            runs[-1].append(name)
    for run in runs:
        width = max((len(name) for name in run), default=0)
        for name in run:
            yield f"{indent}{name.ljust(width)} = {written[name]}"


def _value(value: Any, indent: str) -> str:
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return template(value)
    if isinstance(value, Mapping):
        keys = {_key(key): each for key, each in value.items()}
        return "\n".join(("{", *_arguments(keys, indent + "  "), f"{indent}}}")) if keys else "{}"
    return f"[{', '.join(_value(each, indent) for each in value)}]"


def _key(key: str) -> str:
    return key if key.isidentifier() else template(key)


def template(text: str) -> str:
    """Text between quotes in which nothing is worked out."""
    return quoted(text).replace("${", "$${").replace("%{", "%%{")
