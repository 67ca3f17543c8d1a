"""IAM policies: the least that an application, an entity, a pattern or a tenant needs, by action and partition."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from singletable.errors import ExportRefused
from singletable.export.leading_keys import leading_keys, sharing
from singletable.export.names import pascal_case, told_apart
from singletable.export.permissions import Permission, by_pattern, reading, writing
from singletable.export.table import ExportedTable
from singletable.model.index import Index

Scope = Literal["application", "entity", "pattern"]
SCOPES: tuple[Scope, ...] = ("application", "entity", "pattern")
_CHARACTERS_MAX = 6144
_NAME_CHARACTERS_MAX = 128


@dataclass(frozen=True)
class Place:
    """Where tables are: the parts of an ARN before the table's name."""

    partition: str = "aws"
    region: str = "*"
    account: str = "*"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"aws[a-z-]*", self.partition):
            raise ExportRefused(f"{self.partition!r} is no partition of AWS, such as aws or aws-cn")
        if not re.fullmatch(r"\*|[a-z]{2}[a-z0-9-]+", self.region):
            raise ExportRefused(f"{self.region!r} is no region, such as eu-central-1")
        if not re.fullmatch(r"\*|\d{12}", self.account):
            raise ExportRefused(f"{self.account!r} is no account: it has twelve digits")

    def arn(self, table: str, index: Index) -> str:
        """The name by which a policy speaks of a table or an index."""
        arn = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{table}"
        return arn if index.is_table else f"{arn}/index/{index.name}"


Keys = Callable[[Permission], str | None]
"""The pattern that LeadingKeys is held to for a permission; None when it is held to nothing."""


@dataclass(frozen=True)
class Policy:
    """A policy under its name, with what one has to know of it."""

    name: str
    description: str
    statements: Sequence[dict[str, Any]]
    notes: tuple[str, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The policy as IAM takes it."""
        return {"Version": "2012-10-17", "Statement": list(self.statements)}

    @property
    def entry(self) -> dict[str, Any]:
        """The policy as it stands among others."""
        notes = {"Notes": list(self.notes)} if self.notes else {}
        return {"PolicyName": self.name, "Description": self.description, **notes, "PolicyDocument": self.document}


def policies_of(table: ExportedTable, scope: Scope, place: Place) -> tuple[Policy, ...]:
    """The policies of a table: for the application as a whole, for each entity, or for each pattern."""
    policies = {"application": _of_application, "entity": _of_entities, "pattern": _of_patterns}[scope](table, place)
    return tuple(sized(policy) for policy in policies)


def to_iam(policies: Sequence[Policy]) -> str:
    """All policies as one JSON document."""
    return json.dumps({"Policies": [policy.entry for policy in policies]}, indent=2, ensure_ascii=False) + "\n"


def _of_application(table: ExportedTable, place: Place) -> Iterator[Policy]:
    design = table.design
    reads = [each for entity in design.entities for each in reading(design, entity)]
    writes = [each for entity in design.entities for each in writing(design, entity)]
    head, nothing = pascal_case(table.name), lambda permission: None
    read = f"Reads of {table.name} by key and by its patterns; nothing is scanned."
    yield Policy(f"{head}ReadOnly", read, statements(table, reads, place, nothing))
    both = (
        f"Reads and writes of {table.name}: by key, by its patterns, in batches and transactions; nothing is scanned."
    )
    yield Policy(f"{head}ReadWrite", both, statements(table, [*reads, *writes], place, nothing))


def _of_entities(table: ExportedTable, place: Place) -> Iterator[Policy]:
    design, head = table.design, pascal_case(table.name)
    names = told_apart([entity.label for entity in design.entities], lambda label: f"{head}{pascal_case(label)}")
    for entity in design.entities:
        reads, writes = reading(design, entity), writing(design, entity)
        name, notes = names[entity.label], _notes(table, reads)
        yield Policy(f"{name}ReadOnly", f"Reads of {entity.label} in {table.name}.", _held(table, reads, place), notes)
        if entity.declaration.mirror_of is None:  # a mirror is written with what it mirrors
            notes = _notes(table, (*reads, *writes))
            both = f"Reads and writes of {entity.label} in {table.name}, with what its writes keep right elsewhere."
            yield Policy(f"{name}ReadWrite", both, _held(table, (*reads, *writes), place), notes)


def _of_patterns(table: ExportedTable, place: Place) -> Iterator[Policy]:
    design, head = table.design, pascal_case(table.name)
    names = told_apart([pattern.name for pattern in design.patterns], lambda name: f"{head}{pascal_case(name)}")
    for pattern in design.patterns:
        permissions = by_pattern(design, pattern)
        if permissions:  # a pattern that is refused asks for nothing
            description = f"{table.name}.{pattern.name}: {pattern.title}"
            yield Policy(names[pattern.name], description, _held(table, permissions, place), _notes(table, permissions))


def _held(table: ExportedTable, permissions: Iterable[Permission], place: Place) -> list[dict[str, Any]]:
    return statements(table, permissions, place, lambda each: leading_keys(each.placement).pattern)


def statements(
    table: ExportedTable, permissions: Iterable[Permission], place: Place, keys: Keys
) -> list[dict[str, Any]]:
    """The permissions as few statements: what is allowed on the same keys stands together."""
    found: dict[Index, dict[str, set[str | None]]] = defaultdict(lambda: defaultdict(set))
    for permission in permissions:
        found[permission.index][permission.action].add(keys(permission))
    written: list[tuple[str, dict[str, Any]]] = []
    for index in sorted(found, key=lambda each: (not each.is_table, each.name)):
        together: dict[frozenset[str | None], list[str]] = defaultdict(list)
        for action, patterns in sorted(found[index].items()):
            together[frozenset(patterns)].append(f"dynamodb:{action}")
        for number, (held_to, actions) in enumerate(together.items(), 1):
            said = "Table" if index.is_table else f"Index{pascal_case(index.name)}"
            resource = {"Action": actions, "Resource": place.arn(table.name, index)}
            written.append((f"{said}{f'Part{number}' * (number > 1)}", resource | _condition(held_to)))
    sids = told_apart([f"{number} {said}" for number, (said, _) in enumerate(written)], lambda name: name.split()[1])
    return [{"Sid": sid, "Effect": "Allow", **each} for sid, (_, each) in zip(sids.values(), written, strict=True)]


def _condition(patterns: frozenset[str | None]) -> dict[str, Any]:
    """What the partition keys of a request are held to: every one of them, and there has to be one."""
    if None in patterns or "*" in patterns:
        return {}
    allowed = sorted(pattern for pattern in patterns if pattern is not None)
    return {
        "Condition": {
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": allowed},
            # ForAllValues holds of a request without partition keys too.
            "Null": {"dynamodb:LeadingKeys": "false"},
        }
    }


def _notes(table: ExportedTable, permissions: Sequence[Permission]) -> tuple[str, ...]:
    """Where the conditions of a policy let through more than the entity that it is for."""
    notes: list[str] = []
    asked = {(each.action, each.index.alias, each.entity.cls) for each in permissions}
    for each in permissions:
        entity, index, keys = each.entity, each.index, leading_keys(each.placement)
        if each.placement in entity.uniques:
            continue
        if not keys.restricts:
            why = "begins with no text of its own" if keys.pattern else "is no single text, as LeadingKeys has to be"
            notes.append(f"{entity.label} in {index.spoken}: its partition key {why}, so every item can be reached.")
        else:
            others = [
                other
                for other in sharing(table.design, entity, index)
                if (each.action, index.alias, other.cls) not in asked
            ]
            if not others:
                continue
            names = ", ".join(other.label for other in others)
            what = f"{keys.pattern} are the partitions of {names} too: LeadingKeys cannot tell them apart"
            notes.append(f"{entity.label} in {index.spoken}: {what}.")
    return tuple(dict.fromkeys(notes))


def sized(policy: Policy) -> Policy:
    """The policy, with a note when it is too long to be a managed policy."""
    if len(policy.name) > _NAME_CHARACTERS_MAX:
        raise ExportRefused(f"{policy.name} is too long for a policy: at most {_NAME_CHARACTERS_MAX} characters")
    size = len(json.dumps(policy.document, separators=(",", ":"), ensure_ascii=False))
    if size <= _CHARACTERS_MAX:
        return policy
    note = f"It has {size} characters, and a managed policy at most {_CHARACTERS_MAX}: split it, or attach it inline."
    return Policy(policy.name, policy.description, policy.statements, (*policy.notes, note))
