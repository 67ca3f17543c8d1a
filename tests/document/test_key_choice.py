"""The section about the choice of keys: the fewest indexes, the proof, and the declared keys with the same fields."""

from __future__ import annotations

from dataclasses import dataclass

from examples.papers.model import Papers
from singletable import Page, Table, entity, get, native, pattern, query
from singletable.cost.prices import prices_of
from singletable.document.blocks import Section
from singletable.document.key_choice import key_choice_section
from singletable.document.markdown import to_markdown

PRICES = prices_of("us-east-1")


def text_of(section: Section) -> str:
    return to_markdown(section)


def test_the_key_choice_states_the_fewest_indexes_with_the_proof_and_the_declared_number() -> None:
    text = text_of(key_choice_section(Papers.design, PRICES, "choice"))
    assert "1 GSI (proved minimal: Topic needs 2 keys, one of them the table's)" in text
    assert "The declared keys use 2 indexes; 7 of 7 chosen keys are declared with the same fields." in text
    assert "- No two of these reads of Topic can share a key: copies of Paper in Topic, papers_with_topic." in text
    row = next(line for line in text.splitlines() if line.startswith("| `Topic` | gsi1 |"))
    assert "| gsi2 | papers_with_topic | partition by topic" in row
    for title in ("Copies", "What each write must be given", "Alternatives", "What the search covers"):
        assert f"<summary>{title}</summary>" in text


@entity()
@dataclass
class Note:
    id: str
    author: str


class Notes(Table, entities=[Note]):
    @pattern()
    def note(self, id: str) -> Note | None:
        return get(Note)

    @pattern()
    def notes_of(self, author: str) -> Page[Note]:
        return query(Note)


def test_the_key_choice_of_a_model_without_keys_says_how_to_add_them() -> None:
    text = text_of(key_choice_section(Notes.design, PRICES, "choice"))
    assert "1 GSI (proved minimal" in text
    assert "`singletable design MODEL --write` adds them" in text.replace("\\", "")
    assert "declared in" not in text


@entity(key=(native("id"),))
@dataclass
class Memo:
    id: str


class Memos(Table, entities=[Memo], keys=("id",)):
    @pattern()
    def memo(self, id: str) -> Memo | None:
        return get(Memo)


def test_a_table_without_a_sort_key_has_no_key_choice() -> None:
    assert not key_choice_section(Memos.design, PRICES, "choice").blocks
