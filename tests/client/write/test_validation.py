"""Validation of writes: a value that the entity's reader would reject is rejected before it is stored."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Literal

import attrs
import msgspec
import pydantic
import pytest

from singletable import (
    ArgumentRefused,
    DesignError,
    InvalidValue,
    ItemRefused,
    NotFound,
    Table,
    TransactionCancelled,
    UnreadableItemWarning,
    entity,
    field,
    key,
    native,
    pattern,
    update,
)
from tests.client.between import Between, between
from tests.client.places import Place, call

WRITES = frozenset(("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"))


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Limits(pydantic.BaseModel):
    daily: int = pydantic.Field(default=5, ge=1)
    note: str | None = None


@entity(key=("ACCOUNT#{id}", "META"), gsi1=("PLAN#{plan}", "{id}"))
class Account(pydantic.BaseModel):
    id: str
    plan: Literal["free", "paid"] = "free"
    credit: int = pydantic.Field(default=10, ge=0, le=100)
    code: Annotated[str, pydantic.AfterValidator(str.upper)] = "A"
    colour: Colour = Colour.RED
    limits: Limits = Limits()
    scores: Annotated[list[Annotated[int, pydantic.Field(ge=0)]], pydantic.Field(max_length=3)] = []
    tags: Annotated[set[str], pydantic.Field(max_length=2)] = set()
    shares: dict[str, Annotated[int, pydantic.Field(ge=0)]] = {}
    roles: set[str] | None = {"reader"}


class Shelf(pydantic.BaseModel):
    label: Annotated[str, pydantic.AfterValidator(str.upper)]
    books: int = pydantic.Field(default=3, ge=1)
    genres: set[str] = {"novel"}


@entity(key=("ROOM#{id}", "META"))
class Room(pydantic.BaseModel):
    id: str
    seats: int | None = pydantic.Field(default=None, ge=10)
    names: list[str] | None = pydantic.Field(default=None, min_length=2)
    keys: frozenset[str] = pydantic.Field(min_length=1)
    shelves: dict[str, Shelf] = {}
    first: Shelf = Shelf(label="A")


@entity(key=("WINDOW#{id}", "META"))
class Window(pydantic.BaseModel):
    id: str
    low: int = 0
    high: int = 10

    @pydantic.model_validator(mode="after")
    def is_ordered(self) -> Window:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


@entity(key=("RANGE#{id}", "META"))
class Range(pydantic.BaseModel):
    id: str
    low: int = 0
    high: int = 10

    @pydantic.field_validator("high")
    @classmethod
    def is_above_low(cls, value: int, info: pydantic.ValidationInfo) -> int:
        if value < info.data["low"]:
            raise ValueError("high is below low")
        return value


@entity(key=("LOUD#{id}", "META"))
class Loud(pydantic.BaseModel):
    id: str
    text: Annotated[str, pydantic.AfterValidator(lambda v: v.upper() + "!")]
    words: list[Annotated[str, pydantic.AfterValidator(lambda v: v + "!")]] = []


@dataclass
class Address:
    street: str
    floor: int = 0
    door: str | None = None


@entity(key=("PARCEL#{id}", "META"))
@dataclass
class Parcel:
    id: str
    n: int = 0
    plan: Literal["slow", "fast"] = "slow"
    tags: list[str] = dataclass_field(default_factory=list)
    address: Address | None = None
    stops: list[Address] = dataclass_field(default_factory=list)
    weight: Decimal = Decimal(1)
    owner: str | None = "nobody"


@entity(key=("SPAN#{id}", "META"))
@dataclass
class Span:
    id: str
    first: int
    last: int
    length: int = 0

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise ValueError("first is after last")
        self.length = self.last - self.first


@entity(key=("METER#{id}", "META"))
class Meter(msgspec.Struct):
    id: str
    value: Annotated[int, msgspec.Meta(ge=0, le=10)] = 5
    unit: Annotated[str, msgspec.Meta(pattern="^[a-z]+$")] = "kwh"
    steps: Annotated[list[Annotated[int, msgspec.Meta(multiple_of=5)]], msgspec.Meta(max_length=2)] = []


def _stripped(text: str) -> str:
    return text.strip()


@entity(key=("BADGE#{id}", "META"))
@attrs.define
class Badge:
    id: str
    level: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    name: str = attrs.field(default="a", converter=_stripped, validator=attrs.validators.max_len(4))


def _above_low(badge: Any, attribute: Any, value: int) -> None:
    if value < badge.low:
        raise ValueError("high is below low")


@entity(key=("GAUGE#{id}", "META"))
@attrs.define
class Gauge:
    id: str
    low: int = 0
    high: int = attrs.field(default=9, validator=_above_low)


@entity(key=("USER#{id}", "META"), unique=["email"])
@dataclass
class User:
    id: str
    email: str
    age: int = 0


@entity(key=("RANKED#{id}", "META"), gsi1=(native("rank"), "{id}"))
@dataclass
class Ranked:
    id: str
    rank: str = "a"


class Book(
    Table, entities=[Account, Room, Window, Range, Loud, Parcel, Span, Meter, Badge, Gauge, User, Ranked], name="book"
):
    @pattern()
    def change_plan(self, id: str, plan: str) -> Account:
        return update(Account, field(Account, lambda a: a.plan).set(plan))  # type: ignore[arg-type]  # checked when it is called

    @pattern()
    def give(self, id: str, amount: int) -> Account:
        return update(Account, field(Account, lambda a: a.credit).add(amount))


@pytest.fixture
def book() -> Iterator[Book]:
    with Book.open("memory:", create=True) as opened:
        yield opened


def rejected(book: Book, write: Callable[[], object]) -> InvalidValue:
    """Return the error of a write that the client rejects before any write request."""
    stands = between(book)
    before = stored(book)
    with pytest.raises(InvalidValue) as problem:
        write()
    assert WRITES.isdisjoint(stands.operations)
    assert not problem.value.sent
    assert stored(book) == before
    return problem.value


def stored(book: Book) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call(book, "Scan", ConsistentRead=True)["Items"]
    return found


def put_raw_item(book: Book, pk: str, entity_type: str, **attributes: dict[str, Any]) -> None:
    """Write an item as another program would."""
    item = {"PK": {"S": pk}, "SK": {"S": "META"}, "entity_type": {"S": entity_type}, "id": {"S": pk.split("#")[1]}}
    call(book, "PutItem", Item={**item, **attributes})


ACCOUNT = key(Account, id="a")
PARCEL = key(Parcel, id="p")
ROOM = key(Room, id="r")
CREDIT = field(Account, lambda a: a.credit)


def room(**fields: Any) -> Room:
    return Room.model_validate({"id": "r", "keys": {"k"}, **fields})


# Whole objects


def tampered(**fields: Any) -> Account:
    """Return an object whose fields were assigned after its creation. By default, pydantic does not validate them."""
    account = Account(id="a")
    for name, value in fields.items():
        setattr(account, name, value)
    return account


INVALID_OBJECTS: dict[str, Callable[[], Any]] = {
    "pydantic: a bound": lambda: tampered(credit=-4),
    "pydantic: a Literal": lambda: tampered(plan="gold"),
    "pydantic: model_copy": lambda: Account(id="a").model_copy(update={"plan": "gold"}),
    "pydantic: model_construct": lambda: Account.model_construct(id="a", credit="lots"),
    "pydantic: an enum": lambda: tampered(colour="green"),
    "pydantic: a nested object": lambda: tampered(limits=Limits().model_copy(update={"daily": 0})),
    "pydantic: a nested dict": lambda: tampered(limits={"daily": 0}),
    "pydantic: an element": lambda: tampered(scores=[1, -1]),
    "pydantic: too many elements": lambda: tampered(scores=[1, 2, 3, 4]),
    "pydantic: too many members": lambda: tampered(tags={"a", "b", "c"}),
    "pydantic: a value of a dict": lambda: tampered(shares={"x": -1}),
    "pydantic: None": lambda: tampered(credit=None),
    "pydantic: a model_validator": lambda: Window(id="w").model_copy(update={"low": 11}),
    "pydantic: a validator with info": lambda: Range(id="r").model_copy(update={"low": 11}),
    "dataclass: a number as text": lambda: Parcel("p", n="5"),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: a text as list": lambda: Parcel("p", tags="abc"),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: a bool as int": lambda: Parcel("p", n=True),
    "dataclass: a Literal": lambda: Parcel("p", plan="gold"),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: a nested object": lambda: Parcel("p", address=Address(5)),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: an element": lambda: Parcel("p", stops=[Address("x"), Address("x", "top")]),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: a number that DynamoDB cannot store": lambda: Parcel("p", weight=Decimal("NaN")),
    "dataclass: a type that DynamoDB cannot store": lambda: Parcel("p", owner=object()),  # type: ignore[arg-type]  # the wrong type is the test
    "dataclass: __post_init__": lambda: _changed(Span("s", 1, 5), "last", 0),
    "msgspec: a bound of Meta": lambda: Meter("m", value=11),
    "msgspec: a pattern of Meta": lambda: Meter("m", unit="KWH"),
    "msgspec: an element": lambda: Meter("m", steps=[5, 7]),
    "attrs: a validator": lambda: _changed(Badge("b"), "level", 0),
    "attrs: a validator after a converter": lambda: _changed(Badge("b"), "name", "  abcde  "),
    "attrs: a validator of several fields": lambda: _changed(Gauge("g"), "low", 10),
}


def _changed(value: Any, name: str, new: Any) -> Any:
    """Return an object that was changed after its creation, without validation."""
    object.__setattr__(value, name, new)
    return value


@pytest.mark.parametrize("verb", ["put", "create", "upsert"])
@pytest.mark.parametrize("make", INVALID_OBJECTS.values(), ids=INVALID_OBJECTS)
def test_object_validation_does_not_send_an_invalid_object(book: Book, make: Callable[[], Any], verb: str) -> None:
    rejected(book, lambda: getattr(book, verb)(make()))


@pytest.mark.parametrize("verb", ["put", "create", "upsert"])
@pytest.mark.parametrize("make", INVALID_OBJECTS.values(), ids=INVALID_OBJECTS)
def test_object_validation_does_not_send_a_transaction_with_an_invalid_object(
    book: Book, make: Callable[[], Any], verb: str
) -> None:
    def write() -> None:
        with book.transaction() as tx:
            tx.put(Parcel("other"))
            getattr(tx, verb)(make())

    rejected(book, write)


@pytest.mark.parametrize("verb", ["put_many", "create_many"])
@pytest.mark.parametrize("make", INVALID_OBJECTS.values(), ids=INVALID_OBJECTS)
def test_bulk_writes_list_invalid_objects_and_write_the_others(book: Book, make: Callable[[], Any], verb: str) -> None:
    invalid = make()
    result = getattr(book, verb)([invalid, Parcel("other")])
    assert [(each.value is invalid, type(each.reason)) for each in result.failed] == [(True, InvalidValue)]
    assert result.written == 1
    assert [item["PK"]["S"] for item in stored(book)] == ["PARCEL#other"]


def test_object_validation_applies_to_async_writes(book: Book) -> None:
    rejected(book, lambda: asyncio.run(book.aio.put(tampered(credit=-4))))


def test_object_validation_applies_to_the_new_object_of_a_move(book: Book) -> None:
    book.put(Parcel("p"))
    rejected(book, lambda: book.move(Parcel("p"), Parcel("q", n="5")))  # type: ignore[arg-type]  # the wrong type is the test


def test_put_many_of_trusted_objects_skips_object_validation(book: Book) -> None:
    assert book.put_many([tampered(credit=-4)], trusted=True).failed == ()
    with pytest.raises(ItemRefused):
        book.get(ACCOUNT)


def test_object_validation_stores_and_returns_the_validated_form(book: Book) -> None:
    returned = book.put(tampered(code="abc"))
    assert returned.code == "ABC"
    assert [item["code"] for item in stored(book)] == [{"S": "ABC"}]
    assert book.get(ACCOUNT) == returned


def test_object_validation_returns_a_valid_object_itself(book: Book) -> None:
    account = Account(id="a")
    assert book.put(account) is account
    assert book.upsert(account) == account


def test_object_validation_returns_a_value_of_another_type_in_its_declared_type(book: Book) -> None:
    returned = book.put(Parcel("p", tags=("a", "b"), address={"street": "x"}))  # type: ignore[arg-type]  # the wrong type is the test
    assert returned == book.get(PARCEL) == Parcel("p", tags=["a", "b"], address=Address("x"))


def test_object_validation_stores_a_field_that_post_init_computes(book: Book) -> None:
    returned = book.put(_changed(Span("s", 1, 5), "length", 100))
    assert returned == book.get(key(Span, id="s")) == Span("s", 1, 5, 4)


def test_object_validation_rejects_a_validator_that_changes_a_value_each_time(book: Book) -> None:
    problem = rejected(book, lambda: book.put(Loud(id="l", text="hi")))
    assert problem.field == "text"
    assert "each validation changes the value again" in problem.rule


def test_object_validation_errors_have_entity_field_value_rule_and_sent(book: Book) -> None:
    problem = rejected(book, lambda: book.put(tampered(credit=-4)))
    assert (problem.entity, problem.field, problem.value, problem.sent) == ("Account", "credit", -4, False)
    assert "greater than or equal to 0" in problem.rule
    assert str(problem).startswith("Account.credit: -4 is invalid: ")
    assert str(problem).endswith("(no write was sent)")


def test_object_validation_errors_about_the_whole_object_have_no_field(book: Book) -> None:
    problem = rejected(book, lambda: book.put(Window(id="w").model_copy(update={"low": 11})))
    assert (problem.entity, problem.field) == ("Window", None)
    assert "low is above high" in problem.rule


@pytest.mark.parametrize(
    "make",
    [lambda: Range(id="r").model_copy(update={"low": 11}), lambda: _changed(Gauge("g"), "low", 10)],
    ids=["pydantic", "attrs"],
)
def test_object_validation_errors_have_the_message_of_a_validator_that_reads_other_fields(
    book: Book, make: Callable[[], Any]
) -> None:
    assert "high is below low" in rejected(book, lambda: book.put(make())).rule


def test_object_validation_rejects_an_invalid_value_in_a_key(book: Book) -> None:
    problem = rejected(book, lambda: book.put(Parcel(5)))  # type: ignore[arg-type]  # the wrong type is the test
    assert (problem.field, problem.value) == ("id", 5)


@pytest.mark.parametrize("verb", ["put", "create", "upsert"])
def test_object_validation_does_not_send_text_without_a_utf8_form(book: Book, verb: str) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        getattr(book, verb)(Parcel("p", owner="half \ud800"))
    assert stored(book) == []


@pytest.mark.parametrize("verb", ["put_many", "create_many"])
def test_bulk_writes_list_text_without_a_utf8_form(book: Book, verb: str) -> None:
    result = getattr(book, verb)([Parcel("p", owner="half \ud800"), Parcel("q")])
    assert (result.written, [each.value.id for each in result.failed]) == (1, ["p"])


def test_item_encoder_stores_a_subclass_of_str_as_text(book: Book) -> None:
    class Text(str):
        __slots__ = ()

    book.put(Account(id="a", plan="free").model_copy(update={"id": Text("b"), "code": Text("C")}))
    assert book.get(key(Account, id="b")) == Account(id="b", code="C")


# Updates of fields


INVALID_CHANGES: dict[str, Callable[[], Any]] = {
    "a bound": lambda: CREDIT.set(-4),
    "a type": lambda: CREDIT.set("5"),  # type: ignore[arg-type]  # the wrong type is the test
    "None": lambda: CREDIT.set(None),  # type: ignore[arg-type]  # the wrong type is the test
    "a Literal": lambda: field(Account, lambda a: a.plan).set("gold"),  # type: ignore[arg-type]  # the wrong type is the test
    "an enum": lambda: field(Account, lambda a: a.colour).set("green"),  # type: ignore[arg-type]  # the wrong type is the test
    "a nested dict": lambda: field(Account, lambda a: a.limits).set({"daily": 0}),  # type: ignore[arg-type]  # the wrong type is the test
    "a nested field": lambda: field(Account, lambda a: a.limits.daily).set(0),
    "a nested None": lambda: field(Account, lambda a: a.limits.daily).set(None),  # type: ignore[arg-type]  # the wrong type is the test
    "an element": lambda: field(Account, lambda a: a.scores).set([-1]),
    "an element by index": lambda: field(Account, lambda a: a.scores[0]).set(-1),
    "None as element": lambda: field(Account, lambda a: a.scores[0]).set(None),  # type: ignore[arg-type]  # the wrong type is the test
    "too many elements": lambda: field(Account, lambda a: a.scores).set([1, 2, 3, 4]),
    "an appended element": lambda: field(Account, lambda a: a.scores).append([-1]),
    "an appended text": lambda: field(Account, lambda a: a.scores).append("ab"),  # type: ignore[arg-type]  # the wrong type is the test
    "too many members": lambda: field(Account, lambda a: a.tags).add({"a", "b", "c"}),
    "a member of another type": lambda: field(Account, lambda a: a.tags).add({1}),  # type: ignore[arg-type]  # the wrong type is the test
    "no members": lambda: field(Account, lambda a: a.tags).discard(set()),
    "a value of a dict": lambda: field(Account, lambda a: a.shares["x"]).set(-1),
    "None in a dict": lambda: field(Account, lambda a: a.shares["x"]).set(None),  # type: ignore[arg-type]  # the wrong type is the test
    "adding text": lambda: CREDIT.add("5"),  # type: ignore[arg-type]  # the wrong type is the test
    "adding None": lambda: CREDIT.add(None),  # type: ignore[arg-type]  # the wrong type is the test
    "adding a part of an int": lambda: CREDIT.add(0.5),  # type: ignore[arg-type]  # the wrong type is the test
}


@pytest.mark.parametrize("make", INVALID_CHANGES.values(), ids=INVALID_CHANGES)
def test_field_changes_with_an_invalid_value_are_not_sent(book: Book, make: Callable[[], Any]) -> None:
    book.put(Account(id="a", scores=[1], shares={"x": 1}))
    rejected(book, lambda: book.update(ACCOUNT, make()))


@pytest.mark.parametrize("make", INVALID_CHANGES.values(), ids=INVALID_CHANGES)
def test_field_changes_with_an_invalid_value_are_not_sent_a_second_time_either(
    book: Book, make: Callable[[], Any]
) -> None:
    book.put(Account(id="a", scores=[1], shares={"x": 1}))
    for _ in range(2):
        rejected(book, lambda: book.update(ACCOUNT, make()))


@pytest.mark.parametrize("make", INVALID_CHANGES.values(), ids=INVALID_CHANGES)
def test_field_changes_with_an_invalid_value_are_not_sent_in_a_transaction(book: Book, make: Callable[[], Any]) -> None:
    book.put(Account(id="a", scores=[1], shares={"x": 1}))

    def write() -> None:
        with book.transaction() as tx:
            tx.put(Parcel("other"))
            tx.update(ACCOUNT, make())

    rejected(book, write)


def test_field_changes_raise_errors_with_entity_field_value_and_rule(book: Book) -> None:
    book.put(Account(id="a"))
    problem = rejected(book, lambda: book.update(ACCOUNT, field(Account, lambda a: a.limits.daily).set(0)))
    assert (problem.entity, problem.field, problem.value, problem.sent) == ("Account", "limits.daily", 0, False)
    assert "greater than or equal to 1" in problem.rule


@pytest.mark.parametrize(
    ("target", "change"),
    [
        (key(Parcel, id="p"), lambda: field(Parcel, lambda o: o.plan).set("gold")),  # type: ignore[arg-type]  # the wrong type is the test
        (key(Parcel, id="p"), lambda: field(Parcel, lambda o: o.n).set("5")),  # type: ignore[arg-type]  # the wrong type is the test
        (key(Parcel, id="p"), lambda: field(Parcel, lambda o: o.tags).set("abc")),  # type: ignore[arg-type]  # the wrong type is the test
        (key(Parcel, id="p"), lambda: field(Parcel, lambda o: o.stops[0].floor).set("top")),  # type: ignore[arg-type]  # the wrong type is the test
        (key(Meter, id="m"), lambda: field(Meter, lambda o: o.value).set(11)),
        (key(Meter, id="m"), lambda: field(Meter, lambda o: o.unit).set("KWH")),
        (key(Meter, id="m"), lambda: field(Meter, lambda o: o.steps).append([7])),
        (key(Badge, id="b"), lambda: field(Badge, lambda o: o.level).set(0)),
        (key(Badge, id="b"), lambda: field(Badge, lambda o: o.name).set("  abcde  ")),
        (key(Loud, id="l"), lambda: field(Loud, lambda o: o.text).set("hi")),
        (key(Loud, id="l"), lambda: field(Loud, lambda o: o.words).set(["hi"])),
        (key(Loud, id="l"), lambda: field(Loud, lambda o: o.words).append(["hi"])),
    ],
)
def test_field_changes_obey_the_rules_of_every_kind_of_class(
    book: Book, target: Any, change: Callable[[], Any]
) -> None:
    book.put_many([Parcel("p", stops=[Address("x")]), Meter("m"), Badge("b")])
    put_raw_item(book, "LOUD#l", "Loud", text={"S": "HI!"})
    rejected(book, lambda: book.update(target, change()))


def test_field_changes_apply_a_validator_that_changes_a_value(book: Book) -> None:
    book.put_many([Account(id="a"), Badge("b")])
    assert book.update(ACCOUNT, field(Account, lambda a: a.code).set("abc")).code == "ABC"
    assert book.update(key(Badge, id="b"), field(Badge, lambda b: b.name).set(" x ")).name == "x"
    names = {name: item.get(name) for item in stored(book) for name in ("code", "name") if name in item}
    assert names == {"code": {"S": "ABC"}, "name": {"S": "x"}}


def test_field_changes_with_valid_values_need_no_read(book: Book) -> None:
    book.put(Account(id="a"))
    stands = between(book)
    book.update(ACCOUNT, CREDIT.set(50), field(Account, lambda a: a.plan).set("paid"))
    book.update(ACCOUNT, CREDIT.add(-4), field(Account, lambda a: a.scores).append([1]))
    assert stands.operations == ["UpdateItem", "UpdateItem"]


def test_field_changes_of_a_pattern_validate_its_arguments(book: Book) -> None:
    book.put(Account(id="a"))
    assert book.change_plan("a", "paid").plan == "paid"
    rejected(book, lambda: book.change_plan("a", "gold"))
    assert book.give("a", -10).credit == 0
    with pytest.raises(InvalidValue, match="the sum must be >= 0"):
        book.give("a", -1)


def test_bulk_writes_by_update_many_list_items_that_the_change_would_make_invalid(book: Book) -> None:
    book.put_many([Account(id="a", credit=3), Account(id="b", credit=5)])
    keys = [key(Account, id=id) for id in "ab"]
    result = book.update_many(keys, CREDIT.add(-4))
    assert (result.written, [each.value for each in result.failed]) == (1, [keys[0]])
    assert isinstance(result.failed[0].reason, InvalidValue)


# Bounds that DynamoDB checks


@pytest.fixture
def served(place: Place) -> Iterator[Book]:
    with place.open(Book) as opened:
        yield opened


def rejected_by_dynamodb(book: Book, change: Any) -> InvalidValue:
    """Return the error of an update that DynamoDB rejects by its condition."""
    before = stored(book)
    stands: Between = between(book)
    with pytest.raises(InvalidValue) as problem:
        book.update(ACCOUNT, change)
    assert stands.operations[0] == "UpdateItem"
    assert problem.value.sent
    assert "DynamoDB rejected the write and changed nothing" in str(problem.value)
    assert stored(book) == before
    return problem.value


def test_field_changes_that_add_beyond_a_bound_change_nothing(served: Book) -> None:
    served.put(Account(id="a", credit=3))
    problem = rejected_by_dynamodb(served, CREDIT.add(-4))
    assert (problem.entity, problem.field, problem.value) == ("Account", "credit", -4)
    assert problem.rule == "the sum must be >= 0"
    assert rejected_by_dynamodb(served, CREDIT.add(98)).rule == "the sum must be <= 100"
    assert served.update(ACCOUNT, CREDIT.add(-3)).credit == 0
    assert served.update(ACCOUNT, CREDIT.add(100)).credit == 100


def test_field_changes_that_add_to_a_missing_attribute_start_from_the_default(served: Book) -> None:
    put_raw_item(served, "ACCOUNT#a", "Account")
    rejected_by_dynamodb(served, CREDIT.add(-11))
    assert served.update(ACCOUNT, CREDIT.add(-3)).credit == 7
    assert [item["credit"] for item in stored(served)] == [{"N": "7"}]


def test_field_changes_have_exact_bounds_of_large_numbers(served: Book) -> None:
    @entity(key=("WALLET#{id}", "META"))
    class Wallet(pydantic.BaseModel):
        id: str
        wei: int = pydantic.Field(default=0, ge=0)

    class Wallets(Table, entities=[Wallet], name="wallets"):
        pass

    with Wallets.open("memory:", create=True) as wallets:
        wallets.put(Wallet(id="w", wei=10**29))
        with pytest.raises(InvalidValue):
            wallets.update(key(Wallet, id="w"), field(Wallet, lambda w: w.wei).add(-(10**29) - 1))
        assert wallets.update(key(Wallet, id="w"), field(Wallet, lambda w: w.wei).add(-(10**29))).wei == 0


def test_field_changes_that_append_beyond_the_maximum_length_change_nothing(served: Book) -> None:
    served.put(Account(id="a", scores=[1, 2]))
    problem = rejected_by_dynamodb(served, field(Account, lambda a: a.scores).append([3, 4]))
    assert problem.rule == "the list must have at most 3 elements"
    assert served.update(ACCOUNT, field(Account, lambda a: a.scores).append([3])).scores == [1, 2, 3]


def test_field_changes_at_an_index_beyond_the_end_of_a_list_change_nothing(served: Book) -> None:
    served.put(Account(id="a", scores=[1, 2]))
    assert (
        rejected_by_dynamodb(served, field(Account, lambda a: a.scores[2]).set(5)).rule == "the list has no element 2"
    )
    with pytest.raises(InvalidValue, match="the list has no element 2"):
        served.update(ACCOUNT, field(Account, lambda a: a.scores[2]).remove())
    assert served.update(ACCOUNT, field(Account, lambda a: a.scores[1]).set(5)).scores == [1, 5]
    assert served.update(ACCOUNT, field(Account, lambda a: a.scores[0]).remove()).scores == [5]


def test_field_changes_beyond_a_bound_cancel_their_transaction(book: Book) -> None:
    book.put(Account(id="a", credit=3))
    with pytest.raises(TransactionCancelled) as problem, book.transaction() as tx:
        tx.update(ACCOUNT, CREDIT.add(-4))
    (reason,) = problem.value.reasons
    assert isinstance(reason.error, InvalidValue)
    assert reason.error.sent
    assert book.get(ACCOUNT) == Account(id="a", credit=3)


def test_field_changes_of_a_missing_item_raise_not_found_rather_than_invalid(book: Book) -> None:
    with pytest.raises(NotFound):
        book.update(ACCOUNT, CREDIT.add(-4))
    with pytest.raises(NotFound):
        book.update(ACCOUNT, field(Account, lambda a: a.scores[0]).set(5))


# Sets


def test_field_changes_add_and_discard_members_of_a_set(book: Book) -> None:
    tags = field(Account, lambda a: a.tags)
    book.put(Account(id="a"))
    assert book.update(ACCOUNT, tags.add({"x", "y"})).tags == {"x", "y"}
    assert book.update(ACCOUNT, tags.discard({"x", "z"})).tags == {"y"}
    assert book.update(ACCOUNT, tags.discard({"y"})).tags == set()
    assert book.get(ACCOUNT) == Account(id="a")


def test_field_changes_find_too_many_members_of_a_set_by_a_read(book: Book) -> None:
    book.put(Account(id="a", tags={"x", "y"}))
    problem = rejected(book, lambda: book.update(ACCOUNT, field(Account, lambda a: a.tags).add({"z"})))
    assert problem.field == "tags"


# Removing


def test_update_changes_reject_the_removal_of_a_required_field() -> None:
    with pytest.raises(DesignError, match="street is required"):
        field(Parcel, lambda p: p.address.street).remove()  # type: ignore[union-attr]  # recorded
    with pytest.raises(DesignError, match="first is required"):
        field(Span, lambda s: s.first).remove()


def test_field_changes_give_a_removed_field_its_default_again(book: Book) -> None:
    book.put(Account(id="a", credit=50, limits=Limits(daily=7, note="x")))
    changed = book.update(ACCOUNT, CREDIT.remove(), field(Account, lambda a: a.limits.note).remove())
    assert changed == book.get(ACCOUNT) == Account(id="a", limits=Limits(daily=7))


def test_field_changes_store_none_if_the_default_is_another_value(book: Book) -> None:
    book.put(Parcel("p"))
    assert book.update(PARCEL, field(Parcel, lambda p: p.owner).set(None)).owner is None
    assert book.get(PARCEL) == Parcel("p", owner=None)


def test_field_changes_reject_the_removal_of_a_required_field_inside_a_dict(book: Book) -> None:
    book.put(room(shelves={"x": Shelf(label="A")}))
    rejected(book, lambda: book.update(ROOM, field(Room, lambda r: r.shelves["x"].label).remove()))
    assert book.update(ROOM, field(Room, lambda r: r.shelves["x"].books).remove()).shelves["x"].books == 3


# Missing values


def test_field_changes_that_add_to_none_obey_the_bounds(book: Book) -> None:
    book.put(room())
    seats = field(Room, lambda r: r.seats)
    for amount in (5, 0, -1):
        with pytest.raises(InvalidValue):
            book.update(ROOM, seats.add(amount))
    assert book.update(ROOM, seats.add(12)).seats == 12
    assert book.update(ROOM, seats.add(0)).seats == 12


def test_field_changes_that_append_to_none_obey_the_minimum_length(book: Book) -> None:
    book.put(room())
    names = field(Room, lambda r: r.names)
    with pytest.raises(InvalidValue, match="at least 2"):
        book.update(ROOM, names.append(["a"]))
    assert book.update(ROOM, names.append(["a", "b"])).names == ["a", "b"]
    assert book.update(ROOM, names.append(["c"])).names == ["a", "b", "c"]


def test_field_changes_that_add_inside_a_dict_start_from_the_default(book: Book) -> None:
    put_raw_item(book, "ROOM#r", "Room", keys={"SS": ["k"]}, shelves={"M": {"x": {"M": {"label": {"S": "A"}}}}})
    changed = book.update(ROOM, field(Room, lambda r: r.shelves["x"].books).add(1))
    assert changed.shelves["x"].books == 4


def test_field_changes_to_an_empty_set_obey_the_minimum_length(book: Book) -> None:
    book.put(room())
    rejected(book, lambda: book.update(ROOM, field(Room, lambda r: r.keys).set(frozenset())))


def test_field_changes_can_make_a_set_inside_an_object_empty(book: Book) -> None:
    book.put(room())
    genres = field(Room, lambda r: r.first.genres)
    assert book.update(ROOM, genres.set(set())).first.genres == set()
    assert book.update(ROOM, genres.add({"poetry"})).first.genres == {"poetry"}
    assert book.update(ROOM, genres.discard({"poetry"})).first.genres == set()
    assert book.get(ROOM) == room(first=Shelf(label="A", genres=set()))


def test_field_changes_add_members_to_a_set_that_is_none(book: Book) -> None:
    book.put(Account(id="a", roles=None))
    assert book.update(ACCOUNT, field(Account, lambda a: a.roles).add({"admin"})).roles == {"admin"}


def test_field_changes_store_the_validated_form_of_a_nested_object(book: Book) -> None:
    book.put(room())
    given: Any = {"label": "abc"}
    assert book.update(ROOM, field(Room, lambda r: r.first).set(given)).first == Shelf(label="ABC")
    assert [item["first"]["M"]["label"] for item in stored(book)] == [{"S": "ABC"}]


# Rules about the whole object.


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (Window(id="w"), field(Window, lambda w: w.low).set(11)),
        (Window(id="w"), field(Window, lambda w: w.high).add(-11)),
        (Range(id="r"), field(Range, lambda r: r.low).set(11)),
        (Span("s", 1, 5), field(Span, lambda s: s.first).set(6)),
        (Gauge("g"), field(Gauge, lambda g: g.low).add(10)),
    ],
)
def test_object_validation_does_not_send_an_update_that_breaks_a_rule_about_the_object(
    book: Book, value: Any, change: Any
) -> None:
    book.put(value)
    rejected(book, lambda: book.update(value, change))


def test_object_validation_of_an_update_reads_first_if_a_rule_is_about_the_whole_object(book: Book) -> None:
    book.put(Window(id="w"))
    stands = between(book)
    assert book.update(key(Window, id="w"), field(Window, lambda w: w.low).set(5)).low == 5
    assert stands.operations == ["GetItem", "UpdateItem"]
    changed = book.update(
        key(Window, id="w"), field(Window, lambda w: w.low).set(20), field(Window, lambda w: w.high).set(30)
    )
    assert (changed.low, changed.high) == (20, 30)


def test_object_validation_includes_a_change_between_the_read_and_the_write(book: Book) -> None:
    book.put(Window(id="w"))
    changes = iter([{"N": "3"}])

    def race(operation: str, document: dict[str, Any]) -> None:
        new = next(changes, None) if operation == "UpdateItem" else None
        if new is not None:
            put_raw_item(book, "WINDOW#w", "Window", low={"N": "0"}, high=new)

    between(book, request=race)
    with pytest.raises(InvalidValue, match="low is above high"):
        book.update(key(Window, id="w"), field(Window, lambda w: w.low).set(5))
    assert book.get(key(Window, id="w")) == Window(id="w", high=3)


def test_object_validation_of_an_update_changes_a_field_that_the_class_computes(book: Book) -> None:
    book.put(Span("s", 1, 5))
    changed = book.update(key(Span, id="s"), field(Span, lambda s: s.last).set(9))
    assert changed == book.get(key(Span, id="s")) == Span("s", 1, 9, 8)
    assert [item["length"] for item in stored(book)] == [{"N": "8"}]


def test_object_validation_of_fields_alone_waives_rules_about_the_whole_object(book: Book) -> None:
    book.put(Window(id="w"))
    target = key(Window, id="w")
    stands = between(book)
    assert book.update(target, field(Window, lambda w: w.low).set(5), validate="fields").low == 5
    assert stands.operations == ["UpdateItem"]
    rejected(book, lambda: book.update(target, field(Window, lambda w: w.low).set("5"), validate="fields"))  # type: ignore[arg-type]  # the wrong type is the test
    with pytest.raises(ItemRefused) as problem:
        book.update(target, field(Window, lambda w: w.low).set(11), validate="fields")
    assert "The write succeeded" in problem.value.__notes__[0]


def test_write_intents_accept_only_two_values_for_validate(book: Book) -> None:
    with pytest.raises(ValueError, match='validate must be "whole" or "fields"'):
        book.update(ACCOUNT, CREDIT.set(5), validate="none")  # type: ignore[arg-type]  # the wrong value is the test


# Unreadable items


def test_table_writer_returns_a_deleted_item_that_cannot_be_read_as_attributes(book: Book) -> None:
    put_raw_item(book, "ACCOUNT#a", "Account", credit={"N": "-4"})
    with pytest.warns(UnreadableItemWarning, match="Account with id='a' was deleted") as warned:
        found: Any = book.delete(ACCOUNT)
    assert found["credit"] == {"N": "-4"}
    warning = warned[0].message
    assert isinstance(warning, UnreadableItemWarning)
    assert warning.unreadable is not None
    assert warning.unreadable.item == found
    assert stored(book) == []


def test_table_writer_does_not_delete_an_unreadable_item_with_derived_data(book: Book) -> None:
    book.put(User("u", "u@example.org"))
    put_raw_item(book, "USER#u", "User", email={"S": "u@example.org"}, age={"S": "old"})
    before = stored(book)
    stands = between(book)
    with pytest.raises(ItemRefused):
        book.delete(key(User, id="u"))
    assert WRITES.isdisjoint(stands.operations)
    assert stored(book) == before


def test_table_writer_deletes_an_unreadable_item_with_derived_data_if_raw_is_set(book: Book) -> None:
    book.put(User("u", "u@example.org"))
    put_raw_item(book, "USER#u", "User", email={"S": "u@example.org"}, age={"S": "old"})
    with pytest.warns(UnreadableItemWarning):
        found: Any = book.delete(key(User, id="u"), raw=True)
    assert found["age"] == {"S": "old"}
    assert [item["SK"]["S"] for item in stored(book)] == ["UNIQUE"]


def test_table_writer_makes_an_unreadable_item_readable_again_by_an_update(book: Book) -> None:
    put_raw_item(book, "ACCOUNT#a", "Account", credit={"N": "-4"})
    assert book.update(ACCOUNT, CREDIT.set(4)).credit == 4
    assert book.get(ACCOUNT) == Account(id="a", credit=4)


@pytest.mark.parametrize("verb", ["put", "upsert"])
def test_object_validation_rejects_a_key_field_that_is_none_with_derived_data(book: Book, verb: str) -> None:
    rejected(book, lambda: getattr(book, verb)(User(None, "u@example.org")))  # type: ignore[arg-type]  # the wrong type is the test


def test_bulk_writes_by_create_many_list_a_key_field_that_is_none_as_invalid(book: Book) -> None:
    result = book.create_many([Parcel(None)])  # type: ignore[arg-type]  # the wrong type is the test
    assert [type(each.reason) for each in result.failed] == [InvalidValue]


def test_update_changes_can_set_a_required_field_of_any_type_to_none() -> None:
    @entity(key=("NOTE#{id}", "META"))
    @dataclass
    class Note:
        id: str
        text: Any

    field(Note, lambda n: n.text).set(None)


# The error itself


def test_errors_for_invalid_values_are_value_errors_and_shorten_long_values() -> None:
    problem = InvalidValue("Account", "code", "x" * 1000, "too long")
    assert isinstance(problem, ValueError)
    assert len(str(problem)) < 300
    assert problem.value == "x" * 1000


class Zip(pydantic.BaseModel):
    code: str = pydantic.Field(default="00000", max_length=5)


@entity(key=("HOUSE#{id}", "META"))
class House(pydantic.BaseModel):
    id: str
    zip: Zip = Zip()
    zips: list[Zip] = []
    built: datetime | None = None
    note: str = ""


class Houses(Table, entities=[House], name="houses"):
    pass


@pytest.fixture
def houses() -> Iterator[Houses]:
    with Houses.open("memory:", create=True) as opened:
        yield opened


def test_object_validation_does_not_replace_none_in_a_nested_field_by_the_default(houses: Houses) -> None:
    house = House(id="1", zips=[Zip()])
    house.zip.code = None  # type: ignore[assignment]  # the wrong type is the test
    with pytest.raises(InvalidValue, match=r"House.zip: "):
        houses.put(house)
    house = House(id="1", zips=[Zip()])
    house.zips[0].code = None  # type: ignore[assignment]  # the wrong type is the test
    with pytest.raises(InvalidValue, match=r"House.zips: "):
        houses.put(house)
    assert houses.get(key(House, id="1")) is None


def test_object_validation_errors_of_a_nested_object_name_its_rule(houses: Houses) -> None:
    house = House(id="1")
    house.zip.code = "0123456"
    with pytest.raises(InvalidValue, match=r"House.zip: .* is invalid: code: String should have at most 5 characters"):
        houses.put(house)


def test_object_validation_rejects_a_datetime_outside_the_years_of_utc(houses: Houses) -> None:
    early = House(id="2", built=datetime.min.replace(tzinfo=timezone(timedelta(hours=1))))
    with pytest.raises(InvalidValue, match=r"House.built: .*outside the years 1 to 9999"):
        houses.put(early)
    result = houses.put_many([House(id="1"), early, House(id="3")])
    assert (result.written, [type(each.reason) for each in result.failed]) == (2, [InvalidValue])


@pytest.mark.parametrize("text", ["\ud800", "ok \udfff"])
def test_object_validation_rejects_half_a_surrogate_pair_in_every_write(houses: Houses, text: str) -> None:
    houses.put(House(id="1"))
    with pytest.raises(InvalidValue, match=r"House.note: .*surrogate"):
        houses.put(House.model_construct(id="1", note=text, zip=Zip(), zips=[], built=None))
    with pytest.raises(InvalidValue, match=r"House.note: .*surrogate"):
        houses.update(key(House, id="1"), field(House, lambda h: h.note).set(text))


def test_bulk_writes_reject_a_single_object(houses: Houses) -> None:
    with pytest.raises(ArgumentRefused, match=r"put_many takes a list, got one value; pass \[House\(...\)\]"):
        houses.put_many(House(id="1"))
