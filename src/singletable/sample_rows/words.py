"""Words that read well in a sample: a name, a city or a price for a field that is called so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

PEOPLE = ("Ada", "Grace", "Edsger", "Barbara", "Alan", "Radia")
_THINGS = ("Lamp", "Desk", "Chair", "Shelf", "Clock", "Vase")

# Whose name is a person's, and what is called by the name of a thing.
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
    """The text of a field in the row of this number, from 0 on; None where any would do. `owner` is its entity."""
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
    """The number of a field in the row of this number: a price for a price, and one, two, three otherwise."""
    known = _FIGURES.get(field) or _FIGURES.get(field.rpartition("_")[2])
    return Decimal(number + 1) if known is None else Decimal(known[number % len(known)])


def _name(owner: str, number: int) -> str:
    if owner.rpartition("_")[2] in _PERSONS:
        return _around(PEOPLE, number)
    if owner.rpartition("_")[2] in _GOODS:
        return _around(_THINGS, number)
    return f"{owner.replace('_', ' ').capitalize()} {number + 1}"


def _around(words: Sequence[str], number: int) -> str:
    """A word of the list; from its second round on with a number, so that no two rows have the same."""
    rounds, place = divmod(number, len(words))
    return words[place] + (str(rounds + 1) if rounds else "")
