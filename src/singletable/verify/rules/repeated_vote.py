"""ST144: one person can vote, like or answer twice, because the key does not contain the person."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import is_identifier, words_of
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST144", "person can act twice", "warning")
_ACTS = frozenset(
    {"vote", "upvote", "downvote", "like", "dislike", "rating", "review", "reaction", "follow", "follower", "rsvp"}
    | {"attendance", "attendee", "enrollment", "enrolment", "favorite", "favourite", "bookmark", "answer"}
    | {"membership", "subscription", "registration", "signup"}
)
"""Last words of entities that one person has at most once for each object."""
_PEOPLE = frozenset(
    {"user", "account", "customer", "member", "player", "person", "employee", "student", "author", "voter", "viewer"}
    | {"participant", "reviewer", "attendee", "guest", "patient", "subscriber", "follower", "liker", "rater"}
)


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find votes, likes and similar entities with an id of a person that their key does not contain."""
    for entity in planned.design.entities:
        if not _ACTS.intersection(word.removesuffix("s") for word in words_of(entity.label)[-1:]):
            continue
        in_key = {name for part in entity.base.parts for name in part.fields}
        people = [name for name in entity.fields if _is_person(entity, name)]
        unique = {name for fields in entity.declaration.unique for name in fields}
        if not people or in_key.intersection(people) or unique.intersection(people):
            continue
        shown = ", ".join(f'"{part}"' for part in entity.base.parts)
        message = (
            f"the key {shown} does not contain {format_list(people)}, so nothing prevents a second {entity.label} of "
            "the same person for the same object, and counts of them are too high"
        )
        remedy = f"Put {people[0]} into the sort key instead of the time or the id, or add a unique constraint."
        yield entity_finding(RULE, entity, message, remedy)


def _is_person(entity: Entity, name: str) -> bool:
    words = words_of(name)
    is_named = words[-1:] == ("username",) or (words[-1:] == ("id",) and bool(_PEOPLE.intersection(words[-2:-1])))
    return is_named and (is_identifier(entity.fields[name]) or words[-1] == "username")
