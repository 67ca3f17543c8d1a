"""Readable, deterministic sample values for a field, chosen by its name and type."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from singletable.model.entity import Entity
from singletable.model.fields import NotAnEntityClass, fields_of
from singletable.model.type_codecs import BUILT_IN, TypeCodec, TypeCodecs

_FIRST = datetime(2026, 1, 12, 9, 30, tzinfo=UTC)
_APART = timedelta(days=3, hours=1, minutes=20)  # the time between two rows of an entity
_BETWEEN_ENTITIES = timedelta(days=14)
_EXPIRES_AFTER = timedelta(days=365)
_PATH = ("acme", "engineering", "web", "forms", "fields")
_DEPTH_MAX = 4  # nested classes can refer to themselves


@dataclass(frozen=True)
class SampleField:
    """The description of a field: its entity, its name, the prefix of its ids, and the time of the first row."""

    owner: str
    """The entity in snake case: `order_item`."""
    field: str
    initials: str
    starts_at: datetime = _FIRST


def starting_at(place: int) -> datetime:
    """Return the time of the first row of the entity at this position in the model."""
    return _FIRST + place * _BETWEEN_ENTITIES


def snake(label: str) -> str:
    """Return a class name in snake case: `order_item` for OrderItem, `customer` for CustomerByHash."""
    small = "".join(f"_{each.lower()}" if each.isupper() else each for each in label).lstrip("_")
    return small.partition("_by_")[0]


def initials_of(word: str) -> str:
    """Return the initials of a name: `oi` for `order_item`."""
    return "".join(part[0] for part in word.split("_") if part) or "x"


def expiry_of(kind: Any, target: SampleField, number: int) -> Any:
    """Return the expiry time of a row in the type of the field."""
    moment = target.starts_at + number * _APART + _EXPIRES_AFTER
    return moment if kind is datetime else int(moment.timestamp())


def value_of(kind: Any, target: SampleField, number: int, depth: int = 0, codecs: TypeCodecs = BUILT_IN) -> Any:
    """Return the sample value of a field in row `number`, counted from 0."""
    if kind not in _PLAIN and (codec := codecs.of_type(kind)) is not None:
        return _coded(codec, target, number, depth, codecs)
    if get_origin(kind) is Literal:
        return get_args(kind)[number % len(get_args(kind))]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        members = list(kind)
        return members[number % len(members)]
    if isinstance(kind, type) and kind in _PLAIN:
        return _PLAIN[kind](target, number)
    if get_origin(kind) in (Union, types.UnionType):
        return value_of(get_args(kind)[0], target, number, depth, codecs)
    if kind == tuple[str, ...]:
        return _PATH[: number % len(_PATH) + 1]
    return _composed(kind, target, number, depth, codecs)


def _coded(codec: TypeCodec[Any, Any], target: SampleField, number: int, depth: int, codecs: TypeCodecs) -> Any:
    """Return a sample value of a type that has a type codec. Try several stored values until the codec accepts one."""
    stored = value_of(codec.stored, target, number, depth, codecs)
    for candidate in (stored, *(text.format(number + 1) for text in _FORMATTED if codec.stored is str)):
        try:
            value = codec.of(candidate)
            codec.stored_form(value)
        except Exception:  # noqa: S112  # a codec is code of the user; the next candidate may be valid
            continue
        return value
    return stored


_FORMATTED = (
    "https://example.com/{}",
    "10.0.0.{}",
    "2001:db8::{}",
    "10.{}.0.0/16",
    "2001:db8:{}::/48",
    "postgres://db{}.example.com/app",
    "redis://db{}.example.com/0",
    "Europe/Berlin",
)
"""Texts of the common formats: URLs, IP addresses and networks, DSNs and time zones."""


def _composed(kind: Any, target: SampleField, number: int, depth: int, codecs: TypeCodecs) -> Any:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in (list, set, frozenset, tuple):
        inner = [each for each in arguments if each is not ...] or [str]
        many = inner if origin is tuple and ... not in arguments else inner[:1] * 2
        return origin([value_of(each, target, number + place, depth + 1, codecs) for place, each in enumerate(many)])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        kinds = arguments or (str, str)
        return {"first": value_of(kinds[-1], target, number, depth + 1, codecs)}
    try:
        fields = fields_of(origin) if depth < _DEPTH_MAX and isinstance(origin, type) else {}
    except (NotAnEntityClass, TypeError, NameError):
        return _text(target, number)
    return {
        name: value_of(
            field.type, SampleField(snake(origin.__name__), name, target.initials), number, depth + 1, codecs
        )
        for name, field in fields.items()
        if not field.optional
    }


def _text(target: SampleField, number: int) -> str:
    if target.field == "id" or target.field.endswith("_id"):
        return f"{target.initials}{number + 1}"
    known = text_for(target.owner, target.field, number)
    return known if known is not None else f"{target.field.replace('_', '-')}-{number + 1}"


def _moment(target: SampleField, number: int) -> datetime:
    return target.starts_at + number * _APART


_PLAIN: Mapping[type, Any] = {
    str: _text,
    int: lambda target, number: int(figure_for(target.field, number)),
    float: lambda target, number: float(figure_for(target.field, number)),
    Decimal: lambda target, number: figure_for(target.field, number),
    bool: lambda target, number: number % 2 == 0,
    bytes: lambda target, number: f"{target.field}-{number + 1}".encode(),
    datetime: _moment,
    date: lambda target, number: _moment(target, number).date(),
    time: lambda target, number: _moment(target, number).time(),
    timedelta: lambda target, number: timedelta(minutes=number + 1),
    UUID: lambda target, number: UUID(int=number + 1),
}


def sample_field(entity: Entity, field: str, place: int) -> SampleField:
    """Return the description of a field that refers to no other entity. `place` is the position of its entity."""
    owner = snake(entity.label)
    named = owner if field == "id" else field.removesuffix("_id")
    return SampleField(owner, field, initials_of(named), starting_at(place))


PEOPLE = ("Ada", "Grace", "Edsger", "Barbara", "Alan", "Radia")
_THINGS = ("Lamp", "Desk", "Chair", "Shelf", "Clock", "Vase")


# Entities whose `name` is the name of a person, and entities whose `name` is the name of a product.
_PERSONS = frozenset(
    [
        "account",
        "author",
        "buyer",
        "contact",
        "customer",
        "driver",
        "employee",
        "guest",
        "member",
        "owner",
        "patient",
        "person",
        "player",
        "seller",
        "student",
        "teacher",
        "user",
        "writer",
    ]
)


_GOODS = frozenset(["article", "asset", "device", "good", "item", "part", "product", "thing"])
_TEXTS: Mapping[str, Sequence[str]] = {
    "abstract": ("What it is about, in a few words.",),
    "address": ("1 Main Street", "2 Mill Lane", "3 Quay Road"),
    "body": ("A few words.", "A few more words."),
    "brand": ("Holt", "Avon", "Granby"),
    "category": ("lighting", "furniture", "textiles"),
    "city": ("Berlin", "Paris", "Rome"),
    "color": ("red", "green", "blue"),
    "colour": ("red", "green", "blue"),
    "comment": ("A few words.", "A few more words."),
    "country": ("DE", "FR", "IT"),
    "currency": ("EUR",),
    "department": ("sales", "research", "support"),
    "description": ("What it is, in a few words.",),
    "kind": ("start", "stop", "alarm"),
    "label": ("home", "work", "holiday"),
    "language": ("de", "fr", "it"),
    "line1": ("1 Main Street", "2 Mill Lane", "3 Quay Road"),
    "message": ("A few words.", "A few more words."),
    "note": ("A few words.", "A few more words."),
    "payment_method": ("card", "invoice", "transfer"),
    "phone": ("+49 30 000001", "+49 30 000002", "+49 30 000003"),
    "plan": ("free", "team", "business"),
    "region": ("eu", "us", "ap"),
    "role": ("owner", "editor", "reader"),
    "series": ("weaving", "engines"),
    "shipping_address": ("1 Main Street, Berlin", "2 Mill Lane, Paris", "3 Quay Road, Rome"),
    "state": ("OPEN", "PAID", "SENT"),
    "status": ("OPEN", "PAID", "SENT"),
    "street": ("1 Main Street", "2 Mill Lane", "3 Quay Road"),
    "summary": ("What it is about, in a few words.",),
    "tag": ("new", "sale", "gift"),
    "text": ("A few words.", "A few more words."),
    "title": ("On Looms", "On Engines", "On Cards", "On Tables", "On Keys", "On Rows"),
    "topic": ("looms", "engines", "cards"),
    "type": ("start", "stop", "alarm"),
    "version": ("v1", "v2", "v3"),
    "zip": ("10115", "75001", "00118"),
}


_FIGURES: Mapping[str, Sequence[str]] = {
    "age": ("36", "41", "29"),
    "amount": ("49.95", "120", "18.25", "72.75"),
    "balance": ("100", "250", "40"),
    "lat": ("52.5201", "52.5203", "48.8566"),
    "latitude": ("52.5201", "52.5203", "48.8566"),
    "lng": ("13.4051", "13.4053", "2.3522"),
    "lon": ("13.4051", "13.4053", "2.3522"),
    "longitude": ("13.4051", "13.4053", "2.3522"),
    "price": ("24.95", "119", "49.75"),
    "quantity": ("1", "2", "1", "3"),
    "rating": ("5", "4", "3"),
    "stars": ("5", "4", "3"),
    "total": ("49.95", "120", "18.25", "72.75"),
    "year": ("2024", "2025", "2026"),
}


def text_for(owner: str, field: str, number: int) -> str | None:
    """Return realistic text for a field of entity `owner` in row `number`, or None if the field name is unknown."""
    word = field.removesuffix("_name") if field.endswith("_name") else owner
    if field in {"name", "full_name", "first_name", "display_name"} or field.endswith("_name"):
        return _name(word, number)
    if field in {"email", "mail", "email_address"}:
        return f"{_around(PEOPLE, number).lower()}@example.com"
    if field in {"handle", "login", "nickname", "username"}:
        return _around(PEOPLE, number).lower()
    known = _TEXTS.get(field) or _TEXTS.get(field.rpartition("_")[2])
    return None if known is None else known[number % len(known)]


def figure_for(field: str, number: int) -> Decimal:
    """Return the value of a numeric field in a row: a typical price for `price`, otherwise 1, 2, 3."""
    known = _FIGURES.get(field) or _FIGURES.get(field.rpartition("_")[2])
    return Decimal(number + 1) if known is None else Decimal(known[number % len(known)])


def _name(owner: str, number: int) -> str:
    if owner.rpartition("_")[2] in _PERSONS:
        return _around(PEOPLE, number)
    if owner.rpartition("_")[2] in _GOODS:
        return _around(_THINGS, number)
    return f"{owner.replace('_', ' ').capitalize()} {number + 1}"


def _around(words: Sequence[str], number: int) -> str:
    """Return the word for a row. After the end of the list, start again and append a number, so that rows differ."""
    rounds, place = divmod(number, len(words))
    return words[place] + (str(rounds + 1) if rounds else "")
