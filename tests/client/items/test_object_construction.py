"""Generated construction code creates the same objects as the classes themselves."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, NewType

import attrs
import msgspec
import pydantic
import pydantic.dataclasses
import pytest
from msgspec import Meta

from singletable.client.items.object_construction import (
    MADE,
    ConstructorArgument,
    checked_constructor,
    construction,
    struct_checks,
)


def made(cls: type, *, missing: tuple[str, ...] = (), **values: Any) -> Any:
    """Create an object from values. The class provides the missing ones."""
    names = [*values, *missing]
    source = construction(cls, [ConstructorArgument(name, f"row[{name!r}]", f"{name!r} in row") for name in names])
    known = {**source.names, "row": values}
    exec("\n".join(source.lines), known)
    return known[MADE]


def text_of(cls: type, *names: str) -> str:
    return construction(cls, [ConstructorArgument(name, name) for name in names]).lines[-1]


@dataclass
class Plain:
    a: int = 1
    b: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    a: int = 1
    b: list[int] = field(default_factory=list)


@dataclass
class Checked:
    a: int = 1
    b: int = 2

    def __post_init__(self) -> None:
        self.b += self.a


@dataclass
class OwnOrder:
    a: int
    b: int

    def __init__(self, b: int = 5, a: int = 6) -> None:
        self.a, self.b = a * 10, b * 100


@dataclass
class OwnWords:
    a: int
    b: int

    def __init__(self, **given: int) -> None:
        self.a, self.b = given["a"], given.get("b", 7)


@dataclass
class OwnNew:
    a: int = 1
    b: int = 2

    def __new__(cls, **given: int) -> OwnNew:
        new = super().__new__(cls)
        new.seen = given  # type: ignore[attr-defined]
        return new


class Struct(msgspec.Struct):
    a: int = 1
    b: list[int] = []


class KeywordStruct(msgspec.Struct, kw_only=True):
    a: int = 1
    b: list[int] = msgspec.field(default_factory=lambda: [1])


class Model(pydantic.BaseModel):
    a: int = 1
    b: list[int] = []


class ModelWithInit(pydantic.BaseModel):
    a: int = 1
    b: int = 2

    def __init__(self, **given: Any) -> None:
        super().__init__(**{name: value + 1 for name, value in given.items()})


class ModelWithChecks(pydantic.BaseModel):
    a: int = 1
    b: int = 2

    @pydantic.model_validator(mode="before")
    @classmethod
    def before(cls, given: Any) -> Any:
        return {**given, "a": given.get("a", 1) * 10}

    def model_post_init(self, context: Any) -> None:
        self.b += 1


@pydantic.dataclasses.dataclass
class CheckedDataclass:
    a: int = 1
    b: list[int] = field(default_factory=list)


def doubled(value: int) -> int:
    return value * 2


@attrs.define
class Attrs:
    a: int = attrs.field(default=1, converter=doubled)
    b: list[int] = attrs.Factory(list)


CLASSES: list[Any] = [Plain, Frozen, Struct, KeywordStruct, Model, CheckedDataclass, Attrs]
NUMBERS: list[Any] = [Checked, OwnOrder, OwnWords, OwnNew, ModelWithInit, ModelWithChecks]


@pytest.mark.parametrize("cls", CLASSES)
def test_object_construction_equals_a_call_with_keywords(cls: Any) -> None:
    assert made(cls, a=3, b=[4]) == cls(a=3, b=[4])
    assert made(cls, a=3, missing=("b",)) == cls(a=3)
    assert made(cls, b=[4], missing=("a",)) == cls(b=[4])
    assert made(cls, missing=("a", "b")) == cls()


@pytest.mark.parametrize("cls", NUMBERS)
def test_object_construction_preserves_the_custom_behaviour_of_a_class(cls: Any) -> None:
    assert vars(made(cls, a=3, b=4)) == vars(cls(a=3, b=4))
    assert vars(made(cls, a=3, missing=("b",))) == vars(cls(a=3))


@pytest.mark.parametrize("cls", [Plain, Frozen, Struct, KeywordStruct, Attrs])
def test_object_construction_calls_a_default_factory_for_each_object(cls: Any) -> None:
    first, second = made(cls, missing=("a", "b")), made(cls, missing=("a", "b"))
    assert first.b is not second.b


def test_object_construction_lets_pydantic_know_which_fields_were_given() -> None:
    assert made(Model, a=3, missing=("b",)).model_fields_set == {"a"}


def test_object_construction_rejects_what_the_constructor_of_pydantic_rejects() -> None:
    with pytest.raises(pydantic.ValidationError):
        made(Model, a="no number", b=[])


def test_object_construction_passes_values_by_position_if_the_class_allows_it() -> None:
    assert text_of(Plain, "b", "a") == "made = cls(a, b)"
    assert text_of(Struct, "b", "a") == "made = cls(a, b)"
    assert text_of(Frozen, "a", "b") == "made = cls(a=a, b=b)"
    assert text_of(OwnOrder, "a", "b") == "made = cls(b, a)"
    assert text_of(ModelWithChecks, "a", "b") == "made = validate(given)"
    for cls in (OwnWords, OwnNew, CheckedDataclass):
        assert text_of(cls, "a", "b") == "made = cls(**given)"


@dataclass
class Kept:
    a: int = 1
    b: int = 2


@dataclass(slots=True)
class KeptInSlots:
    b: int = field(default=2, kw_only=True)
    a: int = 1


@dataclass
class Doubling:
    a: int = 1
    b: int = 2

    def __setattr__(self, name: str, value: int) -> None:
        super().__setattr__(name, value * 2)


class Heir(Kept):
    """A subclass that adds nothing."""


class HeirWithInit(Kept):
    def __init__(self, a: int = 1, b: int = 2) -> None:
        super().__init__(a, b * 10)


@pytest.mark.parametrize("cls", [Kept, KeptInSlots, Doubling, Heir])
def test_object_construction_does_not_call_the_constructor_of_a_simple_dataclass(cls: Any) -> None:
    assert "cls(" not in text_of(cls, "a", "b")
    assert made(cls, a=3, b=4) == cls(a=3, b=4)
    assert made(cls, a=3, missing=("b",)) == cls(a=3)
    assert type(made(cls, missing=("a", "b"))) is cls


@pytest.mark.parametrize("cls", [Checked, OwnOrder, OwnNew, HeirWithInit, Frozen, Plain])
def test_object_construction_calls_the_constructor_of_any_other_dataclass(cls: Any) -> None:
    assert "cls(" in text_of(cls, "a", "b")


def test_object_construction_assigns_fields_in_the_order_of_the_constructor() -> None:
    @dataclass
    class NameFirst:
        b: int = field(default=2, kw_only=True)
        a: int = 1

    assert list(vars(made(NameFirst, a=3, b=4))) == list(vars(NameFirst(a=3, b=4))) == ["b", "a"]


class Watching:
    """A default that is a descriptor with an owner."""

    owner: type

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else vars(instance)["kept"]

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)["kept"] = 7 if value is self else value


def test_object_construction_supports_a_default_that_is_a_descriptor() -> None:
    watching: Any = Watching()

    @dataclass
    class Watched:
        a: int = watching
        b: int = 2

    assert made(Watched, a=3, b=4) == Watched(a=3, b=4)
    assert made(Watched, missing=("a", "b")).a == Watched().a == 7
    assert watching.owner is Watched


def test_object_construction_respects_the_parameter_order_of_a_custom_constructor() -> None:
    @dataclass(init=False)
    class Unordered:
        a: int = 1
        b: int  # type: ignore[misc]  # without a default after one with it, which dataclasses refuse only in theirs

        def __init__(self, b: int, a: int = 5) -> None:
            self.a, self.b = a, b * 10

    assert vars(made(Unordered, a=3, b=4)) == vars(Unordered(a=3, b=4))


class Root(pydantic.RootModel[dict[str, Any]]):
    """One value."""


def test_object_construction_gives_a_root_model_its_value_and_not_a_map() -> None:
    source = construction(Root, [ConstructorArgument("root", "row")])
    known: dict[str, Any] = {**source.names, "row": {"x": 1}}
    exec("\n".join(source.lines), known)
    assert known[MADE] == Root(root={"x": 1})


def test_object_construction_calls_a_custom_constructor() -> None:
    assert made(HeirWithInit, a=3, b=4).b == 40


def test_object_construction_calls_a_constructor_with_other_parameters_with_keywords() -> None:
    @dataclass
    class More:
        a: int
        b: InitVar[int] = 3

    assert text_of(More, "a") == "made = cls(**given)"


Positive = NewType("Positive", Annotated[int, Meta(gt=0)])


class Limited(msgspec.Struct):
    free: int
    titled: Annotated[int, Meta(title="A number")]
    positive: Positive = Positive(0)
    price: Annotated[Decimal, Meta(ge=0.1)] | None = None
    codes: Annotated[list[Annotated[str, Meta(pattern="^a", max_length=3)]], Meta(min_length=1)] = []
    by_code: dict[Annotated[str, Meta(min_length=2)], Annotated[float, Meta(multiple_of=0.5)]] = {}
    pair: tuple[int, Annotated[int, Meta(le=9)]] = (0, 0)
    mixed: Annotated[int, Meta(lt=9)] | Annotated[str, Meta(max_length=3)] | bool = 0
    moment: Annotated[datetime, Meta(tz=True)] | None = None
    inner: Limited | None = None


def test_object_construction_checks_only_struct_fields_with_constraints() -> None:
    checked = {"positive", "price", "codes", "by_code", "pair", "mixed", "moment"}
    assert struct_checks(Limited).keys() == checked
    for cls in (Struct, KeywordStruct, Plain, Model, Attrs):
        assert struct_checks(cls) == {}
        assert checked_constructor(cls) is cls


@pytest.mark.parametrize(
    ("name", "valid", "invalid", "message"),
    [
        ("positive", 1, 0, "Expected `int` > 0 - at `$.positive`"),
        ("positive", 10**30, -(10**30), "Expected `int` > 0 - at `$.positive`"),
        ("price", Decimal("0.1"), Decimal("0.09"), "Expected `Decimal` >= 0.1 - at `$.price`"),
        ("price", None, Decimal("-1"), "Expected `Decimal` >= 0.1 - at `$.price`"),
        ("codes", ["a"], [], "Expected `array` of length >= 1 - at `$.codes`"),
        ("codes", ["abc"], ["abcd"], "Expected `str` of length <= 3 - at `$.codes[...]`"),
        ("codes", ["a"], ["a", "b"], "Expected `str` matching regex '^a' - at `$.codes[...]`"),
        ("by_code", {"ab": 1.5}, {"a": 1.5}, "Expected `str` of length >= 2 - at `$.by_code[...]`"),
        ("by_code", {}, {"ab": 1.2}, "Expected `float` that's a multiple of 0.5 - at `$.by_code[...]`"),
        ("pair", (10, 9), (0, 10), "Expected `int` <= 9 - at `$.pair[1]`"),
        ("mixed", True, 9, "Expected `int` < 9 - at `$.mixed`"),
        ("mixed", "abc", "abcd", "Expected `str` of length <= 3 - at `$.mixed`"),
        (
            "moment",
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime(2026, 1, 1),
            "Expected `datetime` with tz=True - at `$.moment`",
        ),
    ],
)
def test_object_construction_creates_a_struct_from_values_within_its_constraints(
    name: str, valid: Any, invalid: Any, message: str
) -> None:
    made = checked_constructor(Limited)(free=1, titled=2, **{name: valid})
    assert made == Limited(1, 2, **{name: valid})
    with pytest.raises(msgspec.ValidationError) as raised:
        checked_constructor(Limited)(free=1, titled=2, **{name: invalid})
    assert str(raised.value) == message


def test_object_construction_does_not_check_the_default_of_a_struct() -> None:
    assert checked_constructor(Limited)(free=1, titled=2) == Limited(1, 2)
    assert msgspec.convert({"free": 1, "titled": 2}, Defaulted) == Defaulted(1, 2)


class Defaulted(msgspec.Struct):
    free: int
    titled: int
    positive: Positive = Positive(0)
