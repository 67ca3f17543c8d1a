"""Rules about the whole object are found and named."""

from __future__ import annotations

import dataclasses
from dataclasses import InitVar, dataclass
from typing import Annotated, Any

import attrs
import msgspec
import pydantic.dataclasses
import pytest
from attrs import validators
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    computed_field,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic_core import core_schema

from singletable.model.rules.class_rules import rules_of, whole_object_rule
from singletable.model.rules.value_rules import Bounds
from tests.model.rules.value_checks import accepts


@dataclass
class PostInit:
    a: int

    def __post_init__(self) -> None:
        assert self.a


@dataclass
class OwnInit:
    a: int

    def __init__(self, a: int) -> None:
        self.a = abs(a)


@dataclass
class SameInit:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a


@dataclass
class OwnNew:
    a: int

    def __new__(cls, a: int) -> OwnNew:
        return super().__new__(cls)


@dataclass
class OwnSetter:
    a: int

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)


@dataclass
class WithInitVar:
    a: int
    b: InitVar[int] = 3


class Descriptor:
    def __get__(self, instance: Any, owner: type) -> Any:
        return 3

    def __set__(self, instance: Any, value: Any) -> None: ...


@dataclass
class WithDescriptor:
    a: Descriptor = Descriptor()  # as the documentation of dataclasses has it


class ModelBefore(BaseModel):
    a: int

    @model_validator(mode="before")
    @classmethod
    def checked(cls, values: Any) -> Any:
        return values


class ModelAfter(BaseModel):
    a: int

    @model_validator(mode="after")
    def checked(self) -> ModelAfter:
        return self


class ModelPostInit(BaseModel):
    a: int
    _seen: int = 3

    def model_post_init(self, context: Any) -> None: ...


class ModelInit(BaseModel):
    a: int

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)


class ModelWithInfo(BaseModel):
    a: int
    b: list[int] = []

    @field_validator("b")
    @classmethod
    def checked(cls, value: list[int], info: ValidationInfo) -> list[int]:
        return value


class ModelWithInnerInfo(BaseModel):
    a: int
    b: list[Annotated[int, AfterValidator(lambda value, info: value)]] = []


class ModelWithDefaultOfOthers(BaseModel):
    a: int
    b: int = Field(default_factory=lambda values: int(values["a"]))


class Root(pydantic.RootModel[int]):
    """One value."""


class OwnSchema(BaseModel):
    a: int

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.json_or_python_schema(handler(source), handler(source))


class StructPostInit(msgspec.Struct):
    a: int

    def __post_init__(self) -> None: ...


@attrs.define
class AttrsPostInit:
    a: int

    def __attrs_post_init__(self) -> None: ...


@attrs.define
class AttrsPreInit:
    a: int

    def __attrs_pre_init__(self) -> None: ...


@attrs.define
class AttrsInit:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a


def own(instance: Any, attribute: Any, value: Any) -> None: ...


@attrs.define
class AttrsOwnValidator:
    a: int
    b: int | None = attrs.field(default=None, validator=validators.optional([validators.ge(0), own]))


@attrs.define
class AttrsMethod:
    a: int
    b: int = attrs.field(default=3)

    @b.validator
    def checked(self, attribute: Any, value: int) -> None: ...


@attrs.define
class AttrsConverter:
    a: int
    b: int = attrs.field(default=3, converter=attrs.Converter(lambda value, self: value, takes_self=True))  # type: ignore[misc]


@attrs.define
class AttrsDefault:
    a: int
    b: int = attrs.field(default=attrs.Factory(lambda self: self.a, takes_self=True), validator=validators.lt(9))


@attrs.define
class AttrsSetter:
    a: int

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@attrs.define
class AttrsParent:
    a: int = attrs.field(validator=validators.ge(0))


class AttrsHeirSetter(AttrsParent):
    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@pydantic.dataclasses.dataclass
class CheckedPostInit:
    a: int

    def __post_init__(self) -> None: ...


@pydantic.dataclasses.dataclass
class CheckedInitVar:
    a: int
    b: InitVar[int] = 3


@pydantic.dataclasses.dataclass
class Checked:
    a: Annotated[int, Field(ge=0)]
    b: int = dataclasses.field(default=3, kw_only=True)


class CheckedHeir(Checked):
    """It adds nothing, but pydantic did not make it."""


@pytest.mark.parametrize(
    ("cls", "reason"),
    [
        (PostInit, "PostInit has a __post_init__ method"),
        (OwnInit, "OwnInit has an __init__ method of its own"),
        (OwnNew, "OwnNew has a __new__ method or a metaclass of its own"),
        (OwnSetter, "OwnSetter has a __setattr__ method of its own"),
        (WithInitVar, "WithInitVar has an InitVar (b)"),
        (WithDescriptor, "WithDescriptor.a is a descriptor"),
        (ModelBefore, "ModelBefore has a model_validator (checked)"),
        (ModelAfter, "ModelAfter has a model_validator (checked)"),
        (ModelPostInit, "ModelPostInit has a model_post_init method"),
        (ModelInit, "ModelInit has an __init__ method of its own"),
        (ModelWithInfo, "the validator of ModelWithInfo.b (checked) may look at other fields"),
        (ModelWithInnerInfo, "the validator of ModelWithInnerInfo.b (<lambda>) may look at other fields"),
        (ModelWithDefaultOfOthers, "the default of ModelWithDefaultOfOthers.b depends on other fields"),
        (Root, "Root is a RootModel"),
        (OwnSchema, "OwnSchema has a schema of its own"),
        (StructPostInit, "StructPostInit has a __post_init__ method"),
        (AttrsPostInit, "AttrsPostInit has a __attrs_post_init__ method"),
        (AttrsPreInit, "AttrsPreInit has a __attrs_pre_init__ method"),
        (AttrsInit, "AttrsInit has an __init__ method of its own"),
        (AttrsOwnValidator, "the validator of AttrsOwnValidator.b (own) may look at other fields"),
        (AttrsMethod, "the validator of AttrsMethod.b (checked) may look at other fields"),
        (AttrsConverter, "the converter of AttrsConverter.b may look at other fields"),
        (AttrsDefault, "the default of AttrsDefault.b depends on other fields"),
        (AttrsSetter, "AttrsSetter has a __setattr__ method of its own"),
        (AttrsHeirSetter, "AttrsHeirSetter has a __setattr__ method of its own"),
        (CheckedPostInit, "CheckedPostInit has a __post_init__ method"),
        (CheckedInitVar, "CheckedInitVar has an InitVar (b)"),
        (CheckedHeir, "CheckedHeir has an __init__ method of its own"),
    ],
)
def test_a_rule_about_the_whole_object_is_named(cls: Any, reason: str) -> None:
    assert whole_object_rule(cls) == reason
    name = "root" if cls is Root else "a"
    assert rules_of(cls, (name,)).whole == reason


@dataclass
class Holder:
    inner: ModelAfter
    others: list[ModelAfter]


def test_a_rule_of_a_class_on_the_path_is_named() -> None:
    reason = "ModelAfter has a model_validator (checked)"
    assert rules_of(Holder, ("inner", "a")).whole == rules_of(Holder, ("others", 0, "a")).whole == reason
    assert rules_of(Holder, ("inner",)).whole is None
    assert rules_of(Holder, ("others", 0)).whole is None


@dataclass(frozen=True)
class Frozen:
    a: int
    b: list[int] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Slotted:
    b: int = 3
    a: int
    c: int = dataclasses.field(default=5, init=False)


class Heir(Slotted):
    """It adds nothing."""


@attrs.frozen
class FrozenAttrs:
    a: int


@attrs.define(on_setattr=attrs.setters.validate)
class HookedAttrs:
    a: int = attrs.field(validator=validators.ge(0))


class Private(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")
    a: int
    _seen: int = 3

    @computed_field  # type: ignore[prop-decorator]  # as pydantic's own documentation has it
    @property
    def twice(self) -> int:
        return self.a * 2

    @field_serializer("a")
    def shown(self, value: int) -> str:
        return str(value)


class Deferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    a: Annotated[int, Field(ge=0)]


@pytest.mark.parametrize("cls", [Frozen, Slotted, Heir, SameInit, FrozenAttrs, HookedAttrs, Private, Checked, Deferred])
def test_what_a_library_generates_is_no_rule(cls: Any) -> None:
    assert whole_object_rule(cls) is None
    assert rules_of(cls, ("a",)).is_exhaustive


def test_a_dataclass_of_pydantic_has_the_rules_of_pydantic() -> None:
    rules = rules_of(Checked, ("a",))
    assert rules.bounds == Bounds(ge=0)
    assert [accepts(rules, value) for value in (-1, 0)] == [False, True]
