"""Draft of existing tables: the same model as values, with notes for everything that a document cannot contain."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from singletable.errors import DesignError
from singletable.importers.draft import (
    Draft,
    DraftClass,
    DraftDerived,
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    NativeKey,
    PatternKind,
    Position,
    PythonCode,
    RangeKind,
)
from singletable.importers.draft_tree import hidden_functions
from singletable.importers.live.sampled_table import Item
from singletable.importers.names import class_name, is_free
from singletable.importers.python_text import ConditionText, value_text
from singletable.importers.workbench.design_types import DesignTypes, NotWritable, doc_of
from singletable.model.collection_shape import members_of
from singletable.model.condition_recorder import ParameterPlaceholder
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.first_letter import FirstLetter
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.shard import Shard
from singletable.model.derived.tree_path import Depth, Parent
from singletable.model.derived_data import Count
from singletable.model.design import Design
from singletable.model.entity import Cardinality, Entity, EntityDeclaration
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    FeedIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_types import AREA_TYPES, Equal
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration
from singletable.model.references import Reference
from singletable.model.table_schema import Index, Native, Sparse

_KINDS: dict[type, PatternKind] = {
    GetIntent: "get",
    QueryIntent: "query",
    CollectionIntent: "collection",
    FeedIntent: "query",
    WithinIntent: "within",
    AncestorsIntent: "ancestors",
}


@dataclass(frozen=True)
class DesignExport:
    """A table to export: its design, its class and docstring, and optionally rows to replace the generated ones."""

    design: Design
    class_name: str
    doc: str = ""
    items: Sequence[Item] | None = None


def design_draft(tables: Sequence[DesignExport], description: str = "") -> Draft:
    """Return the draft of tables that are in one module."""
    names: dict[type, str] = {}
    taken = {each.class_name for each in tables}
    for table in tables:
        table.design.require_keys("an export")
        for entity in table.design.entities:
            if entity.cls not in names:
                label = entity.label
                names[entity.cls] = label if is_free(label, taken) else class_name(label, taken)
                taken.add(names[entity.cls])
    notes: list[str] = []
    types = DesignTypes(names, taken, notes)
    drafts: list[DraftTable] = []
    for table in tables:
        drafts.append(_TableDraft(table, types, notes).draft())
        notes.clear()
    return Draft(tables[0].class_name, tuple(drafts), description)


class _TableDraft:
    """Drafts one table. `notes` lists the parts of the source that the draft omits."""

    def __init__(self, table: DesignExport, types: DesignTypes, notes: list[str]) -> None:
        self.table = table
        self.design = table.design
        self.types = types
        self.notes = notes

    def draft(self) -> DraftTable:
        settings = self.design.settings
        entities = tuple(self._entity(entity) for entity in self.design.entities)
        patterns = [pattern for each in self.design.patterns for pattern in self._pattern_or_note(each)]
        table = DraftTable(
            self.table.class_name,
            settings.name,
            entities,
            self.design.table.key_attributes,
            tuple(_index(index) for index in self.design.indexes.values() if not index.is_table),
            tuple(patterns),
            settings.type_attribute,
            settings.ttl_attribute,
            settings.delimiter,
            inspect.cleandoc(self.table.doc).rstrip(),
            accept=dict(settings.accept),
            schema_version_attribute=settings.schema_version_attribute,
            enums=tuple(self.types.enums),
            classes=tuple(self.types.classes),
        )
        kept = []
        for pattern in table.patterns:
            if hidden := hidden_functions(table, pattern):
                self._leave_out(pattern.name, f"its parameter {min(hidden)} hides a function of its body")
            else:
                kept.append(pattern)
        return replace(table, patterns=tuple(kept), notes=tuple(self.notes))

    def _leave_out(self, name: str, reason: object) -> None:
        self.notes.append(f"The pattern {name} was left out: {reason}.")

    def _entity(self, entity: Entity) -> DraftEntity:
        declared, label = entity.declaration, self.types.names[entity.cls]
        derived = {name: self._derived(each) for name, each in declared.derived.items()}
        unnamed = [name for name, each in derived.items() if each is None]
        if unnamed:
            names = ", ".join(unnamed)
            self.notes.append(
                f"{label}: {names} became a plain field, because a model cannot import its function by name."
            )
        functions = {version: self.types.function(each.function) for version, each in sorted(entity.upgrades.items())}
        upgrades = {version: name for version, name in functions.items() if name is not None}
        is_upgraded = len(upgrades) == len(functions)
        if not is_upgraded:
            self.notes.append(
                f"{label}: schema_version={declared.schema_version} was left out, because a model cannot import the "
                "upgrade functions by name."
            )
        stored = {name: attribute for name, attribute in entity.attributes.items() if attribute != name}
        fields = self.types.fields(entity.cls, entity.fields.values(), stored)
        added = tuple(DraftField(name, "str", choices=_values(declared.derived[name])) for name in unnamed)
        draft = DraftEntity(
            label,
            (*fields, *added),
            {alias: _keys(keys) for alias, keys in declared.keys.items()},
            entity.name if entity.name != label else None,
            doc_of(entity.cls),
            declared.ttl,
            dict(declared.accept),
            {name: each for name, each in derived.items() if each is not None},
            declared.identity,
            declared.schema_version if is_upgraded else None,
            upgrades=upgrades if is_upgraded else {},
        )
        return replace(draft, options=dict(self._options(declared, draft)))

    def _options(self, declared: EntityDeclaration, draft: DraftEntity) -> Iterator[tuple[str, Any]]:
        names = self.types.names
        if declared.version is not None:
            yield "version", declared.version
        if declared.unique:
            yield "unique", list(declared.unique)
        if declared.copies:
            yield (
                "copies",
                [
                    PythonCode(
                        f"copy({names[each.source]}, by={value_text(each.by)}, fields={value_text(each.fields)}"
                        f"{', in_parts=True' if each.in_parts else ''})"
                    )
                    for each in declared.copies
                ],
            )
        if counts := [text for each in declared.counted for text in self._count(each, draft)]:
            yield "counted", counts
        if declared.mirror_of is not None:
            yield "mirror_of", PythonCode(names[declared.mirror_of])
        for name in ("expected_bytes", "expected_items", "expected_per_partition"):
            if value := getattr(declared, name):
                yield name, value
        if declared.cardinality:
            yield "cardinality", {name: _cardinality(each) for name, each in declared.cardinality.items()}
        if declared.references:
            yield "references", {name: self._reference(each) for name, each in declared.references.items()}
        if declared.access is not None:
            yield "access", declared.access

    def _reference(self, reference: Reference) -> PythonCode:
        given = ((name, getattr(reference, name)) for name in ("mean", "max", "changes"))
        options = "".join(f", {name}={value_text(value)}" for name, value in given if value is not None)
        return PythonCode(f"ref({self.types.names[reference.source]}{options})")

    def _count(self, count: Count, draft: DraftEntity) -> Iterator[PythonCode]:
        owner = self.types.names[count.owner]
        text = f"count({owner}, by={value_text(count.by)}, field={value_text(count.field)}"
        try:
            condition = self.types.constants_in(count.condition)
            where = "" if condition is None else f", where={self._condition_text(draft).condition(condition)}"
        except (NotWritable, DesignError) as problem:
            reason = problem.problems[0].message if isinstance(problem, DesignError) else problem
            self.notes.append(f"{draft.class_name}: the count in {owner}.{count.field} was left out: {reason}.")
        else:
            yield PythonCode(f"{text}{where})")

    def _condition_text(self, draft: DraftEntity) -> ConditionText:
        owners: list[DraftEntity | DraftClass] = [*self.types.classes, draft]
        types = {owner.class_name: {each.name: (each.type, each.optional) for each in owner.fields} for owner in owners}
        return ConditionText(types, draft.class_name, ())

    def _derived(self, derived: DerivedValue) -> DraftDerived | None:
        match derived:
            case Shard():
                return DraftDerived("shard", derived.fields, derived.of)
            case Bucket():
                return DraftDerived("bucket", derived.fields, derived.span)
            case GeohashCell():
                return DraftDerived("geohash", derived.fields, derived.precision)
            case FirstLetter():
                return DraftDerived("first_letter", derived.fields)
            case Depth():
                return DraftDerived("depth", derived.fields)
            case Parent():
                return DraftDerived("parent", derived.fields)
            case DerivedFunction() if (name := self.types.function(derived.function)) is not None:
                return DraftDerived("derive", derived.fields, None, name, derived.values)
            case _:
                return None

    def _pattern_or_note(self, pattern: PatternDeclaration) -> Iterator[DraftPattern]:
        try:
            yield self._pattern(pattern)
        except NotWritable as problem:
            self._leave_out(pattern.name, f"a value cannot be written: {problem}")

    def _pattern(self, pattern: PatternDeclaration) -> DraftPattern:
        intent, options, types = pattern.intent, pattern.options, self.types
        if isinstance(intent, CollectionIntent):
            entities = tuple(dict.fromkeys(types.names[each.entity] for each in members_of(intent.shape)))
            view = None if isinstance(intent, FeedIntent) else types.value_class(intent.shape)
        else:
            entities = (types.names[intent.entity],)
            given = getattr(intent, "view", None)
            view = types.value_class(given) if given is not None else None
        limit = getattr(intent, "limit", None)
        further: dict[str, Any] = {
            name: value
            for name in ("expected_items", "expected_examined")
            if (value := getattr(options, name)) is not None
        }
        if isinstance(options.entry, type):
            further["entry"] = PythonCode(types.names[options.entry])
        return DraftPattern(
            pattern.name,
            pattern.title,
            cast(PatternKind, intent.kind) if isinstance(intent, ItemWriteIntent) else _KINDS[type(intent)],
            entities,
            tuple(self._parameters(pattern)),
            newest_first=bool(getattr(intent, "newest_first", False)),
            descending=bool(getattr(intent, "descending", False)),
            changes=types.constants_in(getattr(intent, "changes", ())),
            where=types.constants_in(getattr(intent, "where", None)),
            filter=types.constants_in(getattr(intent, "filter", None)),
            order_by=getattr(intent, "order_by", None),
            limit=limit.argument_name if isinstance(limit, ParameterPlaceholder) else limit,
            view=view,
            hydrate=bool(getattr(intent, "hydrate", False)),
            consistent=bool(getattr(intent, "consistent", False)),
            entry=options.entry if isinstance(options.entry, str) else None,
            frequency=options.frequency,
            rate=options.rate,
            budget_ms=options.budget_ms,
            fanout=options.fanout,
            accept=dict(options.accept or {}),
            options=further,
        )

    def _parameters(self, pattern: PatternDeclaration) -> Iterator[DraftParameter]:
        for each in pattern.parameters.values():
            draft = self._parameter(each, f"{pattern.name}({each.name})")
            given = pattern.signature.parameters[each.name]
            draft = replace(draft, by_name=given.kind is inspect.Parameter.KEYWORD_ONLY)
            if given.default is not inspect.Parameter.empty:
                default = self.types.constant(given.default)
                draft = replace(draft, has_default=True, default=default, optional=default is None)
            yield draft

    def _parameter(self, declared: ParameterDeclaration, where: str) -> DraftParameter:
        test = cast(RangeKind, declared.test.__name__)
        if declared.test in AREA_TYPES:
            return DraftParameter(declared.name, "Any", test)
        kind, choices = self.types.annotation(declared.type, where)
        return DraftParameter(declared.name, kind, None if declared.test is Equal else test, choices)


def _cardinality(each: Cardinality) -> Any:
    is_uniform = each.hottest == 1 / each.values
    return each.values if is_uniform else PythonCode(f"skewed({each.values}, hottest={value_text(each.hottest)})")


def _keys(keys: Any) -> DraftKeys:
    """Return declared keys. They can be one position, a tuple, or sparse(...)."""
    is_sparse = isinstance(keys, Sparse)
    given = keys.keys if isinstance(keys, Sparse) else keys
    positions = given if isinstance(given, tuple) else (given,)
    parts = [tuple(_parts(each)) for each in positions]
    return DraftKeys(parts[0], parts[1] if len(parts) > 1 else (), is_sparse)


def _parts(position: Any) -> Iterator[Position]:
    for each in position if isinstance(position, tuple) else (position,):
        yield NativeKey(each.field, each.format) if isinstance(each, Native) else cast(str, each)


def _values(derived: DerivedValue) -> tuple[str, ...]:
    return tuple(derived.values or ()) if isinstance(derived, DerivedFunction) else ()


def _index(index: Index) -> DraftIndex:
    return DraftIndex(
        index.alias,
        index.name,
        "LSI" if index.kind == "LSI" else "GSI",
        tuple(each.name for each in index.partition),
        tuple(each.name for each in index.sort),
        index.projection.kind,
        index.projection.attributes,
        index.is_inverse,
    )
