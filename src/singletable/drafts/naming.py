"""Names for what was written elsewhere, so that none of them hides a name that the Python file needs."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.drafts.draft import is_name
from singletable.drafts.identifiers import class_identifier, field_identifier
from singletable.drafts.type_text import CONTAINERS, PLAIN
from singletable.drafts.vocabulary import OWN, STANDARD

_BUILT_IN = (*STANDARD, *PLAIN, *CONTAINERS, "dataclass", "dataclass_field", "self", "cls")
_OWN_CLASSES = tuple(name for name in OWN if name[0].isupper())
_OWN_WORDS = (*(name for name in OWN if name[0].islower()), "item", "limit", "cursor")
_OF_TABLES = (
    *("aio", "all", "batch", "close", "count", "delete_many", "design", "edit", "get_many", "metrics", "move", "name"),
    *("open", "put_many", "scan", "transaction", "upsert", "using", "mro", "move_subtree", "delete_collection"),
    *("create_many", "update_many"),
)
_OF_ENTITIES = (
    *("key", "name", "attributes", "derived", "identity", "schema_version", "version", "ttl", "copies", "counted"),
    *("unique", "mirror_of", "expected_bytes", "expected_items", "expected_per_partition"),
    *("cardinality", "access", "accept"),
)


def is_free(name: str, taken: Iterable[str]) -> bool:
    """Whether a class can be called so: it is a name, nobody else's, and none that the file imports."""
    return is_name(name) and name not in {*taken, *_BUILT_IN, *_OWN_CLASSES}


def name_of_class(text: str, taken: Iterable[str]) -> str:
    """A class's name that is none of the names that the file imports."""
    return class_identifier(text, {*taken, *_BUILT_IN, *_OWN_CLASSES})


def name_of_field(text: str, taken: Iterable[str] = ()) -> str:
    """A field's name; a word of the language or of ours has an underscore behind it."""
    plain = field_identifier(text)
    if plain in _BUILT_IN or plain in _OWN_WORDS:
        return f"{plain}_" if f"{plain}_" not in set(taken) else field_identifier(f"{plain}_value", taken)
    return field_identifier(text, taken)


def name_of_pattern(text: str, taken: Iterable[str] = ()) -> str:
    """A pattern's name, which is no word of ours and which no table has as a method of its own."""
    plain = field_identifier(text)
    reserved = plain in _OF_TABLES or plain in _BUILT_IN or plain in _OWN_WORDS
    return field_identifier(f"{plain}_pattern" if reserved else plain, taken)


def name_of_index(text: str, taken: Iterable[str]) -> str:
    """The keyword of an index: `gsi1` for GSI1, else its name as Python writes names."""
    plain = text.lower()
    known = {*taken, *_OF_ENTITIES}
    if plain.isidentifier() and plain.upper() == text and plain not in known and plain.isascii():
        return field_identifier(plain, known)
    return field_identifier(text, known)
