"""Names out of text in any script are names in Python, and keep the letters that Python takes."""

from __future__ import annotations

import ast
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.drafts.draft import class_name, field_name
from singletable.drafts.identifiers import class_identifier, field_identifier, name_words, table_identifier

SCRIPTS = st.text(st.sampled_from("aZ9_-é\u0301ÜßŉﬁΔβЖж注文ग्राहकアｶﾞ٣ǅİ#'😀 \u200d"), max_size=12)


@given(text=st.text(max_size=20) | SCRIPTS)
def test_a_name_is_one_in_python_in_the_form_that_it_compares(text: str) -> None:
    for name in (class_identifier(text), field_identifier(text)):
        assert name.isidentifier()
        assert unicodedata.normalize("NFKC", name) == name
        assert vars_of(f"{name} = 1") == {name: 1}


def vars_of(source: str) -> dict[str, int]:
    found: dict[str, int] = {}
    exec(compile(ast.parse(source), "names", "exec"), {}, found)  # the parser's own judgement
    return found


@given(text=st.text(st.characters(codec="ascii"), max_size=20))
def test_plain_text_has_the_names_that_it_had(text: str) -> None:
    assert class_identifier(text) == class_name(text)
    assert field_identifier(text) == field_name(text)


@given(texts=st.lists(SCRIPTS, max_size=6))
def test_no_two_of_them_are_the_same_and_no_class_is_a_field(texts: list[str]) -> None:
    classes: list[str] = []
    fields: list[str] = []
    for text in texts:
        classes.append(class_identifier(text, classes))
        fields.append(field_identifier(text, fields))
    assert len({*classes, *fields}) == 2 * len(texts)


@pytest.mark.parametrize(
    ("text", "of_class", "of_field"),
    [
        ("Ünïcode", "Ünïcode", "ünïcode"),
        ("größe-klasse", "GrößeKlasse", "größe_klasse"),
        ("ÉtatDeCommande", "ÉtatDeCommande", "état_de_commande"),
        ("ЖУРНАЛ", "Журнал", "журнал"),
        ("注文", "Thing注文", "注文"),
        ("ग्राहक", "Thingग्राहक", "ग्राहक"),
        ("Ｏｒｄｅｒ", "Order", "order"),  # noqa: RUF001  # wide letters on purpose
        ("cafe\u0301", "Café", "café"),
        ("☕ order", "Order", "order"),
    ],
)
def test_letters_of_any_script_stay(text: str, of_class: str, of_field: str) -> None:
    assert (class_identifier(text), field_identifier(text)) == (of_class, of_field)


@pytest.mark.parametrize(
    ("text", "words"),
    [("createdAt", ["created", "At"]), ("HTTPCode 2", ["HTTP", "Code", "2"]), ("état_civil", ["état", "civil"])],
)
def test_words_end_where_a_capital_begins(text: str, words: list[str]) -> None:
    assert name_words(text) == words


@given(text=st.text(max_size=20) | SCRIPTS)
def test_a_table_has_a_name_that_dynamodb_takes(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]{3,255}", table_identifier(text))


def test_a_table_loses_accents_and_not_letters() -> None:
    assert [table_identifier(text) for text in ("Größe", "Orders", "W", "注文")] == [
        "Grosse",
        "Orders",
        "WTable",
        "Table",
    ]
