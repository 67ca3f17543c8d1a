"""Types that must not be stored, such as secrets, and types that do not accept their own values when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from singletable.lazy_dataclass import dataclass
from singletable.model.fields import NotAnEntityClass, fields_of, hints_of, name_of, strip
from singletable.model.type_codecs import TypeCodecs


@dataclass(frozen=True)
class Unstorable:
    """Why a type must not be stored, and what to do instead."""

    reason: str
    remedy: str


_SECRET = Unstorable(
    "a secret would be stored in plain text, where every reader of the table, its backups and exports sees it",
    "Store a hash, or the name of a secret in a secrets manager. To store it encrypted, declare a codec: "
    "codec({name}, to=encrypt, of=decrypt). To store it in plain text, declare the field as {plain}.",
)
_BY_NAME: Mapping[str, Unstorable] = {
    "SecretStr": _SECRET,
    "SecretBytes": _SECRET,
    "Secret": _SECRET,
    "NaiveDatetime": Unstorable(
        "datetimes are stored in UTC, and a datetime without a time zone has no UTC time", "Use AwareDatetime."
    ),
    "Json": Unstorable(
        "pydantic parses JSON text into this field, and rejects the parsed value when the item is read",
        "Declare the type of the parsed value, such as list[int], and parse the text before you create the object.",
    ),
    "PathType": Unstorable(
        "pydantic checks that the path exists whenever an item is read, and another machine may lack it",
        "Use pathlib.Path.",
    ),
    "EncodedStr": Unstorable(
        "pydantic decodes the text again whenever an item is read", "Declare the field as str, and decode it yourself."
    ),
    "EncodedBytes": Unstorable(
        "pydantic decodes the bytes again whenever an item is read",
        "Declare the field as bytes, which DynamoDB stores without base64 text.",
    ),
}
"""The types of pydantic, and the classes of its annotations, by name."""
_PLAIN = {"SecretStr": "str", "SecretBytes": "bytes"}


def unstorable_types(cls: type, codecs: TypeCodecs) -> Iterator[tuple[str, Unstorable]]:
    """Yield each field of a class whose type must not be stored, and the reason; nested classes included."""
    yield from _of_class(cls, codecs, set(), "")


def _of_class(cls: type, codecs: TypeCodecs, seen: set[Any], prefix: str) -> Iterator[tuple[str, Unstorable]]:
    try:
        hints = hints_of(cls)
        fields = fields_of(cls, hints)
    except (NotAnEntityClass, NameError, TypeError):  # not a class with fields, or not yet complete
        return
    seen.add(cls)
    infos: Mapping[str, Any] = getattr(cls, "model_fields", {})
    for name in fields:
        marks = getattr(infos.get(name), "metadata", ())  # pydantic moves annotations from the type to the field
        yield from _of_type(hints[name], tuple(marks), codecs, seen, prefix + name)


def _of_type(
    annotation: Any, marks: tuple[Any, ...], codecs: TypeCodecs, seen: set[Any], path: str
) -> Iterator[tuple[str, Unstorable]]:
    if get_origin(annotation) is Annotated:
        annotation, *others = get_args(annotation)
        marks = (*marks, *others)
    for each in (annotation, get_origin(annotation), *marks):
        found = _known(each)
        if found is not None and codecs.of_type(annotation) not in codecs.declared:
            name = name_of(annotation) if each is annotation or each is get_origin(annotation) else _name(each)
            plain = _PLAIN.get(name, "the type of its value")
            yield path, Unstorable(f"{name}: {found.reason}", found.remedy.format(name=name, plain=plain))
            return
    if codecs.of_type(annotation) is not None:
        return
    for inner in get_args(annotation):
        yield from _of_type(inner, (), codecs, seen, path)
    declared = strip(annotation)[0]
    is_built_in = getattr(declared, "__module__", "") in ("builtins", "datetime", "decimal", "uuid")
    if isinstance(declared, type) and not is_built_in and declared not in seen and not get_args(declared):
        yield from _of_class(declared, codecs, seen, f"{path}.")


def _known(value: Any) -> Unstorable | None:
    module = value.__module__ if isinstance(value, type) else type(value).__module__
    return _BY_NAME.get(_name(value)) if module == "pydantic.types" else None


def _name(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__
