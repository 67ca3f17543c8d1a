from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, text_of, workspace

USER = "SELECT * FROM Commerce WHERE PK = 'USER#42'"
SCAN = "SELECT id FROM Commerce WHERE status = 'SHIPPED'"


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Studio]:
    found = studio(workspace(COMMERCE, store_of(tmp_path)))
    yield found
    found.space.close()


@pytest.mark.parametrize(
    ("statement", "parameters", "expected"),
    [
        (USER, "", "Becomes Query Reads the table Key PK = 'USER#42'"),
        (USER.replace("'USER#42'", "?"), '["USER#42"]', "Key PK = 'USER#42'"),
        (SCAN, "", "Becomes Scan Reads the table Key none: every item is read Filter \"status\" = 'SHIPPED'"),
        (f"{USER} AND SK = 'PROFILE'", "", "Becomes GetItem"),
        ("SELECT * FROM Commerce.GSI1 WHERE GSI1PK = 'ORDER_BY_DATE'", "", "Becomes Query Reads GSI1"),
        ("DELETE FROM Commerce WHERE PK = 'USER#42' AND SK = 'PROFILE'", "", "Becomes DeleteItem Writes the table"),
        ("SELECT * FRM Commerce", "", "^"),
        ("SELECT * FROM Nothing", "", "not found"),
        (USER, "{}", "one value for each ?"),
    ],
)
def test_the_query_console_shows_the_access_of_a_statement_before_it_runs(
    shown: Studio, statement: str, parameters: str, expected: str
) -> None:
    requests = shown.space.store.total.cost.requests
    assert expected in text_of(shown.ask("explain", statement=statement, parameters=parameters)["html"])
    assert shown.space.store.total.cost.requests == requests


def test_the_query_console_shows_items_and_units_and_adds_to_the_history(shown: Studio) -> None:
    answer = shown.ask("query", statement=USER, parameters="")
    text = text_of(answer["html"])
    assert "0.5 RRU consumed" in text
    assert "0 WRU" in answer["total"]
    assert "7 items returned" in text
    assert "Query · 7 items · 0.5 RRU" in text_of(answer["history"])
    assert "/Commerce/items?id=" in answer["html"]
    assert "Query · 7 items" in text_of(shown.page("/Commerce/query"))
    assert '<th scope="col" class="right">total</th>' in answer["html"]
    assert '<th scope="col">SK</th>' in answer["html"]


def test_the_query_console_sends_a_write_only_after_a_confirmation(shown: Studio) -> None:
    statement = "UPDATE Commerce SET name = 'Eve' WHERE PK = 'USER#42' AND SK = 'PROFILE'"
    read = f"{USER} AND SK = 'PROFILE'"
    assert "nothing was sent yet" in text_of(shown.ask("query", statement=statement)["html"])
    assert "Eve" not in shown.ask("query", statement=read)["html"]
    assert "1 WRU" in text_of(shown.ask("query", statement=statement, confirmed=True)["html"])
    assert "Eve" in shown.ask("query", statement=read)["html"]


def test_the_query_console_ends_a_page_after_a_hundred_items_and_continues(tmp_path: Path) -> None:
    from tests.studio.readings import Reading, Readings

    url = store_of(tmp_path, Readings, [Reading("d1", number) for number in range(150)])
    found = studio(workspace(str(Path(__file__).with_name("readings.py")), url))
    first = found.ask("query", "Readings", statement="SELECT * FROM Readings")
    token = first["html"].partition('data-next="')[2].partition('"')[0]
    from html import unescape

    following = found.ask("query", "Readings", statement="SELECT * FROM Readings", next=unescape(token))
    assert "100 items on this page" in text_of(first["html"])
    assert "50 items returned" in text_of(following["html"])
    found.space.close()


def test_the_query_console_is_read_only_on_dynamodb_and_confirms_a_scan() -> None:
    found = studio(workspace(COMMERCE, "dynamodb://eu-west-1"))
    assert "Nothing was read" in found.page("/Commerce/query")
    assert "read-only" in found.ask("query", statement="DELETE FROM Commerce WHERE PK = 'a' AND SK = 'b'")["error"]
    assert "reads every item" in text_of(found.ask("query", statement=SCAN)["html"])
    assert found.space.store.total.cost.requests == 0


def test_the_query_console_escapes_texts_of_statements_and_items(shown: Studio) -> None:
    script = "<script>alert(1)</script><img src=x>"
    insert = f"INSERT INTO Commerce VALUE {{'PK': '{script}', 'SK': '{script}', '{script}': '{script}'}}"
    shown.ask("query", statement=insert, confirmed=True)
    statement = f"SELECT * FROM Commerce WHERE PK = '{script}'"
    answer = shown.ask("query", statement=statement)
    explained = shown.ask("explain", statement=statement)
    page = shown.client.get("/Commerce/query", params={"s": statement, "p": script}).text
    assert "&lt;script&gt;" in answer["html"]
    for html in (answer["html"], answer["history"], explained["html"], page):
        assert "<script>alert" not in html
        assert "<img" not in html


def test_the_query_console_lists_a_repeated_statement_once_in_the_history(shown: Studio) -> None:
    statement = "SELECT id FROM Commerce WHERE PK = 'USER#7'"
    shown.ask("query", statement=statement, parameters="")
    answer = shown.ask("query", statement=statement, parameters="")
    assert answer["history"].count("USER#7&#39;</code>") == 1


def test_the_query_console_does_not_send_an_invalid_statement(shown: Studio) -> None:
    answer = shown.ask("query", statement="SELEC", parameters="")
    assert answer["error"] == "Nothing was sent: correct the statement first."


def test_the_query_console_passes_a_binary_key_as_a_parameter_of_the_first_statement(tmp_path: Path) -> None:
    from singletable.engine.engine import Engine

    engine = Engine(f"file:{tmp_path / 'store.db'}")
    attributes = {"AttributeDefinitions": [{"AttributeName": "a-b", "AttributeType": "B"}]}
    schema = {"KeySchema": [{"AttributeName": "a-b", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
    engine.call("CreateTable", {"TableName": "Binary", **attributes, **schema})
    engine.call("PutItem", {"TableName": "Binary", "Item": {"a-b": {"B": "AP8="}}})
    engine.close()
    shown = studio(workspace(f"file:{tmp_path / 'store.db'}", "--table", "Binary"))
    shown.ask("column", "Binary", place="table")
    text = text_of(shown.page("/Binary/query"))
    assert 'FROM "Binary" WHERE "a-b" = ?' in text
    assert "Becomes GetItem" in text
    shown.space.close()
