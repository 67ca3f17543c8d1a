"""Subtree moves: parents first, resumable at every step, and safe with concurrent writers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    BatchProgress,
    Children,
    KeyRefused,
    NotFound,
    NotUnique,
    Subtree,
    Table,
    Unreachable,
    copy,
    count,
    entity,
    field,
    key,
    upgrade,
)
from singletable.client import move_subtree
from singletable.client.move_subtree import MOVED_FROM
from singletable.client.request_steps import Call
from tests.client.between import AT_ONCE, Document, between
from tests.client.places import Place, call
from tests.client.tree import Node, Org, Orgs, Path

OLD, NEW = ("root", "eng"), ("root", "ops", "eng")
KEY = key(Node, org="o", path=OLD)
PATHS: list[Path] = [
    ("root",),
    ("root", "eng"),
    *(("root", "eng", name) for name in ("a", "a#b", "b", "b/c", "c")),
    *(("root", "eng", "a", name) for name in ("x", "y")),
    ("root", "eng", "gone", "below a gap"),
    ("root", "engineering"),
    ("root", "engineering", "a"),
    ("root", "ops"),
]
GOING = [path for path in PATHS if path[:2] == OLD]


def goal(path: Path) -> Path:
    return NEW + path[2:] if path[:2] == OLD else path


def filled(orgs: Orgs) -> Orgs:
    orgs.put(Org("o"))
    orgs.put_many([Node("o", path, f"name of {path[-1]}") for path in PATHS])
    return orgs


def check_moved(orgs: Orgs, names: Callable[[Path], str] = lambda path: f"name of {path[-1]}") -> None:
    """Assert that every node exists exactly once, unchanged, in the table and in its indexes."""
    found = sorted(orgs.scan(Node, reason="all of them"), key=lambda node: node.path)
    assert found == sorted((Node("o", goal(path), names(path)) for path in PATHS), key=lambda node: node.path)
    for above in {goal(path)[:-1] for path in PATHS}:
        children = [node.path for node in orgs.children.all("o", Children(above))]
        assert sorted(children) == sorted(goal(path) for path in PATHS if goal(path)[:-1] == above)


@pytest.fixture(autouse=True)
def _both_places_at_one_moment(request: pytest.FixtureRequest) -> None:
    if "place" in request.fixturenames:
        request.getfixturevalue("place").needs("transactional reads")


@pytest.fixture
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_subtree, "TRANSACTION_ACTIONS_MAX", 4)


def transactions(requests: list[Document]) -> list[list[Path]]:
    """Return the paths that each transaction writes."""
    puts = ([each["Put"]["Item"] for each in request["TransactItems"] if "Put" in each] for request in requests)
    return [[tuple(name["S"] for name in item["path"]["L"]) for item in items] for items in puts]


def test_move_subtree_moves_a_node_with_its_descendants_and_nothing_else(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        assert orgs.move_subtree(KEY, to=NEW) == len(GOING)
        check_moved(orgs)
        assert [node.path for node in orgs.subtree.all("o", Subtree(OLD))] == []
        assert [node.path for node in orgs.breadcrumbs("o", (*NEW, "a", "x"))] == [
            ("root",),
            ("root", "ops"),
            NEW,
            (*NEW, "a"),
            (*NEW, "a", "x"),
        ]


def test_move_subtree_works_with_asyncio(place: Place) -> None:
    async def moved() -> int:
        table = place.open(Orgs)
        filled(table)
        number = await table.aio.move_subtree(KEY, to=NEW)
        check_moved(table)
        await table.aio.close()
        return number

    assert asyncio.run(moved()) == len(GOING)


def test_move_subtree_moves_fifty_nodes_in_a_transaction_parents_before_children() -> None:
    orgs = Orgs.open("memory:")
    paths = [("r",), *(("r", f"{n:02}") for n in range(40)), *(("r", f"{n:02}", "x") for n in range(79))]
    orgs.put_many([Node("o", path) for path in paths])
    told: list[BatchProgress] = []
    seen = between(orgs)
    assert orgs.move_subtree(key(Node, org="o", path=("r",)), to=("s",), progress=told.append) == 120
    written = transactions([each for each in seen.requests if "ClientRequestToken" in each])
    assert [len(paths) for paths in written] == [50, 50, 20]
    order = [path for paths in written for path in paths]
    assert all(path[:-1] in order[:number] for number, path in enumerate(order) if path[:-1] in order)
    assert told == [BatchProgress(50, 0, 70), BatchProgress(100, 0, 20), BatchProgress(120, 0, 0)]
    # The requests are the read of both places, the page, three transactions, and a last Query that finds nothing.
    assert seen.operations == ["TransactGetItems", "Query", *["TransactWriteItems"] * 3, "Query"]
    assert orgs.metrics.by_pattern["move_subtree"].requests == 6


class Cut:
    """A transport that fails permanently, before a request or after its execution."""

    def __init__(self, inner: Any, after: int, *, carried_out: bool) -> None:
        self.inner, self.name = inner, inner.name
        self.left, self.carried_out = after, carried_out

    def send(self, operation: str, body: bytes) -> bytes:
        self.left -= 1
        if self.left >= 0:
            answer: bytes = self.inner.send(operation, body)
            return answer
        if self.left == -1 and self.carried_out:
            self.inner.send(operation, body)
        raise Unreachable("the cable was cut", sent=True)


@pytest.mark.usefixtures("_small_steps")
@pytest.mark.parametrize("carried_out", [False, True], ids=["before a request", "before an answer"])
def test_move_subtree_finishes_an_interrupted_move_by_the_same_call(place: Place, carried_out: bool) -> None:
    interruptions = 0
    while True:
        with place.fresh(Orgs) as orgs:
            filled(orgs)
            session = orgs._opened().session
            transport, session.retries = session.transport, AT_ONCE
            session.transport = Cut(transport, interruptions, carried_out=carried_out)  # type: ignore[assignment]
            first, told = 0, list[BatchProgress]()
            try:
                first = orgs.move_subtree(KEY, to=NEW, progress=told.append)
            except Unreachable:
                session.transport = transport
                found = [node.path for node in orgs.scan(Node, reason="none is lost, and none is doubled")]
                assert sorted(goal(path) for path in found) == sorted(goal(path) for path in PATHS)
                there = sum(path[:3] == NEW for path in found)
                assert 0 <= there - (told[-1].written if told else 0) <= 2  # the response of a transaction may be lost
                assert orgs.move_subtree(KEY, to=NEW) == len(GOING) - there
                check_moved(orgs)
                interruptions += 1
            else:
                session.transport = transport
                break
    assert first == len(GOING)
    assert interruptions == 2 + -(-len(GOING) // 2) + 1  # two reads, transactions of two nodes each, and a last read


@pytest.mark.usefixtures("_small_steps")
def test_move_subtree_retries_a_move_with_a_lost_response_and_counts_it_once(place: Place) -> None:
    lost: list[str] = []

    def lose_each_first(operation: str, answer: Document) -> None:
        if operation == "TransactWriteItems" and len(lost) % 2 == 0:
            lost.append(operation)
            raise Unreachable("the answer was lost", sent=True)
        lost.append(operation)

    with place.open(Orgs) as orgs:
        filled(orgs)
        between(orgs, answer=lose_each_first)
        assert orgs.move_subtree(KEY, to=NEW) == len(GOING)
        check_moved(orgs)


@pytest.mark.usefixtures("_small_steps")
def test_move_subtree_moves_a_node_with_the_change_of_another_writer(place: Place) -> None:
    changed: list[Path] = []

    with place.open(Orgs) as orgs:
        filled(orgs)
        transport = orgs._opened().session.transport

        def change_first(operation: str, request: Document) -> None:
            """Just before each step, another writer renames one of its nodes."""
            if operation == "TransactWriteItems" and len(changed) < 3:
                item = next(each["Delete"]["Key"] for each in request["TransactItems"] if "Delete" in each)
                path = tuple(part.replace("%23", "#") for part in item["SK"]["S"].split("#")[1:])
                changed.append(path)
                stands = orgs._opened().session.transport
                orgs._opened().session.transport = transport
                orgs.update(key(Node, org="o", path=path), field(Node, lambda n: n.name).set("renamed"))
                orgs._opened().session.transport = stands

        between(orgs, request=change_first)
        assert orgs.move_subtree(KEY, to=NEW) == len(GOING)
        check_moved(orgs, lambda path: "renamed" if path in changed else f"name of {path[-1]}")
        assert len(changed) == 3


def test_move_subtree_skips_a_node_deleted_during_the_move_and_moves_a_new_one(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        transport, done = orgs._opened().session.transport, list[str]()

        def interfere(operation: str, request: Document) -> None:
            if operation == "TransactWriteItems" and not done:
                done.append(operation)
                stands = orgs._opened().session.transport
                orgs._opened().session.transport = transport
                orgs.delete(key(Node, org="o", path=("root", "eng", "b")))
                orgs.create(Node("o", ("root", "eng", "!first"), "new"))
                orgs._opened().session.transport = stands

        between(orgs, request=interfere)
        assert orgs.move_subtree(KEY, to=NEW) == len(GOING)
        assert orgs.node("o", ("root", "eng", "b")) is None
        assert orgs.node("o", (*NEW, "b")) is None
        assert orgs.node("o", (*NEW, "!first")) == Node("o", (*NEW, "!first"), "new")
        assert not list(orgs.subtree.all("o", Subtree(OLD)))


@pytest.mark.usefixtures("_small_steps")
def test_move_subtree_moves_a_subtree_once_in_two_concurrent_calls(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        moved: list[int] = []

        def move() -> None:
            moved.append(orgs.move_subtree(KEY, to=NEW))

        threads = [threading.Thread(target=move) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check_moved(orgs)
        assert len(moved) == 2
        assert sum(moved) == len(GOING)


def test_move_subtree_rejects_an_invalid_move_before_any_write(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        seen = between(orgs)
        refused: list[tuple[Path, Path, type[Exception], str]] = [
            (OLD, (*OLD, "a"), ArgumentRefused, "below itself"),
            (OLD, (*OLD, "new"), ArgumentRefused, "below itself"),
            (OLD, OLD, ArgumentRefused, "the node is already at"),
            (OLD, ("root",), ArgumentRefused, "above"),
            (OLD, ("root", "ops"), AlreadyExists, r"path=\('root', 'ops'\) already exists"),
            (OLD, ("root", "engineering", "a"), AlreadyExists, "already exists"),
            (("root", "nobody"), NEW, NotFound, "does not exist"),
            (("root", "nobody"), ("root", "ops"), NotFound, "does not exist"),
            (("root", "eng", "gone"), NEW, NotFound, "does not exist"),
            (OLD, (), KeyRefused, "needs at least one element"),
            (OLD, ("root", ""), KeyRefused, "empty element"),
        ]
        for old, new, error, said in refused:
            with pytest.raises(error, match=said):
                orgs.move_subtree(key(Node, org="o", path=old), to=new)
        assert "TransactWriteItems" not in seen.operations
        with pytest.raises(ArgumentRefused, match="needs a value for org, path"):
            orgs.move_subtree(key(Node, path=OLD), to=NEW)
        with pytest.raises(ArgumentRefused, match="Org is not a tree: its key has no path"):
            orgs.move_subtree(key(Org, org="o"), to=NEW)


@pytest.mark.usefixtures("_small_steps")
def test_move_subtree_names_an_existing_node_below_the_new_path_and_continues_without_it(place: Place) -> None:
    taken = Node("o", (*NEW, "b"), "was here before")
    with place.open(Orgs) as orgs:
        filled(orgs)
        orgs.put(taken)
        with pytest.raises(AlreadyExists, match=r"path=\('root', 'ops', 'eng', 'b'\) already exists") as caught:
            orgs.move_subtree(KEY, to=NEW)
        (note,) = caught.value.__notes__
        assert note == "This call moved 4 nodes before the error; repeat the call to continue the move."
        assert orgs.node("o", taken.path) == taken
        assert orgs.node("o", ("root", "eng", "b")) is not None
        orgs.delete(taken)
        assert orgs.move_subtree(KEY, to=NEW) == len(GOING) - 4
        check_moved(orgs)


def test_move_subtree_identifies_a_finished_move_by_its_top_node() -> None:
    orgs = filled(Orgs.open("memory:"))
    orgs.move_subtree(KEY, to=NEW)
    marked = [item for item in items_of(orgs) if MOVED_FROM in item]
    assert [item["SK"]["S"] for item in marked] == ["NODE#root#ops#eng"]
    assert orgs.move_subtree(KEY, to=NEW) == 0
    with pytest.raises(NotFound):
        orgs.move_subtree(key(Node, org="o", path=("root", "other")), to=NEW)
    assert orgs.move_subtree(key(Node, org="o", path=NEW), to=OLD) == len(GOING)
    assert sorted(node.path for node in orgs.scan(Node, reason="back again")) == sorted(PATHS)


def items_of(table: Table) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = call(table, "Scan")["Items"]
    return items


def test_move_subtree_moves_unknown_attributes_with_their_nodes(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        for item in items_of(orgs):
            if item["SK"]["S"].startswith("NODE#root#eng"):
                call(orgs, "PutItem", Item={**item, "stranger": {"SS": ["x", "y"]}})
        orgs.move_subtree(KEY, to=NEW)
        with_it = [item["SK"]["S"] for item in items_of(orgs) if "stranger" in item]
        assert len(with_it) == len(GOING) + 2
        check_moved(orgs)


def test_move_subtree_applies_a_change_function_to_each_node() -> None:
    orgs = filled(Orgs.open("memory:"))
    orgs.move_subtree(KEY, to=NEW, change=lambda node: replace(node, levels=len(node.path)))
    assert {node.levels - len(node.path) for node in orgs.subtree.all("o", Subtree(NEW))} == {0}
    assert orgs.node("o", ("root",)) == Node("o", ("root",), "name of root", 0)
    with pytest.raises(ArgumentRefused, match="must return a Node with the same key"):
        orgs.move_subtree(key(Node, org="o", path=NEW), to=OLD, change=lambda node: replace(node, org="p"))


def test_move_subtree_splits_large_nodes_into_transactions_that_dynamodb_accepts() -> None:
    orgs = Orgs.open("memory:")
    for number in range(12):
        orgs.put(Node("o", ("r", f"{number:02}")[: number + 1], "x" * 350_000))
    assert orgs.move_subtree(key(Node, org="o", path=("r",)), to=("s",)) == 12
    assert len(list(orgs.subtree.all("o", Subtree(("s",))))) == 12


def test_move_subtree_rejects_a_path_that_becomes_too_long_and_loses_nothing() -> None:
    orgs = filled(Orgs.open("memory:"))
    with pytest.raises(KeyRefused, match="1024"):
        orgs.move_subtree(KEY, to=("root", "x" * 1010))
    assert sorted(node.path for node in orgs.scan(Node, reason="all of them")) == sorted(PATHS)


@entity(key=("TEAM#{id}", "TEAM"))
@dataclass(frozen=True)
class Team:
    id: str
    title: str = ""
    seats: int = 0


@entity(
    key=("TEAM#{team}", "SEAT#{path}"),
    unique=("email",),
    counted=[count(Team, by={"id": "team"}, field="seats")],
    copies=[copy(Team, by={"id": "team"}, fields={"title": "team_title"})],
    gsi1=("TEAM#{team}", "SEAT#{path}"),
    version="version",
    identity=("team", "path"),
)
@dataclass(frozen=True)
class Seat:
    team: str
    path: Path
    email: str
    team_title: str = ""
    version: int = 0


@entity(key=("PERSON#{email}", "SEAT#{team}#{path}"), mirror_of=Seat, identity=("email",))
@dataclass(frozen=True)
class Sitter:
    team: str
    path: Path
    email: str


class Teams(Table, entities=[Team, Seat, Sitter]):
    """A tree whose nodes have unique values, counters, copies and mirrors."""


def test_move_subtree_keeps_derived_data_of_nodes_in_sync(place: Place) -> None:
    with place.open(Teams) as teams:
        teams.put(Team("t", "the team"))
        for name in "abcd":
            teams.put(Seat("t", ("r", name)[: 1 if name == "a" else 2], f"{name}@x"))
        assert teams.move_subtree(key(Seat, team="t", path=("r",)), to=("s", "t")) == 4
        assert teams.get(key(Team, id="t")) == Team("t", "the team", 4)
        seats = {seat.path: seat for seat in teams.scan(Seat, reason="all of them")}
        assert set(seats) == {("s", "t"), ("s", "t", "b"), ("s", "t", "c"), ("s", "t", "d")}
        assert {seat.team_title for seat in seats.values()} == {"the team"}
        sitters = {(each.email, each.path) for each in teams.scan(Sitter, reason="all of them")}
        assert sitters == {(seat.email, seat.path) for seat in seats.values()}
        with pytest.raises(NotUnique):
            teams.create(Seat("t", ("elsewhere",), "b@x"))
        teams.delete(seats["s", "t", "b"])
        teams.create(Seat("t", ("elsewhere",), "b@x"))
        with pytest.raises(ArgumentRefused, match="Sitter mirrors Seat"):
            teams.move_subtree(key(Sitter, email="c@x", team="t", path=("s", "t")), to=("u",))


@entity(key=("T#{tree}", "F#{path}"), identity=("tree", "path"))
@dataclass(frozen=True)
class Folder:
    tree: str
    path: Path
    title: str = ""
    files: int = 0


@entity(
    key=("T#{tree}", "FILE#{id}#{folder}"),
    counted=[count(Folder, by={"tree": "tree", "path": "folder"}, field="files")],
)
@dataclass(frozen=True)
class Counted:
    id: str
    tree: str
    folder: Path


@entity(
    key=("T#{tree}", "COPY#{id}"),
    gsi1=("T#{tree}", "{folder}"),
    copies=[copy(Folder, by={"tree": "tree", "path": "folder"}, fields={"title": "title"})],
)
@dataclass(frozen=True)
class Copied:
    id: str
    tree: str
    folder: Path
    title: str = ""


class CountedFiles(Table, entities=[Folder, Counted]):
    """Files that refer to their folder, which counts them."""


class CopiedTitles(Table, entities=[Folder, Copied]):
    """Files that refer to their folder, and copy its title."""


@pytest.mark.parametrize(
    ("table", "said"),
    [(CountedFiles, "Folder.files counts items"), (CopiedTitles, "Copied copies its values")],
    ids=["counted", "copied"],
)
def test_move_subtree_rejects_nodes_that_are_referenced_by_path(table: type[Table], said: str) -> None:
    opened = table.open("memory:")
    opened.put(Folder("t", ("a",)))
    with pytest.raises(ArgumentRefused, match=said):
        opened.move_subtree(key(Folder, tree="t", path=("a",)), to=("b",))
    assert opened.get(key(Folder, tree="t", path=("a",))) == Folder("t", ("a",))


@entity(key=("T#{tree}", "P#{path}"), schema_version=2, identity=("tree", "path"))
@dataclass(frozen=True)
class Page2:
    tree: str
    path: Path
    title: str


@upgrade(Page2, from_version=1)
def _named_title(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "title": old["name"]}


class Pages(Table, entities=[Page2]):
    """A tree with nodes of two schema versions."""


def test_move_subtree_upgrades_nodes_of_an_older_schema_version(place: Place) -> None:
    with place.open(Pages) as pages:
        pages.put(Page2("t", ("a",), "new"))
        old = {"tree": {"S": "t"}, "path": {"L": [{"S": "a"}, {"S": "b"}]}, "name": {"S": "old"}}
        marks = {"entity_type": {"S": "Page2"}, "schema_v": {"N": "1"}, "unknown": {"S": "kept"}}
        call(pages, "PutItem", Item={"PK": {"S": "T#t"}, "SK": {"S": "P#a#b"}, **old, **marks})
        assert pages.move_subtree(key(Page2, tree="t", path=("a",)), to=("c",)) == 2
        found = sorted(pages.scan(Page2, reason="all of them"), key=lambda page: page.path)
        assert found == [Page2("t", ("c",), "new"), Page2("t", ("c", "b"), "old")]
        (item,) = (item for item in items_of(pages) if item["SK"]["S"] == "P#c#b")
        assert (item["schema_v"], item["unknown"]) == ({"N": "2"}, {"S": "kept"})


@entity(key=("NODE#{path}", "META"), gsi1=("ALL", "{path}"))
@dataclass(frozen=True)
class Spread:
    path: Path


class SpreadOut(Table, entities=[Spread]):
    """A tree with one partition per node."""


def test_move_subtree_rejects_a_tree_that_no_strongly_consistent_query_reads() -> None:
    table = SpreadOut.open("memory:")
    table.put(Spread(("a",)))
    with pytest.raises(ArgumentRefused, match="because one Query cannot read it"):
        table.move_subtree(key(Spread, path=("a",)), to=("b",))


def test_move_subtree_gives_up_after_many_conflicting_writes() -> None:
    orgs = filled(Orgs.open("memory:"))
    inner = orgs._opened().session.transport
    number = 0

    def rename(operation: str, request: Document) -> None:
        nonlocal number
        if operation == "TransactWriteItems":
            number += 1
            key_ = {"PK": {"S": "ORG#o"}, "SK": {"S": "NODE#root#eng"}}
            changed = {"Key": key_, "AttributeUpdates": {"name": {"Value": {"S": f"{number}"}}}}
            session.send(Call("UpdateItem", {"TableName": "Orgs", **changed}))

    between(orgs, request=rename)
    session = replace(orgs._opened().session, transport=inner)
    with pytest.raises(Exception, match="other writers changed the subtree 20 times"):
        orgs.move_subtree(KEY, to=NEW)
    assert orgs.node("o", OLD) == Node("o", OLD, "20")
