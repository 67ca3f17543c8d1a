"""Random drafts with hostile text, and some with text in place of names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from hypothesis import strategies as st

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
from singletable.importers.draft import (
    DraftDerived,
    DraftEntity,
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
    paging,
)
from singletable.importers.names import class_name, field_name, index_alias, pattern_name
from singletable.importers.python_text import value_text
from singletable.importers.vocabulary import STANDARD
from tests.importers.draft_features import FEATURES
from tests.importers.imported import HOSTILE

MARK = "hostile_text_was_run"
"""The module that hostile text registers when it is executed."""
HOSTILE_CALL = f"__import__('sys').modules.__setitem__('{MARK}', None)"
_AS_TEXT = [HOSTILE_CALL, f'" + str({HOSTILE_CALL}) + "', f"'''{HOSTILE_CALL}", f"{{{HOSTILE_CALL}}}"]
TEXTS = st.one_of(HOSTILE, st.sampled_from([*_AS_TEXT, "\\'\"", '"', "'", "{", "}", "#", "a"]), st.text(max_size=8))


@st.composite
def tables(draw: st.DrawFn) -> DraftTable:
    """Draw a table as importers draft it: names are derived from texts, and all other text is unchanged."""
    classes: list[str] = []
    for text in draw(st.lists(TEXTS, min_size=1, max_size=3)):
        classes.append(class_name(text, classes))
    indexes = draw(st.lists(_indexes(), max_size=2, unique_by=lambda index: index.alias))
    entities = tuple(draw(_entities(name, tuple(classes), [index.alias for index in indexes])) for name in classes)
    patterns: list[DraftPattern] = []
    for _ in range(draw(st.integers(0, 3))):
        patterns.append(draw(_random_patterns(entities, [each.name for each in patterns])))
    return DraftTable(
        class_name(draw(TEXTS), classes),
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
        index_alias(name, ()),
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
                field_name(text, [each.name for each in fields]),
                draw(st.sampled_from(["str", "str", "str", *get_args(FieldType)])),
                draw(st.booleans()),
                draw(st.none() | TEXTS),
                tuple(draw(st.just(()) | st.lists(TEXTS, min_size=1, max_size=2))),
            )
        )
    some_field = st.sampled_from([each.name for each in fields])
    mapping = st.dictionaries(some_field | TEXTS, some_field | TEXTS, max_size=2)
    copies = st.builds(
        lambda owner, by, fields: [PythonCode(f"copy({owner}, by={value_text(by)}, fields={value_text(fields)})")],
        *(st.sampled_from(classes), mapping, mapping),
    )
    options = st.fixed_dictionaries(
        {},
        optional={
            "version": some_field | TEXTS,
            "unique": st.lists(st.tuples(some_field | TEXTS), max_size=1),
            "copies": copies,
            "mirror_of": st.sampled_from(classes).map(PythonCode),
            "expected_bytes": st.integers(-1, 500),
            "expected_per_partition": st.dictionaries(TEXTS, st.integers(-1, 9), max_size=1),
        },
    )
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
        draw(options) if draw(rarely) else {},
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
    # A field that is not a parameter, or an unknown name; not a type that the file imports.
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
    newest_first = draw(st.booleans())
    return DraftPattern(
        pattern_name(draw(TEXTS), taken),
        draw(TEXTS),
        kind,
        tuple(each.class_name for each in chosen),
        (*parameters, *(paging(draw(st.integers(-1, 30))) if draw(st.booleans()) else ())),
        newest_first,
        not newest_first and draw(st.booleans()),
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
    """Draw a valid table with hostile text in all places for text, and random patterns."""
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
    """Draw a valid table with one name replaced by text that is not a name."""
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
            return replace(table, patterns=(replace(table.patterns[0], kind="collection", view=text),))
