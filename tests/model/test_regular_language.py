"""Regular languages, compared with a slow oracle that lists all short texts."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.model.regular_language import (
    ANY_CHARACTER,
    ANYTHING,
    DIGITS,
    CharacterSet,
    Language,
    PrefixIndex,
    Run,
    any_of,
    between,
    common_text,
    concat,
    fixed,
    literal,
    overlap,
    repeated,
    union,
    without,
)

A, B, A_OR_B = ((97, 97),), ((98, 98),), ((97, 98),)
# Two sequences of at most three runs share a text of at most six characters, if they share one at all.
SHORT_TEXTS = ["".join(letters) for length in range(7) for letters in product("ab", repeat=length)]
# The ends of Unicode, and two neighbours in the middle of it.
EDGES = ["\x00", "a", "b", "\U0010ffff"]
EDGE_TEXTS = ["".join(letters) for length in range(4) for letters in product(EDGES, repeat=length)]

SETS: st.SearchStrategy[CharacterSet] = st.sampled_from([A, B, A_OR_B])
RUNS = st.builds(Run, SETS, st.booleans())
LANGUAGES = st.lists(st.lists(RUNS, max_size=3).map(tuple), max_size=2).map(tuple)
EDGE_TEXT = st.lists(st.sampled_from(EDGES), max_size=3).map("".join)


def pattern_of(language: Language, repeat: str = "*") -> re.Pattern[str]:
    """The oracle: the language as a regular expression of the re module."""

    def written(run: Run) -> str:
        ranges = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in run.characters)
        return f"[{ranges}]{repeat if run.repeated else ''}"

    return re.compile("|".join("(?:" + "".join(map(written, sequence)) + ")" for sequence in language) or "(?!)")


def texts_of(language: Language, among: list[str] = SHORT_TEXTS) -> set[str]:
    pattern = pattern_of(language)
    return {text for text in among if pattern.fullmatch(text)}


@pytest.mark.parametrize(
    ("language", "inside", "outside"),
    [
        (literal("ab"), ["ab"], ["", "a", "abb", "ba"]),
        (literal(""), [""], ["a"]),
        (((),), [""], ["a"]),
        (any_of(["a", "ab"]), ["a", "ab"], ["", "b", "aab"]),
        (any_of([]), [], ["", "a"]),
        (repeated(A), ["", "a", "aaa"], ["b", "ab"]),
        (fixed(A, A_OR_B), ["aa", "ab"], ["a", "ba", "aba"]),
        (fixed(), [""], ["a"]),
        (ANYTHING, ["", "a", "\x00\U0010ffff"], []),
        (concat(literal("a"), repeated(B), literal("a")), ["aa", "aba", "abba"], ["a", "ab", "abab"]),
        (concat(), [""], ["a"]),
        (concat(literal("a"), any_of([])), [], ["", "a"]),
        (union(), [], ["", "a"]),
    ],
)
def test_a_regular_language_contains_exactly_the_texts_it_describes(
    language: Language, inside: list[str], outside: list[str]
) -> None:
    pattern = pattern_of(language)
    assert [text for text in inside if not pattern.fullmatch(text)] == []
    assert [text for text in outside if pattern.fullmatch(text)] == []


@given(LANGUAGES, LANGUAGES)
def test_a_union_of_regular_languages_contains_the_texts_of_both(first: Language, second: Language) -> None:
    assert texts_of(union(first, second)) == texts_of(first) | texts_of(second)


@given(LANGUAGES, LANGUAGES)
def test_a_concatenation_of_regular_languages_contains_every_pair_of_texts(first: Language, second: Language) -> None:
    left, right = texts_of(first), texts_of(second)
    splits = {text for text in SHORT_TEXTS for n in range(len(text) + 1) if text[:n] in left and text[n:] in right}
    assert texts_of(concat(first, second)) == splits


@given(LANGUAGES, LANGUAGES)
def test_regular_languages_overlap_when_they_share_a_text(first: Language, second: Language) -> None:
    shared = texts_of(first) & texts_of(second)
    found = common_text(first, second)
    assert (found in shared) if shared else (found is None)
    assert overlap(first, second) == overlap(second, first) == bool(shared)


@given(LANGUAGES, st.lists(LANGUAGES, max_size=5))
def test_an_index_of_prefixes_leaves_out_no_regular_language_that_overlaps(
    language: Language, others: list[Language]
) -> None:
    places = PrefixIndex(others).places(language)
    assert {place for place, other in enumerate(others) if overlap(language, other)} <= places


def test_an_index_of_prefixes_finds_regular_languages_whose_fixed_start_agrees() -> None:
    templates = [concat(literal(prefix), repeated(DIGITS)) for prefix in ("ORDER#", "ORDER#A#", "ITEM#", "")]
    assert PrefixIndex(templates).places(literal("ORDER#A#1")) == {0, 1, 3}
    assert PrefixIndex(templates).places(concat(literal("ORDER#"), ANYTHING)) == {0, 1, 3}
    assert PrefixIndex(templates).places(ANYTHING) == {0, 1, 2, 3}


@given(LANGUAGES, LANGUAGES)
def test_a_common_text_of_regular_languages_avoids_empty_fields(first: Language, second: Language) -> None:
    lively = [pattern_of(language, repeat="+") for language in (first, second)]
    shared = [text for text in SHORT_TEXTS if all(pattern.fullmatch(text) for pattern in lively)]
    if shared:
        found = common_text(first, second)
        assert found in shared
        assert len(found) == min(map(len, shared))


def test_a_common_text_of_regular_languages_is_readable() -> None:
    assert common_text(concat(literal("ACCT#"), ANYTHING), concat(literal("ACCT#"), repeated(DIGITS))) == "ACCT#1"
    assert common_text(repeated(((0x30, 0x10FFFF),)), fixed(((0x41, 0x5A),))) == "A"


@given(EDGE_TEXT, EDGE_TEXT)
def test_a_regular_language_between_two_texts_contains_every_text_from_low_to_high(low: str, high: str) -> None:
    expected = {text for text in EDGE_TEXTS if low.encode() <= text.encode() <= high.encode()}
    assert texts_of(between(low, high), EDGE_TEXTS) == expected


def test_a_regular_language_of_a_range_whose_end_precedes_its_start_is_empty() -> None:
    assert between("b", "a") == ()
    assert not overlap(between("b", "a"), ANYTHING)


@pytest.mark.parametrize(
    ("low", "high", "key", "inside"),
    [
        ("PATH#root#eng", "PATH#root#eng$", "PATH#root#eng", True),
        ("PATH#root#eng", "PATH#root#eng$", "PATH#root#eng#db", True),
        ("PATH#root#eng", "PATH#root#eng$", "PATH#root#engineering", False),
        ("ORDER#2026", "ORDER#2027", "ORDER#2026-04", True),
        ("ORDER#2026", "ORDER#2027", "ORDER#2027-01", False),
        ("a", "a", "a", True),
        ("a", "a", "aa", False),
    ],
)
def test_a_regular_language_of_a_key_range_contains_the_expected_keys(
    low: str, high: str, key: str, inside: bool
) -> None:
    assert overlap(between(low, high), literal(key)) == inside


@given(st.sets(st.integers(0, 9)), st.integers(0, 9))
def test_a_regular_language_without_one_character_excludes_only_that_character(codes: set[int], excluded: int) -> None:
    def listed(characters: CharacterSet) -> list[int]:
        return [code for low, high in characters for code in range(low, high + 1)]

    # Runs of neighbours as one range each, as character sets are written.
    ranges: list[tuple[int, int]] = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    assert listed(without(tuple(ranges), chr(excluded))) == sorted(codes - {excluded})


@pytest.mark.parametrize("excluded", ["\x00", "#", "\U0010ffff"])
def test_a_regular_language_can_exclude_characters_at_the_ends_of_unicode(excluded: str) -> None:
    left = (Run(without(ANY_CHARACTER, excluded)),)
    assert not overlap((left,), literal(excluded))
    assert all(overlap((left,), literal(other)) for other in ["\x01", "$", "\U0010fffe"])


@pytest.mark.parametrize("count", [255, 256, 257, 1000])
def test_a_large_union_of_regular_languages_still_contains_each_text(count: int) -> None:
    texts = [f"T{number:04d}" for number in range(count)]
    language = any_of(texts)
    assert all(overlap(language, literal(text)) for text in texts[::17])
    assert len(language) <= 256


def test_a_bounded_union_of_regular_languages_excludes_unused_characters() -> None:
    language = any_of(f"{number:04d}" for number in range(1000))
    assert not overlap(language, literal("00a0"))


def test_a_bounded_concatenation_of_regular_languages_still_contains_every_text() -> None:
    texts = [f"{number:02d}" for number in range(20)]
    language = concat(literal("S#"), any_of(texts), literal("#"), any_of(texts))
    assert all(overlap(language, literal(f"S#{one}#{other}")) for one in texts for other in texts)


def test_a_regular_language_has_exact_fixed_text_next_to_many_alternatives() -> None:
    states = any_of(["OPEN", "DUE", "PICKED", "SENT", "LOST", "SOURCED"])
    shards = any_of(f"{number:02d}" for number in range(64))
    orders = concat(literal("ORDERS#"), states, literal("#"), shards)
    assert not overlap(orders, concat(literal("SOURCES#"), ANYTHING))
    assert not overlap(orders, concat(literal("ORDERS#OPEN#01#"), ANYTHING))


def test_a_regular_language_of_many_fields_with_many_values_is_small() -> None:
    values = any_of(f"{number:02d}" for number in range(50))
    language = concat(values, literal("#"), values, literal("#"), values)
    assert len(language) <= 256
    assert overlap(language, literal("49#00#49"))
    assert not overlap(language, literal("49#00"))
