"""Draft from a NoSQL Workbench model: entities by ModelSchema, facets and rows.

A model that we exported imports unchanged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType

from singletable.importers.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftKeys,
    DraftTable,
    FieldType,
    NativeKey,
    Position,
    fields_in,
    identity_note,
    identity_of,
    left_out_index,
)
from singletable.importers.json_document import JsonNode
from singletable.importers.live.entity_groups import TYPE_ATTRIBUTES
from singletable.importers.live.inference import NO_SAMPLED_KEYS, inferred_entities, renamed_class
from singletable.importers.live.item_fields import ATTRIBUTE_TYPES
from singletable.importers.live.key_overlaps import with_accepted_overlaps
from singletable.importers.live.key_words import is_key_name
from singletable.importers.live.keys_only import index_attributes
from singletable.importers.live.sampled_table import SampledTable
from singletable.importers.names import class_name, field_name
from singletable.importers.proposals import with_proposed_patterns
from singletable.importers.python_source import ImportedModel
from singletable.importers.restricted_tree import CheckedModel, check_text, check_tree
from singletable.importers.workbench.workbench_document import Facet, WorkbenchTable, read_workbench
from singletable.model.table_schema import TABLE

OWN_SECTION = "singletable"
"""The member of ModelSchema in which our export stores the source of the model."""
_TYPES: Mapping[str, FieldType] = {
    **ATTRIBUTE_TYPES,
    "String": "str",
    "Number": "Decimal",
    "Boolean": "bool",
    "Buffer": "bytes",
    "Array": "list[Any]",
    "Object": "dict[str, Any]",
    "Set": "set[str]",
}
_REFERENCE = re.compile(r"\$\{([^{}:]+)[^{}]*\}")


@dataclass(frozen=True)
class FunctionModule:
    """The functions that a module defines, by name. A document can refer to these functions, but to no other object."""

    name: str
    functions: Mapping[str, FunctionType]


def functions_defined_in(module: ModuleType, name: str) -> FunctionModule:
    """Return the functions that a module defines itself, without functions that it imports."""
    found = {
        each: value
        for each, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__ and value.__name__ == each
    }
    return FunctionModule(name, found)


@dataclass(frozen=True)
class OwnModel:
    """The model that our export stored in a document, with notes by table class."""

    model: CheckedModel
    notes: Mapping[str, tuple[str, ...]]


def own_model_source(own: OwnModel, functions: FunctionModule | None) -> ImportedModel:
    """Return the model with the functions of a module. A note on the first table names the functions that it lacks."""
    known = functions.functions if functions is not None else {}
    notes = dict(own.notes)
    missing = sorted(own.model.functions - known.keys())
    if missing:
        note = (
            f"The document does not contain the code of {', '.join(missing)}: replace the functions in this file, or "
            "import again with --functions MODULE."
        )
        notes[own.model.tables[0]] = (*notes[own.model.tables[0]], note)
    return ImportedModel(own.model, notes, functions.name if functions is not None else None, tuple(known))


def read_workbench_model(text: str | bytes) -> tuple[OwnModel | None, Draft | None]:
    """Return the model that our export stored, and a draft of the tables that this model does not contain.

    Raise ImportRefused with the path of the first problem.
    """
    document = read_workbench(text)
    own = _own_model(document.tables, document.description or "")
    stored = set(own.notes) if own is not None else set()
    classes = own.model.classes | own.model.enums | set(own.model.tables) if own is not None else set()
    drafts: list[DraftTable] = []
    for table in document.tables:
        if _own_class(table) not in stored:
            drafts.append(_inferred(table, classes))
            classes |= {drafts[-1].class_name, *(entity.class_name for entity in drafts[-1].entities)}
    title = f"{document.name}, imported from NoSQL Workbench"
    return own, Draft(title, tuple(drafts)) if drafts else None


def _own_section(table: WorkbenchTable) -> JsonNode | None:
    return table.schema.get(OWN_SECTION) if table.schema is not None else None


def _own_class(table: WorkbenchTable) -> str | None:
    section = _own_section(table)
    return section.need("class").text() if section is not None else None


def _own_model(tables: tuple[WorkbenchTable, ...], description: str) -> OwnModel | None:
    sections = {table.sample.name: section for table in tables if (section := _own_section(table)) is not None}
    source = next((found for each in sections.values() if (found := each.get("model")) is not None), None)
    if source is None:
        return None
    model = check_text(source.text())
    by_class = {_own_class(table): table for table in tables}
    if not any(name in by_class for name in model.tables):
        raise source.error("contains no table of this document")
    doc = [ast.Expr(ast.Constant(description))] if description else []
    notes: dict[str, tuple[str, ...]] = {}
    body = list(model.tree.body)
    for number, node in enumerate(body):
        if isinstance(node, ast.ClassDef) and node.name in model.tables:
            table = by_class.get(node.name)
            if table is None:
                notes[node.name] = (f"The document no longer contains the table of {node.name}, but the model does.",)
                continue
            body[number] = _with_table_name(node, table.sample.name)
            section = sections[table.sample.name]
            exported = tuple(each.text() for each in section.elements_of("notes"))
            notes[node.name] = (*exported, *_changes_since_export(table))
    tree = ast.fix_missing_locations(ast.Module([*doc, *body], []))
    return OwnModel(check_tree(tree), notes)


def _with_table_name(node: ast.ClassDef, name: str) -> ast.ClassDef:
    """Return the class of a table with the name of the table in the document."""
    others = [each for each in node.keywords if each.arg != "name"]
    named = [] if name == node.name else [ast.keyword("name", ast.Constant(name))]
    known = next((each.value for each in node.keywords if each.arg == "name"), None)
    if isinstance(known, ast.Constant) and known.value == name:
        return node
    return ast.ClassDef(node.name, node.bases, [*others[:1], *named, *others[1:]], node.body, node.decorator_list)


def _changes_since_export(table: WorkbenchTable) -> Iterator[str]:
    """Yield a note on changes in Workbench.

    ModelSchema is as exported, but keys, indexes and facets can differ from it.
    """
    if table.schema is None:
        return
    shown: dict[str, tuple[str | None, str | None]] = {"primary": (table.sample.keys[0], _at(table.sample.keys[1:]))}
    for index in table.sample.indexes:
        shown[index.name] = (None if index.kind == "LSI" else _at(index.partition), _at(index.sort))
    exported = {
        name: (_first(each.get("hash")) if each.get("type") is None else None, _first(each.get("sort")))
        for name, each in table.schema.need("indexes").members()
    }
    changed = sorted(name for name in shown.keys() | exported.keys() if shown.get(name) != exported.get(name))
    changed += sorted({each.name for each in table.facets} ^ set(table.schema.need("models").mapping()))
    if changed:
        yield (
            f"{', '.join(changed)} changed in the document after the export, but not in the model, which is the text "
            f"in ModelSchema.{OWN_SECTION}. Delete this member to infer a model from keys, facets and rows."
        )


def _at(names: tuple[str, ...]) -> str | None:
    return names[0] if names else None


def _first(node: JsonNode | None) -> str | None:
    if node is None:
        return None
    return str(node.value[0]) if isinstance(node.value, list) and node.value else str(node.value)


def _inferred(table: WorkbenchTable, taken: Collection[str]) -> DraftTable:
    models = dict(_models(table.schema)) if table.schema is not None else {}
    sample = _with_declarations(table, models)
    draft = inferred_entities(sample, taken)
    from_rows = draft.entities if sample.items else ()  # declared entities replace the entity of a table without rows
    known = {each.stored_name or each.class_name for each in from_rows} | {kind for kind in sample.kinds if kind}
    added: list[DraftEntity] = []
    renamed: list[str] = []
    for name, model in models.items():
        if name not in known:
            added.append(_of_model(table, name, model, _names(taken, from_rows, added), draft.type_attribute))
            renamed += renamed_class(name, added[-1].class_name)
    for facet in table.facets if not models else ():
        if facet.name not in known and (sample.kinds or not sample.items):
            added.append(_of_facet(table, facet, _names(taken, from_rows, added)))
            renamed += renamed_class(facet.name, added[-1].class_name)
    notes = [*renamed, *_unread_members(table, draft), *_attributes_without_rows(table, models, draft)]
    if not added:
        return with_proposed_patterns(replace(draft, notes=(*draft.notes, *notes)))
    overlaps: list[str] = []
    entities = with_accepted_overlaps([*from_rows, *added], overlaps)
    known_notes = draft.notes if from_rows else ()
    notes += [
        f"{each.class_name}: types and keys are as declared, because there are no rows."
        if each.keys
        else f"{each.class_name} has no key, because the document has neither a template for it nor rows."
        for each in added
    ]
    notes += [identity_note(each.class_name, each.identity) for each in added if each.identity is not None]
    used = tuple(each for each in sample.indexes if any(each.alias in entity.keys for entity in entities))
    left_out = [each for each in sample.indexes if each not in used]
    notes += [left_out_index(each, "no entity has its keys") for each in left_out]
    unused = {left_out_index(each, NO_SAMPLED_KEYS) for each in sample.indexes}
    kept = [note for note in known_notes if note not in unused]
    all_notes = dict.fromkeys((*kept, *overlaps, *notes))
    return with_proposed_patterns(replace(draft, entities=tuple(entities), indexes=used, notes=tuple(all_notes)))


def _names(taken: Collection[str], *groups: Collection[DraftEntity]) -> list[str]:
    return [*taken, *(each.class_name for group in groups for each in group)]


def _with_declarations(table: WorkbenchTable, models: Mapping[str, JsonNode]) -> SampledTable:
    """Return the rows with the declarations of the document: kinds, templates, and names for the content of keys."""
    sample = table.sample
    if table.facets or models:  # the facets or models declare which attributes an entity has
        types = {name: kind for name, kind in sample.key_types.items() if name in sample.key_attributes}
        sample = replace(sample, key_types=types)
    templates = {name: _templates(model) for name, model in models.items()} or table.map_functions
    kinds, attribute = sample.kinds, _model_attribute(sample, models) or _mapped_attribute(sample, table.map_functions)
    if attribute is not None:
        kinds = tuple(item[attribute]["S"] for item in sample.items)
    aliases = {
        facet.name: {
            key: alias
            for key, alias in zip(sample.keys, (facet.partition_alias, facet.sort_alias), strict=False)
            if alias
        }
        for facet in table.facets
    }
    return replace(sample, kinds=kinds, templates=templates, aliases=aliases)


def _model_attribute(sample: SampledTable, models: Mapping[str, JsonNode]) -> str | None:
    """Return the attribute that contains the name of a model in every row."""
    for name in TYPE_ATTRIBUTES:
        if sample.items and all(item.get(name, {}).get("S") in models for item in sample.items):
            return name
    return None


def _mapped_attribute(sample: SampledTable, mapped: Collection[str]) -> str | None:
    """Return the attribute that contains the entity of every row. MapFunction refers to some of its values."""
    for name in TYPE_ATTRIBUTES if mapped and sample.items else ():
        values = [item.get(name, {}).get("S") for item in sample.items]
        if None not in values and set(mapped).issubset(values):
            return name
    return None


def _models(schema: JsonNode) -> Iterator[tuple[str, JsonNode]]:
    """Yield the models of a ModelSchema. A name in tildes is a template of the editor, and is omitted."""
    found = schema.get("models")
    if found is not None:
        yield from ((name, model) for name, model in found.members() if not name.startswith("~"))


def _templates(model: JsonNode) -> dict[str, str]:
    """Return the `${}` templates of a model, by attribute."""
    found: dict[str, str] = {}
    for attribute, place in model.members():
        value = place.get("value") if isinstance(place.value, dict) else None
        if value is not None and isinstance(value.value, str):
            found[attribute] = value.value
    return found


def _unread_members(table: WorkbenchTable, draft: DraftTable) -> Iterator[str]:
    """Yield a note for each query and each attribute of the document that the model does not contain."""
    queries = table.schema.get("queries") if table.schema is not None else None
    for name in queries.mapping() if queries is not None else ():
        yield f"The query {name} of ModelSchema was left out, because its format is not documented."
    declared = table.schema.get("indexes") if table.schema is not None else None
    for name in declared.mapping() if declared is not None and isinstance(declared.value, dict) else ():
        if name != "primary" and name not in {index.name for index in table.sample.indexes}:
            yield f"The index {name} of ModelSchema was left out, because the table does not have it."
    if table.repeated:
        yield f"Attributes declared several times: {', '.join(table.repeated)}. Each is one attribute in the model."
    if table.overwritten:
        yield (
            f"Rows with the key of an earlier row: {'; '.join(table.overwritten)}. A table has one item with this key, "
            "so the rows became one."
        )
    if table.invalid:
        shown = "; ".join(table.invalid)
        yield f"DynamoDB rejects these values of the rows, because they do not have their type: {shown}."
    for name in table.saved_queries:
        yield f"The saved query {name} was left out, because its format is not documented."
    stored = {field.stored_as for entity in draft.entities for field in entity.fields}
    known = {*stored, *table.sample.key_attributes, draft.type_attribute, draft.ttl_attribute}
    in_facets = {name for facet in table.facets for name in facet.attributes}
    left_out = [name for name in table.types if name not in known and (name not in in_facets or table.sample.items)]
    if left_out:
        yield f"Attributes without a value in any row were left out: {', '.join(left_out)}."


def _attributes_without_rows(table: WorkbenchTable, models: Mapping[str, JsonNode], draft: DraftTable) -> Iterator[str]:
    """Yield a note for each declared model with rows, on its attributes that occur in no row."""
    for entity in draft.entities if table.sample.items else ():
        model = models.get(entity.stored_name or entity.class_name)
        known = {*(field.stored_as for field in entity.fields), *table.sample.keys, draft.type_attribute}
        known |= {name for each in draft.indexes if each.alias in entity.keys for name in index_attributes(each)}
        names = [name for name in model.mapping() if name not in known] if model is not None else []
        if names:
            yield (
                f"{entity.class_name}: declared attributes without a value in any of its rows were left out: "
                f"{', '.join(names)}."
            )


def _of_model(
    table: WorkbenchTable, name: str, model: JsonNode, taken: Collection[str], type_attribute: str | None
) -> DraftEntity:
    templates = _templates(model)
    declared = {attribute: place for attribute, place in model.members() if isinstance(place.value, dict)}
    keys = [*table.sample.keys, *(each for index in table.sample.indexes for each in (*index.partition, *index.sort))]
    attributes = [
        each
        for each in dict.fromkeys((*table.sample.keys, *declared))
        if each != type_attribute and (each not in templates or each not in keys)
    ]
    kinds: dict[str, FieldType] = {
        each: _declared_type(declared[each]) if each in declared else "str" for each in attributes
    }
    fields = _fields(kinds, set(table.sample.keys), {})
    by_attribute = {each.stored_as: each.name for each in fields}
    positions: dict[str, Position] = {each: NativeKey(name) for each, name in by_attribute.items()}
    positions |= {each: _template(templates[each], by_attribute) for each in keys if each in templates}
    if any(is_key_name(each) and each not in templates for each in table.sample.keys):
        stored = [each for each in fields if each.stored_as not in keys or not is_key_name(each.stored_as)]
        return DraftEntity(class_name(name, taken), tuple(stored), {}, name)
    return _entity(table, name, taken, fields, positions)


def _declared_type(place: JsonNode) -> FieldType:
    kind = place.get("type")
    return _TYPES.get(str(kind.value), "Any") if kind is not None else "Any"


def _template(text: str, by_attribute: Mapping[str, str]) -> str:
    """Return `ORDER#${id}` as `ORDER#{id}`. A reference to an unknown attribute becomes a literal."""
    plain = re.sub(r"(?<!\$)[{}]", "", _REFERENCE.sub(lambda found: f"\x00{found[1]}\x01", text))
    plain = re.sub(r"[{}%]", "", plain)
    return re.sub(
        "\x00(.*?)\x01",
        lambda found: f"{{{by_attribute[found[1]]}}}" if found[1] in by_attribute else found[1].upper(),
        plain,
    )


def _of_facet(table: WorkbenchTable, facet: Facet, taken: Collection[str]) -> DraftEntity:
    keys = table.sample.keys
    aliases = dict(zip(keys, (facet.partition_alias, facet.sort_alias), strict=False))
    kinds: dict[str, FieldType] = {
        each: _TYPES.get(table.types.get(each, "S"), "Any") for each in (*keys, *facet.attributes)
    }
    fields = _fields(kinds, set(keys), {name: alias for name, alias in aliases.items() if alias})
    return _entity(table, facet.name, taken, fields, {each.stored_as: NativeKey(each.name) for each in fields})


def _fields(kinds: Mapping[str, FieldType], keys: set[str], aliases: Mapping[str, str]) -> list[DraftField]:
    """Return a field for each attribute. Only the fields of the table key are required."""
    fields: list[DraftField] = []
    for attribute, kind in kinds.items():
        name = field_name(aliases.get(attribute, attribute), [each.name for each in fields])
        fields.append(DraftField(name, kind, attribute not in keys, attribute if attribute != name else None))
    return fields


def _entity(
    table: WorkbenchTable,
    name: str,
    taken: Collection[str],
    fields: list[DraftField],
    positions: Mapping[str, Position],
) -> DraftEntity:
    sample, own = table.sample, class_name(name, taken)
    keys = {TABLE: DraftKeys((positions[sample.keys[0]],), tuple(positions[each] for each in sample.keys[1:]))}
    for index in sample.indexes:
        if all(each in positions for each in index_attributes(index)):
            placed = tuple(positions[each] for each in index_attributes(index))
            count = 1 if index.kind == "LSI" else len(index.partition)
            keys[index.alias] = DraftKeys(placed[:count], placed[count:], sparse=True)
    names = fields_in((*keys[TABLE].partition, *keys[TABLE].sort))
    fields = [replace(each, optional=False) if each.name in names else each for each in fields]
    identity = identity_of(own, [each.name for each in fields], keys[TABLE])
    stored = name if own != name else None
    return DraftEntity(own, tuple(fields), keys, stored, f"{own}, as declared.", identity=identity)
