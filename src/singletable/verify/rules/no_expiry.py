"""ST135: items never expire, although they are needed only for a short time, or contain an expiry time."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding
from singletable.verify.rules.growing_partition import expires

RULE = Rule("ST135", "items never expire", "warning")
_SHORT_LIVED = frozenset({"otp", "nonce", "captcha", "lock", "lease", "verification", "invite", "invitation"})
_OF_SIGN_IN = frozenset(
    {"user", "customer", "account", "member", "player", "ip", "token"}
    | {"login", "auth", "oauth", "web", "browser", "phone", "device", "verification", "signup", "attempts"}
)
_TOKENS = frozenset({"access", "refresh", "reset", "csrf", "api", "password", "email", "expires", "expiry", "scope"})
_EXPIRY = frozenset({"expires", "expiry", "expire", "expiration", "ttl"})
_EXPIRY_WORDS = _EXPIRY | {"at", "on", "time", "date", "timestamp", "epoch", "seconds"}
_GENERIC = frozenset({"item", "items", "record", "records", "entity", "data"})
"""Words that an import adds to the name of a table."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find sessions, tokens and locks without a TTL."""
    for entity in planned.design.entities:
        if _is_short_lived(entity) and not expires(planned.design, entity):
            message = "has no TTL, so its items stay in the table and cost storage after they are of no use"
            remedy = 'Add a field with the expiry time in seconds since 1970, and declare ttl="FIELD".'
            yield entity_finding(RULE, entity, message, remedy)
        elif (name := _expiry_field(entity)) is not None and not expires(planned.design, entity):
            message = f"{name} is an expiry time, but no TTL is declared, so DynamoDB never deletes the items"
            remedy = f'Declare ttl="{name}" in @entity of {entity.label}, as an int with seconds since 1970.'
            yield entity_finding(RULE, entity, message, remedy)


def _expiry_field(entity: Entity) -> str | None:
    """Return a field with the time at which an item expires, as a number."""
    for field in entity.fields.values():
        words = words_of(field.name)
        if field.type in (int, Decimal) and _EXPIRY.intersection(words) and _EXPIRY_WORDS.issuperset(words):
            return field.name
    return None


def _is_short_lived(entity: Entity) -> bool:
    words = [word.removesuffix("s") for word in words_of(entity.label) if word not in _GENERIC]
    if words[-1:] == ["session"]:  # also a talk at a conference, or a lesson
        names = [words, *map(words_of, entity.fields)]
        return any(_OF_SIGN_IN.intersection(name) for name in names)
    if words[-1:] == ["token"]:  # also a coin
        names = [words[:-1], *map(words_of, entity.fields)]
        return any((_OF_SIGN_IN | _TOKENS).difference(("token",)).intersection(name) for name in names)
    return bool(_SHORT_LIVED.intersection(words[-1:]))
