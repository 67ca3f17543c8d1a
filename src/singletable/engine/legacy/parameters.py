"""Detects the legacy parameters in a request, and rejects a request that combines them with expressions."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from singletable.errors import invalid
from singletable.expressions.bound_expressions import reject_placeholders_without_expressions
from singletable.wire.api_types import Shape

# The legacy parameters of each request, in the order in which DynamoDB's error message lists them.
_LEGACY: Mapping[str, tuple[tuple[str, str], ...]] = {
    "GetItem": (("AttributesToGet", "attributes_to_get"),),
    "PutItem": (("Expected", "expected"), ("ConditionalOperator", "conditional_operator")),
    "DeleteItem": (("Expected", "expected"), ("ConditionalOperator", "conditional_operator")),
    "UpdateItem": (
        ("AttributeUpdates", "attribute_updates"),
        ("Expected", "expected"),
        ("ConditionalOperator", "conditional_operator"),
    ),
    "Query": (
        ("AttributesToGet", "attributes_to_get"),
        ("QueryFilter", "query_filter"),
        ("ConditionalOperator", "conditional_operator"),
        ("KeyConditions", "key_conditions"),
    ),
    "Scan": (
        ("AttributesToGet", "attributes_to_get"),
        ("ScanFilter", "scan_filter"),
        ("ConditionalOperator", "conditional_operator"),
    ),
    "KeysAndAttributes": (("AttributesToGet", "attributes_to_get"),),
}
_EXPRESSIONS = (
    ("ProjectionExpression", "projection_expression"),
    ("FilterExpression", "filter_expression"),
    ("UpdateExpression", "update_expression"),
    ("ConditionExpression", "condition_expression"),
    ("KeyConditionExpression", "key_condition_expression"),
)


# The first field appears twice, because `attrgetter` returns a tuple only for two or more fields.
_LEGACY_VALUES = {kind: attrgetter(fields[0][1], *(field for _, field in fields)) for kind, fields in _LEGACY.items()}
_NO_VALUES = {kind: (None,) * (len(fields) + 1) for kind, fields in _LEGACY.items()}


def has_legacy_parameters(*parts: Shape) -> bool:
    """Return whether a request has legacy parameters. Raise DynamoDB's error if the request also has expressions.

    `parts` is the request itself, or one part for each table. DynamoDB also rejects a legacy parameter in one part
    combined with an expression in another part (captured from AWS).
    """
    kind = type(parts[0]).__name__
    legacy_values, none = _LEGACY_VALUES[kind], _NO_VALUES[kind]
    for part in parts:
        if legacy_values(part) != none:
            return _check_not_mixed(kind, parts)
    return False


def _check_not_mixed(kind: str, parts: tuple[Shape, ...]) -> bool:
    legacy = [name for name, field in _LEGACY[kind] if _is_given(parts, field)]
    expressions = [name for name, field in _EXPRESSIONS if _is_given(parts, field)]
    # KeyConditions may be combined with filter and projection expressions (captured from AWS).
    if "KeyConditionExpression" not in expressions and "KeyConditions" in legacy:
        legacy.remove("KeyConditions")
    if legacy and expressions:
        raise invalid(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
        )
    for part in parts:
        given = {name: getattr(part, field) for name, field in _EXPRESSIONS if hasattr(part, field)}
        names = getattr(part, "expression_attribute_names", None)
        reject_placeholders_without_expressions(names, getattr(part, "expression_attribute_values", None), given)
    return True


def _is_given(parts: tuple[Shape, ...], field: str) -> bool:
    return any(getattr(part, field, None) is not None for part in parts)
