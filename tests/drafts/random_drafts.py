"""Random drafts to judge: full of hostile text, and some with text where names belong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from hypothesis import strategies as st

from singletable.drafts.draft import (
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftLink,
    DraftParameter,
    DraftPattern,
    DraftTable,
    FieldType,
    NativeKey,
    RangeKind,
    paging,
)
from singletable.drafts.naming import name_of_class, name_of_field, name_of_index, name_of_pattern
from singletable.drafts.vocabulary import STANDARD
from singletable.expressions.tree import (
    And,
    Change,
    Comparator,
    Compare,
    Constant,
    Function,
    In,
    Not,
    Or,
    Parameter,
    Path,
)
from tests.drafts.drafted_features import FEATURES
from tests.drafts.imported import HOSTILE

MARK = "hostile_text_was_run"
"""The module that hostile text leaves behind when it is run."""
HOSTILE_CALL = f"__import__('sys').modules.__setitem__('{MARK}', None)"
_AS_TEXT = [HOSTILE_CALL, f'" + str({HOSTILE_CALL}) + "', f"'''{HOSTILE_CALL}", f"{{{HOSTILE_CALL}}}"]
TEXTS = st.one_of(HOSTILE, st.sampled_from([*_AS_TEXT, "\\'\"", '"', "'", "{", "}", "#", "a"]), st.text(max_size=8))


@st.composite
def tables(draw: st.DrawFn) -> DraftTable:
    """A table as readers draft it: names were made of the texts, and everything else is text as it came."""
    classes: list[str] = []
    for text in draw(st.lists(TEXTS, min_size=1, max_size=3)):
        classes.append(name_of_class(text, classes))
    indexes = draw(st.lists(_indexes(), max_size=2, unique_by=lambda index: index.alias))
    entities = tuple(draw(_entities(name, tuple(classes), [index.alias for index in indexes])) for name in classes)
    patterns: list[DraftPattern] = []
    for _ in range(draw(st.integers(0, 3))):
        patterns.append(draw(_random_patterns(entities, [each.name for each in patterns])))
    return DraftTable(
        name_of_class(draw(TEXTS), classes),
        draw(TEXTS),
        entities,
        tuple(draw(st.lists(TEXTS, min_size=1, max_size=2))),
        tuple(indexes),
        tuple(patterns),
        draw(st.none() | TEXTS),
        draw(st.none() | TEXTS),
        draw(st.just("#") | TEXTS),
        draw(TEXTS),
        tuple(draw(st.lists(TEXTS, max_size=2))),
    )


@st.composite
def _indexes(draw: st.DrawFn) -> DraftIndex:
    name = draw(st.just("GSI1") | TEXTS)
    return DraftIndex(
        name_of_index(name, ()),
        name,
        draw(st.sampled_from(["GSI", "GSI", "LSI"])),
        (f"{name}PK",),
        (draw(st.just(f"{name}SK") | TEXTS),),
        draw(st.sampled_from(["ALL", "KEYS_ONLY", "INCLUDE"])),
        tuple(draw(st.lists(TEXTS, max_size=2))),
    )


@st.composite
def _entities(draw: st.DrawFn, name: str, classes: tuple[str, ...], aliases: list[str]) -> DraftEntity:
    fields: list[DraftField] = []
    for text in draw(st.lists(st.just("id") | TEXTS, min_size=1, max_size=4)):
        fields.append(
            DraftField(
                name_of_field(text, [each.name for each in fields]),
                draw(st.sampled_from(["str", "str", "str", *get_args(FieldType)])),
                draw(st.booleans()),
                draw(st.none() | TEXTS),
                tuple(draw(st.just(()) | st.lists(TEXTS, min_size=1, max_size=2))),
            )
        )
    some_field = st.sampled_from([each.name for each in fields])
    mapping = st.dictionaries(some_field | TEXTS, some_field | TEXTS, max_size=2)
    links = st.lists(st.builds(DraftLink, st.sampled_from(classes), mapping, mapping, st.none() | TEXTS), max_size=1)
    derived = st.builds(
        DraftDerived,
        st.sampled_from(["shard", "bucket", "first_letter", "depth", "parent", "geohash"]),
        st.lists(some_field | TEXTS, min_size=1, max_size=2).map(tuple),
        st.none() | st.integers(-1, 9) | st.just("day") | TEXTS,
    )
    position = st.builds(lambda text, each: (f"{text}#{{{each}}}",), st.just("A") | TEXTS, some_field) | st.builds(
        lambda each, form: (NativeKey(each, form),), some_field, st.just("") | TEXTS
    )
    keys = st.builds(DraftKeys, position, st.just(()) | position, st.booleans())
    rarely = st.integers(0, 3).map(lambda number: number == 0)
    return DraftEntity(
        name,
        tuple(fields),
        {alias: draw(keys) for alias in ["key", *(alias for alias in aliases if draw(st.booleans()))]},
        draw(st.none() | TEXTS),
        draw(TEXTS),
        draw(some_field | TEXTS) if draw(rarely) else None,
        draw(st.dictionaries(TEXTS, TEXTS, max_size=1)),
        {draw(TEXTS): draw(derived)} if draw(rarely) else {},
        (draw(some_field | TEXTS),) if draw(rarely) else None,
        draw(st.none() | st.integers(-1, 2)),
        draw(st.sampled_from(classes)) if draw(rarely) else None,
        draw(some_field | TEXTS) if draw(rarely) else None,
        ((draw(some_field | TEXTS),),) if draw(rarely) else (),
        tuple(draw(links)) if draw(rarely) else (),
        tuple(draw(links)) if draw(rarely) else (),
        draw(st.none() | st.integers(-1, 500)),
        draw(st.dictionaries(TEXTS, st.integers(-1, 9), max_size=1)),
    )


@st.composite
def _random_patterns(draw: st.DrawFn, entities: tuple[DraftEntity, ...], taken: list[str]) -> DraftPattern:
    kind: Any = draw(
        st.sampled_from(
            ["get", "query", "query", "collection", "within", "ancestors", "put", "create", "update", "delete"]
        )
    )
    chosen = draw(st.lists(st.sampled_from(entities), min_size=1, max_size=3, unique_by=lambda each: each.class_name))
    fields = {each.name: each for entity in chosen for each in entity.fields}
    some_field = st.sampled_from(sorted(fields))
    parameters = tuple(
        DraftParameter(
            name, fields[name].type, draw(st.sampled_from([None, None, *get_args(RangeKind)])), fields[name].choices
        )
        for name in draw(st.lists(some_field, max_size=3, unique=True))
    )
    scalars = TEXTS | st.integers(-9, 9) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
    # What is neither a parameter nor there at all; the file itself would find the types that it imports.
    some_name = st.sampled_from([*(each.name for each in parameters), *sorted(fields.keys() - STANDARD.keys()), "no"])
    paths = st.builds(
        lambda first, more: Path((first, *more)), some_field, st.lists(TEXTS | st.integers(0, 3), max_size=1)
    )
    leaves = st.builds(Constant, scalars | st.none()) | st.builds(Parameter, some_name) | paths
    simple = (
        st.builds(Compare, st.sampled_from(get_args(Comparator)), paths, leaves)
        | st.builds(
            lambda name, path, leaf: Function(name, (path, leaf)),
            st.sampled_from(["contains", "begins_with"]),
            paths,
            leaves,
        )
        | st.builds(lambda path: Function("attribute_exists", (path,)), paths)
        | st.builds(lambda path, options: In(path, tuple(options)), paths, st.lists(leaves, max_size=2))
    )
    several = st.lists(simple, min_size=2, max_size=3).map(tuple)
    tests = st.none() | simple | st.builds(Not, simple) | st.builds(And, several) | st.builds(Or, several)
    changes = st.builds(Change, st.sampled_from(["SET", "ADD", "APPEND"]), paths, leaves) | st.builds(
        lambda path: Change("REMOVE", path), paths
    )
    numbers = st.none() | st.integers(-1, 10**7) | st.floats(-1, 10**7)
    has_tests = draw(st.booleans())
    return DraftPattern(
        name_of_pattern(draw(TEXTS), taken),
        draw(TEXTS),
        kind,
        tuple(each.class_name for each in chosen),
        (*parameters, *(paging(draw(st.integers(-1, 30))) if draw(st.booleans()) else ())),
        draw(st.booleans()),
        tuple(draw(st.lists(changes, max_size=2))) if kind == "update" else (),
        draw(tests) if has_tests else None,
        draw(tests) if has_tests else None,
        draw(st.none() | paths),
        draw(st.none() | st.integers(-1, 9) | some_name),
        hydrate=draw(st.booleans()) and draw(st.booleans()),
        entry=draw(st.none() | TEXTS),
        frequency=draw(st.none() | st.just("high") | TEXTS | st.integers(0, 9)),
        rate=draw(numbers),
        fanout=draw(st.none() | st.integers(0, 9)),
    )


@st.composite
def disguised_tables(draw: st.DrawFn) -> DraftTable:
    """A table that holds, with hostile text wherever any text may stand, and random patterns beside."""
    table = FEATURES[draw(st.sampled_from(sorted(FEATURES)))]
    entities = tuple(
        replace(
            each,
            doc=draw(TEXTS),
            stored_name=f"{draw(TEXTS)}{number}",
            fields=tuple(
                replace(field, choices=tuple(f"{draw(TEXTS)}{which}" for which in range(len(field.choices))))
                for field in each.fields
            ),
        )
        for number, each in enumerate(table.entities)
    )
    kept = table.patterns if draw(st.booleans()) else ()
    patterns = [replace(each, title=draw(TEXTS), entry=draw(st.none() | TEXTS)) for each in kept]
    for _ in range(draw(st.integers(0, 2))):
        patterns.append(draw(_random_patterns(entities, [each.name for each in patterns])))
    notes = tuple(draw(st.lists(TEXTS, max_size=2)))
    name = f"{draw(TEXTS)}-table"
    return replace(table, name=name, entities=entities, patterns=tuple(patterns), doc=draw(TEXTS), notes=notes)


@st.composite
def misnamed_tables(draw: st.DrawFn) -> DraftTable:
    """A table that holds, but for one place where a name belongs and text that is none stands."""
    text = draw(TEXTS.filter(lambda text: not text.isidentifier()))
    table = FEATURES["patterns"]
    order, line = table.entities
    pattern = draw(st.sampled_from(table.patterns))
    match draw(st.integers(0, 8)):
        case 0:
            return replace(table, class_name=text)
        case 1:
            return replace(table, entities=(order, replace(line, class_name=text)), patterns=())
        case 2:
            return replace(table, entities=(replace(order, fields=(*order.fields, DraftField(text, "str"))), line))
        case 3:
            return replace(table, entities=(replace(order, keys={**order.keys, text: order.keys["key"]}), line))
        case 4:
            return replace(table, patterns=(replace(pattern, name=text),))
        case 5:
            more = (*table.patterns[0].parameters, DraftParameter(text, "str"))
            return replace(table, patterns=(replace(table.patterns[0], parameters=more),))
        case 6:
            return replace(
                table, patterns=(replace(table.patterns[0], where=Compare("=", Path((text,)), Constant(1))),)
            )
        case 7:
            return replace(table, patterns=(replace(table.patterns[0], entities=(text,)),))
        case _:
            members = (("order", text),)
            return replace(table, patterns=(replace(table.patterns[0], kind="collection", members=members),))
