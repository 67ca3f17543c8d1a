"""A draft for each thing that drafts can say, all of which hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast, get_args

from singletable.drafts.draft import (
    DraftCardinality,
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftLink,
    DraftParameter,
    DraftPattern,
    DraftTable,
    DraftTest,
    FieldType,
    NativeKey,
    RangeKind,
)

ID = DraftParameter("id", "str")
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
    (DraftField("id", "str"), DraftField("name", "str"), DraftField("posts", "int")),
    {"key": DraftKeys(("P#{id}",), ("P",))},
)
_POST = DraftEntity(
    "Post",
    (DraftField("id", "str"), DraftField("person_id", "str"), DraftField("person_name", "str")),
    {"key": DraftKeys(("P#{person_id}",), ("POST#{id}",))},
    copies=(DraftLink("Person", {"id": "person_id"}, {"name": "person_name"}, in_parts=True),),
    counted=(DraftLink("Person", {"id": "person_id"}, counter="posts"),),
)
_FRIEND = DraftEntity(
    "Friend", (DraftField("a", "str"), DraftField("b", "str")), {"key": DraftKeys(("U#{a}",), ("F#{b}",))}
)
_MIRROR = replace(_FRIEND, class_name="FriendOf", keys={"key": DraftKeys(("U#{b}",), ("G#{a}",))}, mirror_of="Friend")
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


def _within(kind: RangeKind) -> DraftPattern:
    area = (DraftParameter("area", "Any", kind),)
    return DraftPattern(f"in_{kind.lower()}", kind, "within", ("Place",), area, fanout=500)


FEATURES: dict[str, DraftTable] = {
    "patterns": _patterns(
        DraftPattern("order", "One", "get", ("Order",), _WHOLE, consistent=True, entry="Order", expected_items=1),
        _ranged("Between"),
        _ranged("Since"),
        _ranged("Until"),
        DraftPattern("place", "Place", "put", ("Order",), rate=1234567.0, budget_ms=2.5),
        DraftPattern("begin", "Begin", "create", ("Order",), frequency="very high"),
        DraftPattern("drop", "Drop", "delete", ("Order",), _WHOLE, where=(DraftTest("total", "<=", 5),)),
        DraftPattern(
            "correct",
            "Correct",
            "update",
            ("Order",),
            (*_WHOLE, DraftParameter("total", "int")),
            changes=("total",),
            where=(DraftTest("total", "<>", 0), DraftTest("total", ">", None, "total"), DraftTest("total", "exists")),
        ),
        DraftPattern("zero", "Zero", "update", ("Order",), _WHOLE, constants={"total": 0}),
        DraftPattern(
            "large",
            "Large",
            "query",
            ("Order",),
            (ID,),
            filter=(DraftTest("total", ">=", 5),),
            has_limit=True,
            limit_default=7,
        ),
        DraftPattern("newest", "Newest", "query", ("Order",), (ID,), newest_first=True, limit=3, expected_examined=3),
        DraftPattern("lines", "Lines", "query", ("Line",), (ID,), order_by="no", frequency=3),
    ),
    "collections": _patterns(
        DraftPattern("usual", "Usual", "collection", ("Order", "Line"), (ID,)),
        DraftPattern(
            "said",
            "Said",
            "collection",
            ("Order", "Line"),
            (ID,),
            members=(("lines", "list[Line]"), ("order", "Order | None")),
        ),
        DraftPattern(
            "order",
            "A name of a class",
            "collection",
            ("Line", "Order"),
            (ID,),
            members=(("all", "list[Order]"), ("line", "Line | None = None")),
        ),
    ),
    "types": _entity(fields=(*_FIELDS, *_TYPED)),
    "stored names": _entity(
        stored_name='O\'rder "x"', doc='Says "no"', fields=(*_FIELDS, DraftField("note", "str", attribute="n\\n"))
    ),
    "kept": _entity(
        identity=("id", "at"), schema_version=1, unique=(("total",), ("id", "total")), accept={"ST107": '\'tis "so"'}
    ),
    "version and expiry": replace(
        _entity(fields=(*_FIELDS, DraftField("v", "int"), DraftField("gone", "int")), version="v", ttl="gone"),
        ttl_attribute="gone",
    ),
    "expectations": _entity(
        expected_bytes=300,
        expected_items=5000,
        expected_per_partition={"key": 8},
        cardinality={"id": DraftCardinality(500), "total": DraftCardinality(12, 0.6)},
        access="staff",
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
                filter=(DraftTest("person_name", "contains", "'x'"),),
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
