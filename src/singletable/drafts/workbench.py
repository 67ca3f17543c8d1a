"""A model of NoSQL Workbench as a draft: entities by templates, by facets, by rows, whichever the document has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from singletable.drafts.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftKeys,
    DraftTable,
    FieldType,
    NativeKey,
    Position,
)
from singletable.drafts.draft_values import table_from_values
from singletable.drafts.functions import FunctionsModule, functions_of, with_functions
from singletable.drafts.identifiers import class_identifier, field_identifier
from singletable.drafts.inference import index_aliases, inferred_table, seen_index
from singletable.drafts.json_place import Place
from singletable.drafts.keys_alone import NOTE
from singletable.drafts.overlaps import accepted_overlaps
from singletable.drafts.proposals import proposed_patterns
from singletable.drafts.renaming import distinct
from singletable.drafts.workbench_document import Facet, WorkbenchTable, read_workbench
from singletable.model.table_schema import TABLE

OWN_SECTION = "singletable"
_TYPES: Mapping[str, FieldType] = {
    "S": "str",
    "N": "Decimal",
    "B": "bytes",
    "BOOL": "bool",
    "L": "list[Any]",
    "M": "dict[str, Any]",
    "SS": "set[str]",
    "NS": "set[Decimal]",
    "BS": "set[bytes]",
    "String": "str",
    "Number": "Decimal",
    "Boolean": "bool",
    "Buffer": "bytes",
    "Array": "list[Any]",
    "Object": "dict[str, Any]",
    "Set": "set[str]",
}
_REFERENCE = re.compile(r"\$\{([^{}:]+)[^{}]*\}")


def draft_from_workbench(text: str | bytes, functions: FunctionsModule | None = None) -> Draft:
    """The draft; raises ImportRefused for a document that is no model, with what is wrong and where.

    The functions that the model names are those of a module that its user gives: a document has none.
    """
    model = read_workbench(text)
    known = functions.functions if functions is not None else {}
    tables = tuple(with_functions(each, known) for each in distinct(map(_table, model.tables)))
    used = functions.name if functions is not None and any(any(functions_of(each)) for each in tables) else None
    # A model of ours has its module's docstring there; what others describe is not written as one.
    doc = model.description if any(_own_section(each) is not None for each in model.tables) else None
    return Draft(f"{model.name}, as NoSQL Workbench has it", tables, used, doc)


def _own_section(table: WorkbenchTable) -> Place | None:
    """The whole model, in a document of ours."""
    return table.schema.get(OWN_SECTION) if table.schema is not None else None


def _table(table: WorkbenchTable) -> DraftTable:
    own = _own_section(table)
    if own is not None:
        made = replace(table_from_values(own), name=table.seen.name)
        return replace(made, notes=(*made.notes, *_changed_since(table, made)))
    models = dict(_models(table.schema)) if table.schema is not None else {}
    draft = inferred_table(replace(table.seen, templates={name: _values(model) for name, model in models.items()}))
    seen = draft.entities if table.seen.items else ()  # what is declared says more than keys alone
    known = {each.stored_name or each.class_name for each in seen}
    taken = [each.class_name for each in seen]
    added = list(_without_rows(table, models, known, taken, draft.type_attribute))
    return _with_declared(table, draft, seen, added) if added else draft


def _with_declared(
    table: WorkbenchTable, draft: DraftTable, seen: tuple[DraftEntity, ...], added: list[DraftEntity]
) -> DraftTable:
    """The draft with entities of which there are no rows, beside those that rows have shown."""
    entities = accepted_overlaps([*seen, *added])
    aliases = {alias for entity in entities for alias in entity.keys}
    indexes = [seen_index(each, alias) for each, alias in index_aliases(table.seen.indexes).items()]
    notes = [note for note in draft.notes if not note.startswith(NOTE)]
    if not seen:  # where there are rows, it is said already
        unused = (each.name for each in indexes if each.alias not in aliases)
        notes += [f"{name} is in the table, and no entity is declared to have its keys." for name in unused]
    notes.append(
        f"There are no rows of {', '.join(each.class_name for each in added)}: types and keys are as declared."
    )
    used = tuple(each for each in indexes if each.alias in aliases)
    return proposed_patterns(replace(draft, entities=tuple(entities), indexes=used, notes=tuple(notes)))


def _changed_since(table: WorkbenchTable, made: DraftTable) -> Iterator[str]:
    """What somebody has changed in a document of ours, of which the section with the model knows nothing."""
    shown = {each.name: (each.partition[:1], each.sort[:1]) for each in table.seen.indexes}
    known = {each.name: (each.partition[:1], each.sort[:1]) for each in made.indexes}
    changed = sorted(name for name in shown.keys() | known.keys() if shown.get(name) != known.get(name))
    facets = {each.name for each in table.facets}
    changed += sorted(facets ^ {each.stored_name or each.class_name for each in made.entities})
    if table.seen.keys != made.keys:
        changed.insert(0, "its keys")
    if changed:
        yield (
            f"{', '.join(changed)} changed in the document after it was exported, and not here: the model is that of "
            f"the section {OWN_SECTION} of its ModelSchema. Without it, a model is told from keys, facets and rows."
        )


def _models(schema: Place) -> Iterator[tuple[str, Place]]:
    """The models of a ModelSchema; one whose name is in tildes is the editor's form for new ones."""
    found = schema.get("models")
    if found is not None:
        yield from ((name, model) for name, model in found.members() if not name.startswith("~"))


def _values(model: Place) -> dict[str, str]:
    """The `${}` templates of a model, by attribute."""
    found: dict[str, str] = {}
    for attribute, place in model.members():
        value = place.get("value") if isinstance(place.value, dict) else None
        if value is not None and isinstance(value.value, str):
            found[attribute] = value.value
    return found


def _without_rows(
    table: WorkbenchTable, models: Mapping[str, Place], known: set[str], taken: list[str], type_attribute: str | None
) -> Iterator[DraftEntity]:
    """Entities that are declared and of which there are no rows: models first, else facets."""
    names = list(taken)
    if models:
        for name, model in models.items():
            if name not in known:
                entity = _of_model(table, name, model, names, type_attribute)
                names.append(entity.class_name)
                yield entity
        return
    seen = {kind for kind in table.seen.kinds if kind} | ({"*"} if table.seen.items and not table.seen.kinds else set())
    for facet in table.facets:
        if facet.name not in seen | known and "*" not in seen:
            entity = _of_facet(table, facet, names)
            names.append(entity.class_name)
            yield entity


def _of_model(
    table: WorkbenchTable, name: str, model: Place, taken: list[str], type_attribute: str | None
) -> DraftEntity:
    values = _values(model)
    declared = {attribute: place for attribute, place in model.members() if isinstance(place.value, dict)}
    key_names = [*table.seen.keys, *(each for index in table.seen.indexes for each in (*index.partition, *index.sort))]
    attributes = [
        each
        for each in (*table.seen.keys, *declared)
        if each != type_attribute and (each not in values or each not in key_names)
    ]
    kinds: dict[str, FieldType] = {
        each: _declared_type(declared[each]) if each in declared else "str" for each in attributes
    }
    fields, by_attribute = _fields(kinds, set(table.seen.keys))
    positions: dict[str, Position] = {each: NativeKey(by_attribute[each]) for each in by_attribute}
    positions |= {each: _template(values[each], by_attribute) for each in key_names if each in values}
    return _entity(table, name, taken, fields, positions)


def _declared_type(place: Place) -> FieldType:
    kind = place.get("type")
    return _TYPES.get(str(kind.value), "Any") if kind is not None else "Any"


def _template(text: str, by_attribute: Mapping[str, str]) -> str:
    """`ORDER#${id}` as `ORDER#{id}`; a reference to nothing that is known stays as a word."""
    plain = re.sub(r"(?<!\$)[{}]", "", _REFERENCE.sub(lambda found: f"\x00{found[1]}\x01", text))
    plain = re.sub(r"[{}%]", "", plain)
    return re.sub(
        "\x00(.*?)\x01",
        lambda found: f"{{{by_attribute[found[1]]}}}" if found[1] in by_attribute else found[1].upper(),
        plain,
    )


def _of_facet(table: WorkbenchTable, facet: Facet, taken: list[str]) -> DraftEntity:
    aliases = dict(zip(table.seen.keys, (facet.partition_alias, facet.sort_alias), strict=False))
    kinds: dict[str, FieldType] = {
        each: _TYPES.get(table.types.get(each, "S"), "Any") for each in (*table.seen.keys, *facet.attributes)
    }
    fields, by_attribute = _fields(kinds, set(table.seen.keys), aliases)
    positions: dict[str, Position] = {each: NativeKey(name) for each, name in by_attribute.items()}
    return _entity(table, facet.name, taken, fields, positions)


def _fields(
    kinds: Mapping[str, FieldType], keys: set[str], aliases: Mapping[str, str | None] | None = None
) -> tuple[list[DraftField], dict[str, str]]:
    """Fields for attributes, and their names by attribute; only what is in the table's key has to be there."""
    fields: list[DraftField] = []
    by_attribute: dict[str, str] = {}
    for attribute, kind in kinds.items():
        name = field_identifier((aliases or {}).get(attribute) or attribute, by_attribute.values())
        by_attribute[attribute] = name
        stored = attribute if attribute != name else None
        fields.append(DraftField(name, kind, optional=attribute not in keys, attribute=stored))
    return fields, by_attribute


def _entity(
    table: WorkbenchTable, name: str, taken: list[str], fields: list[DraftField], positions: Mapping[str, Position]
) -> DraftEntity:
    keys = {TABLE: DraftKeys((positions[table.seen.keys[0]],), tuple(positions[each] for each in table.seen.keys[1:]))}
    for index, alias in index_aliases(table.seen.indexes).items():
        if index.kind == "GSI" and all(each in positions for each in (*index.partition, *index.sort)):
            partition = tuple(positions[each] for each in index.partition)
            keys[alias] = DraftKeys(partition, tuple(positions[each] for each in index.sort), sparse=True)
    own = class_identifier(name, taken)
    in_key = tuple(each.name for each in fields if not each.optional)
    return DraftEntity(own, tuple(fields), keys, name if own != name else None, f"{own}, as declared.", identity=in_key)
