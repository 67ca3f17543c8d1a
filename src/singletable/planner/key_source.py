"""Return the keys of an entity as Python source code, and change the templates in keys."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from singletable.model.entity import Entity
from singletable.model.fields import name_of
from singletable.model.table_schema import Native, Sparse
from singletable.planner.remedy import (
    AddImport,
    AddParameter,
    Edit,
    Place,
    RemoveKeyword,
    SetKeyword,
    entity_place,
    import_from_package,
)

TemplateChange = Callable[[str], str]


def quoted(text: str) -> str:
    """Return a string literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def keys_source(keys: Any) -> str:
    """Return the Python source that declares keys, such as `("CUST#{id}", "METADATA")`."""
    match keys:
        case str():
            return quoted(keys)
        case Native(field, format):
            return f"native({quoted(field)}{f', {quoted(format)}' if format else ''})"
        case Sparse(inner):
            return f"sparse({', '.join(keys_source(each) for each in inner)})"
        case _:
            inner = ", ".join(keys_source(each) for each in keys)
            return f"({inner}{',' if len(keys) == 1 else ''})"


def keys_edits(entity: Entity, alias: str, keys: Any) -> tuple[Edit, ...]:
    """Return the edits that set the keys of an entity in an index, with the imports that the source code needs."""
    place, source = entity_place(entity), keys_source(keys)
    declared = " ".join(keys_source(each) for each in entity.declaration.keys.values())
    functions = [name for name in ("native", "sparse") if f"{name}(" in source and f"{name}(" not in declared]
    return (SetKeyword(place, alias, source), *(import_from_package(place, name) for name in functions))


def remove_keys(entity: Entity, alias: str) -> Iterator[Edit]:
    """Yield the edits that remove the keys of an entity from an index."""
    yield RemoveKeyword(entity_place(entity), alias)
    if alias in entity.declaration.expected_per_partition:
        yield expected_edit(entity, {alias: None})


def expected_edit(entity: Entity, counts: Mapping[str, int | None]) -> Edit:
    """Return the edit that changes or removes the declared number of items per partition for some indexes."""
    expected = {**entity.declaration.expected_per_partition, **counts}
    left = ", ".join(f"{quoted(name)}: {number}" for name, number in expected.items() if number is not None)
    place, keyword = entity_place(entity), "expected_per_partition"
    return SetKeyword(place, keyword, f"{{{left}}}") if left else RemoveKeyword(place, keyword)


def change_templates(keys: Any, change: TemplateChange) -> Any:
    """Return the keys after `change` was applied to every template. Native attributes stay unchanged."""
    match keys:
        case str():
            return change(keys)
        case Native():
            return keys
        case Sparse(inner):
            return Sparse(change_templates(inner, change))
        case _:
            return tuple(change_templates(each, change) for each in keys)


def replace_in_templates(keys: Any, old: str, new: str) -> Any:
    """Return the keys with `old` replaced by `new` in every template. Native attributes stay unchanged."""
    return change_templates(keys, lambda template: template.replace(old, new))


def change_partition(keys: Any, change: TemplateChange) -> Any:
    """Return the keys with a changed partition key template. Return None if the partition key is not one template."""
    match keys:
        case Sparse(inner):
            changed = change_partition(inner, change)
            return None if changed is None else Sparse(changed)
        case (str() as partition, *rest):
            return (change(partition), *rest)
        case _:
            return None


def change_sort(keys: Any, change: TemplateChange) -> Any:
    """Return the keys with a changed last template. Return None if the last key is not one template."""
    match keys:
        case str():
            return change(keys)
        case Sparse(inner):
            changed = change_sort(inner, change)
            return None if changed is None else Sparse(changed)
        case (*first, str() as last):
            return (*first, change(last))
        case _:
            return None


def with_prefix(entity: Entity, delimiter: str, template: str) -> str:
    """Return a template that starts with the name of the entity instead of the literal before the first slot."""
    slot = max(template.find("{"), 0)
    return f"{entity.label.upper()}{delimiter}{template[slot:]}"


def parameters_for(entity: Entity, place: Place, names: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that add parameters for fields of an entity, with the imports of their types."""
    types = [entity.fields[name].type for name in names]
    added = [AddParameter(place, name, name_of(kind)) for name, kind in zip(names, types, strict=True)]
    return (*added, *(each for kind in types for each in _type_imports(entity, place, kind)))


def _type_imports(entity: Entity, place: Place, kind: Any) -> Iterator[AddImport]:
    module = getattr(kind, "__module__", "builtins")
    if not isinstance(kind, type) or module == "builtins":
        return
    name = kind.__qualname__.partition(".")[0]
    known = vars(sys.modules[entity.cls.__module__]) if entity.cls.__module__ in sys.modules else {}
    if entity.location.file != place.location.file or known.get(name) is not kind:
        yield AddImport(place, module, name)
