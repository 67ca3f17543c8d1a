"""Key templates inferred from keys: the segments that are literals, and the fields that other segments contain."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.importers.live.derived_segments import derived_slot, tree_slot
from singletable.importers.live.item_fields import ItemFields
from singletable.importers.live.key_words import (
    DELIMITER,
    is_key_name,
    is_sort_name,
    looks_literal,
    split_prefix,
)
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.text_codec import escape, unescape
from singletable.model.field_roles import is_attribute_name, words_of

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
_NUMBER_AND_LETTER = re.compile(r"([0-9]+)([A-Z]+)")
_NAMED = re.compile(r"([A-Za-z_]+=)(.*)", re.DOTALL)
# With fewer values, two segments after different literals can be equal by chance, as in o#12345 and c#12345.
_EVIDENCE_VALUES = 3
# Times of changes: a key keeps the time of creation, and equals such a field only until the first change.
_CHANGING = frozenset({"updated", "modified", "changed", "edited", "last"})
_DAY_TEXT = re.compile(r"\d{4}-\d\d-\d\d")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_TIME_TEXT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")


def is_clear_majority(obeying: int, items: int) -> bool:
    """Return whether at least two items obey a rule, and at most one in three does not.

    A third allows one mistake among three rows, the smallest sample in which two rows outvote one.
    """
    return obeying >= 2 and (items - obeying) * 3 <= items


class TemplateInference:
    """Infers the template of one key attribute from the texts of the items `indices`."""

    def __init__(
        self,
        fields: ItemFields,
        attribute: str,
        texts: Sequence[str],
        indices: Sequence[int],
        alias: str | None = None,
        usual_name: str = "part",
        varying: Collection[str] = (),
        identifiers: Mapping[str, str] | None = None,
    ) -> None:
        self.fields = fields
        self.attribute = attribute
        self.texts = texts
        self.indices = indices
        self.usual_name = usual_name
        self.varying = varying
        """Literals at the start of this attribute, after which other items have several different values."""
        self.identifiers = identifiers or {}
        """Words that are values in other keys, with the literal before them."""
        self.alias = alias if alias is not None and alias != attribute and not is_key_name(alias) else None

    def infer(self) -> str:
        """Return a template that produces every text."""
        split = [text.split(DELIMITER) for text in self.texts]
        if len({len(segments) for segments in split}) != 1:
            return self._of_varying_length(split)
        columns = list(zip(*split, strict=True))
        # An attribute name such as Status#Date lists the parts of the key. None of them is a literal.
        names = self.attribute.split(DELIMITER) if DELIMITER in self.attribute else []
        if len(names) == len(columns):
            return DELIMITER.join(self._part(column, name) for name, column in zip(names, columns, strict=True))
        parts: list[str] = []
        # A key such as #USER#u1 begins with the delimiter, and then with a word.
        start = int(len(columns) > 1 and not any(columns[0]))
        for place, column in enumerate(columns):
            before = parts[-1] if parts else ""
            if is_attribute_name(before) and len(parts) > 1:
                before = parts[-2]  # the word before a placeholder such as StartDate
            if place == start == 1 and len(columns) > 2 and len(set(column)) == 1 and column[0].isupper():
                parts.append(column[0])
                continue
            is_value = bool(before) and "{" not in before and (place - start) % 2 == 1
            if len(columns) == 1 and not (column[0].isupper() or is_sort_name(self.attribute)):
                is_value = True
            parts.append(self._segment(column, before, is_value=is_value))
        return DELIMITER.join(parts)

    def _part(self, column: Sequence[str], name: str) -> str:
        """Return the slot of a part that the attribute name names. A field with this name may have other values."""
        if (found := self._matching(column, name)) is not None:
            return found
        for known, field in self.fields.by_name.items():
            if _letters(field.stored_as) == _letters(name):
                seen = [str(self.fields.values[known][index]) for index in self.indices]
                differing = sum(value != text for value, text in zip(seen, column, strict=True))
                self.fields.differences[f"{name} in {self.attribute}"] = (known, differing, len(column))
        return self._added(column, name)

    def declared(self, template: str) -> str | None:
        """Return a declared template such as `${acctId}#${timestamp}`, with our names, if it produces every text."""
        segments = template.split(DELIMITER)
        if any(text.count(DELIMITER) + 1 != len(segments) for text in self.texts):
            return None
        columns = zip(*(text.split(DELIMITER) for text in self.texts), strict=True)
        by_attribute = {each.stored_as: name for name, each in self.fields.by_name.items()}
        parts: list[str] = []
        for segment, column in zip(segments, columns, strict=True):
            named = re.fullmatch(r"\$\{(\w+)\}", segment)
            if named is None:
                if set(column) != {segment} or re.search(r"[${}%]", segment):
                    return None
                parts.append(segment)
                continue
            name = by_attribute.get(named[1])
            slot = self._slot(name, column) if name is not None else self._added(column, named[1])
            if slot is None:
                return None
            parts.append(slot)
        return DELIMITER.join(parts)

    def _segment(self, column: Sequence[str], before: str, *, is_value: bool) -> str:
        """Return the literal or slot of a segment. `is_value` means that it follows a literal or stands alone."""
        text = column[0]
        if not any(column):
            return ""  # a delimiter at the start or the end of the key
        is_constant = len(set(column)) == 1
        is_word = text not in self.identifiers and (looks_literal(text) or self._is_marker(column))
        is_varying = before in self.varying
        can_be_value = is_value and (len(column) == 1 or is_varying or not (text.isupper() or self._is_marker(column)))
        hint = before.rpartition("}")[2]  # a literal, or the letters after a slot whose separator is missing
        if is_constant and len(column) > 1 and before and is_attribute_name(text):
            return text  # a placeholder such as StartDate, which check reports as ST124
        if is_constant and is_word and not can_be_value:
            return (self._named(column, hint) if hint else None) or text
        if (found := tree_slot(self.fields, column, self.indices) or self._matching(column, hint)) is not None:
            return found
        if is_constant and is_word and not is_varying and (text.isupper() or self._is_marker(column)):
            return text
        prefixed = [self._prefixed(text) for text in column]
        heads = {each[0] for each in prefixed if each is not None}
        if len(heads) == 1 and None not in prefixed:
            head = heads.pop()
            return head + self._after_prefix(head, [each[1] for each in prefixed if each is not None])
        if (found := self._before_letters(column, hint)) is not None:
            return found
        found = derived_slot(self.fields, column, self.indices) or self._usual_match(column)
        if found is None and hint:
            self._record_other_time(column, hint)
        return found or self._added(column, self._value_name(column, hint), hint)

    def _before_letters(self, column: Sequence[str], hint: str) -> str | None:
        """Return the slot of numbers with the same letter after them, as in `C#1P#7`, whose separator is missing."""
        found = [_NUMBER_AND_LETTER.fullmatch(text) for text in column]
        letters = {each[2] for each in found if each is not None}
        numbers = [each[1] for each in found if each is not None]
        if len(letters) != 1 or len(numbers) < len(column) or len(set(numbers)) < 2:
            return None
        slot = self._matching(numbers, hint) or self._added(numbers, self._value_name(numbers, hint), hint)
        return f"{slot}{letters.pop()}"

    def _record_other_time(self, column: Sequence[str], hint: str) -> None:
        """Record a time field named like the literal before the segment, if it differs from the times in the key."""
        if not all(map(_TIME_TEXT.fullmatch, column)):
            return
        times: dict[str, list[str]] = {}
        for name, field in self.fields.by_name.items():
            seen = [str(self.fields.values[name][place]) for place in self.indices]
            is_stored = name not in self.fields.key_only and not _CHANGING.intersection(words_of(name))
            if is_stored and field.type == "str" and all(map(_TIME_TEXT.fullmatch, seen)):
                times[name] = seen
        named = [name for name in times if _letters(self.fields.by_name[name].stored_as).startswith(_letters(hint))]
        for name in named or (times if len(times) == 1 else ()):
            differing = sum(value != text for value, text in zip(times[name], column, strict=True))
            self.fields.differences[f"the time in {self.attribute}"] = (name, differing, len(column))

    def _value_name(self, column: Sequence[str], hint: str) -> str:
        """Return the name of a value that only keys contain: by its form, by a map that contains it, or by its use."""
        if all(map(_EMAIL.fullmatch, column)):
            return "email"
        if (member := self._member(column, hint)) is not None:
            return member
        (head, *others) = {self.identifiers.get(text) for text in column}
        return f"{head}_id" if head is not None and not others else _value_name(column, hint)

    def _member(self, column: Sequence[str], hint: str) -> str | None:
        """Return the member of a map that equals the segment in every item, if only one does or has the best name."""
        found: list[str] = []
        for name, field in self.fields.by_name.items():
            maps = [self.fields.values[name][place] or {} for place in self.indices]
            if field.type == "dict[str, Any]":
                texts = {key: [each.get(key, {}).get("S") for each in maps] for key in maps[0]}
                found += [key for key, seen in texts.items() if seen == list(column)]
        named = [key for key in found if hint and _letters(key).startswith(_letters(hint))] or found
        return named[0] if len(named) == 1 else None

    def _usual_match(self, column: Sequence[str]) -> str | None:
        """Return the slot of the only field that equals the segment in a clear majority of the items.

        Three different values must be equal, because fewer can be equal by chance. A note names the other items.
        """
        found: dict[str, tuple[int, ...]] = {}
        slots: dict[str, str] = {}
        for name, field in self.fields.by_name.items():
            if name in self.fields.key_only or _CHANGING.intersection(words_of(name)):
                continue
            for spec in _SPECS.get(field.type, ()):
                written = self._written(name, spec)
                others = [place for place, text, own in zip(self.indices, column, written, strict=True) if text != own]
                equal = {text for text, own in zip(column, written, strict=True) if text == own}
                is_usual = is_clear_majority(len(column) - len(others), len(column))
                if None not in written and is_usual and len(equal) >= _EVIDENCE_VALUES:
                    found[name], slots[name] = tuple(others), f"{{{name}{':' + spec if spec else ''}}}"
                    if spec == "raw":
                        self.fields.raw.add(name)
                    break
        if len(found) != 1:
            return None
        ((name, places),) = found.items()
        self.fields.exceptions[self.attribute] = (slots[name], places)
        return slots[name]

    def _written(self, name: str, spec: str) -> list[str | None]:
        """Return the text that a format of a field produces for each item; None if it cannot encode a value."""
        values = self.fields.values[name]
        try:
            codec = choose_codec(PYTHON_TYPES[self.fields.by_name[name].type], spec, DELIMITER)
            return [codec.encode(values[place]) if values[place] is not None else None for place in self.indices]
        except (ValueError, TypeError, IndexError):  # KeyRefused is a ValueError
            return [None for _ in self.indices]

    def _is_marker(self, column: Sequence[str]) -> bool:
        """Return whether a generic key is one character that several items share, so it identifies nothing."""
        return (
            is_key_name(self.attribute) and len(column) > 1 and set(column) == {self.texts[0]} and len(column[0]) == 1
        )

    def _named(self, column: Sequence[str], hint: str) -> str | None:
        """Return the slot of the field that has the same name as the literal before the segment, and the same values.

        If items outside a sparse index have other values of the field, the segment is a literal.
        """
        for name, known in self.fields.by_name.items():
            if _letters(known.stored_as) == _letters(hint) and len(set(map(repr, self.fields.values[name]))) == 1:
                return self._slot(name, column)
        return None

    def _prefixed(self, text: str) -> tuple[str, str] | None:
        """Return the parts of `name=value` and, in a generic key, of `Name:value`."""
        if (named := _NAMED.fullmatch(text)) is not None:
            return named[1], named[2]
        return split_prefix(text) if is_key_name(self.attribute) else None

    def _after_prefix(self, head: str, values: Sequence[str]) -> str:
        """Return the slot of the values that follow a prefix in one segment."""
        name = head[:-1]
        return (
            tree_slot(self.fields, values, self.indices)
            or self._matching(values, name)
            or derived_slot(self.fields, values, self.indices)
            or self._added(values, name if head.endswith("=") else f"{name}_id", hint=name)
        )

    def _matching(self, column: Sequence[str], hint: str) -> str | None:
        """Return the slot of the field that equals the segment in every item. The field with the best name is chosen.

        If several fields match equally well, the choice is recorded for a note.
        """
        slots: dict[str, str] = {}
        for name in sorted(self.fields.by_name, key=lambda each: each not in self.fields.preferred):
            if self._is_chance(name, column, hint):
                continue
            if (slot := self._slot(name, column, is_trial=True)) is not None:
                slots[name] = slot
        if not slots:
            return None
        ranks = {name: self._rank(name, hint) for name in slots}
        best = [name for name in slots if ranks[name] == min(ranks.values())]
        if len(best) > 1:
            self.fields.choices[f"{self.attribute}: {slots[best[0]]}"] = (best[0], tuple(best[1:]))
        return self._slot(best[0], column)

    def _is_chance(self, name: str, column: Sequence[str], hint: str) -> bool:
        """Return whether a field named after another literal can equal a segment by chance, with so few values."""
        is_only_in_keys = name in self.fields.key_only and name != self._value_name(column, "")
        return bool(hint) and is_only_in_keys and len(set(column)) < _EVIDENCE_VALUES and self._rank(name, hint) == 3

    def _rank(self, name: str, hint: str) -> int:
        """Return 0 for a preferred field, otherwise 1 to 3: less if its name fits the alias or the literal before."""
        if name in self.fields.preferred:
            return 0
        plain = _letters(self.fields.by_name[name].stored_as)
        hints = {_letters(each) for each in (hint, self.alias or "") if each}
        if any(plain in (each, f"{each}id", each.removesuffix("id")) for each in hints):
            return 1
        return 2 if any(plain.startswith(each) for each in hints) else 3

    def _slot(self, name: str, column: Sequence[str], *, is_trial: bool = False) -> str | None:
        """Return the slot of a field in the format that produces the segment in every item."""
        kind, seen = self.fields.by_name[name].type, self.fields.values[name]
        values = [seen[index] if index < len(seen) else None for index in self.indices]
        if any(value is None for value in values):
            return None
        for spec in _SPECS.get(kind, ()):
            if _writes(kind, spec, values, column):
                if spec == "raw" and not is_trial:
                    self.fields.raw.add(name)
                return f"{{{name}{':' + spec if spec else ''}}}"
        return None

    def _added(self, column: Sequence[str], name: str, hint: str = "") -> str:
        """Return the slot of a new field that only keys contain. The literal `hint` precedes it."""
        try:
            plain, spec = [unescape(text, DELIMITER) for text in column], ""
        except ValueError:
            plain, spec = list(column), ":raw"
        by_chance = [each for each in self.fields.by_name if self._is_chance(each, column, hint)]
        found = self.fields.add(self.alias or name or self.usual_name, self._spread(plain), by_chance)
        if equal := tuple(each for each in by_chance if self._slot(each, column, is_trial=True) is not None):
            self.fields.choices[f"{self.attribute}: {{{found}}}"] = (found, equal)
        if spec:
            self.fields.raw.add(found)
        return f"{{{found}{spec}}}"

    def _spread(self, texts: Sequence[str]) -> list[Any]:
        """Return a value for every item, with None for items that are not in `indices`."""
        count = max((len(values) for values in self.fields.values.values()), default=0)
        values: list[Any] = [None] * max(count, max(self.indices) + 1)
        for index, text in zip(self.indices, texts, strict=True):
            values[index] = text
        return values

    def _of_varying_length(self, split: list[list[str]]) -> str:
        """Return the literals with which all texts start, followed by a path."""
        common = list(_common_literals(split))
        longest = min(len(common), min(map(len, split)) - 1)
        for count in range(longest, -1, -1):
            name = self._path_field([tuple(segments[count:]) for segments in split])
            if name is not None:
                return DELIMITER.join([*common[:count], f"{{{name}}}"])
        heads = common[:longest]
        joined = [DELIMITER.join(segments[longest:]) for segments in split]
        return DELIMITER.join([*heads, self._added(joined, f"{heads[-1]}_id" if heads else "")])

    def _path_field(self, paths: list[tuple[str, ...]]) -> str | None:
        """Return the list field that contains these paths, and make it a tuple."""
        fields = self.fields
        for name, known in fields.by_name.items():
            if known.type not in ("list[str]", "tuple[str, ...]"):
                continue
            seen = [fields.values[name][index] for index in self.indices]
            if [tuple(escape(each, DELIMITER) for each in value or ()) for value in seen] == paths:
                fields.by_name[name] = replace(known, type="tuple[str, ...]")
                fields.values[name] = [None if value is None else tuple(value) for value in fields.values[name]]
                return name
        return None


def _value_name(column: Sequence[str], hint: str) -> str:
    """Return the name of a value that only keys contain: by the literal before it, and whether it is a time."""
    if hint and all(len(text) == 1 and text.isalpha() for text in column):
        return f"{hint}_letter"
    ending = next(
        (word for word, form in (("date", _DAY_TEXT), ("time", _TIME_TEXT)) if all(map(form.fullmatch, column))), "id"
    )
    if hint:
        return f"{hint}_{ending}"
    return {"id": "", "time": "timestamp"}.get(ending, ending)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def _writes(kind: str, spec: str, values: Sequence[Any], column: Sequence[str]) -> bool:
    try:
        codec = choose_codec(PYTHON_TYPES[kind], spec, DELIMITER)
        return all(codec.encode(value) == text for value, text in zip(values, column, strict=True))
    except (ValueError, TypeError):  # KeyRefused is also a ValueError
        return False


def _common_literals(split: list[list[str]]) -> Iterator[str]:
    for column in zip(*split, strict=False):
        if len(set(column)) != 1 or (column[0] and not looks_literal(column[0])):
            return
        yield column[0]
