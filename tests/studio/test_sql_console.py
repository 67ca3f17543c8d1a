from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.analytics import sql_query
from singletable.studio import sql_console
from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, text_of, workspace

ORDERS = "SELECT o.id, o.total FROM \"Order\" o WHERE o.user_id = '42' ORDER BY o.id"
SCAN = 'SELECT status, count(*) AS n FROM "Order" GROUP BY ALL ORDER BY status'


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Studio]:
    found = studio(workspace(COMMERCE, store_of(tmp_path)))
    yield found
    found.space.close()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            ORDERS,
            "Sends Query Reads table: PK = 'USER#42', SK begins with 'ORDER#' Cost 1 Query request: about 1.5 RRU",
        ),
        (SCAN, "Sends Scan Reads the whole table Why no key of Order is compared with a constant"),
        ("SELECT 1", "Sends no request Cost nothing"),
        ("SELECT nothing FROM Review", "This statement cannot run DuckDB rejects the statement: Binder Error"),
        ("SELECT * FROM Order", 'Write "Order" in double quotes.'),
        ("DELETE FROM Review", "not a SELECT statement"),
        ("SELECT * FROM read_csv('/etc/passwd')", "cannot read from read_csv"),
        ("-- nothing", "pass one SELECT statement"),
        ("", ""),
    ],
)
def test_the_sql_console_shows_the_reads_of_a_statement_before_it_runs(
    shown: Studio, statement: str, expected: str
) -> None:
    assert expected in text_of(shown.ask("reads", statement=statement)["html"])
    assert shown.space.store.total.cost.read_units == 0


def test_the_sql_console_shows_rows_types_and_units_and_adds_to_the_history(shown: Studio) -> None:
    answer = shown.ask("select", statement=ORDERS)
    text = text_of(answer["html"])
    assert "0.5 RRU consumed" in text
    assert "id VARCHAR total VARCHAR A1 " in text
    assert "SELECT o.id" in text_of(answer["history"])
    page = shown.page("/Commerce/sql")
    assert "SELECT count(*) AS items" in page, "an example"
    assert "0.5 RRU" in text_of(page)
    assert "joined_at TIMESTAMP" in text_of(page)


def test_the_sql_console_distinguishes_null_from_an_empty_text(shown: Studio) -> None:
    html = shown.ask("select", statement="SELECT NULL AS a, '' AS b, [1, NULL] AS c")["html"]
    assert '<td class="mute">null</td><td title=""></td>' in html
    assert "[1, null]" in html


def test_the_sql_console_confirms_a_scan_over_the_limit(shown: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_query, "SCAN_UNITS_MAX", 1.0)
    answer = shown.ask("select", statement=SCAN)
    assert "nothing was sent yet" in text_of(answer["html"])
    assert shown.space.store.total.cost.read_units == 0
    assert "SHIPPED" in shown.ask("select", statement=SCAN, confirmed=True)["html"]
    assert "0.5 RRU consumed" in text_of(shown.ask("select", statement=ORDERS)["html"]), "a Query has no limit"


def test_the_sql_console_cuts_a_large_result(shown: Studio) -> None:
    answer = shown.ask("select", statement="SELECT * FROM range(1000000)")
    assert "500 rows shown; the result has more" in text_of(answer["html"])
    assert "more than 500 rows" in text_of(answer["history"])


def test_the_sql_console_stops_a_statement_that_computes_too_long(
    shown: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_console, "SECONDS_MAX", 0.2)
    endless = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3"
    assert "was stopped after 0.2 seconds" in shown.ask("select", statement=endless)["error"]


def test_the_sql_console_sends_nothing_on_dynamodb_before_a_click() -> None:
    found = studio(workspace(COMMERCE, "dynamodb://eu-west-1"))
    assert "Nothing was read" in found.page("/Commerce/sql")
    text = text_of(found.ask("reads", statement=SCAN)["html"])
    assert "Estimate it sends DescribeTable to AWS" in text
    assert found.space.store.total.cost.requests == 0
    assert not found.space.store._opened
    found.space.close()


def test_the_sql_console_escapes_texts(shown: Studio) -> None:
    script = "<script>alert(1)</script><img src=x>"
    statement = f"SELECT '{script}' AS \"{script}\""
    answer = shown.ask("select", statement=statement)
    explained = shown.ask("reads", statement=f'SELECT * FROM "{script}"')
    page = shown.client.get("/Commerce/sql", params={"s": statement}).text
    assert "&lt;script&gt;" in answer["html"]
    for html in (answer["html"], answer["history"], explained["html"], page):
        assert "<script>alert" not in html
        assert "<img" not in html


def test_the_sql_console_says_how_to_install_duckdb(shown: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_console, "find_spec", lambda name: None)
    assert "pip install 'singletable[analytics]'" in text_of(shown.page("/Commerce/sql"))


def test_the_sql_console_sends_no_invalid_statement(shown: Studio) -> None:
    answer = shown.ask("select", statement="SELECT nothing FROM Review")
    assert answer["error"] == "Nothing was sent: correct the statement first."


def test_the_sql_console_says_that_it_cannot_estimate_the_cost_on_a_server_that_does_not_respond() -> None:
    found = studio(workspace(COMMERCE, "http://127.0.0.1:9"))
    text = text_of(found.ask("reads", statement=ORDERS)["html"])
    assert "The cost cannot be estimated http://127.0.0.1:9 cannot be reached" in text
    found.space.close()


def test_the_sql_console_lists_a_repeated_statement_once_in_the_history(shown: Studio) -> None:
    for _ in range(2):
        answer = shown.ask("select", statement=ORDERS)
    assert answer["history"].count("SELECT o.id") == 2, "the text and the title of one entry"
