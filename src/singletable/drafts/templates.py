"""Key templates, told from the keys that were seen: which segments are literals, and which fields the others are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.drafts.derivations import derived_slot, tree_slot
from singletable.drafts.item_fields import Fields
from singletable.drafts.literals import DELIMITER, is_sort_name, looks_literal
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.text_codec import escape, unescape

PYTHON_TYPES: Mapping[str, Any] = {
    "str": str,
    "int": int,
    "Decimal": Decimal,
    "float": float,
    "bool": bool,
    "datetime": datetime,
    "date": date,
}
_SPECS: Mapping[str, tuple[str, ...]] = {
    "str": ("", "raw"),
    "datetime": ("", "seconds", "milliseconds", "minutes", "hours", "days", "%Y-%m-%d", "%Y-%m"),
    "date": ("", "%Y-%m"),
    "int": ("", *(f"0{width}d" for width in range(2, 19)), "number"),
    "Decimal": ("number", "08.2f"),
    "bool": ("",),
}
_NAMED = re.compile(r"(?P<head>[A-Za-z_]+=)(?P<value>.*)")


def template_of(fields: Fields, attribute: str, texts: Sequence[str], indices: Sequence[int]) -> str:
    """The template that writes these texts of a key attribute; `indices` says of which items they are."""
    split = [text.split(DELIMITER) for text in texts]
    if len({len(segments) for segments in split}) != 1:
        return _of_varying_length(fields, split, indices)
    columns = list(zip(*split, strict=True))
    # A key called Status#Date says of what it is made, and that none of it is a literal.
    names = attribute.split(DELIMITER) if DELIMITER in attribute else []
    if len(names) == len(columns):
        found = [
            _matching(fields, column, indices) or _added(fields, column, indices, name)
            for name, column in zip(names, columns, strict=True)
        ]
        return DELIMITER.join(found)
    parts: list[str] = []
    for place, column in enumerate(columns):
        before = parts[-1] if parts else ""
        is_value = bool(before) and "{" not in before and place % 2 == 1
        if len(columns) == 1 and not looks_like_alone(attribute, column[0]):
            is_value = True
        parts.append(_segment(fields, column, indices, before, is_value=is_value))
    return DELIMITER.join(parts)


def declared_template(fields: Fields, declared: str, texts: Sequence[str], indices: Sequence[int]) -> str | None:
    """A template such as `${acctId}#${timestamp}` with our fields, if it writes these texts."""
    parts: list[str] = []
    columns = zip(*(text.split(DELIMITER) for text in texts), strict=False)
    segments = declared.split(DELIMITER)
    if any(text.count(DELIMITER) + 1 != len(segments) for text in texts):
        return None
    by_attribute = {each.attribute or each.name: name for name, each in fields.by_name.items()}
    for segment, column in zip(segments, columns, strict=True):
        named = re.fullmatch(r"\$\{(\w+)\}", segment)
        if named is None:
            if set(column) != {segment} or not looks_literal(segment):
                return None
            parts.append(segment)
            continue
        name = by_attribute.get(named[1])
        slot = None if name is None else _slot(fields, name, column, indices)
        if slot is None:
            return None
        parts.append(slot)
    return DELIMITER.join(parts)


def looks_like_alone(attribute: str, text: str) -> bool:
    """Whether the one segment of a key may be a literal: in capitals, or in a sort key."""
    return text.isupper() or is_sort_name(attribute)


def _spread(texts: Sequence[str], indices: Sequence[int], fields: Fields) -> list[Any]:
    """A value for every item, None where it has none."""
    count = max((len(values) for values in fields.values.values()), default=0)
    values: list[Any] = [None] * max(count, max(indices) + 1)
    for index, text in zip(indices, texts, strict=True):
        values[index] = text
    return values


def _segment(fields: Fields, column: Sequence[str], indices: Sequence[int], before: str, *, is_value: bool) -> str:
    """One segment; `is_value` says that it stands where values stand: behind a literal, or alone."""
    text = column[0]
    is_constant = len(set(column)) == 1
    may_be_value = is_value and (len(column) == 1 or not text.isupper())
    if is_constant and _is_literal(text) and not may_be_value:
        return text
    if (found := tree_slot(fields, column, indices) or _matching(fields, column, indices)) is not None:
        return found
    if is_constant and _is_literal(text) and text.isupper():
        return text
    named = [_NAMED.fullmatch(text) for text in column]
    heads = {match["head"] for match in named if match}
    if len(heads) == 1 and all(named):
        values = [match["value"] for match in named if match]
        return heads.pop() + (
            tree_slot(fields, values, indices)
            or _matching(fields, values, indices)
            or derived_slot(fields, values, indices)
            or _added(fields, values, indices, heads_name(column))
        )
    return derived_slot(fields, column, indices) or _added(fields, column, indices, _name_after(before))


def heads_name(column: Sequence[str]) -> str:
    """The name before the equals sign."""
    return column[0].split("=")[0]


def _is_literal(text: str) -> bool:
    return not text or looks_literal(text)


def _matching(fields: Fields, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """A field that, written in some form, is this segment in every item."""
    for name in sorted(fields.by_name, key=lambda each: each not in fields.favoured):
        if (slot := _slot(fields, name, column, indices)) is not None:
            return slot
    return None


def _slot(fields: Fields, name: str, column: Sequence[str], indices: Sequence[int]) -> str | None:
    """The field in the form in which it writes this segment."""
    kind = fields.by_name[name].type
    values = [fields.values[name][index] if index < len(fields.values[name]) else None for index in indices]
    if any(value is None for value in values):
        return None
    for spec in _SPECS.get(kind, ()):
        if _writes(kind, spec, values, column):
            if spec == "raw":
                fields.raw.add(name)
            return f"{{{name}{':' + spec if spec else ''}}}"
    return None


def _writes(kind: str, spec: str, values: Sequence[Any], column: Sequence[str]) -> bool:
    try:
        codec = choose_codec(PYTHON_TYPES[kind], spec, DELIMITER)
        return all(codec.encode(value) == text for value, text in zip(values, column, strict=True))
    except (ValueError, TypeError):  # KeyRefused is a ValueError
        return False


def _added(fields: Fields, column: Sequence[str], indices: Sequence[int], name: str) -> str:
    """A field that only keys hold."""
    try:
        plain, spec = [unescape(text, DELIMITER) for text in column], ""
    except ValueError:
        plain, spec = list(column), ":raw"
    values = _spread(plain, indices, fields)
    found = fields.add(name, values)
    if spec:
        fields.raw.add(found)
    return f"{{{found}{spec}}}"


def _name_after(before: str) -> str:
    """What a segment holds, told from the literal in front of it: `USER#...` is a user's id."""
    if before and "{" not in before:
        return f"{before}_id"
    return "part"


def _of_varying_length(fields: Fields, split: list[list[str]], indices: Sequence[int]) -> str:
    """A path behind literals that all of them begin with."""
    common = list(_common_literals(split))
    longest = min(len(common), min(map(len, split)) - 1)
    for count in range(longest, -1, -1):
        paths = [tuple(segments[count:]) for segments in split]
        name = _path_field(fields, paths, indices)
        if name is not None:
            return DELIMITER.join([*common[:count], f"{{{name}}}"])
    heads = common[:longest]
    joined = [DELIMITER.join(segments[longest:]) for segments in split]
    name = _name_after(heads[-1] if heads else "")
    return DELIMITER.join([*heads, _added(fields, joined, indices, name)])


def _path_field(fields: Fields, paths: list[tuple[str, ...]], indices: Sequence[int]) -> str | None:
    """A list of texts that these paths are made of; it is a tuple from now on, as paths are."""
    for name, known in fields.by_name.items():
        if known.type not in ("list[str]", "tuple[str, ...]"):
            continue
        seen = [fields.values[name][index] for index in indices]
        if [tuple(escape(each, DELIMITER) for each in value or ()) for value in seen] == paths:
            fields.by_name[name] = replace(known, type="tuple[str, ...]")
            fields.values[name] = [None if value is None else tuple(value) for value in fields.values[name]]
            return name
    return None


def _common_literals(split: list[list[str]]) -> Iterator[str]:
    for column in zip(*split, strict=False):
        if len(set(column)) != 1 or not _is_literal(column[0]):
            return
        yield column[0]
