"""Types that requests and results share; msgspec checks their constraints while it decodes a request."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN


class Shape(msgspec.Struct, kw_only=True, rename="pascal", frozen=True):
    """A structure in a request; its fields are in the order in which DynamoDB reports errors."""


class Result(msgspec.Struct, kw_only=True, rename="pascal", omit_defaults=True, frozen=True):
    """The result of an action; the JSON omits fields that are not set."""


NAME_REGEX = f"^{NAME_PATTERN}$"
REPORTED_PATTERN = "reported pattern"  # shown in errors if matching the service's own pattern is too slow

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

# The data plane accepts a name of any length; only the control plane requires the minimum length.
TableName = Annotated[str, Meta(min_length=1, max_length=NAME_CHARACTERS_MAX, pattern=NAME_REGEX)]
NewTableName = Annotated[str, Meta(min_length=NAME_CHARACTERS_MIN, max_length=NAME_CHARACTERS_MAX, pattern=NAME_REGEX)]
IndexName = NewTableName
Names = dict[str, str]
AttributeNames = Annotated[list[str], Meta(min_length=1, max_length=255)]

ReturnConsumedCapacity = Literal["INDEXES", "TOTAL", "NONE"]
ReturnItemCollectionMetrics = Literal["SIZE", "NONE"]
ReturnValues = Literal["ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"]
ReturnValuesOnFailure = Literal["ALL_OLD", "NONE"]
Select = Literal["SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]
ComparisonOperator = Literal[
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
]
ConditionalOperator = Literal["OR", "AND"]


class ExpectedAttributeValue(Shape, kw_only=True, frozen=True):
    """A condition in the legacy API, before expressions."""

    attribute_value_list: list[AttributeValue] | None = None
    comparison_operator: ComparisonOperator | None = None
    exists: bool | None = None
    value: AttributeValue | None = None


class Condition(Shape, kw_only=True, frozen=True):
    """A key condition or filter in the legacy API, before expressions."""

    attribute_value_list: list[AttributeValue] | None = None
    comparison_operator: ComparisonOperator


class AttributeValueUpdate(Shape, kw_only=True, frozen=True):
    """A change in the legacy API, before expressions."""

    value: AttributeValue | None = None
    action: Literal["ADD", "PUT", "DELETE"] | None = None
