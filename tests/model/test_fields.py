"""Fields of classes of all four libraries."""

# The annotations of this file are objects; `annotated_as_text.py` has the same classes with annotations as text.
import dataclasses
from collections.abc import Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from datetime import UTC, date, datetime
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

from singletable.model.fields import Field, NotAnEntityClass, did_you_mean, fields_of, is_value_of, name_of, strip
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
def test_fields_are_the_same_in_all_four_libraries(cls: type) -> None:
    assert fields_of(cls) == ORDER


@pytest.mark.parametrize("cls", ORDERS, ids=lambda cls: f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}")
def test_a_field_without_a_default_is_required(cls: type) -> None:
    given: dict[str, Any] = {"id": "o1", "due": None, "total": Decimal(1), "note": "", "tags": []}
    for name, field in fields_of(cls).items():
        others = {other: value for other, value in given.items() if other != name}
        if field.required:
            with pytest.raises((TypeError, ValueError)):
                cls(**others)
        else:
            cls(**others)


def test_fields_keep_their_declaration_order() -> None:
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
def test_fields_include_inherited_ones(cls: type) -> None:
    required = {name: field.required for name, field in fields_of(cls).items()}
    assert required == {"tenant": True, "region": False, "id": True, "note": False}


class Parent(pydantic.BaseModel):
    id: str | None = None


class Narrowed(Parent):
    id: str


def test_a_subclass_can_narrow_a_field() -> None:
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
def test_a_field_outside_the_constructor_is_not_required(cls: type) -> None:
    assert fields_of(cls) == {
        "id": Field("id", str),
        "computed": Field("computed", int, required=False, initialised=False),
        "counted": Field("counted", int, required=False, initialised=False),
        "given": Field("given", int, required=False),
    }


@attrs.define
class WithNothing:
    status: Status = Status.NOTHING


def test_fields_accept_a_class_named_like_attrs_nothing_as_default() -> None:
    assert not fields_of(WithNothing)["status"].required


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    id: str
    count: int = pydantic.Field(gt=0)
    total: int = pydantic.Field(default=0)
    tags: list[str] = pydantic.Field(default_factory=list)


def test_fields_of_a_pydantic_dataclass_do_not_have_constraints_as_defaults() -> None:
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
def test_fields_strip_an_annotation_to_the_type_behind_it(annotation: Any, expected: tuple[Any, bool]) -> None:
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
def test_fields_with_pydantic_constraint_types_have_value_types(annotation: Any, expected: type) -> None:
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
def test_fields_have_readable_type_names_in_messages(annotation: Any, name: str) -> None:
    assert name_of(annotation) == name
    assert Field("x", annotation).type_name == name


class Plain:
    id: str


class Typed(dict[str, str]):
    id: str


@pytest.mark.parametrize("cls", [Plain, Typed, int, Status, Mapping])
def test_fields_of_a_class_of_no_supported_library_are_rejected(cls: type) -> None:
    with pytest.raises(
        NotAnEntityClass, match=f"{cls.__qualname__} is not a pydantic model, dataclass, msgspec Struct"
    ):
        fields_of(cls)


class ForgottenDataclass(DataclassParent):
    id: str


class ForgottenAttrs(AttrsParent):
    id: str


@pytest.mark.parametrize("cls", [ForgottenDataclass, ForgottenAttrs])
def test_fields_of_an_undecorated_subclass_are_rejected(cls: type) -> None:
    with pytest.raises(NotAnEntityClass, match="id"):
        fields_of(cls)


class OnlyMethods(DataclassParent):
    limit: ClassVar[int] = 3

    def greeting(self) -> str:
        return f"hello {self.tenant}"


def test_fields_are_inherited_by_an_undecorated_subclass_without_its_own() -> None:
    assert list(fields_of(OnlyMethods)) == ["tenant", "region"]


T = TypeVar("T")


class Envelope(pydantic.BaseModel, Generic[T]):
    id: str
    body: T


def test_fields_of_a_generic_model_have_its_concrete_types() -> None:
    assert fields_of(Envelope[int])["body"] == Field("body", int)


def test_fields_of_a_model_defined_in_a_function_have_local_types() -> None:
    assert fields_of(annotated_as_text.local_model())["level"].type.__name__ == "Level"


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (str, "a", True),
        (str, b"a", False),
        (int, 1, True),
        (int, True, False),
        (int, 1.5, False),
        (float, 1, True),
        (Decimal, 1, True),
        (Decimal, False, False),
        (bool, True, True),
        (date, date(2026, 1, 1), True),
        (date, datetime(2026, 1, 1, tzinfo=UTC), False),
        (datetime, datetime(2026, 1, 1, tzinfo=UTC), True),
        (datetime, date(2026, 1, 1), False),
    ],
)
def test_fields_distinguish_a_bool_from_a_number_and_a_datetime_from_a_date(kind: Any, value: Any, fits: bool) -> None:
    assert is_value_of(kind, value) is fits


def test_an_int_field_can_be_compared_with_any_number() -> None:
    assert is_value_of(int, Decimal("2.5"), any_number=True)
    assert not is_value_of(int, True, any_number=True)


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        ("custmer_id", ["id", "customer_id"], "Did you mean 'customer_id'?"),
        ("idd", ["id", "customer_id"], "Did you mean 'id'?"),
        ("zzz", ["id", "customer_id"], "The fields are id, customer_id."),
        ("zzz", ["id", "name", "id"], "The fields are id, name."),
        ("", ["id"], "The fields are id."),
    ],
)
def test_fields_suggest_the_right_name_or_all_names_for_a_misspelled_one(
    name: str, known: list[str], sentence: str
) -> None:
    assert did_you_mean(name, known) == sentence
