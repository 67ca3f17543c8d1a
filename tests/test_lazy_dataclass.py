"""Lazy dataclasses behave like the dataclasses of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any, ClassVar

import pytest

from singletable.lazy_dataclass import dataclass as lazy_dataclass
from singletable.lazy_dataclass import replace

DECORATORS: list[Any] = [dataclasses.dataclass, lazy_dataclass]


def sample_classes(decorator: Any) -> dict[str, Any]:
    """Return classes with every kind of field and option that the package uses, by name."""

    @decorator(frozen=True)
    class Point:
        """A frozen class."""

        x: int
        y: int = 2
        tags: list[str] = dataclasses.field(default_factory=list)
        hidden: int = dataclasses.field(default=5, repr=False, compare=False)
        count: ClassVar[int] = 0

    @decorator(frozen=True)
    class Named(Point):
        """A subclass with a keyword and a computed field."""

        name: str = dataclasses.field(kw_only=True)
        length: int = dataclasses.field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.name))

    @decorator
    class Mutable:
        """A class whose instances change."""

        items: list[int] = dataclasses.field(default_factory=list)
        total: int = 0

    @decorator(frozen=True, eq=False)
    class ByIdentity:
        """A class that is compared by identity."""

        value: int

    @decorator(frozen=True)
    class OwnMethods:
        """A class that defines the methods that the decorator would add."""

        value: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    @decorator(frozen=True, slots=True)
    class Slotted:
        """A frozen class with slots."""

        x: int
        y: int = 2
        tags: tuple[str, ...] = dataclasses.field(default_factory=tuple)

    @decorator(frozen=True, order=True, slots=True)
    class Ordered:
        """A class with options that the standard decorator handles."""

        value: int

    return {each.__name__: each for each in (Point, Named, Mutable, ByIdentity, OwnMethods, Slotted, Ordered)}


CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "positional": lambda of: of["Point"](1, 3, ["a"]),
    "default factory": lambda of: of["Point"](1).tags is of["Point"](1).tags,
    "missing argument": lambda of: of["Point"](),
    "too many arguments": lambda of: of["Point"](1, 2, [], 4, 5),
    "unknown keyword": lambda of: of["Point"](1, z=3),
    "keyword-only": lambda of: of["Named"](1, name="ada"),
    "keyword-only without a name": lambda of: of["Named"](1, 2, [], 5, "ada"),
    "argument of a computed field": lambda of: of["Named"](1, name="ada", length=3),
    "equal": lambda of: (of["Point"](1, hidden=1) == of["Point"](1, hidden=2), of["Point"](1) == of["Point"](2)),
    "other class": lambda of: of["Point"](1) == of["Named"](1, name=""),
    "hash": lambda of: len({of["ByIdentity"](1), of["ByIdentity"](1)}),
    "hash of equal values": lambda of: (
        hash(of["Named"](1, tags=(), name="a")) == hash(of["Named"](1, tags=(), name="a"))
    ),
    "unhashable value": lambda of: hash(of["Point"](1)),
    "unhashable class": lambda of: hash(of["Mutable"]()),
    "mutable": lambda of: (of["Mutable"]([1]), of["Mutable"]().__setattr__("total", 3)),
    "assignment": lambda of: setattr(of["Point"](1), "x", 2),
    "assignment of another name": lambda of: setattr(of["Point"](1), "other", 2),
    "deletion": lambda of: delattr(of["Point"](1), "x"),
    "own methods": lambda of: (repr(of["OwnMethods"](1)), of["OwnMethods"](1) == 3, hash(of["OwnMethods"](1))),
    "order": lambda of: sorted([of["Ordered"](2), of["Ordered"](1)]),
    "fields": lambda of: [
        (each.name, each.type, each.init, each.repr, each.compare, each.kw_only, each.default is dataclasses.MISSING)
        for each in dataclasses.fields(of["Named"])
    ],
    "is a dataclass": lambda of: (dataclasses.is_dataclass(of["Point"]), dataclasses.is_dataclass(of["Point"](1))),
    "as a dict": lambda of: dataclasses.asdict(of["Named"](1, name="x")),
    "standard replace": lambda of: dataclasses.replace(of["Named"](1, name="x"), y=5),
    "class attributes": lambda of: (of["Point"].y, of["Point"].hidden, hasattr(of["Point"], "tags"), of["Point"].count),
    "match": lambda of: (of["Point"].__match_args__, of["Named"].__match_args__),
    "signature": lambda of: [
        (each.name, each.kind, each.annotation, each.default is inspect.Parameter.empty)
        for each in inspect.signature(of["Named"]).parameters.values()
    ],
    "slots": lambda of: (
        of["Slotted"](1),
        of["Slotted"](1, tags=("a",)) == of["Slotted"](1),
        hash(of["Slotted"](1)) == 0,
    ),
    "fields of slots": lambda of: (of["Slotted"].__slots__, dataclasses.asdict(of["Slotted"](3)), of["Slotted"](1).y),
    "no dictionary with slots": lambda of: vars(of["Slotted"](1)),
    "assignment to a slot": lambda of: setattr(of["Slotted"](1), "x", 2),
    "copy with slots": lambda of: (copy.copy(of["Slotted"](4)), copy.deepcopy(of["Slotted"](4))),
    "copy": lambda of: (copy.copy(of["Point"](1)), copy.deepcopy(of["Point"](1))),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_lazy_dataclass_behaves_like_a_standard_one(call: str) -> None:
    standard, lazy = (outcome(CALLS[call], sample_classes(each)) for each in DECORATORS)
    assert lazy == standard


def outcome(call: Callable[[dict[str, Any]], Any], classes: dict[str, Any]) -> str:
    """Return the result or the error of a call as text, without the parts that differ between two classes."""
    try:
        result = repr(call(classes))
    except (TypeError, AttributeError, dataclasses.FrozenInstanceError) as problem:
        result = f"{type(problem).__name__}: {problem}"
    return result.replace("sample_classes.<locals>.", "")


def test_a_lazy_dataclass_supports_replace() -> None:
    named = sample_classes(lazy_dataclass)["Named"]
    assert replace(named(1, tags=["a"], name="ada"), name="grace") == named(1, tags=["a"], name="grace")
    assert replace(sample_classes(dataclasses.dataclass)["Point"](1), x=4).x == 4
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        replace(named(1, name="ada"), other=1)


def test_a_lazy_dataclass_rejects_a_mutable_default() -> None:
    with pytest.raises(ValueError, match=r"mutable default .* for field items"):

        @lazy_dataclass
        class Shared:
            """All instances would share the list."""

            items: list[int] = []  # noqa: RUF012 - rejected


def test_a_standard_dataclass_can_extend_a_lazy_one() -> None:
    point = sample_classes(lazy_dataclass)["Point"]

    @dataclasses.dataclass(frozen=True)
    class Extended(point):  # type: ignore[misc, valid-type]  # a class made at run time
        """A subclass."""

        z: int = 9

    assert repr(Extended(1)).endswith("Extended(x=1, y=2, tags=[], z=9)")


@lazy_dataclass(frozen=True)
class Pickled:
    """A class at the top level of a module, as pickle requires."""

    value: int


def test_a_lazy_dataclass_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pickled(3))) == Pickled(3)


@lazy_dataclass(frozen=True, slots=True)
class PickledSlots:
    """The same with slots."""

    value: int


def test_a_lazy_dataclass_with_slots_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(PickledSlots(3))) == PickledSlots(3)


def test_a_lazy_dataclass_allows_several_threads_to_create_the_first_instance() -> None:
    for _ in range(20):
        point, barrier = sample_classes(lazy_dataclass)["Point"], Barrier(8)
        made: list[Any] = []

        def create(of: Any = point, start: Barrier = barrier, into: list[Any] = made) -> None:
            start.wait()
            into.append(of(1))

        threads = [Thread(target=create) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert made == [point(1)] * 8


STANDARD_DATACLASSES_MAX = 8
"""Classes with options that the lazy decorator does not support, and classes that msgspec or the user defines."""


def test_the_first_read_of_a_table_creates_few_standard_dataclasses_instead_of_lazy_ones() -> None:
    script = """
import dataclasses
made, process = [], dataclasses._process_class
def counted(cls, *options):
    made.append(cls.__module__)
    return process(cls, *options)
import msgspec
dataclasses._process_class = counted
from bench.cold_start_bench.shop_dataclasses import Shop
shop = Shop.open("http://127.0.0.1:9", check=False)
shop.customer.explain("c1")
print(sum(each.startswith(("singletable", "types")) for each in made))
"""
    started = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert started.returncode == 0, started.stderr
    assert int(started.stdout) <= STANDARD_DATACLASSES_MAX
