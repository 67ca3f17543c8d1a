"""Exact conversion of int, float and Decimal values for the number codecs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from singletable.errors import KeyRefused

NUMBER_TYPES: tuple[type, ...] = (int, Decimal, float)


def check_number_type(python_type: type) -> None:
    """Raise ValueError if the type is not a number type."""
    if python_type not in NUMBER_TYPES:
        raise ValueError(f"{python_type.__name__} is not a number type; use int, Decimal or float")


def to_decimal(value: Any, python_type: type, spelling: str) -> Decimal:
    """Return the value as a finite Decimal. A float is converted from its shortest text, so 0.1 stays 0.1."""
    decimal = _read(value, python_type)
    if decimal is None:
        raise KeyRefused(_not_a_number(value, python_type, spelling))
    if not decimal.is_finite():
        raise KeyRefused(f"{value!r} is not finite, so {spelling} cannot encode it; pass a finite number")
    return decimal


def significant_digits(decimal: Decimal) -> str:
    """Return the digits of a finite Decimal without leading and trailing zeros; return an empty text for zero."""
    return "".join(map(str, decimal.as_tuple().digits)).strip("0")


def _read(value: Any, python_type: type) -> Decimal | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(int(value)) if python_type is not float or _is_exact_float(value) else None
    if isinstance(value, float) and python_type is float:
        return Decimal(float.__repr__(value))
    if isinstance(value, Decimal) and python_type is Decimal:
        return value
    return None


def _is_exact_float(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


def _not_a_number(value: Any, python_type: type, spelling: str) -> str:
    if python_type is float and isinstance(value, int) and not isinstance(value, bool):
        # The message prints a Decimal, because Python does not print integers with more than 4300 digits.
        return (
            f"{Decimal(value)} is not an exact float, so {spelling} would round it; declare the field as int or Decimal"
        )
    if python_type is Decimal and isinstance(value, float):
        return f"{value!r} is a float, but {spelling} needs a Decimal; pass Decimal({float.__repr__(value)!r})"
    return f"{value!r} is not a number for {spelling}; pass a value of type {python_type.__name__}"
