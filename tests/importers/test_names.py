"""Names from text in any script are valid Python names and do not hide the names that a model needs."""

from __future__ import annotations

import ast
import re
import unicodedata
from inspect import signature

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.table_metaclass import RESERVED
from singletable.importers.names import (
    class_name,
    field_name,
    index_alias,
    name_words,
    pattern_name,
    table_name,
)
from singletable.importers.vocabulary import BUILT_IN, INTENTS, OURS, STANDARD
from singletable.model.entity import entity

WORDS = st.sampled_from(sorted({*OURS, *STANDARD, *RESERVED, "key", "ttl", "accept", "str", "list", "limit", "class"}))
SCRIPTS = st.text(st.sampled_from("aZ9_-é\u0301ÜßŉﬁΔβЖж注文ग्राहकアｶﾞ٣ǅİ#'😀 \u200d"), max_size=12)


@given(text=st.text(max_size=20) | WORDS | SCRIPTS, taken=st.sets(WORDS))
def test_names_are_valid_and_not_already_taken(text: str, taken: set[str]) -> None:
    assert class_name(text, taken) not in {*taken, *OURS, *STANDARD, *BUILT_IN}
    assert field_name(text, taken) not in {*taken, *INTENTS, *BUILT_IN, "self", "limit", "cursor", "exists", "field"}
    assert pattern_name(text, taken) not in {*taken, *RESERVED, *OURS}
    assert index_alias(text, taken) not in taken
    for name in (class_name(text), field_name(text), pattern_name(text), index_alias(text, ())):
        assert unicodedata.normalize("NFKC", name) == name
        (assigned,) = ast.parse(f"{name} = 1").body
        assert isinstance(assigned, ast.Assign)
        assert isinstance(assigned.targets[0], ast.Name)
        assert assigned.targets[0].id == name


@given(texts=st.lists(SCRIPTS, max_size=6))
def test_class_and_field_names_are_unique(texts: list[str]) -> None:
    classes: list[str] = []
    fields: list[str] = []
    for text in texts:
        classes.append(class_name(text, classes))
        fields.append(field_name(text, fields))
    assert len({*classes, *fields}) == 2 * len(texts)


@pytest.mark.parametrize(
    ("text", "of_class", "of_field"),
    [
        ("user-address", "UserAddress", "user_address"),
        ("ORDER", "Order", "order"),
        ("createdAt", "CreatedAt", "created_at"),
        ("HTTPServer", "HttpServer", "http_server"),
        ("class", "Class", "class_"),
        ("42", "Item42", "value_42"),
        ("", "Item", "value"),
        ("date", "Date", "date"),
        ("Ünïcode", "Ünïcode", "ünïcode"),
        ("größe-klasse", "GrößeKlasse", "größe_klasse"),
        ("ЖУРНАЛ", "Журнал", "журнал"),
        ("注文", "Item注文", "注文"),
        ("Ｏｒｄｅｒ", "Order", "order"),  # noqa: RUF001  # wide letters on purpose
        ("cafe\u0301", "Café", "café"),
        ("☕ order", "Order", "order"),
    ],
)
def test_names_follow_python_conventions(text: str, of_class: str, of_field: str) -> None:
    assert (class_name(text), field_name(text)) == (of_class, of_field)


@pytest.mark.parametrize("word", [name for name, each in signature(entity).parameters.items() if each.kind.value == 3])
def test_names_of_index_aliases_are_not_keywords_of_an_entity(word: str) -> None:
    assert index_alias(word, []) != word


@pytest.mark.parametrize(("text", "name"), [("GSI1", "gsi1"), ("DealsByBrand", "deals_by_brand"), ("ttl", "ttl_2")])
def test_an_index_alias_is_its_name_in_snake_case(text: str, name: str) -> None:
    assert index_alias(text, []) == name


@pytest.mark.parametrize(
    ("text", "words"),
    [("createdAt", ["created", "At"]), ("HTTPCode 2", ["HTTP", "Code", "2"]), ("état_civil", ["état", "civil"])],
)
def test_names_are_split_into_words_before_capital_letters(text: str, words: list[str]) -> None:
    assert name_words(text) == words


@given(text=st.text(max_size=20) | SCRIPTS)
def test_a_table_name_is_valid_in_dynamodb(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]{3,255}", table_name(text))


def test_a_table_name_has_no_accents() -> None:
    assert [table_name(text) for text in ("Größe", "Orders", "W", "注文")] == ["Grosse", "Orders", "WTable", "Table"]
