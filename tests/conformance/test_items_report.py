"""Reports count items with the same problem together, measure partitions, and respect accepted findings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from singletable import GSI, LSI, DesignError, Table, entity, native, skewed
from singletable.conformance.items_report import REASONS_MAX, ItemFinding, ItemsCheck, ItemsReport
from singletable.conformance.key_measurements import KeyMeasurements
from singletable.conformance.measured_findings import measured_findings
from singletable.planner.stored_items import item_of
from singletable.values.limits import ITEM_BYTES_MAX, LSI_COLLECTION_BYTES_MAX


@entity(
    key=("TOPIC#{topic}", "{place}"),
    gsi1=("KIND#{kind}", "{place}"),
    expected_per_partition=3,
    cardinality={"kind": 100},
)
@dataclass
class Note:
    topic: str
    place: str
    kind: str = "k"
    text: str = ""


@entity(key=("DAY#{day}", "EVENT#{id}"), gsi1=("CITY#{city}", "{id}"), accept={"ST212": "few cities, little traffic"})
@dataclass
class Event:
    day: date
    id: int
    city: str = "c"


class Notes(Table, entities=[Note, Event]):
    pass


def report_of(table: type[Table], *rows: tuple[type, dict[str, Any]], is_whole: bool = True) -> ItemsReport:
    check = ItemsCheck(table.design)
    for cls, values in rows:
        entity = table.design.entity_of(cls)
        fields = {name: field.default for name, field in entity.fields.items()}
        check.add(item_of(table.design, entity, {**fields, **values}))
    return check.report(is_whole=is_whole)


def note(topic: str, place: str, **others: Any) -> tuple[type, dict[str, Any]]:
    return Note, {"topic": topic, "place": place, **others}


def summary(report: ItemsReport) -> list[tuple[str, str, int, str]]:
    return [_summary(each) for each in report.findings]


def _summary(each: ItemFinding) -> tuple[str, str, int, str]:
    return each.finding.code, each.finding.message, each.items, each.examples[0].key if each.examples else ""


def test_the_items_report_of_correct_items_has_no_findings() -> None:
    report = report_of(Notes, note("t", "a"), note("t", "b"), note("u", "a"))
    assert report.findings == ()
    assert report.passes
    assert report.items == 3
    (measured,) = (each for each in report.partitions if each.placement.index.is_table)
    assert measured.usage[:4] == (2, 3, 2, "TOPIC#t")


def test_the_items_report_counts_items_with_the_same_problem_together() -> None:
    check = ItemsCheck(Notes.design)
    for number in range(5):
        check.add({"PK": {"S": f"GHOST#{number}"}, "SK": {"S": f"{number}"}, "entity_type": {"S": "Ghost"}})
    (found,) = check.report(is_whole=True).findings
    assert _summary(found)[1:3] == ("the model has no entity with entity_type 'Ghost'", 5)
    assert [example.key for example in found.examples] == ["PK=GHOST#0, SK=0", "PK=GHOST#1, SK=1", "PK=GHOST#2, SK=2"]


def test_the_items_report_bounds_the_number_of_reasons() -> None:
    check = ItemsCheck(Notes.design)
    for number in range(REASONS_MAX + 50):
        check.add({"PK": {"S": "x"}, "SK": {"S": "x"}, "entity_type": {"S": f"T{number}"}})
    findings = check.report(is_whole=True).findings
    assert len(findings) == REASONS_MAX + 1
    assert findings[0].finding.message == "other reasons"
    assert sum(each.items for each in findings) == REASONS_MAX + 50


def test_the_items_report_names_a_large_item() -> None:
    large = note("t", "a", text="x" * int(ITEM_BYTES_MAX * 0.9))
    ((code, _, items, key),) = summary(report_of(Notes, large, note("t", "b")))
    assert (code, items, key) == ("ST209", 1, "PK=TOPIC#t, SK=a")


def test_the_items_report_names_a_partition_that_is_larger_than_declared() -> None:
    rows = [note("t", place) for place in "abcd"] + [note("u", place) for place in "abc"]
    message = "Note: 1 of 2 partitions of the table have more than the declared 3 items; the largest has 4"
    assert summary(report_of(Notes, *rows)) == [("ST210", message, 4, "TOPIC#t")]


def test_the_items_report_names_numbers_without_padding_in_a_text_field() -> None:
    ((code, message, items, _),) = summary(report_of(Notes, note("t", "9"), note("t", "10")))
    assert (code, items) == ("ST207", 2)
    assert message == "Note: {place} in SK of the table holds numbers without padding: 10 sorts before 9"
    (found,) = report_of(Notes, note("t", "9"), note("t", "10")).findings
    assert found.finding.severity == "warning"


@pytest.mark.parametrize("places", [("09", "10"), ("9", "8"), ("1", "10"), ("9", "10", "x")])
def test_the_items_report_has_no_finding_for_sorted_texts(places: tuple[str, ...]) -> None:
    assert summary(report_of(Notes, *(note("t", place) for place in places[:3]))) == []


def test_the_items_report_names_a_partition_by_time() -> None:
    rows = [(Event, {"day": date(2026, 1, 1) + timedelta(number % 3), "id": number}) for number in range(10)]
    found = [each for each in summary(report_of(Notes, *rows)) if each[0] == "ST213"]
    message = 'Event: every partition of the table is a time, PK = "DAY#{day}", so all new items go to one'
    assert found == [("ST213", message, 10, "DAY#2026-01-01")]
    assert "ST213" not in [each[0] for each in summary(report_of(Notes, *rows[:9]))]


def test_the_items_report_names_few_partitions_unless_accepted() -> None:
    rows = [(Event, {"day": date(2026, 1, 1), "id": number}) for number in range(1_000)]
    report = report_of(Notes, *rows)
    found = [each.finding for each in report.findings if each.finding.code == "ST212"]
    assert [each.message for each in found] == [
        "Event: the table has 1 partition for 1,000 items, and the largest has 100% of them",
        "Event: GSI1 has 1 partition for 1,000 items, and the largest has 100% of them",
    ]
    assert {each.accepted for each in found} == {"few cities, little traffic"}
    assert report.passes


def test_the_items_report_of_a_sample_has_no_shares_of_table_partitions() -> None:
    rows = [(Event, {"day": date(2026, 1, 1), "id": number}) for number in range(1_000)]
    found = [each for each in summary(report_of(Notes, *rows, is_whole=False)) if each[0] == "ST212"]
    assert [message.partition(" has ")[0] for _, message, _, _ in found] == ["Event: GSI1"]


@entity(key=("N#{id}", "A"), gsi1=("KIND#{kind}", "{id}"), cardinality={"kind": skewed(10, hottest=0.2)})
@dataclass
class Kinded:
    id: str
    kind: str


class Kinds(Table, entities=[Kinded]):
    pass


@entity(key=("CASE#{id}", "META"), gsi1=(native("customer"), native("case_id")))
@dataclass
class Case:
    id: str
    customer: str
    case_id: str


class Cases(Table, entities=[Case], indexes=[GSI("gsi1", keys=("customer", "case_id"))]):
    pass


@pytest.mark.parametrize(
    ("ids", "pair"),
    [
        (("Case123", "Case1321", "Case0987"), "Case0987 sorts before Case123"),
        (("Case9", "Case10"), "Case10 sorts before Case9"),
        (("Case10", "Case20"), ""),
        (("Case9", "Other10"), ""),
        (("2024-1-9", "2024-1-10"), ""),
    ],
)
def test_the_items_report_names_numbers_after_letters_in_the_sort_key_of_an_index(
    ids: tuple[str, ...], pair: str
) -> None:
    rows = [(Case, {"id": f"i{number}", "customer": "c", "case_id": text}) for number, text in enumerate(ids)]
    found = [message for code, message, _, _ in summary(report_of(Cases, *rows)) if code == "ST207"]
    assert found == ([f"Case: case_id in case_id of GSI1 holds numbers without padding: {pair}"] if pair else [])


@pytest.mark.parametrize(
    ("kinds", "is_found"),
    [(range(10), False), (range(6), False), (range(5), True), ([0] * 4 + list(range(10)), False)],
    ids=["as declared", "more than half", "half", "skewed, but less than twice"],
)
def test_measured_findings_compare_the_declared_number_of_items(kinds: Any, is_found: bool) -> None:
    chosen = list(kinds)
    rows = [(Kinded, {"id": f"i{number}", "kind": f"k{chosen[number % len(chosen)]}"}) for number in range(100)]
    codes = [each[0] for each in summary(report_of(Kinds, *rows))]
    assert codes == ["ST212"] * is_found


def test_measured_findings_compare_the_declared_hottest_share() -> None:
    rows = [(Kinded, {"id": f"i{n}", "kind": f"k{max(n % 20 - 10, 0)}"}) for n in range(100)]
    ((code, message, items, key),) = summary(report_of(Kinds, *rows))
    assert (code, items, key) == ("ST212", 55, "KIND#k0")
    assert message == (
        "Kinded: GSI1 has 10 partitions for 100 items, and the largest has 55% of them; but cardinality= declares 10 "
        "values, and 20.00% of the items for the most frequent one"
    )


@entity(key=("C#{id}", "{sort}"), lsi1="{other}")
@dataclass
class Member:
    id: str
    sort: str
    other: str


class Collections(Table, entities=[Member], indexes=[LSI("lsi1")]):
    pass


def test_the_items_report_names_a_collection_near_the_limit_of_local_indexes() -> None:
    design = Collections.design
    measurements = KeyMeasurements(design)
    item = item_of(design, design.entities[0], {"id": "a", "sort": "s", "other": "o"})
    measurements.add(design.entities[0], item, {}, int(LSI_COLLECTION_BYTES_MAX * 0.5))
    assert list(measured_findings(design, measurements, measurements.partitions(), is_whole=True)) == []
    measurements.add(None, item, {}, int(LSI_COLLECTION_BYTES_MAX * 0.4))
    (found,) = measured_findings(design, measurements, measurements.partitions(), is_whole=True)
    assert (found.finding.code, found.items, found.example) == ("ST211", 1, "C#a")
    assert found.finding.message == (
        "1 of 1 item collections have more than 80% of the 10 GB that a table with local indexes allows; the largest "
        "has 90%"
    )


def test_the_items_report_rejects_unknown_codes_in_accept() -> None:
    class Wrong(Table, entities=[Kinded], accept={"ST999": "no such rule"}):
        pass

    with pytest.raises(DesignError, match="ST999"):
        ItemsCheck(Wrong.design)


def test_an_empty_index_key_is_reported_with_the_missing_index_entry() -> None:
    check = ItemsCheck(Notes.design)
    item = item_of(Notes.design, Notes.design.entity_of(Note), {"topic": "t", "place": "a", "kind": "k", "text": ""})
    check.add({**item, "GSI1PK": {"S": ""}, "GSI1SK": {"S": ""}})
    codes = [each.finding.code for each in check.report(is_whole=True).findings]
    assert sorted(codes) == ["ST205", "ST221"]
