"""Types of drafted fields as text, `list[Line]` or `Literal["A", "B"] | None`: read here, and never by Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, Union
from uuid import UUID

from singletable.errors import DesignError, Problem

PLAIN: Mapping[str, Any] = {
    "Any": Any,
    "Decimal": Decimal,
    "None": None,
    "UUID": UUID,
    "bool": bool,
    "bytes": bytes,
    "date": date,
    "datetime": datetime,
    "float": float,
    "int": int,
    "str": str,
}
"""The types that stand for themselves."""
CONTAINERS: Mapping[str, Any] = {"dict": dict, "frozenset": frozenset, "list": list, "set": set, "tuple": tuple}
"""The types of others."""
_COUNTS = {"dict": 2, "frozenset": 1, "list": 1, "set": 1}
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(-?[0-9]+)|([^\W\d]\w*)|(\.\.\.|[\[\],|]))')
_DEPTH_MAX = 20


@dataclass(frozen=True)
class TypeNode:
    """A type: a name, what it is of, or the values of a Literal; `|` is one of several and `...` any number."""

    name: str
    of: tuple[TypeNode, ...] = ()
    literals: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        if self.name == "|":
            return " | ".join(map(str, self.of))
        if self.literals:
            return f"Literal[{', '.join(map(json.dumps, self.literals))}]"
        return f"{self.name}[{', '.join(map(str, self.of))}]" if self.of else self.name

    @property
    def names(self) -> Iterator[str]:
        """Every class that it is made of and that is none of Python's own."""
        if self.name not in PLAIN and self.name not in CONTAINERS and self.name not in ("|", "...", "Literal"):
            yield self.name
        for each in self.of:
            yield from each.names


def read_type(text: str) -> TypeNode:
    """The type that a text says; raises DesignError for any other text."""
    reader = _Reader(text)
    node = reader.union(0)
    if reader.tokens[reader.place :]:
        raise reader.refuse()
    return node


def made_type(node: TypeNode, found: Callable[[str], Any]) -> Any:
    """The type itself; `found` gives the classes by name."""
    literal: Any = Literal
    if node.literals:
        return literal[node.literals]
    if node.name == "|":
        return Union[tuple(made_type(each, found) for each in node.of)]  # noqa: UP007  # as many as there are
    if node.name in CONTAINERS:
        return CONTAINERS[node.name][tuple(... if each.name == "..." else made_type(each, found) for each in node.of)]
    return PLAIN[node.name] if node.name in PLAIN else found(node.name)


def written_type(node: TypeNode) -> str:
    """The type as Python writes it."""
    if node.name == "|":
        return " | ".join(map(written_type, node.of))
    if node.literals:
        return f"Literal[{', '.join(quoted(each) if isinstance(each, str) else repr(each) for each in node.literals)}]"
    return f"{node.name}[{', '.join(map(written_type, node.of))}]" if node.of else node.name


def quoted(value: str) -> str:
    """A Python literal in double quotes."""
    inner = repr(value)[1:-1]
    if repr(value)[0] == "'":
        inner = inner.replace("\\'", "'").replace('"', '\\"')
    return f'"{inner}"'


class _Reader:
    """Goes through a text, token by token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        self.place = 0
        end = 0
        kinds = ("text", "number", "name", "mark")
        while (found := _TOKEN.match(text, end)) is not None:
            self.tokens += [(kind, each) for kind, each in zip(kinds, found.groups(), strict=True) if each is not None]
            end = found.end()
        if text[end:].strip():
            raise self.refuse()

    def refuse(self) -> DesignError:
        return DesignError(
            Problem(f"{self.text[:60]!r} is no type that a model can be drafted with", None, "Write list[str], say.")
        )

    def taken(self, *wanted: str) -> bool:
        """Whether the next token is one of these marks, which is then behind us."""
        if self.place < len(self.tokens) and self.tokens[self.place][1] in wanted:
            self.place += 1
            return True
        return False

    def next(self) -> tuple[str, str]:
        if self.place == len(self.tokens):
            raise self.refuse()
        self.place += 1
        return self.tokens[self.place - 1]

    def union(self, depth: int) -> TypeNode:
        members = [self.one(depth)]
        while self.taken("|"):
            members.append(self.one(depth))
        return members[0] if len(members) == 1 else TypeNode("|", tuple(members))

    def one(self, depth: int) -> TypeNode:
        kind, name = self.next()
        if kind != "name" or depth > _DEPTH_MAX:
            raise self.refuse()
        is_of = self.taken("[")
        if name == "Literal" and is_of:
            return TypeNode("Literal", (), self.literals())
        if is_of != (name in CONTAINERS) or name == "Literal":
            raise self.refuse()
        of = self.arguments(name, depth + 1) if is_of else ()
        return TypeNode(name, of)

    def arguments(self, name: str, depth: int) -> tuple[TypeNode, ...]:
        of = [self.union(depth)]
        while self.taken(","):
            if name == "tuple" and len(of) == 1 and self.taken("..."):
                of.append(TypeNode("..."))
                break
            of.append(self.union(depth))
        if not self.taken("]") or len(of) != _COUNTS.get(name, len(of)):
            raise self.refuse()
        return tuple(of)

    def literals(self) -> tuple[str | int, ...]:
        values: list[str | int] = []
        while not values or self.taken(","):
            kind, token = self.next()
            if kind not in ("text", "number") and token not in ("true", "false"):
                raise self.refuse()
            try:
                values.append(json.loads(token))
            except ValueError:
                raise self.refuse() from None
        if not self.taken("]"):
            raise self.refuse()
        return tuple(values)
