"""Types that requests and results share, and JSON decoders. msgspec checks the constraints while it decodes."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN, NAME_PATTERN


class Shape(msgspec.Struct, kw_only=True, rename="pascal", frozen=True):
    """A structure in a request. DynamoDB reports the errors of its fields in the order of their declaration."""


class Result(msgspec.Struct, kw_only=True, rename="pascal", omit_defaults=True, frozen=True):
    """The result of an action; its JSON omits the fields that are not set."""


NAME_REGEX = f"^{NAME_PATTERN}$"
# A key in `Meta.extra`, for the pattern that error messages show. A type has this key if DynamoDB's own pattern is too
# slow to match. In this case, `Meta.pattern` has an equivalent, faster pattern.
REPORTED_PATTERN = "reported pattern"

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

# Actions on items accept a table name that is shorter than the minimum. The minimum applies only to a new name.
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


class ExpectedAttributeValue(Shape, kw_only=True, frozen=True, gc=False):
    """A condition of a write in the legacy API, which has no expressions."""

    attribute_value_list: list[AttributeValue] | None = None
    comparison_operator: ComparisonOperator | None = None
    exists: bool | None = None
    value: AttributeValue | None = None


class Condition(Shape, kw_only=True, frozen=True, gc=False):
    """A key condition or filter in the legacy API, which has no expressions."""

    attribute_value_list: list[AttributeValue] | None = None
    comparison_operator: ComparisonOperator


class AttributeValueUpdate(Shape, kw_only=True, frozen=True, gc=False):
    """A change of an attribute in the legacy API, which has no expressions."""

    value: AttributeValue | None = None
    action: Literal["ADD", "PUT", "DELETE"] | None = None


T = TypeVar("T")

_decoder_lock = threading.RLock()


def decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a JSON decoder for a type. After this call, `msgspec.convert` to the type is thread-safe too.

    msgspec analyses a type when it creates the first decoder for it, and stores the result in the type before the
    analysis is complete. If a second thread creates a decoder for the same type at that time, msgspec dereferences a
    null pointer and the process crashes. So every decoder is created here, under a lock; using a decoder needs no lock.
    """
    with _decoder_lock:
        return msgspec.json.Decoder(kind)
