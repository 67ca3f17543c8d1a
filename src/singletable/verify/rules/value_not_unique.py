"""ST137: an index finds one item by a value, such as an email address, but nothing keeps the value unique."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import words_of
from singletable.model.keys import Placement
from singletable.model.table_schema import TABLE
from singletable.planner.key_source import quoted
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, entity_place
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST137", "value not unique", "warning")
_LOGINS = frozenset({"username", "login", "handle", "nickname", "slug"})
"""Last words of fields that select one item, whatever the entity is."""
_CONTACTS = frozenset({"email", "phone"})
"""Last words of fields that select one item if the entity is a person or an account."""
_PEOPLE = frozenset(
    {"user", "account", "customer", "member", "player", "profile", "person", "employee", "driver", "patient", "admin"}
    | {"student", "teacher", "author", "subscriber", "merchant", "seller", "buyer", "guest", "staff", "agent"}
)


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find index keys that contain only an email address, a user name or a similar value, without `unique=`."""
    for entity in planned.design.entities:
        reported: set[str] = set()
        for alias, placement in entity.placements.items():
            name = None if alias == TABLE or placement.index.is_inverse else _only_field(placement)
            if name is None or name in reported or not _selects_one(entity, name) or _is_kept_unique(entity, name):
                continue
            reported.add(name)
            key = " and ".join(f'{part.attribute} = "{part}"' for part in placement.partition)
            message = (
                f"{placement.index.display_name} finds an item by {name} ({key}), but nothing keeps {name} unique: "
                f"two writes can store two items with the same {name}"
            )
            yield entity_finding(RULE, entity, message, _remedy(entity, name))


def _only_field(placement: Placement) -> str | None:
    """Return the field that alone determines the key, so that the index is for reads of one item."""
    if any(part.exact_fields != part.fields for part in placement.parts):
        return None  # a first letter or another derived value selects several items
    names = {name for part in placement.parts for name in part.fields}
    return names.pop() if len(names) == 1 else None


def _selects_one(entity: Entity, name: str) -> bool:
    last = [word for word in words_of(name) if not word.isdigit() and word not in ("address", "number")][-1:]
    people = _PEOPLE.intersection(word.removesuffix("s") for word in words_of(entity.label))
    return bool(_LOGINS.intersection(last)) or (bool(_CONTACTS.intersection(last)) and bool(people))


def _is_kept_unique(entity: Entity, name: str) -> bool:
    in_key = {each for part in entity.base.parts for each in part.fields}
    return in_key == {name} or any(set(fields) <= {name} for fields in entity.declaration.unique)


def _remedy(entity: Entity, name: str) -> Remedy:
    if entity.declaration.unique:
        return Remedy(f"Add {quoted(name)} to unique= in @entity of {entity.label}.")
    effect = f"Each write of an item then also writes a marker of its {name}, in one transaction."
    edit = SetKeyword(entity_place(entity), "unique", f"[{quoted(name)}]")
    return Remedy("", (Alternative((edit,), effect, needs_decision=True),))
