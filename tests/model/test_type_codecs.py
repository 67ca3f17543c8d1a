"""Type codecs: every supported type reads back equal from items and keys, and keys sort like the values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from pathlib import Path, PurePosixPath
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, HttpUrl, TypeAdapter

from singletable import (
    Between,
    DesignError,
    InvalidValue,
    KeyRefused,
    Page,
    Table,
    codec,
    entity,
    field,
    get,
    pattern,
    query,
)
from singletable.model.codecs.choose_codec import choose_codec


@dataclass(frozen=True)
class Money:
    """An amount in a currency; without a codec, it would be stored as a map."""

    cents: int
    currency: str

    def __str__(self) -> str:
        return f"{self.cents} {self.currency}"

    @classmethod
    def parse(cls, text: str) -> Money:
        """Return the money that a text describes."""
        cents, currency = text.split()
        return cls(int(cents), currency)


class Version:
    """A version, which has no fields and sorts by its numbers."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return f"Version{self.numbers}"


def number(version: Version) -> int:
    """Return the version as a number."""
    major, minor = version.numbers
    return major * 1000 + minor


VERSION = codec(Version, to=number, of=lambda stored: Version(*divmod(stored, 1000)))
MONEY = codec(Money, to=str, of=Money.parse)


@dataclass
class Detail:
    price: Money
    lasts: timedelta


@entity(key=("PRODUCT#{name}", "VERSION#{version:06d}#{price}"), codecs=[VERSION, MONEY])
@dataclass
class Release:
    name: str
    version: Version
    price: Money
    detail: Detail
    prices: list[Money]
    by_version: dict[Version, Money]
    former: set[Money]
    other: Money | None = None


class Releases(Table, entities=[Release]):
    @pattern()
    def release(self, name: str, version: Version, price: Money) -> Release | None:
        """Get a release."""
        return get(Release)

    @pattern()
    def releases(self, name: str, version: Between[Version], *, limit: int = 20) -> Page[Release]:
        """List the releases of a product between two versions."""
        return query(Release)


EURO = Money(100, "EUR")


def release(number: int) -> Release:
    detail = Detail(EURO, timedelta(seconds=1.5))
    return Release("p", Version(1, number), EURO, detail, [EURO], {Version(2, 0): EURO}, {EURO, Money(2, "USD")})


def test_type_codecs_work_in_fields_nested_classes_containers_and_keys() -> None:
    with Releases.open("memory:") as releases:
        for number in (2, 10, 1):
            releases.put(release(number))
        assert releases.release("p", Version(1, 2), EURO) == release(2)
        assert list(releases.releases("p", Between(Version(1, 1), Version(1, 9)))) == [release(1), release(2)]
        request = releases.release.explain("p", Version(1, 2), EURO).requests[0]
        assert request.parameters["Key"]["SK"] == {"S": "VERSION#001002#100%20EUR"}


def test_type_codecs_work_in_updates_and_conditions() -> None:
    with Releases.open("memory:") as releases:
        releases.put(release(1))
        dollar = Money(1, "USD")
        changed = releases.update(
            release(1), field(Release, lambda r: r.detail.price).set(dollar), where=lambda r: r.prices[0] == EURO
        )
        assert changed.detail == Detail(dollar, timedelta(seconds=1.5))
        assert releases.release("p", Version(1, 1), EURO) == changed


def test_a_value_that_its_type_codec_does_not_read_back_is_never_stored() -> None:
    @entity(key=("THING#{id}", "THING"), codecs=[codec(Version, to=lambda v: v.numbers[0], of=Version, stored=int)])
    @dataclass
    class Thing:
        id: str
        version: Version

    class Things(Table, entities=[Thing]):
        pass

    with Things.open("memory:") as things:
        things.put(Thing("a", Version(1)))
        with pytest.raises(InvalidValue, match=r"does not read back Version\(1, 2\): to\(\) returns 1"):
            things.put(Thing("b", Version(1, 2)))
        with pytest.raises(InvalidValue, match=r"the codec of Version does not read back Version\(1, 2\)"):
            things.update(Thing("a", Version(1)), field(Thing, lambda t: t.version).set(Version(1, 2)))
        assert [each.id for each in things.scan(Thing, reason="test")] == ["a"]


def test_a_key_with_a_type_codec_rejects_a_value_of_another_type() -> None:
    with (
        Releases.open("memory:") as releases,
        pytest.raises(KeyRefused, match=r"'1\.2' is not a Version for"),
    ):
        releases.release("p", "1.2", EURO)  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: codec(Money, to=lambda m: f"{m}", of=Money.parse), "the type that `to` returns is unknown"),
        (lambda: codec(datetime, to=str, of=datetime.fromisoformat), "the type is supported without a codec"),
        (lambda: codec(Money, to=Money, of=Money), "`to` must return a value of another type"),  # type: ignore[arg-type, misc]
    ],
)
def test_a_type_codec_with_a_wrong_declaration_is_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=re.escape(message)):
        make()


def test_entity_rejects_two_codecs_of_a_type() -> None:
    with pytest.raises(DesignError, match="codecs contains two codecs of Money; remove one"):
        entity(key=("A", "B"), codecs=[MONEY, MONEY])(Detail)


class Kinds(BaseModel):
    """One field of each type that has a built-in codec."""

    id: str
    lasts: timedelta
    at: time
    v4: IPv4Address
    v6: IPv6Address
    net4: IPv4Network
    net6: IPv6Network
    face4: IPv4Interface
    face6: IPv6Interface
    path: Path
    pure: PurePosixPath
    zone: ZoneInfo
    url: HttpUrl
    any_url: pydantic.AnyUrl
    file_url: pydantic.FileUrl
    socket: pydantic.WebsocketUrl
    postgres: pydantic.PostgresDsn
    redis: pydantic.RedisDsn
    size: pydantic.ByteSize
    address: pydantic.IPvAnyAddress
    network: pydantic.IPvAnyNetwork
    aware: pydantic.AwareDatetime
    past: pydantic.PastDatetime
    day: pydantic.PastDate
    positive: pydantic.PositiveInt
    score: pydantic.NonNegativeFloat
    finite: pydantic.FiniteFloat
    few: pydantic.conint(ge=1, le=3)  # type: ignore[valid-type]  # as pydantic declares it
    word: pydantic.constr(min_length=1, pattern="^[a-z]+$")  # type: ignore[valid-type]  # as pydantic declares it
    amount: pydantic.condecimal(max_digits=5, decimal_places=2)  # type: ignore[valid-type]  # as pydantic declares it
    strict: pydantic.StrictStr
    one: pydantic.UUID1
    four: pydantic.UUID4
    seven: pydantic.UUID7
    short: Annotated[str, pydantic.Field(max_length=3)]
    urls: list[HttpUrl]
    spans: dict[str, timedelta]
    hosts: set[IPv4Address]
    maybe: timedelta | None = None


def kinds(number: int) -> Kinds:
    return Kinds.model_validate(
        {
            "id": f"k{number}",
            "lasts": timedelta(days=-number, microseconds=1),
            "at": "10:00:00.5",
            "v4": f"10.0.0.{number}",
            "v6": "fe80::1%eth0",
            "net4": "10.0.0.0/8",
            "net6": "2001:db8::/32",
            "face4": "10.1.2.3/8",
            "face6": "2001:db8::1/32",
            "path": "/a/b",
            "pure": "c/d",
            "zone": "Europe/Berlin",
            "url": "HTTPS://Example.com/ä?q=%20#f",
            "any_url": "ftp://example.com",
            "file_url": "file:///etc/hosts",
            "socket": "wss://example.com/x",
            "postgres": "postgres://u:p@one.example,two.example:5433/app",
            "redis": "redis://example.com:6379/0",
            "size": "1.5KiB",
            "address": "::1",
            "network": "10.0.0.0/24",
            "aware": datetime(2026, 1, 1, tzinfo=UTC),
            "past": datetime(2020, 1, 1, tzinfo=UTC),
            "day": "2020-01-01",
            "positive": 1,
            "score": 0.5,
            "finite": -1.25,
            "few": 3,
            "word": "abc",
            "amount": Decimal("12.50"),
            "strict": "s",
            "one": "5b2c5926-c35e-11ef-9cd2-0242ac120002",
            "four": "2c9ad8b4-0e1b-4f43-9f0e-1f3a5f7c9d11",
            "seven": "01941f29-7c00-7aaa-aaaa-aaaaaaaaaaaa",
            "short": "abc",
            "urls": ["https://a.example/", "https://b.example/"],
            "spans": {"one": timedelta(hours=1)},
            "hosts": {"10.0.0.1", "10.0.0.2"},
        }
    )


@entity(key=("ALL", "{lasts}#{at}#{v4}#{net6}#{url}#{id}"))
class StoredKinds(Kinds):
    """The types in an entity, some of them in its key."""


class AllKinds(Table, entities=[StoredKinds]):
    @pattern()
    def between(self, lasts: Between[timedelta], *, limit: int = 10) -> Page[StoredKinds]:
        """List the items between two durations."""
        return query(StoredKinds)

    @pattern()
    def one(
        self, lasts: timedelta, at: time, v4: IPv4Address, net6: IPv6Network, url: HttpUrl, id: str
    ) -> StoredKinds | None:
        """Get an item by the whole key."""
        return get(StoredKinds)


def test_type_codecs_read_back_every_supported_type_unchanged() -> None:
    made = [StoredKinds.model_validate(dict(kinds(number))) for number in range(3)]
    with AllKinds.open("memory:") as table:
        for each in made:
            table.put(each)
        read = table.one(made[1].lasts, made[1].at, made[1].v4, made[1].net6, made[1].url, "k1")
        assert read == made[1]
        assert {name: type(value) for name, value in read} == {name: type(value) for name, value in made[1]}
        assert list(table.between(Between(timedelta(days=-2), timedelta(days=-1)))) == [made[2]]
        assert list(table.between(Between(timedelta(days=-3), timedelta(days=1)))) == made[::-1]


SORTED: dict[Any, st.SearchStrategy[Any]] = {
    timedelta: st.timedeltas(),
    time: st.times(),
    IPv4Address: st.ip_addresses(v=4),
    IPv6Address: st.ip_addresses(v=6),
    IPv4Network: st.tuples(st.ip_addresses(v=4), st.integers(0, 32)).map(lambda pair: IPv4Network(pair, strict=False)),
    IPv6Network: st.tuples(st.ip_addresses(v=6), st.integers(0, 128)).map(lambda pair: IPv6Network(pair, strict=False)),
}


@pytest.mark.parametrize("kind", SORTED)
@given(data=st.data())
def test_keys_of_built_in_types_sort_like_the_values_and_decode(kind: Any, data: st.DataObject) -> None:
    low, high = sorted((data.draw(SORTED[kind]), data.draw(SORTED[kind])))
    encoder = choose_codec(kind, "", "#")
    texts = [encoder.encode(low), encoder.encode(high)]
    assert texts == sorted(texts)
    assert (texts[0] == texts[1]) == (low == high)
    assert [encoder.decode(text) for text in texts] == [low, high]


def test_the_type_codec_of_a_time_rejects_a_time_zone_because_it_has_no_order() -> None:
    made = StoredKinds.model_validate({**dict(kinds(1)), "at": time(10, tzinfo=UTC)})
    with (
        AllKinds.open("memory:") as table,
        pytest.raises(InvalidValue, match="in different zones have no order"),
    ):
        table.put(made)


def test_the_type_codec_of_an_address_rejects_a_scope_id_in_a_key() -> None:
    with pytest.raises(KeyRefused, match="scope ID, which has no order"):
        choose_codec(IPv6Address, "", "#").encode(IPv6Address("fe80::1%eth0"))


def test_the_type_codec_of_an_address_allows_the_delimiter_of_the_table() -> None:
    encoder = choose_codec(IPv4Address, "", ".")
    assert encoder.spans_segments
    assert choose_codec(time, "desc", "#").encode(time(1, 2)) == "98:97:99.999999"
    assert choose_codec(time, "desc", "#").decode("98:97:99.999999") == time(1, 2)


def test_type_codecs_support_the_uuids_and_urls_of_pydantic() -> None:
    assert isinstance(kinds(1).four, UUID)
    assert TypeAdapter(HttpUrl).validate_python(str(kinds(1).url)) == kinds(1).url
