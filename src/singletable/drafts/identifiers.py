"""Names in Python out of text in any script: letters that Python takes in names stay, in the form that it compares."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from singletable.drafts.draft import class_name, field_name

FORM: Final = "NFKC"
"""The form in which Python compares names, so that what is written in a file is what `getattr` finds."""
TABLE_NAME_MIN, TABLE_NAME_MAX = 3, 255


def class_identifier(text: str, taken: Iterable[str] = ()) -> str:
    """A class's name: `größe-klasse` becomes `GrößeKlasse`; where letters have no capitals, `Thing` stands before them.

    A class is told from a field by its capital, and a field of the same name would hide it.
    """
    plain = unicodedata.normalize(FORM, text)
    words = [_capital(word) for word in name_words(plain)]
    name = unicodedata.normalize(FORM, "".join(words))
    if name.isascii():
        return class_name(plain, taken)
    name = name if name[0].isupper() else unicodedata.normalize(FORM, f"Thing{name}")
    return _free(name, "", set(taken)) if name.isidentifier() else class_name(text, taken)


def field_identifier(text: str, taken: Iterable[str] = ()) -> str:
    """A field's or a function's name: `Größe der Kiste` becomes `größe_der_kiste`."""
    plain = unicodedata.normalize(FORM, text)
    name = unicodedata.normalize(FORM, "_".join(word.lower() for word in name_words(plain)))
    if name.isascii():
        return field_name(plain, taken)
    name = name if name[0].isidentifier() else unicodedata.normalize(FORM, f"value_{name}")
    return _free(name, "_", set(taken)) if name.isidentifier() else field_name(text, taken)


def table_identifier(text: str) -> str:
    """A table's name that DynamoDB takes: 3 to 255 letters, digits, `_`, `-` and `.` of ASCII; accents are left out."""
    apart = unicodedata.normalize("NFKD", text).replace("ß", "ss")
    plain = "".join(each for each in apart if each.isascii() and (each.isalnum() or each in "_-."))
    return plain[:TABLE_NAME_MAX] if len(plain) >= TABLE_NAME_MIN else f"{plain}Table"


def name_words(text: str) -> list[str]:
    """The words of a text, and of a name such as `createdAt`, in letters and digits that may stand in a name."""
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


def _capital(word: str) -> str:
    return word[:1].upper() + (word[1:].lower() if word.isupper() else word[1:])


def _free(name: str, before_number: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}{before_number}{number}", number + 1
    return found
