"""Fields of users' own classes, whichever library made them."""

# The annotations of this file are objects; `annotated_as_text.py` has the same classes with annotations as text.
import dataclasses
from collections.abc import Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, ClassVar, Generic, Literal, NewType, Optional, TypeVar, Union
from uuid import UUID

import attrs
import msgspec
import pydantic
import pydantic.dataclasses
import pytest
from typing_extensions import TypeAliasType

from singletable.model.fields import Field, NotAnEntityClass, fields_of, name_of, strip
from tests.model import annotated_as_text

CustomerId = NewType("CustomerId", str)
VipId = NewType("VipId", CustomerId)
Slug = TypeAliasType("Slug", str)


class Status(Enum):
    OPEN = "open"
    NOTHING = "nothing"


class PydanticOrder(pydantic.BaseModel):
    kind: ClassVar[str] = "order"
    id: str
    total: Decimal = Decimal(0)
    note: str | None = None
    due: datetime | None
    tags: list[str] = pydantic.Field(default_factory=list)
    _seen: int = pydantic.PrivateAttr(default=0)


@dataclass
class DataclassOrder:
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclass(slots=True, frozen=True)
class SlottedOrder:
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclass(kw_only=True)
class KeywordOrder:
    id: str
    total: Decimal = Decimal(0)
    note: str | None = None
    due: datetime | None
    tags: list[str] = dataclasses.field(default_factory=list)


class StructOrder(msgspec.Struct):
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)


class KeywordStructOrder(msgspec.Struct, kw_only=True):
    id: str
    total: Decimal = Decimal(0)
    note: str | None = None
    due: datetime | None
    tags: list[str] = msgspec.field(default_factory=list)


class RenamedStructOrder(msgspec.Struct, rename="camel", frozen=True, tag="order"):
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = msgspec.field(name="labels", default_factory=list)


@attrs.define
class AttrsOrder:
    kind: ClassVar[str] = "order"
    id: str
    due: datetime | None
    total: Decimal = Decimal(0)
    note: str | None = None
    tags: list[str] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class FrozenAttrsOrder:
    id: str
    total: Decimal = Decimal(0)
    note: str | None = None
    due: datetime | None
    tags: list[str] = attrs.Factory(list)


ORDER = {
    "id": Field("id", str),
    "due": Field("due", datetime, optional=True),
    "total": Field("total", Decimal, required=False),
    "note": Field("note", str, optional=True, required=False),
    "tags": Field("tags", list[str], required=False),
}
ORDERS = [
    PydanticOrder,
    DataclassOrder,
    SlottedOrder,
    KeywordOrder,
    StructOrder,
    KeywordStructOrder,
    RenamedStructOrder,
    AttrsOrder,
    FrozenAttrsOrder,
    annotated_as_text.PydanticOrder,
    annotated_as_text.DataclassOrder,
    annotated_as_text.StructOrder,
    annotated_as_text.AttrsOrder,
]


@pytest.mark.parametrize("cls", ORDERS, ids=lambda cls: f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}")
def test_the_four_libraries_give_the_same_fields(cls: type) -> None:
    assert fields_of(cls) == ORDER


@pytest.mark.parametrize("cls", ORDERS, ids=lambda cls: f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}")
def test_a_field_is_required_exactly_when_the_class_cannot_do_without_it(cls: type) -> None:
    given: dict[str, Any] = {"id": "o1", "due": None, "total": Decimal(1), "note": "", "tags": []}
    for name, field in fields_of(cls).items():
        others = {other: value for other, value in given.items() if other != name}
        if field.required:
            with pytest.raises((TypeError, ValueError)):
                cls(**others)
        else:
            cls(**others)


def test_fields_stand_in_the_order_of_their_declaration() -> None:
    assert list(fields_of(PydanticOrder)) == ["id", "total", "note", "due", "tags"]
    assert list(fields_of(DataclassOrder)) == ["id", "due", "total", "note", "tags"]


class StructParent(msgspec.Struct, kw_only=True):
    tenant: str
    region: str = "eu"


class StructChild(StructParent):
    id: str
    note: str = ""


@dataclass
class DataclassParent:
    tenant: str
    region: str = "eu"


@dataclass(kw_only=True)
class DataclassChild(DataclassParent):
    id: str
    note: str = ""


class PydanticParent(pydantic.BaseModel):
    tenant: str
    region: str = "eu"


class PydanticChild(PydanticParent):
    id: str
    note: str = ""


@attrs.define
class AttrsParent:
    tenant: str
    region: str = attrs.field(default="eu", kw_only=True)


@attrs.define
class AttrsChild(AttrsParent):
    id: str
    note: str = ""


@pytest.mark.parametrize("cls", [StructChild, DataclassChild, PydanticChild, AttrsChild])
def test_inherited_fields_are_fields(cls: type) -> None:
    required = {name: field.required for name, field in fields_of(cls).items()}
    assert required == {"tenant": True, "region": False, "id": True, "note": False}


class Parent(pydantic.BaseModel):
    id: str | None = None


class Narrowed(Parent):
    id: str


def test_a_child_may_narrow_a_field() -> None:
    assert fields_of(Narrowed) == {"id": Field("id", str)}


@dataclass
class Unusual:
    id: str
    seed: InitVar[int]
    _: KW_ONLY
    computed: int = dataclasses.field(init=False)
    counted: int = dataclasses.field(init=False, default=0)
    given: int = 0


@attrs.define
class UnusualAttrs:
    id: str
    computed: int = attrs.field(init=False)
    counted: int = attrs.field(init=False, default=0)
    given: int = 0


@pytest.mark.parametrize("cls", [Unusual, UnusualAttrs])
def test_a_field_that_the_class_computes_itself_is_neither_required_nor_given(cls: type) -> None:
    assert fields_of(cls) == {
        "id": Field("id", str),
        "computed": Field("computed", int, required=False, initialised=False),
        "counted": Field("counted", int, required=False, initialised=False),
        "given": Field("given", int, required=False),
    }


@attrs.define
class WithNothing:
    status: Status = Status.NOTHING


def test_a_default_called_nothing_is_a_default_of_attrs_all_the_same() -> None:
    assert not fields_of(WithNothing)["status"].required


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    id: str
    count: int = pydantic.Field(gt=0)
    total: int = pydantic.Field(default=0)
    tags: list[str] = pydantic.Field(default_factory=list)


def test_a_constraint_is_no_default_in_a_dataclass_of_pydantic() -> None:
    required = {name: field.required for name, field in fields_of(PydanticDataclass).items()}
    assert required == {"id": True, "count": True, "total": False, "tags": False}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, (str, False)),
        (Optional[str], (str, True)),  # noqa: UP045 - both spellings are users' own
        (str | None, (str, True)),
        (None | str, (str, True)),
        (Union[str, int, None], (str | int, True)),  # noqa: UP007
        (str | int, (str | int, False)),
        (Annotated[str, "a note"], (str, False)),
        (Annotated[str | None, {"not": "hashable"}], (str, True)),
        (Annotated[str, 1] | None, (str, True)),
        (Annotated[Annotated[str, 1], 2], (str, False)),
        (CustomerId, (str, False)),
        (VipId, (str, False)),
        (VipId | None, (str, True)),
        (Annotated[CustomerId, 1] | None, (str, True)),
        (list[str], (list[str], False)),
        (list[str | None], (list[str | None], False)),
        (tuple[str, ...] | None, (tuple[str, ...], True)),
        (Literal["a", "b"] | None, (Literal["a", "b"], True)),
        (Literal["a", None], (Literal["a", None], False)),
        (Status, (Status, False)),
        (type(None), (type(None), False)),
        (Any, (Any, False)),
        (Slug, (str, False)),
        (Slug | None, (str, True)),
    ],
    ids=str,
)
def test_the_type_behind_an_annotation(annotation: Any, expected: tuple[Any, bool]) -> None:
    assert strip(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (pydantic.AwareDatetime, datetime),
        (pydantic.PastDatetime, datetime),
        (pydantic.FutureDate, date),
        (pydantic.EmailStr, str),
        (pydantic.PositiveInt, int),
        (pydantic.UUID4, UUID),
        (pydantic.StrictStr, str),
    ],
    ids=str,
)
def test_pydantics_own_names_stand_for_the_types_of_their_values(annotation: Any, expected: type) -> None:
    assert strip(annotation) == (expected, False)


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (str, "str"),
        (tuple[str, ...], "tuple[str, ...]"),
        (dict[str, list[int]], "dict[str, list[int]]"),
        (list[int | None], "list[int | None]"),
        (dict[str, Optional[UUID]], "dict[str, UUID | None]"),  # noqa: UP045  # as people wrote it before
        (Status, "Status"),
        (UUID, "UUID"),
        (Any, "Any"),
        (PydanticOrder, "PydanticOrder"),
    ],
)
def test_a_type_has_its_users_name_in_messages(annotation: Any, name: str) -> None:
    assert name_of(annotation) == name
    assert Field("x", annotation).type_name == name


class Plain:
    id: str


class Typed(dict[str, str]):
    id: str


@pytest.mark.parametrize("cls", [Plain, Typed, int, Status, Mapping])
def test_a_class_that_no_library_made_is_refused(cls: type) -> None:
    with pytest.raises(NotAnEntityClass, match=f"{cls.__qualname__} is no pydantic model, dataclass, msgspec Struct"):
        fields_of(cls)


class ForgottenDataclass(DataclassParent):
    id: str


class ForgottenAttrs(AttrsParent):
    id: str


@pytest.mark.parametrize("cls", [ForgottenDataclass, ForgottenAttrs])
def test_a_child_that_was_not_decorated_itself_loses_no_field_silently(cls: type) -> None:
    with pytest.raises(NotAnEntityClass, match="id"):
        fields_of(cls)


class OnlyMethods(DataclassParent):
    limit: ClassVar[int] = 3

    def greeting(self) -> str:
        return f"hello {self.tenant}"


def test_a_child_without_fields_of_its_own_has_its_parents() -> None:
    assert list(fields_of(OnlyMethods)) == ["tenant", "region"]


T = TypeVar("T")


class Envelope(pydantic.BaseModel, Generic[T]):
    id: str
    body: T


def test_a_generic_model_has_the_types_it_was_given() -> None:
    assert fields_of(Envelope[int])["body"] == Field("body", int)


def test_a_model_of_a_function_sees_the_types_of_that_function() -> None:
    assert fields_of(annotated_as_text.local_model())["level"].type.__name__ == "Level"
