"""The page of items, and its requests: stage changes, show their effects, write them, and resolve conflicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from singletable.errors import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    ItemRefused,
    NotFound,
    SingletableError,
    TransactionCancelled,
)
from singletable.model.entity import Entity
from singletable.planner.formatting import format_dollars, format_number
from singletable.planner.stored_items import field_value
from singletable.studio.item_forms import control_texts, entity_fields, form_item, new_item, with_shape_change
from singletable.studio.item_rows import INTERNAL, item_id, reading_problem
from singletable.studio.page_templates import ordered_json, render
from singletable.studio.recorded_requests import recorded
from singletable.studio.staged_effects import StagedEffects, staged_effects
from singletable.studio.staged_items import (
    NEW,
    Item,
    StagedItem,
    StagedItems,
    canonical_item,
    conflict_of,
    locked_fields,
    staged_on_top,
    unknown_attributes,
)
from singletable.studio.staged_writes import complete_item, staged_write
from singletable.studio.workspace import TableView, Workspace
from singletable.values.item_size import item_size

Document = dict[str, Any]
_CONFLICTS = (AlreadyExists, ConditionFailed, NotFound, TransactionCancelled)
_READER_ERRORS = (KeyError, TypeError, ValueError, ArithmeticError, ItemRefused)


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the page: the editor of one item, and the staged changes."""
    id_, new = given.get("id", ""), given.get("new")
    editor: Document | None = None
    problem = ""
    try:
        if id_ or new is not None:
            editor = _editor(workspace, view, id_, new, given.get("as", "fields"))
    except (SingletableError, OSError) as failure:
        problem = str(failure)
    staged = workspace.staged_items(view.design.name)
    if workspace.store.is_billed and len(staged):
        shown = {"html": render("staged_wait.html", changes=len(staged)), "bar": _bar(workspace, view, None)}
    else:
        shown = _shown(workspace, view, id_)
    return {
        "editor": editor,
        "problem": problem,
        "id": id_,
        "needs_read": editor is None and not problem and bool(id_),
        "effects": shown["html"],
        "bar": shown["bar"],
        "entities": [] if workspace.is_inferred else [each for each in view.design.entities if not _is_mirror(each)],
        "staged": _listed(view, staged),
    }


def _is_mirror(entity: Entity) -> bool:
    return entity.declaration.mirror_of is not None


def _editor(workspace: Workspace, view: TableView, id_: str, new: str | None, mode: str) -> Document | None:
    """Return the values of the editor of an item; None if reading it costs money, which needs a click of the user."""
    staged = workspace.staged_items(view.design.name).get(id_)
    before = staged.before if staged is not None else None
    if new is None and staged is None:
        if id_.startswith(NEW):
            raise SingletableError("The change is not staged any more: it was written or discarded.")
        key = _key(id_)
        if workspace.store.is_billed:
            known = workspace.read_items.get(view.design.name, item_id(view.design, key))
            if known is None:
                return None
            found: Item | None = known.item
        else:
            found = view.columns.fresh_item(key)
        if found is None:
            raise SingletableError("The item does not exist. It may have been deleted.")
        before = found
    entity = _entity(workspace, view, staged, before, new)
    if new and entity is None:
        raise ArgumentRefused(f"The model has no entity {new}. Choose one under New item.")
    after = staged.after if staged is not None else before
    return _editor_values(workspace, view, entity, id_, before, after or before or {}, mode) | {
        "is_staged": staged is not None,
        "is_deleted": staged is not None and staged.after is None,
        "is_new": before is None,
    }


def _key(id_: str) -> Item:
    try:
        return dict(json.loads(id_))
    except ValueError:
        raise ArgumentRefused("the item has no valid key; select it again") from None


def _entity(
    workspace: Workspace, view: TableView, staged: StagedItem | None, before: Item | None, new: str | None
) -> Entity | None:
    """Return the entity by whose fields an item is edited; None for an item that is edited as JSON."""
    if workspace.is_inferred:
        return None
    if staged is not None or new is not None:
        name = staged.entity if staged is not None else new
        return next((each for each in view.design.entities if each.name == name), None)
    return None if before is None else view.rows.entity_of(before)


def _editor_values(
    workspace: Workspace, view: TableView, entity: Entity | None, id_: str, before: Item | None, item: Item, mode: str
) -> Document:
    """Return the fields or the JSON of an item, and why it is read-only."""
    shown, problem, read_only = item, "", _read_only(view, entity, before)
    if entity is not None and before is not None and item is before:
        try:
            canonical = canonical_item(view.design, view.rows.types, entity, item)
            fields = {name: canonical[name] for name in entity.attributes.values() if name in canonical}
            shown = fields | unknown_attributes(view.design, entity, item)  # the model computes the keys
        except ItemRefused as failure:
            problem = reading_problem(str(failure))
    has_fields = entity is not None and not problem
    if before is None and not item:
        shown = new_item(entity) if entity is not None else _empty_key(view)
    locked = {} if entity is None else locked_fields(entity, view.design, is_new=before is None)
    described = None if before is None else view.views.view(before)
    number = view.design.entities.index(entity) if entity is not None else view.rows.number_of(before or {})
    return {
        "id": id_,
        "entity": entity,
        "number": number,
        "label": view.rows.label_of(number),
        "described": described,
        "bytes": item_size(before) if before is not None else 0,
        "mode": mode if has_fields else "json",
        "has_fields": has_fields,
        "problem": problem,
        "read_only": read_only,
        "fields": _split(entity, entity_fields(entity, shown, locked))
        if entity is not None and has_fields
        else ((), ()),
        "json": ordered_json(shown),
        "stored": _stored_texts(view, entity, before)
        if entity is not None and before is not None and has_fields
        else {},
        "loaded": "" if before is None else json.dumps(before, ensure_ascii=False),
    }


def _stored_texts(view: TableView, entity: Entity, before: Item) -> dict[str, str | None]:
    """Return the texts of the controls for the item as it was read, so that the page marks the changed fields."""
    try:
        canonical = canonical_item(view.design, view.rows.types, entity, before)
    except ItemRefused:
        return {}
    return control_texts(entity_fields(entity, canonical, {}))


def _empty_key(view: TableView) -> Item:
    """Return the key attributes of the table without a value, for the user to fill in."""
    table = view.design.table
    return {each.name: {each.type: ""} for each in (*table.partition, *table.sort)}


def _split(entity: Entity, fields: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the other fields, and the fields of the key of the table."""
    found = tuple(fields)
    keys = {name for part in entity.base.parts for name in part.fields}
    return tuple(each for each in found if each.name not in keys), tuple(each for each in found if each.name in keys)


def _read_only(view: TableView, entity: Entity | None, before: Item | None) -> str:
    if before is not None and view.rows.number_of(before) == INTERNAL:
        return "The library writes this item for itself, so the studio does not change it."
    if entity is not None and _is_mirror(entity):
        mirrored = entity.declaration.mirror_of
        assert mirrored is not None, "a mirror names its entity"
        return f"{entity.label} mirrors {mirrored.__name__}. Edit the {mirrored.__name__} instead."
    return ""


def stage(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Stage the change of one item, and show the effects of all staged changes."""
    staged = workspace.staged_items(view.design.name)
    loaded = given.get("loaded") or ""
    before: Item | None = json.loads(loaded) if loaded else None
    id_ = str(given.get("id") or "") or staged.new_id()
    entity = next((each for each in view.design.entities if each.name == given.get("entity")), None)
    if workspace.is_inferred:
        entity = None
    if reason := _read_only(view, entity, before):
        raise ArgumentRefused(reason)
    after: Item | None = None
    if not given.get("delete"):
        try:
            after, errors = _after(view, entity, before, given)
        except SingletableError as failure:
            staged.discard(id_)  # never write a version that the editor does not show any more
            shown = _shown(workspace, view, id_, has_errors=True)
            return {"errors": {}, "problem": str(failure), "id": id_, **shown}
        if errors:
            staged.discard(id_)
            return {"errors": errors, "id": id_, **_shown(workspace, view, id_, has_errors=True)}
    elif before is None:
        raise ArgumentRefused("the item is not stored; discard it instead")
    if after is not None and before is not None and _is_same(view, entity, before, after):
        staged.discard(id_)
    else:
        staged.stage(StagedItem(id_, before, after, entity.name if entity is not None else ""))
    return {"id": id_, "errors": {}, **_shown(workspace, view, id_)}


def _after(view: TableView, entity: Entity | None, before: Item | None, given: Document) -> tuple[Item, dict[str, str]]:
    """Return the attributes after a change, and the errors of single fields."""
    if given.get("mode") == "json" or entity is None:
        after = _json_item(str(given.get("json", "")))
        if entity is not None:
            view.rows.types.decoder(entity).read(complete_item(view.design, entity, after))
        return after, {}
    values = {name: str(text) for name, text in (given.get("values") or {}).items()}
    after = form_item(entity, values)
    errors = _field_errors(view, entity, after)
    if not errors:
        view.rows.types.decoder(entity).read(complete_item(view.design, entity, after))
    return {**unknown_attributes(view.design, entity, before or {}), **after}, errors


def _json_item(text: str) -> Item:
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise ArgumentRefused(f"the item is not valid JSON: {problem}") from None
    is_item = isinstance(found, dict) and all(isinstance(each, dict) and len(each) == 1 for each in found.values())
    if not is_item:
        raise ArgumentRefused('write an item in DynamoDB JSON: {"PK": {"S": "USER#42"}, "total": {"N": "12.5"}}')
    return dict(found)


def _field_errors(view: TableView, entity: Entity, after: Item) -> dict[str, str]:
    """Return the fields whose text is not valid for their type."""
    readers = view.rows.types.decoder(entity).readers
    errors: dict[str, str] = {}
    for name, field in entity.fields.items():
        stored = after[entity.attributes[name]]
        if "NULL" in stored and field.may_be_none:
            continue
        try:
            field_value(entity, name, readers[name](stored))
        except ArgumentRefused as problem:
            errors[f"f.{name}"] = f"{name}: {problem}"
        except _READER_ERRORS:
            shown = next(iter(stored.values()))
            got = "" if isinstance(shown, list | dict) else f", got {shown!r}" if shown not in ("", True) else ""
            errors[f"f.{name}"] = f"{name} must be {field.type_name}{got}"
    return errors


def _is_same(view: TableView, entity: Entity | None, before: Item, after: Item) -> bool:
    if entity is None:
        return before == after
    try:
        old = canonical_item(view.design, view.rows.types, entity, before)
    except ItemRefused:
        return False
    new = canonical_item(view.design, view.rows.types, entity, complete_item(view.design, entity, after))
    kept = (unknown_attributes(view.design, entity, each) for each in (before, after))
    return old == new and next(kept) == next(kept)


def shape(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Return the form after an element was added or removed."""
    entity = next((each for each in view.design.entities if each.name == given.get("entity")), None)
    if entity is None:
        raise ArgumentRefused("the model has no such entity any more; reload the page")
    values = {name: str(text) for name, text in (given.get("values") or {}).items()}
    changed = with_shape_change(values, str(given.get("operation")), str(given.get("path")))
    is_new = not given.get("loaded")
    locked = locked_fields(entity, view.design, is_new=is_new)
    fields = _split(entity, entity_fields(entity, form_item(entity, changed), locked))
    return {"html": render("item_fields.html", fields=fields, entity=entity, is_new=is_new)}


def discard(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Discard the change of one item, or all changes."""
    workspace.staged_items(view.design.name).discard(given.get("id") or None)
    return _shown(workspace, view, given.get("open"))


def effects(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Show the effects of the staged changes."""
    return _shown(workspace, view, given.get("open"))


def write(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Write all staged changes or none; on a conflict, show both sides."""
    staged = workspace.staged_items(view.design.name)
    if not workspace.store.may_write:
        raise ArgumentRefused("The store is read-only. Start the studio with --write to change it.")
    if given.get("revision") != staged.revision:
        raise ArgumentRefused(
            "The staged changes differ from those on this page. Reload the page and look at the changes."
        )
    items = tuple(staged)
    if not items:
        raise ArgumentRefused("Nothing is staged.")
    opened = view.opened()
    with recorded() as requests:
        try:
            finished = staged_write(opened, items)
            finished.send(opened)
        except _CONFLICTS as problem:
            return _conflict(workspace, view, items, problem) | _shown(workspace, view, given.get("open"))
        finally:
            workspace.read_items.clear()
    for each in items:
        if staged.get(each.id) is each:  # another window may have staged more
            staged.discard(each.id)
    ids = {item_id(view.design, key): _key_text(key) for key in finished.written_keys}
    html = render("staged_written.html", items=len(items), requests=requests, table=view.design.name, ids=ids)
    return {"html": html, "bar": _bar(workspace, view, None), "revision": staged.revision, "written": list(ids)}


def _key_text(key: Item) -> str:
    return " / ".join(str(next(iter(value.values()))) for value in key.values())


def _conflict(workspace: Workspace, view: TableView, items: tuple[StagedItem, ...], problem: Exception) -> Document:
    """Return both sides of every staged change whose item has changed since it was read."""
    entities = {entity.name: entity for entity in view.design.entities}
    conflicts = []
    for each in items:
        if each.before is not None:
            stored = view.columns.fresh_item({name: each.before[name] for name in view.design.table.key_attributes})
            found = conflict_of(each, stored, entities.get(each.entity), view.design)
            if found is not None:
                conflicts.append({"conflict": found, "name": view.views.view(each.before).name})
    shown = render("staged_conflict.html", conflicts=conflicts, problem=str(problem), changes=len(items))
    return {"conflict": shown}


def resolve(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Resolve a conflict: take the stored item, or stage the change on top of it."""
    staged = workspace.staged_items(view.design.name)
    known = staged.get(str(given.get("id")))
    if known is None or known.before is None:
        raise ArgumentRefused("The change is not staged any more. Reload the page.")
    stored = view.columns.fresh_item({name: known.before[name] for name in view.design.table.key_attributes})
    if given.get("choice") == "stored" or (stored is None and known.after is None):
        staged.discard(known.id)
    else:
        entity = next((each for each in view.design.entities if each.name == known.entity), None)
        staged.stage(staged_on_top(view.design, view.rows.types, entity, known, stored))
    return {"isStored": stored is not None, **_shown(workspace, view, known.id)}


def _shown(workspace: Workspace, view: TableView, open_id: str | None, *, has_errors: bool = False) -> Document:
    """Return the effects of the staged changes, and the bar that writes them; `open_id` is the item in the editor."""
    staged = workspace.staged_items(view.design.name)
    planned: StagedEffects | None = None
    problem = ""
    try:
        planned = _planned(workspace, view)
    except SingletableError as failure:
        problem = str(failure)
    request = "" if planned is None else f"{planned.request.operation}\n{ordered_json(planned.request.parameters)}"
    html = render(
        "staged_effects.html",
        effects=planned,
        problem=problem,
        staged=_listed(view, staged),
        open=open_id,
        request=request,
        has_errors=has_errors,
    )
    return {"html": html, "bar": _bar(workspace, view, problem or planned), "revision": staged.revision}


def _planned(workspace: Workspace, view: TableView) -> StagedEffects | None:
    staged = tuple(workspace.staged_items(view.design.name))
    if not staged:
        return None
    opened = view.opened()
    return staged_effects(opened, view.rows, view.views, staged_write(opened, staged))


def _listed(view: TableView, staged: StagedItems) -> list[Document]:
    """Return the staged changes for the list of the page."""
    found = []
    for each in staged:
        entity = next((one for one in view.design.entities if one.name == each.entity), None)
        number = view.design.entities.index(entity) if entity is not None else -2
        name = _staged_name(view, entity, each)
        found.append(
            {"id": each.id, "kind": each.kind, "number": number, "label": view.rows.label_of(number), "name": name}
        )
    return found


def _staged_name(view: TableView, entity: Entity | None, staged: StagedItem) -> str:
    item = staged.before or staged.after or {}
    try:
        if staged.before is None and entity is not None:
            item = canonical_item(view.design, view.rows.types, entity, complete_item(view.design, entity, item))
        return view.views.view(item).name
    except (SingletableError, KeyError):  # a new item that has no key yet
        return "new"


def _bar(workspace: Workspace, view: TableView, planned: StagedEffects | str | None) -> str:
    """Return the bar with the number of changes, their units and the buttons."""
    staged = workspace.staged_items(view.design.name)
    units, dollars, error = "", "", ""
    if isinstance(planned, StagedEffects):
        units = f"{format_number(planned.units)} WRU"
        if workspace.store.is_billed:
            prices = workspace.prices
            dollars = format_dollars(prices.requests("standard", 0.0, planned.units / prices.month_seconds))
        error = planned.errors[0] if planned.errors else ""
    elif planned:
        error = planned
    return render(
        "staged_bar.html",
        changes=len(staged),
        units=units,
        dollars=dollars,
        error=bool(error),
        store=workspace.store,
        revision=staged.revision,
    )
