"""The parameters of the API before expressions: refused beside expressions, as the service does."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from singletable.errors import invalid
from singletable.wire.shape import Shape

# By request, in the order in which the service names them.
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


# The first field twice: of one field alone `attrgetter` gives the value, of several a tuple.
_OLD_VALUES = {kind: attrgetter(fields[0][1], *(field for _, field in fields)) for kind, fields in _LEGACY.items()}
_NONE_OF = {kind: (None,) * (len(fields) + 1) for kind, fields in _LEGACY.items()}


def refuse_legacy(*parts: Shape) -> None:
    """Refuses the old parameters of a request, in the service's words where they stand beside expressions.

    The parts are the request itself, or what it asks of each table: one with an old parameter and another with an
    expression do not go together either (captured).
    """
    kind = type(parts[0]).__name__
    if all(_OLD_VALUES[kind](part) == _NONE_OF[kind] for part in parts):
        return
    legacy = [name for name, field in _LEGACY[kind] if _is_given(parts, field)]
    expressions = [name for name, field in _EXPRESSIONS if _is_given(parts, field)]
    if expressions:
        raise invalid(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(legacy)}}} Expression parameters: {{{', '.join(expressions)}}}"
        )
    raise invalid(f"{legacy[0]} is not served by this engine: use an expression instead")


def _is_given(parts: tuple[Shape, ...], field: str) -> bool:
    return any(getattr(part, field, None) is not None for part in parts)
