"""The error message of an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import RequestRefused
from singletable.expressions.bound_expressions import Expressions

# One value of every type, named after the type.
VALUES: dict[str, Any] = {
    ":s": {"S": "S"},
    ":t": {"S": "T"},
    ":n": {"N": "1"},
    ":m": {"N": "2"},
    ":b": {"B": "YQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":bs": {"BS": ["YQ=="]},
    ":list": {"L": []},
    ":map": {"M": {}},
}
NAMES = {"#a": "a", "#b": "b", "#status": "status"}


def error_message(parameter: str, text: str, values: Mapping[str, Any] = VALUES) -> str | None:
    """Return the error message without its common start, or None for a valid expression."""
    expressions = Expressions(NAMES, values)
    try:
        if parameter == "UpdateExpression":
            expressions.update(text)
        elif parameter == "ProjectionExpression":
            expressions.projection(text)
        else:
            expressions.condition(parameter, text)
    except RequestRefused as error:
        message = str(error)
    else:
        return None
    start = f"ValidationException: Invalid {parameter}: "
    assert message.startswith(start)
    return message.removeprefix(start)
