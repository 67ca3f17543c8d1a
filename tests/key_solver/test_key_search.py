"""The search finds the fewest indexes: known small cases, an auction site, and an exhaustive search over all keys."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.key_solver import slot_search
from singletable.key_solver.common_keys import serves
from singletable.key_solver.entity_slots import NOT_SERVED
from singletable.key_solver.key_search import NoTableKey, solve
from singletable.key_solver.workload import EntityNeeds, Read, Workload, Write
from tests.key_solver.auction import BIDDING, BROWSING
from tests.key_solver.workloads import entity, fewest_indexes, lists, parent_with_lists, update

BY_ID = update("z", "id")
SMALL_CASES = [
    (entity("E", "a", "b", "a,b", "a,c"), 1),
    (entity("E", "a", "b", "a,b", "a,c", "id", writes=[BY_ID]), 2),
    (entity("E", "a,b", "b,c", "a,c"), 2),
    (entity("E", "a", "a,b", "a,b,c", "a,b,c>d"), 0),
    (entity("E", "a", "a/d", "a,b/d"), 1),
]


@pytest.mark.parametrize(("needs", "indexes"), SMALL_CASES)
def test_the_key_search_finds_the_fewest_indexes_of_one_entity(needs: EntityNeeds, indexes: int) -> None:
    solution = solve(Workload((needs,)))
    assert solution.indexes == indexes == fewest_indexes(needs)
    assert not solution.rejected


def test_the_key_search_needs_one_index_less_than_greedy_merging() -> None:
    keys = solve(Workload((SMALL_CASES[0][0],))).entities[0].keys
    assert sorted(tuple(sorted(each.partition)) for each in keys.values()) == [("a",), ("b",)]


def test_the_key_search_gives_three_collections_in_three_partitions_three_indexes() -> None:
    workload = lists({"A,B": "p", "B,C": "q", "A,C": "r"}, updates=True)
    solution = solve(workload)
    assert solution.indexes == 3
    assert solution.bound is not None
    assert solution.bound.indexes == 2, "no entity alone needs three; the search proves it"
    assert solution.searched > 0


def test_the_key_search_cannot_make_three_collections_in_one_partition_contiguous() -> None:
    assert solve(lists({"A,B": "p", "B,C": "p", "A,C": "p"}, updates=False)).indexes == 1
    assert solve(lists({"A,B": "p", "B,C": "p"}, updates=False)).indexes == 0


def test_the_key_search_puts_at_most_one_newest_first_and_one_oldest_first_list_under_a_parent() -> None:
    assert solve(parent_with_lists({"Post": True, "Photo": True})).indexes == 1
    assert solve(parent_with_lists({"Post": True, "Photo": False})).indexes == 0


def test_the_key_search_gives_a_parent_of_nine_lists_an_index_for_each_further_pair() -> None:
    workload = lists({f"Parent,Child{number}": "p" for number in range(9)}, updates=False)
    solution = solve(workload)
    assert solution.indexes == 4, "a parent is next to two lists in one partition"
    assert not solution.rejected


def test_the_key_search_treats_collections_of_different_entities_separately() -> None:
    workload = lists({f"A{number},B{number}": "p" for number in range(40)}, updates=True)
    solution = solve(workload)
    assert solution.indexes == 1
    assert not solution.rejected


def test_a_key_search_that_is_too_large_is_an_error_with_the_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_search, "ASSIGNMENTS_MAX", 10)
    workload = lists({f"Parent,Child{number}": "p" for number in range(9)}, updates=False)
    with pytest.raises(slot_search.SearchTooLarge, match="the collections Parent,Child0, Parent,Child1, "):
        solve(workload)


def test_the_key_search_gives_the_auction_site_two_indexes_for_browsing_and_three_for_bidding() -> None:
    browsing, bidding = solve(BROWSING), solve(BIDDING)
    assert (browsing.indexes, bidding.indexes) == (2, 3)
    assert not browsing.rejected
    assert [each.name for each in bidding.rejected] == []


def test_the_sort_key_of_items_by_category_and_region_starts_with_the_end_date() -> None:
    items = solve(BIDDING).keys_of("Item")
    slot = next(slot for each, slot in items.slots if each.equal == frozenset({"category", "region"}))
    assert (items.keys[slot].partition, items.keys[slot].sort) == (("category", "region"), ("end_date", "id"))


def test_a_changed_column_stands_alone_in_its_key_attribute_if_the_update_knows_no_other() -> None:
    solution = solve(Workload((entity("E", "id", "a,b", writes=[update("b", "id")]),)))
    key = solution.entities[0].keys[1]
    assert (key.partition, key.sort) in ((("a",), ("b", "id")), (("b",), ("a", "id")))


def test_a_read_whose_key_no_update_can_compute_is_rejected_with_the_parameter_to_add() -> None:
    solution = solve(Workload((entity("E", "id", "a,b>c", writes=[update("b", "id"), update("c", "id")]),)))
    (rejected,) = solution.rejected
    assert rejected.name == "a,b>c"
    assert rejected.problem.reason == "update c changes a key attribute but does not know a"
    assert rejected.problem.remedy == (
        "add the parameter a to update c, with where=lambda item: item.a == a, "
        "or allow multi-attribute keys with --multi-attribute, or let it read the item first with --allow-fan-out"
    )


def test_the_key_search_rejects_a_strong_read_that_the_table_cannot_serve_with_a_remedy() -> None:
    strong = Read("latest", frozenset({"a"}), strong=True)
    solution = solve(Workload((entity("E", "id", strong, writes=[BY_ID]),)))
    (rejected,) = solution.rejected
    assert rejected.name == "latest"
    assert "strongly consistent" in rejected.problem.reason
    assert rejected.problem.remedy == "remove consistent=True, or add the parameter a to update z"


def test_an_entity_whose_identity_changes_has_no_table_key() -> None:
    with pytest.raises(NoTableKey, match="id changes"):
        solve(Workload((entity("E", "id", writes=[update("id", "id")]),)))


def test_the_certificate_names_reads_that_cannot_share_a_key() -> None:
    bound = solve(Workload((SMALL_CASES[2][0],))).bound
    assert bound is not None
    assert (bound.indexes, set(bound.reads), bound.one_uses_table) == (2, {"a,b", "b,c", "a,c"}, True)
    assert len(bound.reasons) == 3


COLUMNS = st.sampled_from("abcd")
READS = st.builds(
    lambda equal, first, is_range, single, strong: Read(
        ",".join(sorted(equal)) + (f">{first}" if first else ""),
        frozenset(equal),
        None if single else first,
        is_range,
        strong=strong == 0,
        single=single,
    ),
    st.sets(COLUMNS, min_size=1, max_size=3),
    st.none() | COLUMNS,
    st.booleans(),
    st.booleans(),
    st.integers(0, 4),
)
WRITES = st.builds(
    lambda changed, known: update(",".join(sorted(changed)), ",".join(sorted({"id", *known}))),
    st.sets(COLUMNS, min_size=1, max_size=2),
    st.sets(COLUMNS, max_size=2),
)
ENTITIES = st.builds(
    lambda reads, writes, identity: entity("E", *reads, writes=writes, identity=identity),
    st.lists(READS, min_size=1, max_size=5),
    st.lists(WRITES, max_size=1),
    st.sampled_from([("id",), ("a", "id")]),
)


@given(ENTITIES)
def test_the_key_search_finds_as_few_indexes_as_an_exhaustive_search(needs: EntityNeeds) -> None:
    try:
        solution = solve(Workload((needs,)))
    except NoTableKey:
        return
    expected = fewest_indexes(needs)
    assert bool(solution.rejected) == (expected is None)
    if expected is not None:
        assert solution.indexes == expected
    if solution.bound is not None and not solution.rejected:
        assert solution.bound.indexes <= solution.indexes


@given(st.lists(ENTITIES, min_size=2, max_size=3))
def test_the_key_search_shares_indexes_between_entities_as_an_exhaustive_search_does(
    entities: list[EntityNeeds],
) -> None:
    named = tuple(replace(each, name=f"E{number}") for number, each in enumerate(entities))
    try:
        solution = solve(Workload(named))
    except NoTableKey:
        return
    expected = fewest_indexes(*named)
    assert bool(solution.rejected) == (expected is None)
    if expected is not None:
        assert solution.indexes == expected
    if solution.bound is not None and not solution.rejected:
        assert solution.bound.indexes <= solution.indexes


@given(ENTITIES)
def test_every_key_serves_the_reads_assigned_to_it(needs: EntityNeeds) -> None:
    try:
        keys = solve(Workload((needs,))).entities[0]
    except NoTableKey:
        return
    for each, slot in keys.slots:
        assert slot == NOT_SERVED or serves(keys.keys[slot], each)


@given(ENTITIES, st.randoms(use_true_random=False))
def test_the_key_search_does_not_depend_on_the_order_of_reads_writes_and_entities(
    needs: EntityNeeds, chance: random.Random
) -> None:
    other = replace(needs, name="F")
    workload = Workload((needs, other))
    try:
        first = solve(workload)
    except NoTableKey:
        return
    mixed = [
        replace(
            each,
            reads=tuple(chance.sample(each.reads, len(each.reads))),
            writes=tuple(chance.sample(each.writes, len(each.writes))),
        )
        for each in (other, needs)
    ]
    assert solve(Workload(tuple(mixed))).entities == first.entities


def test_the_key_search_solves_thirty_entities_with_180_reads_without_trying_everything() -> None:
    chance = random.Random(25)
    entities = []
    for number in range(30):
        reads = [
            Read(f"r{n}", frozenset(chance.sample("abcdef", chance.randint(1, 3))), chance.choice([None, "x", "y"]))
            for n in range(6)
        ]
        entities.append(EntityNeeds(f"E{number:02}", ("id",), {}, tuple(reads)))
    solution = solve(Workload(tuple(entities)))
    assert not solution.rejected
    assert solution.bound is not None
    assert solution.bound.indexes <= solution.indexes <= solution.bound.indexes + 1


@given(ENTITIES, st.lists(WRITES, max_size=2))
def test_the_remedy_of_a_rejected_read_makes_a_key_possible(needs: EntityNeeds, writes: list[Write]) -> None:
    others = (replace(each, name=f"{each.name} {number}") for number, each in enumerate(writes))
    reads = (replace(each, name=f"{each.name} {number}") for number, each in enumerate(needs.reads))
    needs = replace(needs, reads=tuple(reads), writes=(*needs.writes, *others))
    try:
        rejected = solve(Workload((needs,))).rejected
    except NoTableKey:
        return
    for each in rejected:
        if not each.problem.remedy:
            assert "either this read or the key" in each.problem.reason
            continue
        alone = replace(needs, reads=tuple(read for read in needs.reads if read.name == each.name))
        for remedy in each.problem.remedy.split(", or "):
            found = solve(Workload((with_remedy(alone, remedy),)))
            assert not found.rejected, remedy


def with_remedy(needs: EntityNeeds, remedy: str) -> EntityNeeds:
    """Return the entity after a remedy: other parameters of its writes, no strong reads, or another option."""
    if "--multi-attribute" in remedy:
        return replace(needs, multi_attribute=True)
    if "--allow-fan-out" in remedy:
        return replace(needs, allows_fan_out=True)
    if remedy.startswith("remove consistent=True"):
        needs = replace(needs, reads=tuple(replace(each, strong=False) for each in needs.reads))
        if remedy == "remove consistent=True":
            return needs
    added = re.findall(r"add the parameters? ([\w ]+?) to ([^:]+?)(?=, with|, and add|$)", remedy)
    assert added, remedy
    more = {write: frozenset(names.split(" and ")) for names, write in added}
    writes = (
        replace(each, known=each.known | more.get(each.name, frozenset())) if each.known is not None else each
        for each in needs.writes
    )
    return replace(needs, writes=tuple(writes))
