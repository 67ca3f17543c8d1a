"""The accesses of a request: actions, resources, and the condition values that policies can test."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from singletable.engine.access.condition_keys import (
    ATTRIBUTES,
    ENCLOSING_OPERATION,
    FULL_TABLE_SCAN,
    LEADING_KEYS,
    PARTITION_KEY_VALUES,
    RETURN_CONSUMED_CAPACITY,
    RETURN_VALUES,
    SELECT,
)
from singletable.engine.access.permission_names import PREFIX
from singletable.engine.access.policy_pattern import Values
from singletable.engine.tables.stored_table import Item
from singletable.engine.tables.table_definition import KeyElement
from singletable.values.scalars import binary_bytes

NOTHING: Values = {}


def no_facts() -> Values:
    """Return no condition values, for a request on a whole table."""
    return NOTHING


@dataclass(frozen=True)
class RequestedAccess:
    """One action on one resource. `facts` validates the request and returns the values of its condition keys."""

    action: str
    resource: str
    facts: Callable[[], Values] = no_facts

    @classmethod
    def of(cls, permission: str, resource: str, facts: Callable[[], Values] = no_facts) -> RequestedAccess:
        """Return the access for a permission of DynamoDB, such as `GetItem`."""
        return cls(PREFIX + permission, resource, facts)


PartitionValues = tuple[str, ...]
"""The values of the partition key attributes. A global index can have up to four."""


def partition_values(attributes: Iterable[KeyElement], item: Item) -> PartitionValues:
    """Return the partition key of a valid item or key as text.

    Numbers have their canonical form and binary values canonical base64. So a request cannot use another spelling of a
    value to avoid a policy.
    """
    return tuple(value_text(each.kind, item[each.name][each.kind]) for each in attributes)


def value_text(kind: str, value: str) -> str:
    """Return a key value as the text with which policies compare it."""
    return b64encode(binary_bytes(value)).decode() if kind == "B" else value


def facts(
    *,
    partitions: Iterable[PartitionValues] = (),
    attributes: Iterable[str] = (),
    select: str | None = None,
    return_values: str | None = None,
    capacity: str | None = None,
    enclosing: str | None = None,
    full_scan: bool | None = None,
) -> Values:
    """Return the values of the condition keys. A key without a value is absent.

    LeadingKeys has the first attribute of a partition key. The other attributes of a multi-attribute key have their own
    condition keys (Service Authorization Reference, "Condition keys for Amazon DynamoDB").
    """
    several = list(dict.fromkeys(partitions))
    found: dict[str, tuple[str, ...]] = {LEADING_KEYS: tuple(dict.fromkeys(each[0] for each in several))}
    for number, key in enumerate(PARTITION_KEY_VALUES):
        found[key] = tuple(dict.fromkeys(each[number] for each in several if len(each) > number))
    found[ATTRIBUTES] = tuple(sorted(set(attributes)))
    single = {
        SELECT: select,
        RETURN_VALUES: return_values,
        RETURN_CONSUMED_CAPACITY: capacity,
        ENCLOSING_OPERATION: enclosing,
        FULL_TABLE_SCAN: None if full_scan is None else str(full_scan).lower(),
    }
    found |= {key: (value,) for key, value in single.items() if value is not None}
    return {key: values for key, values in found.items() if values}
