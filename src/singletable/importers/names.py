"""Python names from text in any script. They do not collide with the names that a model imports."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable

from singletable.importers.vocabulary import BUILT_IN, INTENTS, OURS, STANDARD

TABLE_NAME_MIN, TABLE_NAME_MAX = 3, 255
_TABLE_METHODS = frozenset(
    (
        *("aio", "all", "batch", "close", "count", "delete_many", "design", "edit", "get_many", "metrics", "move"),
        *("name", "open", "put_many", "scan", "transaction", "upsert", "using", "mro", "move_subtree"),
        *("delete_collection", "create_many", "update_many", "open_async", "arrow", "sql"),
    )
)
_ENTITY_KEYWORDS = frozenset(
    (
        *("key", "name", "attributes", "derived", "identity", "schema_version", "version", "ttl", "copies", "counted"),
        *("unique", "mirror_of", "expected_bytes", "expected_items", "expected_per_partition"),
        *("cardinality", "codecs", "references", "access", "accept", "renamed_from", "split_from", "merged_from"),
    )
)
_IN_CONDITIONS = ("begins_with", "contains", "exists", "field", "not_", "one_of", "present")
_IMPORTED = frozenset((*STANDARD, *BUILT_IN, "None", "self", "cls", "Table", "pattern"))
_OWN_CLASSES = frozenset(name for name in OURS if name[0].isupper())
_OWN_WORDS = frozenset(name for name in OURS if name[0].islower())
# A field with such a name would hide a type. A parameter would hide a function that the body of a pattern calls.
_NOT_FIELDS = frozenset((*BUILT_IN, *INTENTS, *_IN_CONDITIONS, "self", "limit", "cursor"))


def is_name(text: str) -> bool:
    """Return whether the text is a Python name in the form in which Python compares names."""
    plain = unicodedata.normalize("NFKC", text)
    return plain == text and text.isidentifier() and not keyword.iskeyword(text) and not text.startswith("__")


def is_free(name: str, taken: Iterable[str]) -> bool:
    """Return whether a class can have this name: it is valid, not taken, and not imported by the model."""
    return is_name(name) and name not in {*taken, *_IMPORTED, *_OWN_CLASSES}


def class_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return a class name: `user-address` becomes `UserAddress`. A number is added if the name is taken.

    A name in a script without capital letters starts with `Item`, because a lower-case name could hide a field.
    """
    words = [_capitalized(word) for word in name_words(unicodedata.normalize("NFKC", text))]
    name = unicodedata.normalize("NFKC", "".join(words)) or "Item"
    name = name if name[0].isupper() else unicodedata.normalize("NFKC", f"Item{name}")
    name = name if name.isidentifier() else "Item"
    return _free(name, "", {*taken, *keyword.kwlist, *_IMPORTED, *_OWN_CLASSES})


def field_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return a field name: `createdAt` becomes `created_at`. An underscore is added to a name that the model needs."""
    name = _snake(text)
    if keyword.iskeyword(name) or name in _NOT_FIELDS:
        name = f"{name}_"
    return _free(name, "_", set(taken))


def pattern_name(text: str, taken: Iterable[str] = ()) -> str:
    """Return the name of a pattern. `_pattern` is added if every table has a method with this name."""
    name = _snake(text)
    is_reserved = name in _TABLE_METHODS or name in _IMPORTED or name in _OWN_WORDS or keyword.iskeyword(name)
    return _free(f"{name}_pattern" if is_reserved else name, "_", set(taken))


def index_alias(text: str, taken: Iterable[str]) -> str:
    """Return the keyword of an index: `gsi1` for GSI1, otherwise its name in snake case."""
    plain, known = text.lower(), {*taken, *_ENTITY_KEYWORDS}
    is_plain = plain.isidentifier() and plain.isascii() and plain.upper() == text
    name = plain if is_plain else _snake(text)
    return _free(f"{name}_" if keyword.iskeyword(name) else name, "_", known)


def table_name(text: str) -> str:
    """Return a valid name of a DynamoDB table: 3 to 255 ASCII letters, digits, `_`, `-` and `.`."""
    decomposed = unicodedata.normalize("NFKD", text).replace("ß", "ss")
    plain = "".join(each for each in decomposed if each.isascii() and (each.isalnum() or each in "_-."))
    return plain[:TABLE_NAME_MAX] if len(plain) >= TABLE_NAME_MIN else f"{plain}Table"


def variable_name(class_name: str, ending: str = "") -> str:
    """Return the name of a variable of a class: `order_item` for OrderItem, `class_` for Class."""
    return field_name(re.sub(r"(?<!^)(?=[A-Z])", "_", class_name) + ending)


def singular(word: str) -> str:
    """Return the singular of an English noun."""
    if word.lower() != word and word.upper() == word:
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is", "news", "series")) else word


def name_words(text: str) -> list[str]:
    """Split a text or a name such as `createdAt` into words. Omit characters that a Python name cannot contain."""
    words: list[str] = []
    before = ""
    for place, each in enumerate(text):
        if each == "_" or not f"a{each}".isidentifier():
            before = ""
            continue
        follows = text[place + 1 : place + 2]
        is_new = each.isupper() and (not before.isupper() or follows.islower()) if before else True
        if is_new:
            words.append(each)
        else:
            words[-1] += each
        before = each
    return words


def _snake(text: str) -> str:
    words = name_words(unicodedata.normalize("NFKC", text))
    name = unicodedata.normalize("NFKC", "_".join(word.lower() for word in words)) or "value"
    name = name if name[0].isidentifier() and name[0] != "_" else f"value_{name}"
    return name if name.isidentifier() else "value"


def _capitalized(word: str) -> str:
    return word[:1].upper() + (word[1:].lower() if word.isupper() else word[1:])


def _free(name: str, before_number: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{before_number}{number}", number + 1
    return found
