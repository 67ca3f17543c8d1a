"""Export least-privilege IAM policies for an application, an entity, a pattern or a tenant."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from singletable.errors import ExportRefused
from singletable.export.exported_table import ExportedTable
from singletable.export.iam_permissions import (
    Permission,
    entities_sharing,
    leading_keys,
    pattern_permissions,
    read_permissions,
    tenant_pattern,
    token_marker_permissions,
    write_permissions,
)
from singletable.export.source_text import pascal_case, unique_names
from singletable.model.reserved_place import NO_PLACE, ReservedPlace, reserved_place
from singletable.model.table_schema import CONSOLIDATION, DESIGN, STATE, STREAM_STATE, TOKEN_PREFIX, Index

Scope = Literal["application", "entity", "pattern"]
SCOPES: tuple[Scope, ...] = ("application", "entity", "pattern")
_CHARACTERS_MAX = 6144
_NAME_CHARACTERS_MAX = 128
_STATE_ACTIONS = ("DeleteItem", "GetItem", "PutItem", "UpdateItem")
"""The actions that a client needs on two kinds of items in a control table: idempotency tokens and stream positions."""


@dataclass(frozen=True)
class AwsScope:
    """The AWS partition, region and account of the tables."""

    partition: str = "aws"
    region: str = "*"
    account: str = "*"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"aws[a-z-]*", self.partition):
            raise ExportRefused(f"invalid AWS partition {self.partition!r}; use aws or aws-cn, for example")
        if not re.fullmatch(r"\*|[a-z]{2}[a-z0-9-]+", self.region):
            raise ExportRefused(f"invalid region {self.region!r}; use eu-central-1, for example")
        if not re.fullmatch(r"\*|\d{12}", self.account):
            raise ExportRefused(f"invalid account {self.account!r}; an account ID has twelve digits")

    def arn(self, table: str, index: Index) -> str:
        """Return the ARN of a table or an index."""
        arn = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{table}"
        return arn if index.is_table else f"{arn}/index/{index.name}"


Keys = Callable[[Permission], str | None]
"""A function that returns the LeadingKeys pattern of a permission, or None for no restriction."""


@dataclass(frozen=True)
class Policy:
    """A policy with its name, description and notes."""

    name: str
    description: str
    statements: Sequence[dict[str, Any]]
    notes: tuple[str, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The policy document for IAM."""
        return {"Version": "2012-10-17", "Statement": list(self.statements)}

    @property
    def entry(self) -> dict[str, Any]:
        """The policy as an entry of the exported file."""
        notes = {"Notes": list(self.notes)} if self.notes else {}
        return {"PolicyName": self.name, "Description": self.description, **notes, "PolicyDocument": self.document}


def policies_of(table: ExportedTable, scope: Scope, place: AwsScope) -> tuple[Policy, ...]:
    """Return the policies of a table: for the whole application, per entity, or per pattern."""
    policies = {"application": _of_application, "entity": _of_entities, "pattern": _of_patterns}[scope](table, place)
    return tuple(checked_size(policy) for policy in policies)


def to_iam(policies: Sequence[Policy]) -> str:
    """Return all policies as one JSON document."""
    return json.dumps({"Policies": [policy.entry for policy in policies]}, indent=2, ensure_ascii=False) + "\n"


def _of_application(table: ExportedTable, place: AwsScope) -> Iterator[Policy]:
    design = table.design
    reads = [each for entity in design.entities for each in read_permissions(design, entity)]
    writes = [each for entity in design.entities for each in write_permissions(design, entity)]
    head, nothing = pascal_case(table.name), lambda permission: None
    read = f"Read {table.name} by key and by its patterns; no table scans."
    yield Policy(f"{head}ReadOnly", read, statements(table, reads, place, nothing))
    both = f"Read and write {table.name} by key, by its patterns, in batches and in transactions; no table scans."
    reserved = [(_STATE_ACTIONS, (f"{TOKEN_PREFIX}*", f"{STREAM_STATE}*"))]
    written = statements(table, [*reads, *writes], place, nothing, on_control_table=reserved)
    yield Policy(f"{head}ReadWrite", both, written)


def _of_entities(table: ExportedTable, place: AwsScope) -> Iterator[Policy]:
    design, head = table.design, pascal_case(table.name)
    names = unique_names([entity.label for entity in design.entities], lambda label: f"{head}{pascal_case(label)}")
    for entity in design.entities:
        reads, writes = read_permissions(design, entity), write_permissions(design, entity)
        name, notes = names[entity.label], _notes(table, reads)
        yield Policy(
            f"{name}ReadOnly",
            f"Read {entity.label} in {table.name}.",
            _entity_statements(table, reads, place),
            notes,
        )
        if entity.declaration.mirror_of is None:  # a write of the original edge also writes the mirrored edge
            notes = _notes(table, (*reads, *writes))
            both = f"Read and write {entity.label} in {table.name}, with its derived data."
            tokens = (("PutItem",), (f"{TOKEN_PREFIX}*",))
            allowed = statements(
                *(table, (*reads, *writes), place, _leading_keys),
                also=() if design.settings.control_table else token_marker_permissions(design),
                on_control_table=(tokens,),
            )
            yield Policy(f"{name}ReadWrite", both, allowed, notes)


def _of_patterns(table: ExportedTable, place: AwsScope) -> Iterator[Policy]:
    design, head = table.design, pascal_case(table.name)
    names = unique_names([pattern.name for pattern in design.patterns], lambda name: f"{head}{pascal_case(name)}")
    for pattern in design.patterns:
        permissions = pattern_permissions(design, pattern)
        if permissions:  # a pattern that is not supported needs no permissions
            description = f"{table.name}.{pattern.name}: {pattern.title}"
            yield Policy(
                names[pattern.name],
                description,
                _entity_statements(table, permissions, place),
                _notes(table, permissions),
            )


def _entity_statements(
    table: ExportedTable, permissions: Iterable[Permission], place: AwsScope
) -> list[dict[str, Any]]:
    return statements(table, permissions, place, _leading_keys)


def _leading_keys(permission: Permission) -> str | None:
    return leading_keys(permission.placement).pattern


def statements(
    table: ExportedTable,
    permissions: Iterable[Permission],
    place: AwsScope,
    keys: Keys,
    also: Iterable[tuple[str, str]] = (),
    on_control_table: Iterable[tuple[Sequence[str], Sequence[str]]] = (),
) -> list[dict[str, Any]]:
    """Return policy statements. Actions on the same resource with the same allowed keys share a statement.

    `also` contains further actions on the table, each with a pattern of the allowed partition keys. A client reads the
    design state of the table when it opens the table, and every 30 seconds. During a consolidation it also reads the
    modes.
    `on_control_table` contains actions on the reserved items of the table if it has a control table.
    """
    found: dict[Index, dict[str, set[str | None]]] = defaultdict(lambda: defaultdict(set))
    for permission in permissions:
        found[permission.index][permission.action].add(keys(permission))
    # `open` compares the table with the model. This action reads no item, so partition keys cannot restrict it.
    found[table.design.table]["DescribeTable"].add(None)
    for action, pattern in also:
        found[table.design.table][action].add(pattern)
    written: list[tuple[str, dict[str, Any]]] = []
    for index in sorted(found, key=lambda each: (not each.is_table, each.name)):
        grouped: dict[frozenset[str | None], list[str]] = defaultdict(list)
        for action, patterns in sorted(found[index].items()):
            grouped[frozenset(patterns)].append(f"dynamodb:{action}")
        for number, (allowed_keys, actions) in enumerate(grouped.items(), 1):
            sid = "Table" if index.is_table else f"Index{pascal_case(index.name)}"
            resource = {"Action": actions, "Resource": place.arn(table.name, index)}
            written.append((f"{sid}{f'Part{number}' * (number > 1)}", resource | _condition(allowed_keys)))
    reserved = reserved_place(table.design, table.name)
    is_allowed = any(None in found[index].get("GetItem", ()) for index in found if index.is_table)
    if reserved is not None and (reserved.is_control_table or not is_allowed):
        read = (STATE, f"{DESIGN}#*", f"{CONSOLIDATION}#*")
        written.append(("DesignState", _on_reserved_items(reserved, table, place, ("GetItem",), read)))
    if reserved is not None and reserved.is_control_table:
        written += [("ControlTable", _on_reserved_items(reserved, table, place, *each)) for each in on_control_table]
    sids = unique_names([f"{number} {sid}" for number, (sid, _) in enumerate(written)], lambda name: name.split()[1])
    return [{"Sid": sid, "Effect": "Allow", **each} for sid, (_, each) in zip(sids.values(), written, strict=True)]


def _on_reserved_items(
    reserved: ReservedPlace, table: ExportedTable, place: AwsScope, actions: Sequence[str], texts: Sequence[str]
) -> dict[str, Any]:
    """Return a statement (without its Sid) that allows actions on the reserved items with these partition keys."""
    resource = place.arn(reserved.table, table.design.table)
    allowed = {"Action": [f"dynamodb:{each}" for each in actions], "Resource": resource}
    return allowed | _condition(frozenset(map(reserved.text, texts)))


def _condition(patterns: frozenset[str | None]) -> dict[str, Any]:
    """Return a condition: the request has partition keys, and each of them matches one of the patterns."""
    if None in patterns or "*" in patterns:
        return {}
    allowed = sorted(pattern for pattern in patterns if pattern is not None)
    return {
        "Condition": {
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": allowed},
            # ForAllValues is also true for a request without partition keys.
            "Null": {"dynamodb:LeadingKeys": "false"},
        }
    }


def _notes(table: ExportedTable, permissions: Sequence[Permission]) -> tuple[str, ...]:
    """Return a note for each entity whose policy also allows items of other entities."""
    notes: list[str] = []
    requested = {(each.action, each.index.alias, each.entity.cls) for each in permissions}
    for each in permissions:
        entity, index, keys = each.entity, each.index, leading_keys(each.placement)
        if each.placement in entity.uniques:
            continue
        if not keys.restricts:
            why = (
                "has no literal prefix" if keys.pattern else "is not a single string, although LeadingKeys requires one"
            )
            notes.append(
                f"{entity.label} in {index.display_name}: the partition key {why}, so the policy allows every item."
            )
        else:
            others = [
                other
                for other in entities_sharing(table.design, entity, index)
                if (each.action, index.alias, other.cls) not in requested
            ]
            if not others:
                continue
            names = ", ".join(other.label for other in others)
            what = f"{keys.pattern} also matches the partitions of {names}, which LeadingKeys cannot distinguish"
            notes.append(f"{entity.label} in {index.display_name}: {what}.")
    return tuple(dict.fromkeys(notes))


def allow_shadow_reads(policy: Policy, table: ExportedTable, place: AwsScope) -> Policy:
    """Return a policy that also lets a process store the modes and the statistics of shadow reads."""
    reserved = reserved_place(table.design, table.name)
    if reserved is None:
        raise ExportRefused(f"{table.name}: its keys are not strings, so it cannot store the modes; {NO_PLACE}")
    actions = ("GetItem", "PutItem", "UpdateItem")
    statement = _on_reserved_items(reserved, table, place, actions, (f"{CONSOLIDATION}#*",))
    allowed = (*policy.statements, {"Sid": "ShadowReads", "Effect": "Allow"} | statement)
    return checked_size(Policy(policy.name, policy.description, allowed, policy.notes))


def checked_size(policy: Policy) -> Policy:
    """Return the policy. If it is too long for a managed policy, add a note."""
    if len(policy.name) > _NAME_CHARACTERS_MAX:
        raise ExportRefused(f"the policy name {policy.name} is longer than {_NAME_CHARACTERS_MAX} characters")
    size = len(json.dumps(policy.document, separators=(",", ":"), ensure_ascii=False))
    if size <= _CHARACTERS_MAX:
        return policy
    note = (
        f"The policy has {size} characters, but the limit of a managed policy is {_CHARACTERS_MAX}: split the policy, "
        "or attach it inline."
    )
    return Policy(policy.name, policy.description, policy.statements, (*policy.notes, note))


# The punctuation that a tag value may contain.
_TAG_MARKS = "_.:/=+-@"


def tenant_policies(table: ExportedTable, field: str, tag: str, place: AwsScope) -> tuple[Policy, ...]:
    """Return policies for the data of the caller's tenant: one to read it, and one to read and write it.

    Raise ExportRefused if the keys cannot separate tenants.
    """
    if not re.fullmatch(r"[\w+=.@:/-]{1,128}", tag, re.ASCII):
        raise ExportRefused(f"invalid principal tag key {tag!r}; use 1 to 128 letters, digits and _ + = . @ : / -")
    design, variable = table.design, f"${{aws:PrincipalTag/{tag}}}"
    reads = [each for entity in design.entities for each in read_permissions(design, entity)]
    writes = [each for entity in design.entities for each in write_permissions(design, entity)]
    problems = list(dict.fromkeys(_problems([*reads, *writes], field)))
    if problems:
        shown = "\n  ".join(problems)
        example = design.settings.delimiter.join(("TENANT", f"{{{field}}}"))
        raise ExportRefused(
            f"{table.name}: LeadingKeys cannot separate tenants by {field!r}:\n  {shown}\n"
            f'Start these partition keys with the tenant, as in "{example}{design.settings.delimiter}...", '
            "or move shared data to a separate table."
        )

    def keys(permission: Permission) -> str | None:
        return tenant_pattern(permission.placement, field, variable)

    head, notes = pascal_case(table.name), tuple(_tenant_notes(table, field, tag))
    read = f"Read the data of one tenant in {table.name}, selected by the principal tag of the caller."
    both = f"Read and write the data of one tenant in {table.name}, selected by the principal tag of the caller."
    return (
        checked_size(Policy(f"{head}TenantReadOnly", read, statements(table, reads, place, keys), notes)),
        checked_size(Policy(f"{head}TenantReadWrite", both, statements(table, [*reads, *writes], place, keys), notes)),
    )


def _problems(permissions: list[Permission], field: str) -> Iterator[str]:
    for each in permissions:
        if tenant_pattern(each.placement, field, "") is not None:
            continue
        entity, key = each.entity, " + ".join(str(part) for part in each.placement.partition)
        what = f"{entity.label} in {each.index.display_name}"
        if each.placement in entity.uniques:
            names = ", ".join(sorted(each.placement.fields))
            yield (
                f"{entity.label}: the unique marker of {names} is in {key!r}, which all tenants share; instead of "
                f"unique=, declare an entity with {names} in its key, and create both objects in one transaction"
            )
        elif field not in entity.fields:
            yield f"{what}: the entity has no field {field!r}"
        else:
            yield f"{what}: the partition key {key!r} does not start with {{{field}}} as a separate segment"


def _tenant_notes(table: ExportedTable, field: str, tag: str) -> Iterator[str]:
    delimiter = table.design.settings.delimiter
    yield f"Set the tag {tag} of the role or session to the value of {field}, encoded as in the keys."
    if table.design.settings.control_table or token_marker_permissions(table.design):
        yield (
            "Transactions with an idempotency token are denied, because the item of a token does not belong to a "
            "tenant."
        )
    if delimiter in _TAG_MARKS:
        yield f"A tag value may contain the key delimiter {delimiter!r}: do not use it in {field}."
