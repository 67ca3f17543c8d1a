"""ST135: items that are needed only for a short time, such as sessions, never expire."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding
from singletable.verify.rules.growing_partition import expires

RULE = Rule("ST135", "items never expire", "warning")
_SHORT_LIVED = frozenset({"token", "otp", "nonce", "captcha", "lock", "lease", "verification"})
_PEOPLE = frozenset({"user", "customer", "account", "member", "player", "ip", "token"})


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find sessions, tokens and locks without a TTL."""
    for entity in planned.design.entities:
        if _is_short_lived(entity) and not expires(planned.design, entity):
            message = "has no TTL, so its items stay in the table and cost storage after they are of no use"
            remedy = 'Add a field with the expiry time in seconds since 1970, and declare ttl="FIELD".'
            yield entity_finding(RULE, entity, message, remedy)


def _is_short_lived(entity: Entity) -> bool:
    last = words_of(entity.label)[-1:]
    if last == ("session",):  # also a talk at a conference, or a lesson
        return any(_PEOPLE.intersection(words_of(name)) for name in entity.fields)
    return bool(_SHORT_LIVED.intersection(last))
