"""Migrations that split an entity into two, or merge two: forward and back, with the units that the plan counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from singletable import Table, TableDiffers, entity, sparse
from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.client.write.item_actions import key_id
from singletable.engine.engine import Engine
from singletable.errors import MigrationRefused, SingletableError
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences
from singletable.evolve.operation import Category
from singletable.evolve.phases import Phase
from singletable.migrations.item_changes import ItemChange
from singletable.migrations.item_conversion import ItemConversion
from singletable.migrations.migration_files import make_migration
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import RunResult, run_migration, undo_migration
from tests.migrations.divided_customers import CONTROL, DIVIDED, UNITED, Customers, next_run, record
from tests.migrations.orders import session_of

PAIRS = [(UNITED, DIVIDED), (DIVIDED, UNITED)]
IDS = ["split", "merge"]
both_ways = pytest.mark.parametrize(("before", "after"), PAIRS, ids=IDS)


def filled(design: Customers, engine: Engine, count: int = 12) -> Session:
    with design.table.open(engine, create=True) as table:
        for each in design.rows(count):
            table.put(each)
    session = session_of(engine)
    record(session, design)
    return session


def items_of(session: Session) -> list[dict[str, Any]]:
    items = json.loads(session.send(Call("Scan", {"TableName": "Customers"})))["Items"]
    return sorted(
        (each for each in items if "$singletable" not in each),
        key=lambda each: json.dumps(each["PK"]) + each["SK"]["S"],
    )


def state_of(session: Session) -> DesignState:
    state: DesignState | None = run(CONTROL.state(), session)
    assert state is not None
    return state


def migrate(session: Session, *designs: Customers, **settings: Any) -> RunResult:
    return run(run_migration(next_run(session, *designs, **settings), state_of(session)), session)


def change(engine: Engine, action: str, **parameters: Any) -> None:
    engine.call(action, {"TableName": "Customers", **parameters})


@both_ways
def test_a_split_or_a_merge_leaves_the_items_that_new_code_writes_and_its_inverse_the_old_ones(
    before: Customers, after: Customers
) -> None:
    session, fresh = filled(before, Engine("memory:")), filled(after, Engine("memory:"))
    old = items_of(session)
    plan = run(plan_migration(next_run(session, before, after), state_of(session)), session)
    assert items_of(session) == old, "a plan writes nothing"
    result = migrate(session, before, after)
    assert (result.failures, result.work.conflicts) == ((), 0)
    assert items_of(session) == items_of(fresh)
    assert (plan.failed, plan.write_units) == (0, result.work.write_units)
    assert migrate(session, before, after, before).failures == ()
    assert items_of(session) == old


@both_ways
@pytest.mark.parametrize("until", [Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_an_undo_of_a_split_or_a_merge_restores_every_item(before: Customers, after: Customers, until: Phase) -> None:
    session = filled(before, Engine("memory:"))
    old = items_of(session)
    migrate(session, before, after, until=until)
    result = run(undo_migration(next_run(session, before, after), state_of(session)), session)
    assert (result.failures, result.state.phase) == ((), None)
    assert items_of(session) == old
    assert migrate(session, before, after).failures == ()


@both_ways
def test_only_old_code_works_before_a_split_or_a_merge_and_only_new_code_after_it(
    before: Customers, after: Customers
) -> None:
    engine = Engine("memory:")
    session = filled(before, engine)
    for phase in (Phase.PENDING, Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH):
        migrate(session, before, after, until=phase)
        with pytest.raises(TableDiffers):
            after.table.open(engine)
        if phase is Phase.PENDING:
            before.table.open(engine).close()
        else:
            with pytest.raises(TableDiffers):
                before.table.open(engine)
    migrate(session, before, after)
    with after.table.open(engine) as table:
        assert table.one("c1") in after.rows(2)
        assert len(table.of_country("land0").items) == 4
    with pytest.raises(TableDiffers):
        before.table.open(engine)


def test_the_differences_of_a_split_and_of_a_merge_are_one_operation_and_apply_to_the_old_design() -> None:
    for before, after, shown in (
        (UNITED, DIVIDED, "entity split Customer → DividedCustomer + Settings (colours, language, tags)"),
        (DIVIDED, UNITED, "entities merged DividedCustomer + Settings → Customer (theme, language, tags)"),
    ):
        (operation,) = differences(before.snapshot, after.snapshot)
        assert str(operation) == shown
        assert operation.category is Category.MOVE
        assert operation.apply(before.snapshot).fingerprint == after.snapshot.fingerprint


KEY = {"PK": {"S": "CUST#c1"}}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (("DeleteItem", {"Key": {**KEY, "SK": {"S": "SETTINGS"}}}), "its Settings does not exist, so it has no value"),
        (("DeleteItem", {"Key": {**KEY, "SK": {"S": "METADATA"}}}), "its DividedCustomer does not exist"),
        (
            (
                "UpdateItem",
                {
                    "Key": {**KEY, "SK": {"S": "SETTINGS"}},
                    "UpdateExpression": "SET country = :c",
                    "ExpressionAttributeValues": {":c": {"S": "elsewhere"}},
                },
            ),
            "its Settings has other values: country",
        ),
        (
            (
                "UpdateItem",
                {
                    "Key": {**KEY, "SK": {"S": "SETTINGS"}},
                    "UpdateExpression": "SET extra = :c",
                    "ExpressionAttributeValues": {":c": {"S": "elsewhere"}},
                },
            ),
            "its Settings has attributes that are no fields: extra",
        ),
        (
            (
                "UpdateItem",
                {
                    "Key": {**KEY, "SK": {"S": "METADATA"}},
                    "UpdateExpression": "SET theme = :c",
                    "ExpressionAttributeValues": {":c": {"S": "elsewhere"}},
                },
            ),
            "have different values of theme",
        ),
    ],
    ids=["no settings", "no customer", "other values", "unknown attribute", "both"],
)
def test_halves_that_do_not_match_stop_a_merge_before_the_switch(request_: tuple[str, Any], reason: str) -> None:
    engine = Engine("memory:")
    session = filled(DIVIDED, engine)
    change(engine, request_[0], **request_[1])
    damaged = items_of(session)
    plan = run(plan_migration(next_run(session, DIVIDED, UNITED), state_of(session)), session)
    result = migrate(session, DIVIDED, UNITED)
    assert result.state.phase is Phase.BACKFILL
    (failure,) = result.failures
    assert reason in failure.reason
    assert plan.failed >= 1
    of_one = [[each for each in items if each["PK"] == KEY["PK"]] for items in (items_of(session), damaged)]
    assert of_one[0] == of_one[1]
    undone = run(undo_migration(next_run(session, DIVIDED, UNITED), state_of(session)), session)
    assert (undone.failures, undone.state.phase) == ((), None)
    assert items_of(session) == damaged


def test_an_occupied_key_stops_a_split_before_the_switch() -> None:
    engine = Engine("memory:")
    session = filled(UNITED, engine)
    taken = {**KEY, "SK": {"S": "SETTINGS"}, "entity_type": {"S": "Other"}}
    change(engine, "PutItem", Item=taken)
    before = items_of(session)
    result = migrate(session, UNITED, DIVIDED)
    assert result.state.phase is Phase.BACKFILL
    assert [each.reason for each in result.failures] == [
        f"another item already has the key { ({**KEY, 'SK': {'S': 'SETTINGS'}}) }"
    ]
    assert taken in items_of(session)
    undone = run(undo_migration(next_run(session, UNITED, DIVIDED), state_of(session)), session)
    assert (undone.failures, undone.state.phase) == ((), None)
    assert items_of(session) == before


@both_ways
def test_a_runner_that_is_killed_at_any_request_continues_a_split_or_a_merge(
    before: Customers, after: Customers
) -> None:
    fresh = items_of(filled(after, Engine("memory:"), 4))
    limit = 0
    while True:
        limit += 1
        session = filled(before, Engine("memory:"), 4)
        steps, left, is_killed = run_migration(next_run(session, before, after), state_of(session)), limit, False
        try:
            step = next(steps)
            while True:
                left -= 1
                if left < 0:
                    is_killed = True
                    break
                step = steps.send(_answer(session, step))
        except StopIteration:
            pass
        if not is_killed:
            break
        assert migrate(session, before, after).failures == ()
        assert items_of(session) == fresh
    assert limit > 20


def finish(session: Session, runners: list[Any]) -> None:
    """Continue runners that another runner has replaced, until they stop."""
    for steps, answer in runners:
        try:
            step = steps.send(answer)
            while True:
                step = steps.send(_answer(session, step))
        except (StopIteration, SingletableError):
            pass
    runners.clear()


@pytest.mark.parametrize("seed", range(40))
def test_several_runners_and_undos_at_random_leave_every_item_in_one_form(seed: int) -> None:
    """Runners take over from each other at random requests, and an undo begins at random."""
    random = Random(seed)
    before, after = random.choice(PAIRS)
    session, count = filled(before, Engine("memory:"), 5), 5
    old, new = items_of(session), items_of(filled(after, Engine("memory:"), count))
    runners: list[Any] = []
    for _ in range(random.randrange(60, 160)):
        if not runners or random.random() < 0.05:
            state = state_of(session)
            if state.phase is None and len(state.applied) > 1:
                break
            is_undo = state.phase not in (None, Phase.CONTRACT) and random.random() < 0.4
            following = next_run(session, before, after)
            function = undo_migration if is_undo or state.phase is Phase.ROLLBACK else run_migration
            runners.append([function(following, state), None])
        chosen = random.choice(runners)
        try:
            step = chosen[0].send(chosen[1])
            chosen[1] = _answer(session, step)
        except (StopIteration, SingletableError):
            runners.remove(chosen)
    state = state_of(session)
    if state.phase is Phase.ROLLBACK or (random.random() < 0.3 and state.phase not in (None, Phase.CONTRACT)):
        undone = run(undo_migration(next_run(session, before, after), state), session)
        assert undone.failures == ()
        finish(session, runners)
        assert items_of(session) == old
        state = undone.state
    if len(state.applied) == 1:
        assert migrate(session, before, after).failures == ()
    assert items_of(session) == new


def _answer(session: Session, step: Any) -> Any:
    def once(given: Any) -> Any:
        return (yield given)

    return run(once(step), session)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"type": "int"}, "have different types"),
        ({"name": "other"}, "Settings.other has no field in Customer"),
    ],
)
def test_a_split_that_cannot_be_undone_is_not_supported(changes: dict[str, Any], problem: str) -> None:
    settings = DIVIDED.snapshot.entities["Settings"]
    fields = tuple(
        msgspec.structs.replace(each, **changes) if each.name == "language" else each for each in settings.fields
    )
    changed = msgspec.structs.replace(settings, fields=fields)
    after = msgspec.structs.replace(DIVIDED.snapshot, entities={**DIVIDED.snapshot.entities, "Settings": changed})
    operation = next(each for each in differences(UNITED.snapshot, after) if each.kind == "entity split")
    assert operation.category is Category.UNSUPPORTED
    assert problem in operation.items


def test_an_item_without_a_value_in_the_fields_that_move_gets_no_other_half() -> None:
    @entity(key=("NOTE#{id}", "METADATA"), name="Whole")
    @dataclass
    class United:
        id: str
        note: str | None = None

    @entity(key=("NOTE#{id}", "METADATA"), name="Whole")
    @dataclass
    class Divided:
        id: str

    @entity(key=("NOTE#{id}", "NOTE"), name="Part", split_from={"Whole": {}})
    @dataclass
    class Part:
        id: str
        note: str | None = None

    class Before(Table, entities=[United], name="Notes"): ...

    class After(Table, entities=[Divided, Part], name="Notes"): ...

    old, design = snapshot_of(Before.design), After.design
    conversion = ItemConversion(old, design, differences(old, snapshot_of(design)))
    empty = {"PK": {"S": "NOTE#1"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Whole"}, "id": {"S": "1"}}
    assert conversion.backfill(empty, 0.0, {}) is not None, "it must read the other half"
    part = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}}
    assert conversion.backfill(empty, 0.0, {key_id(part): None}) is None
    changed = conversion.backfill({**empty, "note": {"S": "x"}}, 0.0, {key_id(part): None})
    assert isinstance(changed, ItemChange)
    assert changed.removes == ("note",)
    assert [each.after for each in changed.related] == [
        {**part, "entity_type": {"S": "Part"}, "id": {"S": "1"}, "note": {"S": "x"}}
    ]


def design_of(*entities: Any, **options: Any) -> Any:
    """Return a table with these entities that has the place of the customers in the runs of this module."""

    class Notes(Table, entities=entities, name="Customers", **options): ...

    return SimpleNamespace(table=Notes, snapshot=snapshot_of(Notes.design))


def note(fields: Mapping[str, Any], **options: Any) -> Any:
    """Return an entity with an id and optional fields."""
    given = [(name, hint, None) for name, hint in fields.items()]
    return entity(key=("NOTE#{id}", "METADATA"), name="Note", **options)(make_dataclass("Note", [("id", str), *given]))


def part(name: str, fields: Mapping[str, Any], **options: Any) -> Any:
    """Return an entity with the other half of a note."""
    given = [(each, hint, None) for each, hint in fields.items()]
    declared = entity(**{"key": ("NOTE#{id}", name.upper()), "name": name, **options})
    return declared(make_dataclass(name, [("id", str), *given]))


@dataclass
class Prefs:
    color: str


def session_with(design: Any, *items: dict[str, Any]) -> Session:
    engine = Engine("memory:")
    design.table.open(engine, create=True).close()
    session = session_of(engine)
    record(session, design)
    for each in items:
        change(engine, "PutItem", Item=each)
    return session


def stored(sort_key: str, name: str, **attributes: Any) -> dict[str, Any]:
    return {"PK": {"S": "NOTE#1"}, "SK": {"S": sort_key}, "entity_type": {"S": name}, "id": {"S": "1"}, **attributes}


PREFS = {"M": {"color": {"S": "blue"}, "legacy": {"S": "keep me"}}}
PREFS_UNITED = design_of(note({"prefs": Prefs | None}))
PREFS_SPLIT = design_of(note({}), part("Part", {"prefs": Prefs | None}, split_from={"Note": {}}))
PREFS_DIVIDED = design_of(note({}), part("Part", {"prefs": Prefs | None}))
PREFS_MERGED = design_of(note({"prefs": Prefs | None}, merged_from={"Part": {}}))


def test_a_split_and_its_undo_keep_nested_data_that_the_model_does_not_know() -> None:
    old = [stored("METADATA", "Note", prefs=PREFS)]
    session = session_with(PREFS_UNITED, *old)
    assert migrate(session, PREFS_UNITED, PREFS_SPLIT, until=Phase.SWITCH).failures == ()
    assert items_of(session) == [stored("METADATA", "Note"), stored("PART", "Part", prefs=PREFS)]
    undone = run(undo_migration(next_run(session, PREFS_UNITED, PREFS_SPLIT), state_of(session)), session)
    assert undone.failures == ()
    assert items_of(session) == old


def test_a_merge_and_its_undo_keep_nested_data_that_the_model_does_not_know() -> None:
    old = [stored("METADATA", "Note"), stored("PART", "Part", prefs=PREFS)]
    session = session_with(PREFS_DIVIDED, *old)
    assert migrate(session, PREFS_DIVIDED, PREFS_MERGED, until=Phase.SWITCH).failures == ()
    assert items_of(session) == [stored("METADATA", "Note", prefs=PREFS)]
    undone = run(undo_migration(next_run(session, PREFS_DIVIDED, PREFS_MERGED), state_of(session)), session)
    assert undone.failures == ()
    assert items_of(session) == old


def test_a_half_that_an_undo_could_not_restore_stops_a_merge_before_the_switch() -> None:
    old = [stored("METADATA", "Note"), stored("PART", "Part")]
    session = session_with(PREFS_DIVIDED, *old)
    result = migrate(session, PREFS_DIVIDED, PREFS_MERGED)
    assert result.state.phase is Phase.BACKFILL
    assert [each.reason for each in result.failures] == [
        "its Part has no value for prefs, so an undo could not restore it. Delete it"
    ]
    assert items_of(session) == old
    undone = run(undo_migration(next_run(session, PREFS_DIVIDED, PREFS_MERGED), state_of(session)), session)
    assert undone.failures == ()
    assert items_of(session) == old


def test_the_differences_of_a_split_report_the_new_index_of_the_new_entity(tmp_path: Path) -> None:
    theme = {"theme": str | None}
    before = design_of(note(theme))
    keys = sparse("THEME#{theme}", "{id}")
    after = design_of(note({}), part("Part", theme, gsi1=keys, split_from={"Note": {}}))
    operations = differences(before.snapshot, after.snapshot)
    assert [each.kind for each in operations] == ["index added", "entity split"]
    snapshot = before.snapshot
    for each in operations:
        snapshot = each.apply(snapshot)
    assert snapshot.fingerprint == after.snapshot.fingerprint
    make_migration(tmp_path, None, before.snapshot, "")
    with pytest.raises(MigrationRefused, match="cannot make other changes of stored items: index added"):
        make_migration(tmp_path, after.table.design, after.snapshot, "")


@pytest.mark.parametrize("is_split", [True, False], ids=IDS)
def test_two_splits_or_merges_cannot_move_the_same_field(tmp_path: Path, *, is_split: bool) -> None:
    theme, names = {"theme": str | None}, ("Part", "Other")
    if is_split:
        before = design_of(note(theme))
        after = design_of(note({}), *(part(each, theme, split_from={"Note": {}}) for each in names))
    else:
        before = design_of(note({}), *(part(each, theme) for each in names))
        after = design_of(note(theme, merged_from={each: {} for each in names}))
    make_migration(tmp_path, None, before.snapshot, "")
    with pytest.raises(
        MigrationRefused, match=r"Note\.theme cannot move to or from both (Part and Other|Other and Part)"
    ):
        make_migration(tmp_path, after.table.design, after.snapshot, "")


def test_a_split_skips_an_expired_item_and_a_merge_changes_it() -> None:
    fields = {"theme": str | None, "ends": int | None}
    ends = {"ends": int | None}
    united = design_of(note(fields, ttl="ends"))
    split = design_of(note(ends, ttl="ends"), part("Part", {"theme": str | None}, split_from={"Note": {}}))
    old = [stored("METADATA", "Note", theme={"S": "dark"}, ends={"N": "1"})]
    session = session_with(united, *old)
    assert migrate(session, united, split).failures == ()
    assert items_of(session) == old
    divided = design_of(note(ends, ttl="ends"), part("Part", {"theme": str | None}))
    merged = design_of(note(fields, ttl="ends", merged_from={"Part": {}}))
    session = session_with(
        divided, stored("METADATA", "Note", ends={"N": "1"}), stored("PART", "Part", theme={"S": "dark"})
    )
    assert migrate(session, divided, merged).failures == ()
    assert items_of(session) == old
