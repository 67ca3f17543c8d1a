"""Which parameters of a request are from before expressions, and that they do not stand beside expressions."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from singletable.errors import invalid
from singletable.expressions.request import refuse_without_expressions
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


def uses_legacy(*parts: Shape) -> bool:
    """Whether a request has old parameters; refuses them beside expressions, in the service's words.

    The parts are the request itself, or what it asks of each table: one with an old parameter and another with an
    expression do not go together either (captured).
    """
    kind = type(parts[0]).__name__
    old_values, none = _OLD_VALUES[kind], _NONE_OF[kind]
    for part in parts:
        if old_values(part) != none:
            return _goes_alone(kind, parts)
    return False


def _goes_alone(kind: str, parts: tuple[Shape, ...]) -> bool:
    legacy = [name for name, field in _LEGACY[kind] if _is_given(parts, field)]
    expressions = [name for name, field in _EXPRESSIONS if _is_given(parts, field)]
    # Old key conditions may stand beside new filters and projections (captured).
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
        refuse_without_expressions(names, getattr(part, "expression_attribute_values", None), given)
    return True


def _is_given(parts: tuple[Shape, ...], field: str) -> bool:
    return any(getattr(part, field, None) is not None for part in parts)
