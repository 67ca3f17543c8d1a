"""One valid draft for each feature of drafts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast, get_args
from uuid import UUID

from singletable.expressions.tree import (
    And,
    Change,
    Compare,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)
from singletable.importers.draft import (
    DraftClass,
    DraftDerived,
    DraftEntity,
    DraftEnum,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    FieldType,
    NativeKey,
    PythonCode,
    RangeKind,
    exists,
    paging,
    set_to_parameter,
)

ID = DraftParameter("id", "str")
TOTAL = Path(("total",))
_FIELDS = (DraftField("id", "str"), DraftField("at", "datetime"), DraftField("total", "int"))
_ORDER = DraftEntity("Order", _FIELDS, {"key": DraftKeys(("ORDER#{id}",), ("AT#{at:seconds}",))})
_LINE = DraftEntity(
    "Line", (DraftField("id", "str"), DraftField("no", "int")), {"key": DraftKeys(("ORDER#{id}",), ("LINE#{no:06d}",))}
)
_ORDERS = DraftTable("Orders", "Orders", (_ORDER,))


def _entity(**changed: Any) -> DraftTable:
    return replace(_ORDERS, entities=(replace(_ORDER, **changed),))


def _patterns(*patterns: DraftPattern) -> DraftTable:
    return replace(_ORDERS, entities=(_ORDER, _LINE), patterns=patterns)


def _ranged(kind: str) -> DraftPattern:
    return DraftPattern(
        f"orders_{kind.lower()}",
        kind,
        "query",
        ("Order",),
        (ID, DraftParameter("at", "datetime", cast(RangeKind, kind))),
    )


_ALL_TYPES: list[tuple[FieldType, tuple[str, ...]]] = [
    *((each, ()) for each in get_args(FieldType)),
    ("str", ("a", "b'\"\\")),
]
_TYPED = tuple(
    DraftField(f"f{number}{'_maybe' if optional else ''}", each, optional, choices=choices)
    for optional in (True, False)
    for number, (each, choices) in enumerate(_ALL_TYPES)
)
_WHOLE = (ID, DraftParameter("at", "datetime"))
_PERSON = DraftEntity(
    "Person",
    (
        DraftField("id", "str"),
        DraftField("name", "str"),
        DraftField("posts", "int"),
        DraftField("short_posts", "int"),
    ),
    {"key": DraftKeys(("P#{id}",), ("P",))},
)
_POST = DraftEntity(
    "Post",
    (DraftField("id", "str"), DraftField("person_id", "str"), DraftField("person_name", "str")),
    {"key": DraftKeys(("P#{person_id}",), ("POST#{id}",))},
    options={
        "copies": [PythonCode('copy(Person, by={"id": "person_id"}, fields={"name": "person_name"}, in_parts=True)')],
        "counted": [
            PythonCode('count(Person, by={"id": "person_id"}, field="posts")'),
            PythonCode(
                'count(Person, by={"id": "person_id"}, field="short_posts", where=lambda c: begins_with(c.id, "s\'"))'
            ),
        ],
    },
)
_FRIEND = DraftEntity(
    "Friend", (DraftField("a", "str"), DraftField("b", "str")), {"key": DraftKeys(("U#{a}",), ("F#{b}",))}
)
_MIRROR = replace(
    _FRIEND,
    class_name="FriendOf",
    keys={"key": DraftKeys(("U#{b}",), ("G#{a}",))},
    options={"mirror_of": PythonCode("Friend")},
)
_ORG, _PATH = DraftParameter("org", "str"), DraftParameter("path", "tuple[str, ...]")
_NODE = DraftEntity(
    "Node",
    (DraftField("org", "str"), DraftField("path", "tuple[str, ...]")),
    {"key": DraftKeys(("ORG#{org}",), ("NODE#{path}",)), "gsi1": DraftKeys(("ORG#{org}#{up}",), ("{down}#{path}",))},
    derived={"up": DraftDerived("parent", ("path",)), "down": DraftDerived("depth", ("path",))},
)
_PLACE = DraftEntity(
    "Place",
    (DraftField("id", "str"), DraftField("lat", "Decimal"), DraftField("lon", "Decimal")),
    {"key": DraftKeys(("PLACE#{id}",), ("PLACE",)), "gsi1": DraftKeys(("CELL#{cell}",), ("{id}",))},
    derived={"cell": DraftDerived("geohash", ("lat", "lon"), 5)},
)


_PARCEL = DraftEntity(
    "Parcel",
    (
        DraftField("id", "str"),
        DraftField("address", "Address"),
        DraftField("state", "State"),
        DraftField("kind", "Literal[1, 2]"),
        DraftField("note", "str", optional=True, must_be_given=True),
        DraftField("weight", "Decimal", optional=True),
        DraftField("stops", "list[Address]", has_default=True, default=[]),
        DraftField("meta", "dict[str, dict[str, int | None]]", has_default=True, default={"a": {"b": 1}}),
        DraftField("tags", "set[str]", has_default=True, default={"x", 'y"'}),
        DraftField("labels", "frozenset[str]", has_default=True, default=frozenset(("l",))),
        DraftField("sides", "tuple[Decimal, Decimal]", has_default=True, default=(Decimal("1.5"), Decimal(2))),
        DraftField("status", "State", has_default=True, default=PythonCode("State.SENT")),
        DraftField("raw", "bytes", has_default=True, default=b"\x00'\""),
        DraftField("made", "datetime", has_default=True, default=datetime(2026, 1, 2, 3, tzinfo=UTC)),
        DraftField("day", "date", optional=True, has_default=True, default=date(2026, 1, 2)),
        DraftField("key", "UUID", has_default=True, default=UUID(int=7)),
        DraftField("either", "str | int", has_default=True, default=""),
        DraftField("anything", "Any", has_default=True),
    ),
    {"key": DraftKeys(("P#{id}",), ("P",)), "gsi1": DraftKeys(("STATE#{state}",), ("{id}",))},
)
_PARCELS = DraftTable(
    "Parcels",
    "Parcels",
    (_PARCEL,),
    enums=(
        DraftEnum("State", {"NEW": "N", "SENT": "S"}, "StrEnum"),
        DraftEnum("Level", {"LOW": 1, "HIGH": 2}, "IntEnum"),
    ),
    classes=(
        DraftClass("Country", (DraftField("code", "str"), DraftField("level", "Level"))),
        DraftClass("Address", (DraftField("city", "str"), DraftField("country", "Country", optional=True)), "Where"),
        DraftClass("Label", (DraftField("id", "str"), DraftField("state", "State")), "Short"),
    ),
)
_CITY, _WEIGHT, _META = Path(("address", "city")), Path(("weight",)), Path(("meta", "x y", "b"))
_SAID = Or(
    (
        And((Compare("=", _CITY, Constant("Rom'a")), Not(exists("note")))),
        In(Path(("state",)), (Constant(PythonCode("State.NEW")), Parameter("status"))),
        Function("begins_with", (Path(("id",)), Constant("P"))),
        Compare(">", _WEIGHT, Constant(Decimal("0.10"))),
        Compare("<>", _META, Constant(3)),
        Compare("<=", Path(("made",)), Constant(datetime(2026, 5, 6, tzinfo=UTC))),
        Compare("=", Path(("stops", 0, "city")), _CITY),
        Function("contains", (Path(("tags",)), Parameter("item"))),
    )
)
_STATE = DraftParameter("state", "State")


def _within(kind: RangeKind) -> DraftPattern:
    area = (DraftParameter("area", "Any", kind),)
    return DraftPattern(f"in_{kind.lower()}", kind, "within", ("Place",), area, fanout=500)


FEATURES: dict[str, DraftTable] = {
    "patterns": _patterns(
        DraftPattern(
            "order", "One", "get", ("Order",), _WHOLE, consistent=True, entry="Order", options={"expected_items": 1}
        ),
        _ranged("Between"),
        _ranged("Since"),
        _ranged("Until"),
        DraftPattern("place", "Place", "put", ("Order",), rate=1234567.0, budget_ms=2.5),
        DraftPattern("begin", "Begin", "create", ("Order",), frequency="very high"),
        DraftPattern("drop", "Drop", "delete", ("Order",), _WHOLE, where=Compare("<=", TOTAL, Constant(5))),
        DraftPattern(
            "correct",
            "Correct",
            "update",
            ("Order",),
            (*_WHOLE, DraftParameter("total", "int")),
            changes=(set_to_parameter("total"),),
            where=And(
                (Compare("<>", TOTAL, Constant(0)), Compare(">", TOTAL, Parameter("total")), exists("total")),
            ),
        ),
        DraftPattern("zero", "Zero", "update", ("Order",), _WHOLE, changes=(Change("SET", TOTAL, Constant(0)),)),
        DraftPattern(
            "large",
            "Large",
            "query",
            ("Order",),
            (ID, *paging(7)),
            filter=Compare(">=", TOTAL, Constant(5)),
        ),
        DraftPattern(
            "newest", "Newest", "query", ("Order",), (ID,), newest_first=True, limit=3, options={"expected_examined": 3}
        ),
        DraftPattern("lines", "Lines", "query", ("Line",), (ID,), order_by=Path(("no",)), frequency=3),
    ),
    "collections": replace(
        _patterns(
            DraftPattern("usual", "Usual", "collection", ("Order", "Line"), (ID,)),
            DraftPattern(
                "said",
                "Said",
                "collection",
                ("Order", "Line"),
                (ID,),
                view="Said",
            ),
            DraftPattern(
                "order",
                "A name of a class",
                "collection",
                ("Line", "Order"),
                (ID,),
                view="Other",
            ),
        ),
        classes=(
            DraftClass(
                "Said", (DraftField("lines", "list[Line]"), DraftField("order", "Order", True, must_be_given=True))
            ),
            DraftClass("Other", (DraftField("all", "list[Order]"), DraftField("line", "Line", True))),
        ),
    ),
    "types": _entity(fields=(*_FIELDS, *_TYPED)),
    "stored names": _entity(
        stored_name='O\'rder "x"', doc='Says "no"', fields=(*_FIELDS, DraftField("note", "str", attribute="n\\n"))
    ),
    "kept": _entity(
        identity=("id", "at"),
        schema_version=1,
        options={"unique": [("total",), ("id", "total")]},
        accept={"ST107": '\'tis "so"'},
    ),
    "version and expiry": replace(
        _entity(
            fields=(*_FIELDS, DraftField("v", "int"), DraftField("gone", "int")), options={"version": "v"}, ttl="gone"
        ),
        ttl_attribute="gone",
    ),
    "expectations": _entity(
        options={
            "expected_bytes": 300,
            "expected_items": 5000,
            "expected_per_partition": {"key": 8},
            "cardinality": {"id": 500, "total": PythonCode("skewed(12, hottest=0.6)")},
            "access": "staff",
        }
    ),
    "accepted": replace(
        _patterns(DraftPattern("order", "One", "get", ("Order",), _WHOLE, accept={"ST108": 'so "it" is'})),
        accept={"ST107": "\\"},
        schema_version_attribute="sv",
    ),
    "inverse": replace(_entity(), indexes=(DraftIndex("back", "Back", "GSI", ("SK",), ("PK",), is_inverse=True),)),
    "derived": _entity(
        fields=(*_FIELDS, DraftField("name", "str")),
        derived={
            "s": DraftDerived("shard", ("id",), 8),
            "d": DraftDerived("bucket", ("at",), "day"),
            "l": DraftDerived("first_letter", ("name",)),
        },
        keys={
            **_ORDER.keys,
            "gsi1": DraftKeys(("S#{s}",), ("{id}",)),
            "gsi2": DraftKeys(("D#{d}#{l}",), ("{id}",), sparse=True),
        },
    ),
    "indexes": replace(
        _entity(
            keys={
                **_ORDER.keys,
                "gsi1": DraftKeys(("T#{total}",), ("{id}",)),
                "by_total": DraftKeys((NativeKey("total"), NativeKey("id")), (NativeKey("at", "seconds"),)),
                "kept": DraftKeys(("{total:08d}",)),
            },
            fields=(*_FIELDS, DraftField("note", "str")),
        ),
        name="orders table",
        keys=("pk", "sk"),
        indexes=(
            DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",), "KEYS_ONLY"),
            DraftIndex("by_total", "byTotal", "GSI", ("total", "id"), ("at",), "INCLUDE", ("note",)),
            DraftIndex("kept", "kept-by", "LSI", ("pk",), ("kept",)),
        ),
        type_attribute="_type",
    ),
    "links": DraftTable("Blog", "Blog", (_PERSON, _POST)),
    "parts": DraftTable(
        "Blog",
        "Blog",
        (_PERSON, _POST),
        patterns=(
            DraftPattern(
                "posts",
                "Posts",
                "query",
                ("Post",),
                (DraftParameter("person_id", "str"),),
                filter=Function("contains", (Path(("person_name",)), Constant("'x'"))),
            ),
        ),
    ),
    "mirrors": DraftTable("Friends", "Friends", (_FRIEND, _MIRROR)),
    "trees": DraftTable(
        "Tree",
        "Tree",
        (_NODE,),
        patterns=(
            DraftPattern("below", "Below", "query", ("Node",), (_ORG, replace(_PATH, range="Subtree"))),
            DraftPattern("children", "Children", "query", ("Node",), (_ORG, replace(_PATH, range="Children"))),
            DraftPattern("above", "Above", "ancestors", ("Node",), (_ORG, _PATH), fanout=9),
        ),
    ),
    "places": DraftTable(
        "Map", "Map", (_PLACE,), patterns=tuple(_within(each) for each in ("Radius", "Box", "Nearest"))
    ),
    "classes and conditions": replace(
        _PARCELS,
        patterns=(
            DraftPattern(
                "parcels",
                "Parcels",
                "query",
                ("Parcel",),
                (
                    _STATE,
                    DraftParameter("status", "State"),
                    DraftParameter("item", "str"),
                    DraftParameter("count", "int", has_default=True, default=5),
                ),
                filter=_SAID,
                limit="count",
                options={"expected_examined": 50},
            ),
            DraftPattern("labels", "Labels", "query", ("Parcel",), (_STATE, *paging()), view="Label"),
            DraftPattern(
                "label", "Label", "get", ("Parcel",), (ID,), view="Label", options={"entry": PythonCode("Parcel")}
            ),
            DraftPattern(
                "change",
                "Change",
                "update",
                ("Parcel",),
                (ID, DraftParameter("more", "list[Address]"), DraftParameter("by", "Decimal", by_name=True)),
                changes=(
                    Change("ADD", _WEIGHT, Parameter("by")),
                    Change("APPEND", Path(("stops",)), Parameter("more")),
                    Change("REMOVE", Path(("day",))),
                    Change("SET", _CITY, Constant("Oslo")),
                    Change("SET", Path(("meta", "z")), Constant({"b": 2})),
                ),
                where=Not(_SAID.parts[0]),
            ),
        ),
    ),
    "thin index": replace(
        _PARCELS,
        indexes=(DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",), "KEYS_ONLY"),),
        patterns=(DraftPattern("whole", "Whole", "query", ("Parcel",), (_STATE,), hydrate=True, limit=5),),
    ),
    "put by fields": replace(
        _ORDERS,
        patterns=(
            DraftPattern(
                "place", "Place", "put", ("Order",), tuple(DraftParameter(each.name, each.type) for each in _FIELDS)
            ),
            DraftPattern("begin", "Begin", "create", ("Order",), (DraftParameter("order", "Order"),)),
        ),
    ),
    "one shape twice": replace(
        _patterns(
            *(
                DraftPattern(
                    name,
                    "Shape",
                    "collection",
                    ("Order", "Line"),
                    (ID,),
                    view="Whole",
                )
                for name in ("first", "second")
            )
        ),
        classes=(DraftClass("Whole", (DraftField("orders", "list[Order]"), DraftField("lines", "list[Line]"))),),
    ),
    "another file": DraftTable(
        "Log",
        "Log",
        (
            DraftEntity(
                "Entry",
                (DraftField("id", "str"), DraftField("date", "date", optional=True)),
                {"key": DraftKeys((NativeKey("id"),))},
            ),
        ),
        keys=("id",),
        type_attribute=None,
        doc="A field that is called as its type is",
    ),
}
