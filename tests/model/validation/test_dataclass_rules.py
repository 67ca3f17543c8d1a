"""Rules of dataclasses: detection of custom constructors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pydantic.dataclasses
import pytest

from singletable.model.validation.dataclass_rules import (
    has_generated_init,
    has_same_code,
    is_constructed_by_init,
)


@dataclass
class Plain:
    a: int
    b: str = "none"
    c: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    a: int
    b: str = "none"


@dataclass(slots=True)
class Slotted:
    a: int
    b: int = 3


@dataclass
class KeywordOnly:
    a: int = field(default=1, kw_only=True)
    b: int = 3
    c: int = field(default=5, init=False)


class Heir(Plain):
    """It adds nothing."""


@dataclass
class Doubling:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a * 2


@dataclass
class WithPostInit:
    a: int

    def __post_init__(self) -> None:
        self.a *= 2


class HeirWithInit(Plain):
    def __init__(self, a: int, b: str, c: list[int]) -> None:
        super().__init__(a, b * 2, c)


@dataclass
class OptionalFirst:
    a: int
    b: str

    def __init__(self, b: str, a: int = 3) -> None:
        self.a, self.b = a, b


@pydantic.dataclasses.dataclass
class Validated:
    a: int


@dataclass
class OwnNew:
    a: int

    def __new__(cls, a: int) -> OwnNew:
        return super().__new__(cls)


class Watching(type):
    def __call__(cls, *values: Any) -> Any:
        return super().__call__(*values)


@dataclass
class OwnCall(metaclass=Watching):
    a: int


@pytest.mark.parametrize("cls", [Plain, Frozen, Slotted, KeywordOnly, Heir])
def test_dataclass_rules_recognise_a_generated_constructor(cls: Any) -> None:
    assert has_generated_init(cls)


@pytest.mark.parametrize("cls", [Doubling, WithPostInit, HeirWithInit, OptionalFirst, Validated])
def test_dataclass_rules_distinguish_a_generated_constructor_from_a_custom_one(cls: Any) -> None:
    assert not has_generated_init(cls)


def test_dataclass_rules_apply_to_a_class_with_new_or_a_metaclass_despite_a_generated_constructor() -> None:
    assert all(is_constructed_by_init(cls) for cls in (Plain, Frozen, Slotted, Doubling, Validated))
    assert not is_constructed_by_init(OwnNew)
    assert not is_constructed_by_init(OwnCall)


def test_dataclass_rules_find_generated_constructors_only_with_python_code() -> None:
    assert not has_same_code(len, len)
    assert has_same_code(lambda value: value + 1, lambda value: value + 1)
    assert not has_same_code(lambda value: value + 1, lambda value: value + 2)
