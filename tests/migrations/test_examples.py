"""Every operation on every example where it applies: forward and back, in the process and over HTTP.

`python -m tests.migrations.test_examples` prints the table of operations and examples.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from singletable import Table
from singletable.client.request_steps import Call, run
from singletable.demo.systems import systems_named
from singletable.engine.engine import Engine
from singletable.errors import DesignError
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences
from singletable.evolve.operation import Category
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import EntitySnapshot, KeysSnapshot, Snapshot
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import RunSettings, migration_run, run_migration
from singletable.model.derived.derived_function import DerivedFunction
from singletable.model.table_schema import TABLE
from tests.client.places import server
from tests.clients.local_server import KEY, serve
from tests.migrations.orders import QuickSession

replace = msgspec.structs.replace


def with_entities(snapshot: Snapshot, change: Callable[[EntitySnapshot], EntitySnapshot | None]) -> Snapshot:
    changed = (change(each) for each in snapshot.entities.values())
    return replace(snapshot, entities={each.name: each for each in changed if each is not None})


def without_index(snapshot: Snapshot) -> Iterator[Snapshot]:
    for alias, index in snapshot.indexes.items():
        if index.kind == "GSI" and not index.is_inverse:
            indexes = {name: each for name, each in snapshot.indexes.items() if name != alias}
            yield replace(with_entities(snapshot, partial(_without_keys, alias)), indexes=indexes)
            return


def _without_keys(alias: str, entity: EntitySnapshot) -> EntitySnapshot:
    return replace(entity, keys={name: keys for name, keys in entity.keys.items() if name != alias})


def _changed(name: str, changed: EntitySnapshot, entity: EntitySnapshot) -> EntitySnapshot:
    return changed if entity.name == name else entity


def without_unique(snapshot: Snapshot) -> Iterator[Snapshot]:
    if any(each.unique for each in snapshot.entities.values()):
        yield with_entities(snapshot, lambda each: replace(each, unique=()))


def without_counters(snapshot: Snapshot) -> Iterator[Snapshot]:
    counted = {(each.owner, each.field) for entity in snapshot.entities.values() for each in entity.counted}
    if counted:
        yield with_entities(
            snapshot,
            lambda e: replace(e, counted=(), fields=tuple(f for f in e.fields if (e.name, f.name) not in counted)),
        )


def without_copies(snapshot: Snapshot) -> Iterator[Snapshot]:
    if any(each.copies for each in snapshot.entities.values()):
        yield with_entities(snapshot, lambda each: replace(each, copies=()))


def without_mirror(snapshot: Snapshot) -> Iterator[Snapshot]:
    if any(each.mirror_of for each in snapshot.entities.values()):
        yield with_entities(snapshot, lambda each: None if each.mirror_of else each)


def with_renamed_attribute(snapshot: Snapshot) -> Iterator[Snapshot]:
    for entity in snapshot.entities.values():
        counters = {each.field for other in snapshot.entities.values() for each in other.counted}
        used = {position.native for keys in entity.keys.values() for position in (*keys.partition, *keys.sort)}
        for field in entity.fields:
            if field.name not in {*counters, *used, entity.version, entity.ttl} and entity.mirror_of is None:
                fields = [replace(f, attribute=f"{f.attribute}_2") if f == field else f for f in entity.fields]
                yield with_entities(snapshot, partial(_changed, entity.name, replace(entity, fields=tuple(fields))))
                return


def with_renamed_entity(snapshot: Snapshot) -> Iterator[Snapshot]:
    named = {name for e in snapshot.entities.values() for name in (e.mirror_of, *(c.source for c in e.copies))}
    named |= {count.owner for e in snapshot.entities.values() for count in e.counted}
    for entity in snapshot.entities.values():
        if not entity.unique and entity.mirror_of is None and entity.name not in named:
            changed = replace(entity, name=f"{entity.name}2")
            yield with_entities(snapshot, partial(_changed, entity.name, changed))
            return


def without_ttl(snapshot: Snapshot) -> Iterator[Snapshot]:
    if snapshot.ttl_attribute is not None:
        entities = with_entities(snapshot, lambda each: replace(each, ttl=None))
        changed = replace(entities, ttl_attribute=None)
        if all(each.category is not Category.UNSUPPORTED for each in differences(snapshot, changed)):
            yield changed


def with_other_keys(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Give every entity another partition key, so that all its items move."""
    changed = with_entities(snapshot, partial(_with_other_key, f"MOVED{snapshot.delimiter}"))
    operations = differences(snapshot, changed)
    if operations and all(each.category is Category.MOVE for each in operations):
        yield changed


def _with_other_key(prefix: str, entity: EntitySnapshot) -> EntitySnapshot:
    keys = entity.keys[TABLE]
    (partition,) = keys.partition
    if partition.template is None or any(each.native for each in keys.sort):
        return entity
    moved = replace(keys, partition=(replace(partition, template=prefix + partition.template),))
    return replace(entity, keys={**entity.keys, TABLE: moved})


def with_other_projection(snapshot: Snapshot) -> Iterator[Snapshot]:
    yield from _with_other_index(snapshot, lambda keys: keys, projection="KEYS_ONLY")


def with_other_index_keys(snapshot: Snapshot) -> Iterator[Snapshot]:
    def changed(keys: KeysSnapshot) -> KeysSnapshot:
        first, *others = keys.partition
        literal = replace(first, template=f"OTHER{snapshot.delimiter}{first.template}")
        return replace(keys, partition=(literal, *others))

    yield from _with_other_index(snapshot, changed)


def _with_other_index(
    snapshot: Snapshot, change: Callable[[KeysSnapshot], KeysSnapshot], **options: Any
) -> Iterator[Snapshot]:
    """Replace the first index whose keys are templates with another one."""
    for alias, index in snapshot.indexes.items():
        keys = [each.keys[alias] for each in snapshot.entities.values() if alias in each.keys]
        native = any(each.template is None for given in keys for each in (*given.partition, *given.sort))
        if index.kind != "GSI" or index.is_inverse or not keys or native:
            continue
        renamed = [tuple(replace(a, name=f"{a.name}2") for a in part) for part in (index.partition, index.sort)]
        other = replace(index, name=f"{index.name}2", partition=renamed[0], sort=renamed[1], **options)
        made = with_entities(snapshot, partial(_with_index_keys, alias, change))
        made = replace(made, indexes={**made.indexes, alias: other})
        if all(each.category is not Category.UNSUPPORTED for each in differences(snapshot, made)):
            yield made
            return


def _with_index_keys(
    alias: str, change: Callable[[KeysSnapshot], KeysSnapshot], entity: EntitySnapshot
) -> EntitySnapshot:
    if alias not in entity.keys:
        return entity
    return replace(entity, keys={**entity.keys, alias: change(entity.keys[alias])})


def with_split_entity(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Move one field of an entity into an item of its own."""
    for entity in snapshot.entities.values():
        keys = entity.keys[TABLE]
        if len(keys.sort) != 1 or keys.sort[0].template is None or keys.partition[0].template is None:
            continue
        for field in entity.fields:
            shared = tuple(each for each in entity.fields if each.name in keys.fields)
            if field.name in {
                entity.ttl,
                entity.version,
                *(name for each in entity.keys.values() for name in each.fields),
            }:
                continue
            halved = replace(entity, fields=tuple(each for each in entity.fields if each != field))
            sort = replace(keys.sort[0], template=f"PART{snapshot.delimiter}{keys.sort[0].template}")
            part = EntitySnapshot(
                name=f"{entity.name}Part",
                label=f"{entity.label}Part",
                fields=tuple(sorted((*shared, field), key=lambda each: each.name)),
                keys={TABLE: replace(keys, sort=(sort,))},
                split_from={entity.name: {}},
            )
            entities = {**snapshot.entities, entity.name: halved, part.name: part}
            changed = replace(snapshot, entities=dict(sorted(entities.items())))
            try:
                design_of(changed)
            except DesignError:
                continue  # another declaration of the entity uses the field
            operations = differences(snapshot, changed)
            if [each.category for each in operations] == [Category.MOVE]:
                yield changed
                return


def merged_back(original: Snapshot, changed: Snapshot) -> Snapshot:
    """Return the original design, with declarations that merge the entities that the changed design has split."""
    sources = {whole: part.name for part in changed.entities.values() for whole in part.split_from}
    return with_entities(
        original, lambda each: replace(each, merged_from={sources[each.name]: {}}) if each.name in sources else each
    )


OPERATIONS: dict[str, Callable[[Snapshot], Iterator[Snapshot]]] = {
    "index": without_index,
    "unique constraint": without_unique,
    "counter": without_counters,
    "copy": without_copies,
    "mirror": without_mirror,
    "attribute renamed": with_renamed_attribute,
    "entity renamed": with_renamed_entity,
    "TTL": without_ttl,
    "key": with_other_keys,
    "projection": with_other_projection,
    "index key": with_other_index_keys,
    "split and merge": with_split_entity,
}


@cache
def models() -> dict[str, tuple[type[Table], tuple[Any, ...]]]:
    """Return the tables of the examples, each with its rows."""
    found: dict[str, tuple[type[Table], tuple[Any, ...]]] = {}
    for system in systems_named([]):
        for named in system.scripts():
            table, rows = named.script.model, tuple(named.script.rows)
            known = found.get(f"{system.name}.{table.__name__}")
            if known is None or len(known[1]) < len(rows):
                found[f"{system.name}.{table.__name__}"] = (table, rows)
    return found


def cases() -> list[tuple[str, str]]:
    return [
        (model, name)
        for model, (table, _) in models().items()
        for name, change in OPERATIONS.items()
        if next(change(snapshot_of(table.design)), None) is not None
    ]


def functions_of(table: type[Table]) -> dict[str, Any]:
    values = (value for entity in table.design.entities for value in entity.declaration.derived.values())
    return {each.function.__qualname__: each.function for each in values if isinstance(each, DerivedFunction)}


def items_of(session: QuickSession, name: str) -> list[dict[str, Any]]:
    items = json.loads(session.send(Call("Scan", {"TableName": name})))["Items"]
    kept = [each for each in items if "$singletable" not in each]
    return sorted(kept, key=lambda item: json.dumps(item, sort_keys=True))


class ClockSession(QuickSession):
    """A session whose pauses move the clock of the engine: a table accepts one change of its TTL an hour."""

    now = 1_800_000_000.0

    def wait(self, seconds: float) -> None:
        type(self).now += seconds
        super().wait(seconds)


def there_and_back(model: str, operation: str, url: str | None = None, name: str | None = None) -> None:
    """Migrate an example to the design without a feature, and back; the items are the same afterwards."""
    table, rows = models()[model]
    original = snapshot_of(table.design)
    changed = next(OPERATIONS[operation](original))
    engine = Engine("memory:", now=lambda: ClockSession.now)
    with table.open(engine if url is None else url, create=True, name=name) as opened:
        for row in rows:
            opened.put(row)
        session = ClockSession(opened._opened().session.transport)
        name = opened._opened().reader.name
        control = control_items(table.design, name)
        before = items_of(session, name)
        files = [
            MigrationFile(number, f"m{number}", Path(f"{number:04d}.json"), each)
            for number, each in enumerate((original, changed, merged_back(original, changed)), 1)
        ]
        state = run(baseline(control, files[0]), session)
        designs = {2: design_of(changed, functions_of(table)), 3: table.design}
        for number, design in designs.items():
            settings = RunSettings(wait_seconds=0.0, now=lambda: 0.0)
            found = migration_run(control, files[:number], state, design, files[number - 1].snapshot, settings)
            assert found is not None
            result = run(run_migration(found, state), session)
            assert result.failures == ()
            state = result.state
        assert items_of(session, name) == before


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_leads_every_example_to_another_design_and_back(operation: str) -> None:
    for model, name in cases():
        if name == operation:
            there_and_back(model, operation)


@pytest.mark.slow
@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each != "TTL"])  # a served clock does not move
def test_an_operation_leads_every_example_to_another_design_and_back_over_http(operation: str, tmp_path: Path) -> None:
    with serve(tmp_path / "served.db") as server:
        url = server.url.replace("http://", f"http://{KEY}:{KEY}@")
        for number, (model, name) in enumerate(cases()):
            if name == operation:
                there_and_back(model, operation, url, f"Example{number}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dynamodb-local", "extenddb"])
def test_migrations_of_the_examples_work_on_other_servers(kind: str, tmp_path: Path) -> None:
    with server(kind, tmp_path) as url:
        for operation in ("index", "copy", "entity renamed", "key", "split and merge"):
            there_and_back("papers.Papers", operation, url, f"Papers_{operation[:5]}".strip())


if __name__ == "__main__":
    applies = cases()
    for each in models():
        shown = ", ".join(name for model, name in applies if model == each)
        print(f"{each}: {shown}")
