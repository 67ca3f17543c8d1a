"""A worksheet becomes a model: its entities, and keys for which every row is one request."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.cli.import_text import find_objections, import_draft
from singletable.cli.main import main
from singletable.errors import ImportRefused
from singletable.expressions.tree import Path as FieldPath
from singletable.importers.draft import Draft, DraftPattern
from singletable.importers.python_source import python_source
from singletable.importers.worksheet.worksheet_file import read_worksheet
from singletable.importers.worksheet.worksheet_requests import budget_of, frequency_of
from tests.importers.imported import HOSTILE, assert_only_declarations, reports

HEADER = ["#", "Access Pattern", "Entry Entity", "Filters / Range", "Sort Direction", "Frequency", "Latency Budget"]
ROWS = [
    ["1", "Get user profile by ID", "User", "", "", "very high", "< 10 ms"],
    ["2", "List user's last 10 orders", "User", "last 30 days", "newest first", "high", "< 30 ms"],
    ["3", "List shops near (lat, lng)", "Geo", "radius 1 km", "", "medium", "< 50 ms"],
    ["4", "Get all members of a group", "Group", "by join date", "", "medium", "< 30 ms"],
    ["5", "Get an order with all line items", "Order", "", "", "12/s", "0.5 s"],
    ["6", "Get product by SKU", "Product", "", "", "sometimes", ""],
    ["7", "List all customers chronologically", "Customer", "", "", "low", ""],
    ["8", "Find user by email", "User", "", "", "", ""],
    ["9", "Orders by status", "Order", "status = OPEN; created_at between", "newest first", "", ""],
    ["10", "Products in a category by price", "Product", "price range", "", "", ""],
    ["11", "Place an order", "Order", "", "", "", ""],
    ["12", "Cancel an order", "Order", "", "", "", ""],
]
ROOT = Path(__file__).parents[3]


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _csv(header: list[str], rows: list[list[str]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([header, *rows])
    return text.getvalue()


def _patterns(text: str, name: str = "worksheet.csv") -> dict[str, DraftPattern]:
    (table,) = import_draft(read_worksheet(text, name)).tables
    return {pattern.title: pattern for pattern in table.patterns}


def test_every_worksheet_row_becomes_a_supported_pattern(tmp_path: Path) -> None:
    draft = read_worksheet(_markdown(HEADER, ROWS), "shop.md")
    (report,) = reports(draft, tmp_path)
    assert report.passes
    assert [outcome.pattern.title for outcome in report.outcomes] == [row[1] for row in ROWS]
    assert draft == read_worksheet(_markdown(HEADER, ROWS), "shop.md")


def test_worksheet_patterns_follow_the_words_of_the_rows() -> None:
    made = _patterns(_csv(HEADER, ROWS))
    assert [made[row[1]].kind for row in ROWS] == [
        *(
            "get",
            "query",
            "within",
            "query",
            "collection",
            "get",
            "query",
            "query",
            "query",
            "query",
            "create",
            "delete",
        )
    ]
    last = made["List user's last 10 orders"]
    assert (last.entities, last.limit, last.newest_first) == (("Order",), 10, True)
    assert [(each.name, each.range) for each in last.parameters] == [("user_id", None), ("created_at", "Since")]
    assert (last.frequency, last.budget_ms) == ("high", 30)
    assert made["Get all members of a group"].order_by == FieldPath(("join_date",))
    assert made["Get an order with all line items"].entities == ("Order", "LineItem")
    assert (made["Get an order with all line items"].rate, made["Get an order with all line items"].budget_ms) == (
        12,
        500,
    )
    assert [each.name for each in made["Get product by SKU"].parameters] == ["sku"]
    assert made["Get product by SKU"].frequency is None
    assert [(each.name, each.range) for each in made["Products in a category by price"].parameters] == [
        ("category", None),
        ("price", "Between"),
        *(("limit", None), ("cursor", None)),
    ]


def test_worksheet_notes_unclear_cells_and_missing_fields() -> None:
    rows = [
        ["1", "List orders", "Customer", "whatever the moon says!", "", "sometimes", ""],
        ["2", "Update an order", "Order"],
    ]
    (table,) = read_worksheet(_csv(HEADER, rows), "w.csv").tables
    notes = " ".join(table.notes)
    assert "'whatever the moon says!' was left out, because it was not understood" in notes
    assert "'sometimes' is neither a frequency word" in notes
    assert "does not name the fields that it sets" in notes
    assert "Add the other fields of Customer and Order." in table.notes


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            ["Open orders", "Order", "status = 'OPEN'"],
            "status is a parameter, but the row contains the constant 'OPEN'",
        ),
        (["Open orders", "Order", "Status is Open"], "status is a parameter, but the row contains the constant Open"),
        (["Get an order with all line items", "Order", "status = OPEN"], "the filter status = OPEN was left out"),
        (["Get order by ID", "Order", "", "x", " ", "y"], "'x', 'y' in line 2 was left out"),
        (["Search products by text", "Product"], "keys cannot find words inside text"),
        (["Full-text search of reviews", "Review"], "keys cannot find words inside text"),
        (["Search users matching a phrase", "User"], "keys cannot find words inside text"),
        (["Search products by name", "Product"], "it finds only the whole value of name"),
    ],
)
def test_worksheet_notes_what_a_pattern_leaves_out_of_its_row(row: list[str], said: str) -> None:
    text = "\n".join(",".join(cells) for cells in (["Access Pattern", "Entry Entity", "Filters"], row))
    (table,) = read_worksheet(text, "w.csv").tables
    assert said in table.notes[0]
    assert len(table.patterns) == 1
    if "inside text" in said:
        (objection,) = find_objections(table)
        assert "no parameter provides id" in objection.reason


@pytest.mark.parametrize(
    "row",
    [
        "Orders of a state,Order,state = :state",
        "Orders of a state,Order,state = ?",
        "Orders of a state,Order,analysis",
        "Papers by keyword,Paper,",
        "Articles by text id,Article,",
        "Get order by ID,Order,,",
    ],
)
def test_worksheet_has_no_note_for_a_fully_imported_row(row: str) -> None:
    (table,) = read_worksheet(f"Access Pattern,Entry Entity,Filters\n{row}", "w.csv").tables
    assert [note for note in table.notes if "Add the other fields" not in note] == []
    assert len(table.patterns) == 1
    if row.endswith("analysis"):
        assert "analysis" in {each.name for each in table.patterns[0].parameters}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_worksheet_accepts_any_delimiter_column_order_and_letter_case(delimiter: str) -> None:
    turned = [HEADER[::-1], *(row[::-1] for row in ROWS)]
    text = _csv([name.upper() for name in turned[0]], turned[1:], delimiter)
    assert _patterns(text) == _patterns(_csv(HEADER, ROWS))


def test_worksheet_is_found_among_other_text() -> None:
    readme = f"# Shop\n\nSome | text\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n{_markdown(HEADER, ROWS)}\n\nThe end."
    assert _patterns(readme) == _patterns(_csv(HEADER, ROWS))


def test_worksheet_accepts_other_column_names() -> None:
    text = _csv(["Description", "Entity", "Latency (ms)", "RPS"], [["Get user by ID", "users", "20", "1k"]])
    (pattern,) = _patterns(text).values()
    assert (pattern.entities, pattern.budget_ms, pattern.rate) == (("User",), 20, 1000)


@pytest.mark.parametrize("example", ["shop", "guide", "commerce", "customers"])
def test_the_worksheet_that_check_prints_can_be_imported(
    example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(ROOT / "examples" / example / "model.py")])
    printed = capsys.readouterr().out
    draft = read_worksheet(printed, "printed.txt")
    (report,) = reports(draft, tmp_path)
    assert report.passes
    names = {line.split()[1] for line in printed.split("the plans")[0].splitlines() if line[:1].isdigit()}
    left_out = {note.split()[0] for note in draft.tables[0].notes if "was left out" in note}
    assert {outcome.pattern.name for outcome in report.outcomes} | left_out >= names


def _worksheet_columns(model: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, ...]]:
    main(["check", "--json", str(model)])
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    return [
        tuple(row[key] for key in ("pattern", "title", "entry", "frequency", "budget")) for row in table["patterns"]
    ]


def test_importing_a_printed_worksheet_gives_the_same_worksheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ROOT / "examples" / "shop" / "model.py"
    main(["check", str(model)])
    printed = capsys.readouterr().out
    again = tmp_path / "again.py"
    again.write_text(python_source(import_draft(read_worksheet(printed, "printed.txt"))), encoding="utf-8")
    assert _worksheet_columns(again, capsys) == _worksheet_columns(model, capsys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "contains no table"),
        ("hello", "contains no worksheet"),
        ("a,b\n1,2", "The first table has the columns a, b"),
        ("Access Pattern,Entry Entity\n", "at least one row"),
        ("Access Pattern,Entry Entity\nGet user,\n,User\n", "w.csv:2: the row has no entry entity\nw.csv:3: the row"),
    ],
)
def test_worksheet_import_rejects_text_without_a_worksheet(text: str, said: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_worksheet(text, "w.csv")
    assert said in str(refused.value)


WORDS = st.sampled_from(
    [
        *("get", "list", "all", "the", "user", "order", "orders", "by", "id", "with", "near", "since", "between", "of"),
        *("for", "last", "10", "newest", "status", "page", "table"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.lists(WORDS, min_size=1, max_size=7).map(" ".join) | HOSTILE | st.text(max_size=20),
            WORDS | HOSTILE | st.text(max_size=8),
            st.lists(WORDS | st.sampled_from([";", "=", ">", "range"]), max_size=4).map(" ".join) | HOSTILE,
            WORDS | HOSTILE,
            st.text(max_size=6) | st.sampled_from(["high", "5/s", "0", "1e999", "9" * 400]),
            st.text(max_size=6) | st.sampled_from(["< 10 ms", "0 ms", "9" * 400 + "ms"]),
        ),
        max_size=5,
    )
)
def test_random_worksheet_rows_are_imported_or_rejected(rows: list[tuple[str, ...]]) -> None:
    try:
        draft = import_draft(read_worksheet(_csv(HEADER[1:], [list(row) for row in rows]), "w.csv"))
    except ImportRefused:
        return
    assert_only_declarations(python_source(draft))
    assert not any(find_objections(table) for table in draft.tables)


@settings(max_examples=150, deadline=None)
@given(text=st.text('|-,;\t\n"#: abAccess PatternEntry Entity', max_size=120))
def test_random_worksheet_text_is_imported_or_rejected(text: str) -> None:
    try:
        draft: Draft | None = read_worksheet(text, "w.md")
    except ImportRefused:
        draft = None
    assert draft is None or draft.tables


def test_worksheet_notes_an_entity_that_only_a_title_mentions() -> None:
    rows = [["1", "Do the thing", "User"], ["2", "Get user by id", "User"]]
    (table,) = read_worksheet(_csv(HEADER, rows), "w.csv").tables
    assert [each.class_name for each in table.entities] == ["User", "Thing"]
    (note,) = [each for each in table.notes if "was inferred from" in each]
    assert note.startswith('Thing was inferred from "Do the thing" (line 2)')


def test_worksheet_entity_names_keep_non_latin_letters() -> None:
    rows = [
        ["1", "Get Ünïcode by id", "Ünïcode"],
        ["2", "List all заказы of a клиент", "Клиент"],
        ["3", "Get 注文", "注文"],
    ]
    (table,) = read_worksheet(_csv(HEADER, rows), "größe.csv").tables
    assert [each.class_name for each in table.entities] == ["Ünïcode", "Клиент", "Item注文", "Заказы"]
    assert (table.class_name, table.name) == ("Größe", "Grosse")
    assert not find_objections(table)
    assert not any("was left out" in note for note in table.notes)


def test_worksheet_messages_quote_long_text_only_in_part() -> None:
    with pytest.raises(ImportRefused) as refused:
        read_worksheet(",".join(["x" * 5000] * 50) + "\n1,2\n", "w.csv")
    assert len(str(refused.value)) < 600
    assert "and 42 more" in str(refused.value)
    (table,) = read_worksheet(_csv(HEADER, [["1", "Get user " + "z" * 3000, "User", "q q " * 900]]), "w.csv").tables
    assert all(len(note) < 300 for note in table.notes)
    with pytest.raises(ImportRefused, match=r"^w\.csv:2: the entry entity has 4,999 letters"):
        read_worksheet(_csv(HEADER, [["1", "Get user", "User " * 1000]]), "w.csv")


RATES = [
    ("1,000/s", 1_000),
    ("1 000/s", 1_000),
    ("1_000 per second", 1_000),
    ("1,234.5/s", 1_234.5),
    ("2,5 per second", 2.5),
    ("1e6/s", 1e6),
    ("5k rps", 5_000),
    ("2 million a day", 2e6 / 86_400),
    ("1M/day", 1e6 / 86_400),
    ("6/m", 0.1),
    ("3 times a day", 3 / 86_400),
    ("7 per week", 7 / 604_800),
    ("100 requests per minute", 100 / 60),
    ("12", 12),
]


@pytest.mark.parametrize(("text", "rate"), RATES)
def test_worksheet_parses_common_spellings_of_a_rate(text: str, rate: float) -> None:
    word, found, unknown = frequency_of(text)
    assert (word, unknown) == (None, None)
    assert found == pytest.approx(rate)


@pytest.mark.parametrize("text", ["5-10/s", "-5/s", "10/s or 20/s", "3 per fortnight", "1.2.3/s", "5 or so per moon"])
def test_worksheet_reports_an_ambiguous_rate(text: str) -> None:
    (table,) = read_worksheet(_csv(HEADER, [["1", "Get user by ID", "User", "", "", text, "2 min"]]), "w.csv").tables
    assert table.patterns[0].rate is None
    assert any(f"its frequency '{text}' is neither a frequency word nor a rate such as 100/s" in n for n in table.notes)


@pytest.mark.parametrize(("text", "milliseconds"), [("< 10 ms", 10), ("1,000 ms", 1_000), ("0.5 s", 500), ("≤ 20", 20)])
def test_worksheet_parses_a_latency_budget(text: str, milliseconds: float) -> None:
    assert budget_of(text) == milliseconds


@pytest.mark.parametrize("text", ["fast", "2 min", "100us"])
def test_worksheet_reports_an_invalid_budget(text: str) -> None:
    (table,) = read_worksheet(_csv(HEADER, [["1", "Get user by ID", "User", "", "", "", text]]), "w.csv").tables
    assert any(f"its latency budget '{text}' is not a time such as 10 ms" in note for note in table.notes)


FIELDS = """
| Access Pattern | Pattern | Entry Entity | Filters / Range | Sort Direction | Items per Call |
|---|---|---|---|---|---|
| Get reading | reading | Reading | device_id = ?; at = ?; strongly consistent | | |
| List readings by device id | readings | Reading | device_id = ?; no limit | at, newest first | 1,200 |
| List readings by place | by_place | Reading | place = ? | value descending | 7 |
| Update reading | correct | Reading | set value; set place; set at | | |
| Put reading | store | Reading | | | |

| Entity | Field | Type | Key |
|---|---|---|---|
| Reading | device_id | str | key |
| Reading | at | datetime | key |
| Reading | value | number | |
| Reading | place | text | |
| Reading | note | str \\| None | |
| Reading | shape | polygon | |
| Ghost | id | str | key |

| Entity | Items | Bytes |
|---|---|---|
| Reading | 1,000,000 | 150 |
| Reading | many | |
"""


def test_worksheet_tables_of_fields_and_sizes_complete_the_entities(tmp_path: Path) -> None:
    (table,) = import_draft(read_worksheet(FIELDS, "readings.md")).tables
    (entity,) = table.entities
    types = {each.name: each.type for each in entity.fields}
    assert types == {
        "device_id": "str",
        "at": "datetime",
        "value": "Decimal",
        "place": "str",
        "note": "str",
        "shape": "str",
    }
    assert [each.name for each in entity.fields if each.optional] == ["note"]
    assert entity.options == {"expected_items": 1_000_000, "expected_bytes": 150}
    assert entity.keys["key"].partition == ("DEVICE#{device_id}",)
    assert entity.keys["key"].sort == ("READING#{at}",)
    assert entity.identity == ("device_id", "at")
    found = {each.name: each for each in table.patterns}
    assert [each.name for each in found["reading"].parameters] == ["device_id", "at"]
    assert (found["reading"].kind, found["reading"].consistent) == ("get", True)
    assert [each.name for each in found["readings"].parameters] == ["device_id"]
    assert found["readings"].options == {"expected_items": 1200}
    assert (found["by_place"].descending, found["by_place"].options) == (True, {"expected_items": 7})
    assert [each.name for each in found["correct"].parameters] == ["device_id", "at", "value", "place"]
    assert (found["correct"].kind, found["correct"].fanout, found["store"].kind) == ("update", 2, "put")
    notes = " ".join(table.notes)
    for note in (
        "readings.md:17: unknown type of shape, so it became str",
        "readings.md:23: items is not a number",
        "The fields of ghost were left out",
        "cannot set at, which identifies the item",
    ):
        assert note in notes
    (report,) = reports(read_worksheet(FIELDS, "readings.md"), tmp_path)
    assert report.passes
