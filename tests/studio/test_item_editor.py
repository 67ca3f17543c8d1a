from __future__ import annotations

import json
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from singletable.studio.item_rows import item_id
from tests.studio import opened_studio
from tests.studio.edited_table import DESIGN_TABLE, DIGITS, ROWS, Desk
from tests.studio.html_forms import form_values
from tests.studio.opened_studio import COMMERCE, Studio, store_of, studio, view_of, workspace

MODEL = str(Path(__file__).with_name("edited_table.py"))
ORDER = {"PK": {"S": "USER#42"}, "SK": {"S": "ORDER#2026-05-03T20:05:30Z#B7"}}


@pytest.fixture
def commerce(tmp_path: Path) -> Iterator[Studio]:
    shown = studio(workspace(COMMERCE, store_of(tmp_path)))
    yield shown
    shown.space.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Studio]:
    shown = studio(workspace(MODEL, store_of(tmp_path, Desk, ROWS)))
    yield shown
    shown.space.close()


def text_of(html: str) -> str:
    """Return the text of a page, with a hyphen for each minus sign."""
    return opened_studio.text_of(html).replace(chr(0x2212), "-")


def stored(shown: Studio, key: dict[str, Any], table: str = "Commerce") -> Any:
    return view_of(shown.space, table).columns.fresh_item(key)


def staged(shown: Studio, key: dict[str, Any], table: str = "Commerce", **changes: Any) -> Any:
    """Stage a change of an item in DynamoDB JSON; None removes an attribute."""
    view = view_of(shown.space, table)
    item = stored(shown, key, table)
    after = {name: value for name, value in {**item, **changes}.items() if value is not None}
    entity = view.rows.entity_of(item)
    return shown.ask(
        "stage", table, id=item_id(view.design, key), entity=entity.name if entity else "", loaded=json.dumps(item),
        mode="json", json=json.dumps(after),
    )  # fmt: skip


def test_the_item_editor_shows_every_index_entry_and_unit_of_a_change_before_it_writes(commerce: Studio) -> None:
    answer = staged(commerce, ORDER, status={"S": "SHIPPED"})
    text = text_of(answer["html"])
    assert "-GSI2PKUSER#42#PENDING +GSI2PKUSER#42#SHIPPED" in text
    assert "GSI2 moves its entry -USER#42#PENDING" in text
    assert '"42", "PENDING") B7' in text
    assert "4 WRU" in text_of(answer["bar"])
    assert stored(commerce, ORDER)["status"] == {"S": "PENDING"}
    done = commerce.ask("write", revision=answer["revision"])
    assert "PutItem · 4 WRU" in text_of(done["html"])
    assert stored(commerce, ORDER)["GSI2PK"] == {"S": "USER#42#SHIPPED"}


def test_the_item_editor_changes_a_key_by_a_delete_and_a_put_in_one_transaction(commerce: Studio) -> None:
    answer = staged(commerce, ORDER, id={"S": "B9"})
    assert "TransactWriteItems, 2 actions of at most 100" in text_of(answer["html"])
    assert "8 WRU" in text_of(answer["bar"])
    commerce.ask("write", revision=answer["revision"])
    assert stored(commerce, ORDER) is None
    assert stored(commerce, {**ORDER, "SK": {"S": "ORDER#2026-05-03T20:05:30Z#B9"}})["id"] == {"S": "B9"}


def test_an_unchanged_item_is_not_staged(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    assert "Nothing is staged" in text_of(staged(commerce, ORDER)["html"])


def test_the_item_editor_shows_both_sides_of_a_conflict_and_keeps_the_change(commerce: Studio) -> None:
    answer = staged(commerce, ORDER, status={"S": "SHIPPED"}, total={"N": "25"})
    other = {**stored(commerce, ORDER), "status": {"S": "LOST"}, "GSI2PK": {"S": "USER#42#LOST"}}
    engine = view_of(commerce.space).opened()
    from singletable.studio.studio_store import send

    send(engine, "PutItem", {"TableName": "Commerce", "Item": other})
    conflict = commerce.ask("write", revision=answer["revision"])
    assert "status PENDING LOST SHIPPED" in text_of(conflict["conflict"])
    assert stored(commerce, ORDER)["total"] == {"N": "24"}
    mine = commerce.ask("resolve", id=item_id(view_of(commerce.space).design, ORDER), choice="mine")
    assert "-statusLOST +statusSHIPPED" in text_of(mine["html"])
    assert commerce.ask("write", revision=mine["revision"])["written"]
    assert (stored(commerce, ORDER)["status"], stored(commerce, ORDER)["total"]) == ({"S": "SHIPPED"}, {"N": "25"})


def test_the_item_editor_discards_a_change_if_you_take_the_stored_item(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    id_ = item_id(view_of(commerce.space).design, ORDER)
    assert "Nothing is staged" in text_of(commerce.ask("resolve", id=id_, choice="stored")["html"])


def test_the_item_editor_writes_only_what_the_page_shows(commerce: Studio) -> None:
    shown = staged(commerce, ORDER, status={"S": "SHIPPED"})
    staged(commerce, ORDER, status={"S": "LOST"})
    assert "differ from those on this page" in commerce.ask("write", revision=shown["revision"])["error"]


def test_the_item_editor_does_not_stage_a_value_that_the_model_rejects(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    answer = staged(commerce, ORDER, total={"S": "many"})
    assert "must be Decimal" in answer["problem"]
    assert "The change is not staged" in text_of(answer["html"])
    assert "Nothing is staged" in text_of(commerce.ask("effects")["html"])


def test_the_item_editor_writes_an_item_without_an_entity_together_with_others(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    raw = {"PK": {"S": "NOTE"}, "SK": {"S": "1"}, "n": {"N": DIGITS}}
    answer = commerce.ask("stage", entity="", mode="json", json=json.dumps(raw))
    assert "2 actions of at most 100" in text_of(answer["html"])
    commerce.ask("write", revision=answer["revision"])
    key = {"PK": raw["PK"], "SK": raw["SK"]}
    assert stored(commerce, key) == raw
    again = staged(commerce, key, n={"NULL": True})
    assert "NOTE" in text_of(again["html"])
    commerce.ask("write", revision=again["revision"])
    deleted = commerce.ask(
        "stage", id=item_id(view_of(commerce.space).design, key), loaded=json.dumps(stored(commerce, key)), delete=True
    )
    commerce.ask("write", revision=deleted["revision"])
    assert stored(commerce, key) is None


def test_the_item_editor_rejects_more_than_a_hundred_actions_with_their_number(commerce: Studio) -> None:
    for number in range(101):
        item = {"PK": {"S": "NOTE"}, "SK": {"S": str(number)}}
        commerce.space.staged_items("Commerce").stage(_new(number, item))
    answer = commerce.ask("effects")
    assert "would write 101 items, but the limit is 100" in text_of(answer["html"])
    assert "disabled" in answer["bar"]


def _new(number: int, item: dict[str, Any]) -> Any:
    from singletable.studio.staged_items import StagedItem

    return StagedItem(f"new:{number}", None, item)


def form_of(shown: Studio, key: dict[str, Any], table: str) -> dict[str, str]:
    """Return the values of the form of an item, as a browser sends them."""
    from urllib.parse import quote

    return form_values(shown.page(f"/{table}/items?id={quote(json.dumps(key))}"))


POST = {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "POST#p1"}}


def test_the_form_of_the_item_editor_keeps_every_value(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk")
    assert values["f.amount"] == DIGITS
    assert (values["f.tone"], values["f.address.city"], values["f.tags#"], values["f.scores.0@"]) == (
        "loud", "Graz", "2", "first",
    )  # fmt: skip
    item = stored(desk, POST, "Desk")
    answer = desk.ask("stage", "Desk", id="x", entity="Post", loaded=json.dumps(item), mode="fields", values=values)
    assert answer["errors"] == {}
    assert "Nothing is staged" in text_of(answer["html"])


def test_the_form_of_the_item_editor_changes_nested_values_sets_and_enums(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk") | {"f.tone": "quiet", "f.address.city": "Linz", "f.tags.1": "new"}
    item = stored(desk, POST, "Desk")
    shaped = desk.ask("shape", "Desk", entity="Post", loaded="x", values=values, operation="add", path="f.tags")
    assert 'name="f.tags.2"' in shaped["html"]
    given = {"id": item_id(DESIGN_TABLE, POST), "entity": "Post", "loaded": json.dumps(item), "mode": "fields"}
    answer = desk.ask("stage", "Desk", **given, values=values)
    assert desk.ask("write", "Desk", revision=answer["revision"])["written"]
    found = view_of(desk.space, "Desk").rows.types.read(stored(desk, POST, "Desk"))
    assert (found.tone.value, found.address.city, found.tags) == ("quiet", "Linz", {"a", "new"})


def test_the_item_editor_shows_and_writes_derived_items_with_a_new_item(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk") | {"f.id": "p2"}
    answer = desk.ask("stage", "Desk", entity="Post", mode="fields", values=values)
    text = text_of(answer["html"])
    assert "Derived items kept in sync" in text
    assert "-posts1 +posts2" in text
    assert desk.ask("write", "Desk", revision=answer["revision"])["written"]
    account = stored(desk, {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "PROFILE"}}, "Desk")
    assert account["posts"] == {"N": "2"}


def test_the_item_editor_uses_a_version_as_the_condition_and_locks_counters(desk: Studio) -> None:
    key = {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "PROFILE"}}
    page = desk.page("/Desk/items?id=" + json.dumps(key).replace("#", "%23").replace('"', "%22"))
    assert "a counter; writes of the counted items change it" in page
    answer = staged(desk, key, "Desk", email={"S": "new@example.com"})
    text = text_of(answer["html"])
    assert "3 actions" in text
    request = text[text.index("ConditionExpression") :]
    assert "version" in request
    assert desk.ask("write", "Desk", revision=answer["revision"])["written"]
    assert stored(desk, key, "Desk")["version"] == {"N": "2"}


def test_the_item_editor_rejects_an_email_of_another_account_with_the_reason(desk: Studio) -> None:
    answer = staged(desk, {"PK": {"S": "ACCOUNT#a2"}, "SK": {"S": "PROFILE"}}, "Desk", email={"S": "ada@example.com"})
    conflict = desk.ask("write", "Desk", revision=answer["revision"])
    assert "email" in text_of(conflict["conflict"])
    assert "Nothing was written" in text_of(conflict["conflict"])


def test_the_item_editor_reports_wrong_fields_one_by_one(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk") | {"f.amount": "many", "f.at": "soon"}
    item = stored(desk, POST, "Desk")
    answer = desk.ask("stage", "Desk", id="x", entity="Post", loaded=json.dumps(item), mode="fields", values=values)
    assert answer["errors"] == {
        "f.amount": "amount must be Decimal, got 'many'",
        "f.at": "at must be datetime, got 'soon'",
    }


def test_dynamodb_is_read_only_and_reads_no_item_before_a_click() -> None:
    shown = studio(workspace(COMMERCE, "dynamodb://eu-west-1"))
    page = shown.page("/Commerce/items?id=" + json.dumps(ORDER).replace("#", "%23").replace('"', "%22"))
    assert "The item is not read yet" in page
    assert "read-only" in shown.ask("write", revision=0)["error"]
    assert shown.space.store.total.cost.requests == 0


def test_the_item_editor_edits_a_table_without_a_model_as_json(tmp_path: Path) -> None:
    shown = studio(workspace(store_of(tmp_path), "--table", "Commerce"))
    page = shown.page("/Commerce/items?id=" + json.dumps(ORDER).replace("#", "%23").replace('"', "%22"))
    assert "No entity of the model checks it" in page
    answer = staged(shown, ORDER, status={"S": "SHIPPED"})
    assert shown.ask("write", revision=answer["revision"])["written"]
    assert stored(shown, ORDER)["GSI2PK"] == {"S": "USER#42#PENDING"}
    shown.space.close()


def test_texts_of_items_are_escaped_in_the_editor(desk: Studio) -> None:
    script = '"><script>alert(1)</script></textarea><img src=x>'
    item = {
        **stored(desk, POST, "Desk"),
        "title": {"S": script},
        "scores": {"M": {script: {"N": "1"}}},
        script: {"S": script},
    }
    answer = staged(desk, POST, "Desk", **item)
    page = desk.page("/Desk/items?id=" + json.dumps(POST).replace("#", "%23").replace('"', "%22"))
    raw = {"PK": {"S": script}, "SK": {"S": script}}
    other = desk.ask("stage", "Desk", entity="", mode="json", json=json.dumps(raw))
    written = desk.ask("write", "Desk", revision=other["revision"])
    for html in (answer["html"], page, other["html"], written["html"]):
        assert "<script>alert" not in html
        assert "<img" not in html


def test_a_write_that_the_items_do_not_allow_says_why_before_it_is_sent(desk: Studio) -> None:
    account = {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "PROFILE"}}
    answer = staged(desk, account, "Desk", email={"S": "bob@example.com"})
    assert "another Account has email='bob@example.com'" in text_of(answer["html"])
    assert "cannot be written as it is" in text_of(answer["bar"])
    item = stored(desk, account, "Desk")
    given = {"id": item_id(DESIGN_TABLE, account), "entity": "Account", "loaded": json.dumps(item), "delete": True}
    answer = desk.ask("stage", "Desk", **given)
    assert "has posts = 1: it still counts other items" in text_of(answer["html"])
    assert "disabled" in answer["bar"].partition('id="write"')[2]


def test_the_item_editor_shows_an_error_of_a_number_at_its_field(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk") | {"f.amount": "1e400"}
    loaded = json.dumps(stored(desk, POST, "Desk"))
    answer = desk.ask("stage", "Desk", id="x", entity="Post", loaded=loaded, mode="fields", values=values)
    assert answer["errors"]["f.amount"].startswith("amount: Decimal('1E+400') is not a valid DynamoDB number")


def test_a_staged_new_item_has_the_name_of_its_key(desk: Studio) -> None:
    for name in ("n1", "n2"):
        item = {"id": {"S": name}, "email": {"S": f"{name}@example.com"}, "posts": {"N": "0"}, "version": {"N": "0"}}
        answer = desk.ask("stage", "Desk", entity="Account", mode="json", json=json.dumps(item))
    assert "Discard the change of n2" in answer["html"]


def test_the_item_editor_shows_a_text_that_a_form_field_would_change_as_json(desk: Studio) -> None:
    item = stored(desk, POST, "Desk") | {"title": {"S": "a\r\nb\x00"}, "scores": {"M": {"a\nb": {"N": "1"}}}}
    view = view_of(desk.space, "Desk")
    from singletable.studio.studio_store import send

    send(view.opened(), "PutItem", {"TableName": "Desk", "Item": item})
    values = form_of(desk, POST, "Desk") | {"f.tone": "quiet"}
    assert json.loads(values["f.title"]) == item["title"]
    given = {"id": item_id(DESIGN_TABLE, POST), "entity": "Post", "loaded": json.dumps(item), "mode": "fields"}
    answer = desk.ask("stage", "Desk", **given, values=values)
    assert desk.ask("write", "Desk", revision=answer["revision"])["written"]
    found = stored(desk, POST, "Desk")
    assert (found["title"], found["scores"], found["tone"]) == (item["title"], item["scores"], {"S": "quiet"})


def test_the_item_editor_sets_an_optional_field_of_a_new_element_to_none(desk: Studio) -> None:
    values = form_of(desk, POST, "Desk")
    shaped = desk.ask("shape", "Desk", entity="Post", loaded="x", values=values, operation="add", path="f.drafts")
    assert 'name="f.drafts.1.city?" checked' in shaped["html"]


def test_the_json_of_an_entity_in_the_item_editor_has_its_fields_and_no_keys(desk: Studio) -> None:
    from urllib.parse import quote

    page = unescape(desk.page(f"/Desk/items?as=json&id={quote(json.dumps(POST))}"))
    shown = json.loads(page.partition('DynamoDB JSON">\n')[2].partition("</textarea>")[0])
    assert "account_id" in shown
    assert not {"PK", "SK", "entity_type"} & shown.keys()


def test_the_item_editor_lists_a_staged_change_of_another_item(commerce: Studio) -> None:
    html = staged(commerce, ORDER, status={"S": "SHIPPED"})["html"]
    assert "data-discard" not in html
    assert "data-discard" in commerce.page("/Commerce/items?new=User")


def test_the_item_editor_shows_the_effects_of_the_open_item_first(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    html = staged(commerce, {"PK": {"S": "USER#42"}, "SK": {"S": "PROFILE"}}, name={"S": "Countess"})["html"]
    assert 0 < html.index("Countess") < html.index("SHIPPED")


def test_the_item_editor_creates_an_item_with_an_empty_set(desk: Studio) -> None:
    given = form_values(desk.page("/Desk/items?new=Post"))
    assert given["f.tags#"] == "0"
    given |= {"f.account_id": "a1", "f.id": "p2", "f.title": "New", "f.amount": "1", "f.tone": "loud"}
    given |= {"f.address.street": "Main", "f.at": "2026-05-01T00:00:00Z"}
    answer = desk.ask("stage", "Desk", entity="Post", mode="fields", values=given)
    assert answer["errors"] == {}
    desk.ask("write", "Desk", revision=answer["revision"])
    assert "tags" not in stored(desk, {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "POST#p2"}}, "Desk")


def test_the_item_editor_edits_an_item_whose_set_is_empty(desk: Studio) -> None:
    values = {name: text for name, text in form_of(desk, POST, "Desk").items() if not name.startswith("f.tags")}
    for title in ("Without tags", "Edited again"):
        given = {**values, "f.tags#": "0", "f.title": title}
        loaded = json.dumps(stored(desk, POST, "Desk"))
        answer = desk.ask(
            "stage", "Desk", id=item_id(DESIGN_TABLE, POST), entity="Post", loaded=loaded, mode="fields", values=given
        )
        assert answer["errors"] == {}
        desk.ask("write", "Desk", revision=answer["revision"])
    assert stored(desk, POST, "Desk")["title"] == {"S": "Edited again"}
    assert "tags" not in stored(desk, POST, "Desk")


def test_the_item_editor_starts_a_new_item_in_json_with_the_attributes_of_the_key(commerce: Studio) -> None:
    assert '"PK": {"S": ""}' in unescape(commerce.page("/Commerce/items?new="))
    assert "The model has no entity Nothing." in commerce.page("/Commerce/items?new=Nothing")


def test_the_item_editor_page_has_the_texts_of_the_item_as_it_was_read(commerce: Studio) -> None:
    staged(commerce, ORDER, status={"S": "SHIPPED"})
    page = unescape(commerce.page(f"/Commerce/items?id={json.dumps(ORDER)}".replace("#", "%23").replace(" ", "")))
    assert '"f.status": "PENDING"' in page
    assert 'name="f.status" value="SHIPPED"' in page


def test_the_item_editor_shows_for_a_changed_key_only_the_attributes_that_differ(commerce: Studio) -> None:
    text = text_of(staged(commerce, ORDER, user_id={"S": "7"})["html"])
    assert "deletes the item USER#42 / ORDER#2026-05-03T20:05:30Z#B7 all its attributes" in text
    assert "-user_id42 +user_id7 -PKUSER#42 +PKUSER#7 -GSI2PKUSER#42#PENDING +GSI2PKUSER#7#PENDING" in text
    assert "11 attributes as before" in text


def test_the_item_editor_says_that_a_change_with_an_invalid_field_is_not_staged(desk: Studio) -> None:
    key = {"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "POST#p1"}}
    given = form_values(desk.page(f"/Desk/items?id={json.dumps(key)}".replace("#", "%23").replace(" ", "")))
    loaded = json.dumps(stored(desk, key, "Desk"))
    answer = desk.ask(
        "stage", "Desk", id="x", entity="Post", loaded=loaded, mode="fields", values={**given, "f.amount": "many"}
    )
    assert "The change is not staged" in text_of(answer["html"])


def test_the_item_editor_shows_an_empty_text_as_quotation_marks(commerce: Studio) -> None:
    assert '-currencyEUR +currency""' in text_of(staged(commerce, ORDER, currency={"S": ""})["html"])
