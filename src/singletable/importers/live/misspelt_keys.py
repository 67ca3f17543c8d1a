"""Rows whose keys probably contain a mistake: spaces around the key, or a literal that differs in one letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from singletable.importers.live.entity_groups import TYPE_ATTRIBUTES
from singletable.importers.live.key_words import DELIMITER, is_key_name
from singletable.importers.live.sampled_table import Item, SampledTable
from singletable.model.field_roles import is_misspelt

EXAMPLES_MAX = 3
SHARED_ATTRIBUTES_MIN = 0.6
"""The minimum share of attributes that an item with a misspelt literal shares with an item of its real entity."""
_LETTERS = re.compile(r"[A-Za-z_]+")


def with_corrected_keys(table: SampledTable) -> tuple[SampledTable, tuple[str, ...]]:
    """Return the table with the keys that were probably meant, and notes that name the rows.

    The model then has the templates of the other rows, so `check --items` reports the misspelt rows.
    """
    notes: list[str] = []
    items = table.items
    for name in sorted(table.key_attributes):
        corrections = _corrections(name, items)
        if not corrections:
            continue
        shown = "; ".join(f"{old!r}, probably {new!r}" for old, new in list(corrections.items())[:EXAMPLES_MAX])
        more = len(corrections) - EXAMPLES_MAX
        notes.append(
            f"{name} is probably misspelt in some items: {shown}{f'; {more} more' if more > 0 else ''}. check --items "
            "reports them."
        )
        items = tuple(_corrected(item, name, corrections) for item in items)
    for name in TYPE_ATTRIBUTES:
        if name in table.key_attributes or not (corrections := _types(name, items, table.keys)):
            continue
        shown = "; ".join(f"{old!r}, probably {new!r}" for old, new in corrections.items())
        notes.append(f"{name} is probably misspelt in some items: {shown}. check --items reports them.")
        items = tuple(_corrected(item, name, corrections) for item in items)
    return replace(table, items=items) if notes else table, tuple(notes)


def _types(name: str, items: tuple[Item, ...], keys: Sequence[str]) -> dict[str, str]:
    """Return the names of entities that are probably misspelt: similar names of items with similar keys."""
    values = [str(item[name].get("S", "")) if name in item else "" for item in items]
    counts, found = Counter(values), dict[str, str]()
    forms: dict[str, set[tuple[str, ...]]] = {}
    for item, value in zip(items, values, strict=True):
        forms.setdefault(value, set()).add(tuple(_head(str(item[key].get("S", ""))) for key in keys if key in item))
    for value in counts:
        for other in counts:
            is_rarer = (counts[value], -values.index(value)) < (counts[other], -values.index(other))
            is_near = is_misspelt(value, other) or value.removesuffix("s") == other.removesuffix("s")
            is_near = is_near or value.removesuffix("S") == other.removesuffix("S")
            if value and other and is_rarer and is_near and forms[value] == forms[other]:
                found[value] = other
    return found


def _corrected(item: Item, name: str, corrections: Mapping[str, str]) -> Item:
    text = str(item.get(name, {}).get("S", ""))
    return {**item, name: {"S": corrections[text]}} if text in corrections else item


def _corrections(name: str, items: tuple[Item, ...]) -> dict[str, str]:
    """Return the texts of a key attribute that are probably misspelt, with the texts that were probably meant."""
    texts = [(text, item) for item in items if (text := item.get(name, {}).get("S")) is not None]
    usual = {each for text, _ in texts if text == text.strip() for each in (text, _head(text))}
    found = {
        text: text.strip()
        for text, _ in texts
        if text != text.strip() and usual.intersection({text.strip(), _head(text.strip())} - {""})
    }
    if not is_key_name(name):
        return found
    order = [head for text, _ in texts if (head := _head(text))]
    counts = Counter(order)
    for text, item in texts:
        head = _head(text)
        for other in counts if head else ():
            is_rarer = (counts[head], -order.index(head)) < (counts[other], -order.index(other))
            if (
                is_rarer
                and is_misspelt(head, other)
                and _is_alike(item, [own for each, own in texts if _head(each) == other])
            ):
                found[text] = f"{other}{text[len(head) :]}"
    return found


def _head(text: str) -> str:
    head, delimiter, _ = text.partition(DELIMITER)
    return head if delimiter and _LETTERS.fullmatch(head) else ""


def _is_alike(item: Item, others: Sequence[Item]) -> bool:
    """Return whether an item has mostly the same attributes as one of the others."""
    return any(
        len(item.keys() & other.keys()) >= SHARED_ATTRIBUTES_MIN * len(item.keys() | other.keys()) for other in others
    )
