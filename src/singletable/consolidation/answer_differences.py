"""Differences between two answers to the same read: missing and extra rows, another order, and other values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache, cached_property
from itertools import repeat
from typing import Any, Literal
from uuid import UUID

from singletable.model.design import Design
from singletable.model.entity import declaration_of
from singletable.model.fields import NotAnEntityClass, fields_of
from singletable.model.intents import Page
from singletable.model.pattern_declaration import PatternDeclaration

DifferenceKind = Literal["missing", "extra", "order", "value", "timing"]
KINDS: tuple[DifferenceKind, ...] = ("missing", "extra", "order", "value", "timing")
DIFFERENCES_MAX = 100
TEXT_CHARACTERS_MAX = 200
MASK = "***"


@dataclass(frozen=True)
class AnswerDifference:
    """One difference between the old and the new answer to a read."""

    kind: DifferenceKind
    key: str
    """The entity of the row and its identifying fields. Empty if the answer has no rows."""
    field: str
    """The path of the field. Empty for a whole row or answer."""
    old: Any
    new: Any

    @property
    def place(self) -> tuple[str, str, str]:
        """The difference without its values."""
        return self.kind, self.key, self.field


@dataclass(frozen=True)
class _Row:
    """The fields of an object or a mapping, and the text that identifies it."""

    values: Mapping[str, Any]
    identity: tuple[str, tuple[Hashable, ...]] | None
    key: str


@dataclass(frozen=True)
class AnswerComparer:
    """Compares the answers of the old and the new implementation of one pattern."""

    design: Design
    pattern: PatternDeclaration
    identity: tuple[str, ...] = ()
    """The fields that identify a row. If empty, the fields in the table key of its entity identify it."""
    ignored: frozenset[str] = frozenset()
    is_ordered: bool = True
    masked: frozenset[str] | Literal[True] = frozenset()
    """The fields whose values the differences must not show, or True for all."""

    def differences(self, old: Any, new: Any) -> list[AnswerDifference]:
        """Return the first differences of two answers."""
        if _equal(old, new, self.ignored):
            return []
        found: list[AnswerDifference] = []
        for each in self._compare(old, new, "", ""):
            found.append(each)
            if len(found) == DIFFERENCES_MAX:
                break
        return found

    def _compare(self, old: Any, new: Any, key: str, path: str) -> Iterator[AnswerDifference]:
        old, new = _rows_of(old), _rows_of(new)
        if _is_list(old) and _is_list(new):
            yield from self._compare_lists(old, new, key, path)
            return
        before, after = self._row(old), self._row(new)
        if before is None and after is None:
            if not _same(old, new):
                yield AnswerDifference("value", key, path, old, new)
        elif before is None or after is None:
            if old is not None and new is not None:
                yield AnswerDifference("value", key, path, old, new)
            elif before is not None:
                yield AnswerDifference("missing", before.key or key, path, self._shown(old), None)
            elif after is not None:
                yield AnswerDifference("extra", after.key or key, path, None, self._shown(new))
        elif before.identity != after.identity:
            yield AnswerDifference("missing", before.key or key, path, self._shown(old), None)
            yield AnswerDifference("extra", after.key or key, path, None, self._shown(new))
        else:
            yield from self._compare_fields(before, after, before.key or key, "" if before.key else path)

    def _compare_fields(self, old: _Row, new: _Row, key: str, path: str) -> Iterator[AnswerDifference]:
        for name in dict.fromkeys((*old.values, *new.values)):
            if name not in self.ignored:
                inner = f"{path}.{name}" if path else name
                yield from self._compare(old.values.get(name), new.values.get(name), key, inner)

    def _compare_lists(self, old: Sequence[Any], new: Sequence[Any], key: str, path: str) -> Iterator[AnswerDifference]:
        before, after = self._identified(old, path), self._identified(new, path)
        if before is None or after is None:
            if len(old) != len(new):
                yield AnswerDifference("value", key, path, old, new)
                return
            for place, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from self._compare(one, other, key, f"{path}[{place}]")
            return
        for each, value in before.items():
            if each in after:
                yield from self._compare(value, after[each], key, path)
            else:
                yield AnswerDifference("missing", self._key(value) or key, path, self._shown(value), None)
        for each, value in after.items():
            if each not in before:
                yield AnswerDifference("extra", self._key(value) or key, path, None, self._shown(value))
        if self.is_ordered:
            yield from self._compare_order(before, after, key, path)

    def _compare_order(
        self, old: Mapping[Hashable, Any], new: Mapping[Hashable, Any], key: str, path: str
    ) -> Iterator[AnswerDifference]:
        """Yield the first row that has another position among the rows that both lists contain."""
        places = {each: place for place, each in enumerate(each for each in new if each in old)}
        for place, each in enumerate(each for each in old if each in new):
            if places[each] != place:
                yield AnswerDifference("order", self._key(old[each]) or key, path, place, places[each])
                return

    def _identified(self, values: Sequence[Any], path: str) -> dict[Hashable, Any] | None:
        """Return the elements of a list by identity, or None if one of them has no identity.

        The second of two equal rows has an identity of its own. In an answer that is a list of plain values, each value
        identifies itself.
        """
        found: dict[Hashable, Any] = {}
        seen: Counter[Hashable] = Counter()
        for value in values:
            row = self._row(value)
            if row is not None:
                identity: Hashable = row.identity
            else:
                identity = None if path or _is_list(value) else ("", _hashable(value))
            if identity is None:
                return None
            found[identity, seen[identity]] = value
            seen[identity] += 1
        return found

    def _key(self, value: Any) -> str:
        row = self._row(value)
        return "" if row is None else row.key

    def _row(self, value: Any) -> _Row | None:
        """Return the fields of an object or a mapping. Return None for any other value."""
        if isinstance(value, Mapping):
            values: Mapping[str, Any] = value
        else:
            names = _field_names(value.__class__)
            if names is None:
                return None
            values = {name: getattr(value, name, None) for name in names}
        declaration = declaration_of(type(value))
        names = self._identifying(values, type(value) if declaration is not None else None)
        if not names:
            return _Row(values, None, "")
        label = type(value).__name__ if declaration is not None else ""
        parts = [f"{name}={self._shown(values[name], name, hides_all=False)}" for name in names]
        identity = (label, tuple(_hashable(values[name]) for name in names))
        return _Row(values, identity, " ".join((label, *parts)).strip())

    def _identifying(self, values: Mapping[str, Any], entity: type | None) -> tuple[str, ...]:
        if self.identity and all(name in values for name in self.identity):
            return self.identity
        if entity is not None and entity in self._key_fields:
            return self._key_fields[entity]
        candidates = sorted(self._key_fields.values(), key=len, reverse=True)
        return next((names for names in candidates if names and all(name in values for name in names)), ())

    @cached_property
    def _key_fields(self) -> Mapping[type, tuple[str, ...]]:
        """The fields of the table keys of each entity that the pattern can return."""
        classes = self.design.classes_by_pattern[self.pattern.name]
        return {
            entity.cls: tuple(each for each in entity.fields if each in entity.base.fields)
            for entity in self.design.entities
            if entity.cls in classes
        }

    def _shown(self, value: Any, name: str = "", *, hides_all: bool = True) -> str:
        return self.text(value, name, hides_all=hides_all)

    def text(self, value: Any, name: str = "", *, hides_all: bool = True) -> str:
        """Return a value as text for a log, shortened, with masked fields."""
        text = self._text(value, name.rpartition(".")[2].partition("[")[0], hides_all=hides_all)
        return text if len(text) <= TEXT_CHARACTERS_MAX else f"{text[:TEXT_CHARACTERS_MAX]}..."

    def _text(self, value: Any, name: str, *, hides_all: bool) -> str:
        if value is None:
            return "None"
        if name and (hides_all if self.masked is True else name in self.masked):
            return MASK
        row = self._row(value)
        if row is not None:
            inner = (f"{each}={self._text(item, each, hides_all=hides_all)}" for each, item in row.values.items())
            return f"{'' if isinstance(value, Mapping) else type(value).__name__}({', '.join(inner)})"
        if _is_list(value):
            return f"[{', '.join(self._text(each, name, hides_all=hides_all) for each in value)}]"
        return MASK if self.masked is True and hides_all else repr(value)


@cache
def _field_names(cls: Hashable) -> tuple[str, ...] | None:
    """Return the names of the fields of a class, or None if it is not a class with fields."""
    try:
        return tuple(fields_of(cls)) if isinstance(cls, type) else None
    except (NotAnEntityClass, NameError):
        return None


def _equal(old: Any, new: Any, ignored: frozenset[str]) -> bool:
    """Return whether two answers are the same in every field. Most are, so this check comes first."""
    cls = old.__class__
    if cls in _LEAVES or cls is not new.__class__:
        return old is new or (cls in _LEAVES and new.__class__ in _LEAVES and _same(old, new))
    if cls is Page:
        return _equal(list(old.items), list(new.items), ignored)
    if cls in (list, tuple):
        return len(old) == len(new) and all(map(_equal, old, new, repeat(ignored)))
    if cls is dict:
        names: Iterable[Any] = old
        return old.keys() == new.keys() and all(n in ignored or _equal(old[n], new[n], ignored) for n in names)
    fields = _field_names(cls)
    if fields is None:
        return _same(old, new)
    return all(n in ignored or _equal(getattr(old, n, None), getattr(new, n, None), ignored) for n in fields)


_LEAVES = frozenset((str, int, float, bool, bytes, Decimal, datetime, date, UUID, type(None)))
"""The classes of values without parts."""


def _rows_of(answer: Any) -> Any:
    """Return the items of a page, without its cursor: the cursors of two implementations are never the same."""
    return list(answer.items) if isinstance(answer, Page) else answer


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)


def _same(old: Any, new: Any) -> bool:
    try:
        return bool(old == new)
    except Exception:  # the comparison of a user's class can raise anything
        return False


def _hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return repr(sorted(value, key=repr)) if isinstance(value, AbstractSet) else repr(value)
    hashable: Hashable = value
    return hashable


def masked_fields(given: bool | Collection[str]) -> frozenset[str] | Literal[True]:
    """Return the option `mask` in its stored form."""
    if isinstance(given, bool):
        return True if given else frozenset()
    return frozenset((given,) if isinstance(given, str) else given)
