"""Key literals: a check that the keys of an item have the literal text and the segments of the entity's key templates.

The check does not decode the fields of a key. It notices an item whose key another template made, such as an item from
before a change of the template. `migrate verify` and `check --items` compare all fields of a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from singletable.client.items.decoder import Decoder, Item
from singletable.client.items.row_columns import constant_column, text_type
from singletable.client.items.rows import Column, FastColumn, FastType, Row
from singletable.errors import ItemRefused
from singletable.model.entity import Entity
from singletable.model.key_template import LiteralText, Template
from singletable.model.keys import KeyPart, TemplatePart
from singletable.model.regular_language import ANYTHING, concat, literal, overlap
from singletable.planner.plan import Plan

if TYPE_CHECKING:
    from singletable.client.items.upgrader import Upgrader

FIELD = "\x01"
"""The character that stands for the text of fields in an outline. Such a text does not contain the delimiter."""
REST = "\x02"
"""The character that stands for any text at the end of an outline."""
CONSTANT = "constant"
"""The start of the member names of key attributes that have the same text in every item."""


_CLOSED = frozenset({"=", "begins_with", "BETWEEN"})
"""The comparisons that have a lower and an upper bound, so that every text between them starts with the literal."""


def outline(template: Template) -> str:
    """Return the literals of a template, with `FIELD` for the fields between them."""
    within = concat(ANYTHING, literal(template.delimiter), ANYTHING)
    text = ""
    for part in template.parts:
        if isinstance(part, LiteralText):
            text += part.text
        elif overlap(part.language, within):
            return text.removesuffix(FIELD) + REST
        elif not text.endswith(FIELD):
            text += FIELD
    return text


def _pattern(outlined: str, field: str, rest: str) -> str:
    """Return the regular expression of an outline. `field` and `rest` replace the characters `FIELD` and `REST`."""
    signs = {FIELD: field, REST: rest}
    return "".join(signs.get(each) or re.escape(each) for each in outlined)


class KeyColumn:
    """A key attribute whose text must match the outline of a template."""

    def __init__(self, part: TemplatePart) -> None:
        self.attribute, self.template = part.attribute, part.template
        self.outline = outline(part.template)
        delimiter = re.escape(part.template.delimiter)
        self.matches = re.compile(_pattern(self.outline, f"[^{delimiter}]*", ".*"), re.DOTALL).fullmatch
        lines = _pattern(self.outline, f"[^{delimiter}\\n]*", "[^\\n]*")
        # The groups are atomic, so that a text that does not match is not compared with earlier texts again.
        self._matches_lines = re.compile(f"(?>{lines}\\n)*+").fullmatch

    def matches_all(self, texts: Sequence[str]) -> bool:
        """Return whether all texts match, with one regular expression for all: a line for each text."""
        joined = "\n".join((*texts, ""))
        if joined.count("\n") == len(texts) and self._matches_lines(joined):
            return True
        return all(map(self.matches, texts))

    def columns(self, member: str) -> tuple[Column, FastColumn]:
        """Return the column of a row, and the column of the compiled reader."""
        if not self.is_variable:
            constant = constant_column(self.attribute, member, "S", self.outline)
            return constant, constant.fast
        known = (self.template.delimiter + self.outline).encode()
        return Column(self.attribute, member, text_type("S")), FastColumn(self.attribute, FastType("key", known))

    def is_in_range(self, plan: Plan | None) -> bool:
        """Return whether every text in the range of a plan's Query has the literals, which all precede the fields."""
        if self.outline.rstrip(FIELD + REST) != re.split(f"[{FIELD}{REST}]", self.outline)[0]:
            return False
        tests = () if plan is None else plan.sort
        return any(each.attribute == self.attribute and each.operator in _CLOSED for each in tests)

    @property
    def is_variable(self) -> bool:
        """Whether the outline has more than one text."""
        return FIELD in self.outline or REST in self.outline


def _parts(entity: Entity, plan: Plan | None, has_two_keys: bool) -> Sequence[KeyPart]:
    """Return the key attributes whose literals a read checks.

    The partition key of a Query needs no check, because the Query reads only that partition.
    """
    base = () if has_two_keys else entity.base.parts
    if plan is None:
        return base
    if plan.index.is_table:
        return base[len(entity.base.partition) :]
    placement = entity.placements.get(plan.index.alias)
    return base if placement is None else (*base, *placement.sort)


class KeyLiterals:
    """The literals of an entity's keys in the table and in the index of a read."""

    def __init__(self, entity: Entity, plan: Plan | None = None, *, has_two_keys: bool = False) -> None:
        """Store the keys that the requests of a plan do not determine. Without a plan, a scan reads the items.

        With `has_two_keys`, a migration moves items, so the keys in the table are those of two templates.
        """
        self._entity = entity
        fields, chosen = {*entity.attributes.values()}, _parts(entity, plan, has_two_keys)
        parts = {each.attribute: each for each in chosen if isinstance(each, TemplatePart)}
        columns = [KeyColumn(part) for name, part in parts.items() if name not in fields]
        self.columns = tuple(each for each in columns if each.outline != REST and not each.is_in_range(plan))
        """The key attributes with literals."""
        self._getters: dict[type[Row], Sequence[tuple[Callable[[Any], str], KeyColumn]]] = {}

    def fit(self, items: Sequence[Item | Row]) -> bool:
        """Return whether the keys of all items match."""
        if items and isinstance(items[0], Row):
            try:
                return all(key.matches_all([*map(get, items)]) for get, key in self._row_checks(type(items[0])))
            except AttributeError:  # an item with another form
                pass
        return all(self._wrong(item) is None for item in items)

    def _row_checks(self, row: type[Row]) -> Sequence[tuple[Callable[[Any], str], KeyColumn]]:
        known = self._getters.get(row)
        if known is None:
            members = [(row.members.get(each.attribute, CONSTANT), each) for each in self.columns]
            # The type of a constant column has only one value, so no other row exists.
            variable = [(member, key) for member, key in members if not member.startswith(CONSTANT)]
            known = [(attrgetter(f"{member}.S"), key) for member, key in variable]
            self._getters[row] = known
        return known

    def check(self, item: Item | Row) -> None:
        """Raise ItemRefused if a key of an item does not match its template."""
        wrong = self._wrong(item)
        if wrong is not None:
            keys = {name: item.get(name) for name in self._entity.base.index.key_attributes}
            raise ItemRefused(
                f"the item {keys} of {self._entity.label} has {wrong.attribute} "
                f"{(item.get(wrong.attribute) or {}).get('S')!r}, but the key template is {wrong.template.text!r}.\n"
                "  If the template has changed, make a migration with `singletable migrate make`; `singletable migrate "
                "verify` and `singletable check --items` list every such item"
            )

    def _wrong(self, item: Item | Row) -> KeyColumn | None:
        for each in self.columns:
            stored = item.get(each.attribute)
            text = None if stored is None else stored.get("S")
            if stored is not None and (not isinstance(text, str) or not each.matches(text)):
                return each
        return None

    def page_columns(self) -> Iterator[tuple[Column, FastColumn]]:
        """Yield the columns that the fast path of pages checks: of rows, and of the compiled reader."""
        for number, each in enumerate(self.columns):
            yield each.columns(f"literals{number}" if each.is_variable else f"{CONSTANT}{number}")


class CheckingDecoder:
    """Decodes the items of one entity, after a check of the literals in their keys."""

    def __init__(self, decoder: Decoder, literals: KeyLiterals, upgrader: Upgrader | None) -> None:
        self._decoder, self._literals, self._upgrader = decoder, literals, upgrader

    def read(self, item: Item | Row) -> Any:
        """Decode an item. Raise ItemRefused if the item or its key does not match the entity."""
        is_older = self._upgrader is not None and not isinstance(item, Row) and self._upgrader.is_older(item)
        if not is_older:  # an upgrade compares the whole key in the table, and replaces the keys of indexes
            self._literals.check(item)
        return self._decoder.read(item)

    def read_all(self, items: Sequence[Item | Row]) -> list[Any]:
        """Decode items into objects, in order."""
        if not self._literals.fit(items):
            return [self.read(item) for item in items]
        return self._decoder.read_all(items)


ItemDecoder = Decoder | CheckingDecoder
