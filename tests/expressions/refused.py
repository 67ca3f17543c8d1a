"""What an expression is refused with, if it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import RequestRefused
from singletable.expressions.request import Expressions

# One value of every type, by a name that tells it.
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


def refusal(parameter: str, text: str, values: Mapping[str, Any] = VALUES) -> str | None:
    """The words of the refusal without those that all of them begin with; None for an expression that is taken."""
    expressions = Expressions(NAMES, values)
    try:
        if parameter == "UpdateExpression":
            expressions.update(text)
        elif parameter == "ProjectionExpression":
            expressions.projection(text)
        else:
            expressions.condition(parameter, text)
    except RequestRefused as refused:
        words = str(refused)
    else:
        return None
    beginning = f"ValidationException: Invalid {parameter}: "
    assert words.startswith(beginning)
    return words.removeprefix(beginning)
