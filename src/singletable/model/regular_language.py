"""Regular languages: sets of texts, such as all texts that a key can have, and the test whether two sets overlap.

A language is a union of sequences of runs. A run is one character from a set, or any number of characters from that
set. Every key template and every range of a sort key is such a language, so the planner can prove that two sets of keys
never overlap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product, takewhile
from math import prod

from singletable.lazy_dataclass import dataclass

CharacterSet = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points, sorted and disjoint."""

_LAST = 0x10FFFF
ANY_CHARACTER: CharacterSet = ((0, _LAST),)
DIGITS: CharacterSet = ((ord("0"), ord("9")),)

# A union with more alternatives than this becomes one run, which contains all of them and also other texts. The planner
# may then report an overlap that cannot occur, but it never misses an overlap.
_MOST_ALTERNATIVES = 64
# Readable characters for example keys, in order of preference.
_READABLE = "17Aa0"


@dataclass(frozen=True)
class Run:
    """One character from a set, or any number of characters from that set."""

    characters: CharacterSet
    repeated: bool = False


Language = tuple[tuple[Run, ...], ...]
"""A union of sequences. `()` is the language without texts; `((),)` contains only the empty text."""

ANYTHING: Language = ((Run(ANY_CHARACTER, repeated=True),),)


def literal(text: str) -> Language:
    """Return the language of exactly this text."""
    return (tuple(Run(((ord(character), ord(character)),)) for character in text),)


def any_of(texts: Iterable[str]) -> Language:
    """Return the language of these texts."""
    return union(*(literal(text) for text in texts))


def repeated(characters: CharacterSet) -> Language:
    """Return the language of any number of these characters, including none."""
    return ((Run(characters, repeated=True),),)


def fixed(*sets: CharacterSet) -> Language:
    """Return the language of one character of each set, in order."""
    return (tuple(Run(characters) for characters in sets),)


def union(*languages: Language) -> Language:
    """Return the union of the languages."""
    return _bounded(tuple(dict.fromkeys(sequence for language in languages for sequence in language)))


def concat(*languages: Language) -> Language:
    """Return the concatenation of the languages."""
    parts = list(languages)
    # Simplifying the part with the most alternatives first keeps the parts with fixed text precise.
    while prod(len(part) for part in parts) > _MOST_ALTERNATIVES:
        widest = max(range(len(parts)), key=lambda place: len(parts[place]))
        parts[widest] = _one_run(parts[widest])
    return tuple(tuple(run for part in chosen for run in part) for chosen in product(*parts))


def between(low: str, high: str) -> Language:
    """Return the language of the texts from `low` to `high` inclusive, in the order of code points.

    UTF-8 bytes, which DynamoDB compares, have the same order.
    """
    if low > high:
        return ()
    shared = 0
    while shared < min(len(low), len(high)) and low[shared] == high[shared]:
        shared += 1
    stem, low_rest, high_rest = low[:shared], low[shared:], high[shared:]
    if not low_rest:  # low is a prefix of high: the range contains low and all its extensions up to high
        return concat(literal(stem), _up_to(high_rest))
    middle = (ord(low_rest[0]) + 1, ord(high_rest[0]) - 1)
    inner: Language = ((Run((middle,)), Run(ANY_CHARACTER, repeated=True)),) if middle[0] <= middle[1] else ()
    from_low = concat(literal(low_rest[0]), _from(low_rest[1:]))
    to_high = concat(literal(high_rest[0]), _up_to(high_rest[1:]))
    return concat(literal(stem), union(from_low, inner, to_high))


def _from(low: str) -> Language:
    alternatives: list[Language] = [concat(literal(low), ANYTHING)]
    for position, character in enumerate(low):
        if ord(character) < _LAST:
            higher = Run(((ord(character) + 1, _LAST),))
            alternatives.append(concat(literal(low[:position]), ((higher, Run(ANY_CHARACTER, repeated=True)),)))
    return union(*alternatives)


def _up_to(high: str) -> Language:
    alternatives: list[Language] = [literal(high)]
    for position, character in enumerate(high):
        alternatives.append(literal(high[:position]))
        if ord(character) > 0:
            lower = Run(((0, ord(character) - 1),))
            alternatives.append(concat(literal(high[:position]), ((lower, Run(ANY_CHARACTER, repeated=True)),)))
    return union(*alternatives)


def pattern(language: Language) -> str:
    """Return the language as a regular expression."""

    def expression(run: Run) -> str:
        ranges = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in run.characters)
        return f"[{ranges}]{'*' if run.repeated else ''}"

    return "|".join("".join(map(expression, sequence)) for sequence in language) or "(?!)"


def _bounded(sequences: Language) -> Language:
    return sequences if len(sequences) <= _MOST_ALTERNATIVES else _one_run(sequences)


def _one_run(sequences: Language) -> Language:
    """Return one run that contains every text of the sequences; it can also contain other texts."""
    ranges = sorted({bounds for sequence in sequences for run in sequence for bounds in run.characters})
    merged: list[tuple[int, int]] = []
    for low, high in ranges:
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return ((Run(tuple(merged), repeated=True),),)


def without(characters: CharacterSet, excluded: str) -> CharacterSet:
    """Return the set without one character."""
    code = ord(excluded)
    result: list[tuple[int, int]] = []
    for low, high in characters:
        result += [(a, b) for a, b in ((low, min(high, code - 1)), (max(low, code + 1), high)) if a <= b]
    return tuple(result)


class PrefixIndex:
    """Languages, indexed by the fixed text at their start.

    The index finds the languages that can overlap another language.
    """

    def __init__(self, languages: Sequence[Language]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, language in enumerate(languages):
            for prefix in {_leading_text(sequence) for sequence in language}:
                self._places.setdefault(prefix, []).append(place)
        self._prefixes = sorted(self._places)

    def places(self, language: Language) -> set[int]:
        """Return the positions of the languages that can overlap: one fixed text is a prefix of the other."""
        found: set[int] = set()
        for prefix in {_leading_text(sequence) for sequence in language}:
            for length in range(len(prefix)):
                found.update(self._places.get(prefix[:length], ()))
            for other in islice(self._prefixes, bisect_left(self._prefixes, prefix), None):
                if not other.startswith(prefix):
                    break
                found.update(self._places[other])
        return found


def _leading_text(sequence: tuple[Run, ...]) -> str:
    """Return the text that every text of a sequence starts with."""
    fixed_runs = takewhile(lambda run: not run.repeated and _is_one_character(run.characters), sequence)
    return "".join(chr(run.characters[0][0]) for run in fixed_runs)


def _is_one_character(characters: CharacterSet) -> bool:
    return len(characters) == 1 and characters[0][0] == characters[0][1]


def overlap(first: Language, second: Language) -> bool:
    """Return whether the languages share a text."""
    return any(_overlap(ours, theirs) for ours in first for theirs in second)


_intersections = 0


def intersections() -> int:
    """Return how many sequences this process has compared: a measure of the planner's work."""
    return _intersections


def _overlap(first: tuple[Run, ...], second: tuple[Run, ...]) -> bool:
    """Return whether two sequences share a text, by a search over pairs of positions."""
    global _intersections  # noqa: PLW0603  # a count of work, for tests and the benchmark
    _intersections += 1
    ends = (len(first), len(second))
    stack, seen = [(0, 0)], {(0, 0)}
    while stack:
        state = stack.pop()
        if state == ends:
            return True
        for step in _steps(first, second, *state):
            if step[:2] not in seen:
                seen.add(step[:2])
                stack.append(step[:2])
    return False


def common_text(first: Language, second: Language) -> str | None:
    """Return a short text that is in both languages, or None.

    Texts in which no run is empty are preferred as examples.
    """
    for ours, theirs in ((_without_empty_runs(first), _without_empty_runs(second)), (first, second)):
        found = [text for a in ours for b in theirs if (text := _common(a, b)) is not None]
        if found:
            return min(found, key=lambda text: (len(text), text))
    return None


def _without_empty_runs(language: Language) -> Language:
    """Return the texts in which every repeated run has at least one character."""
    return tuple(
        tuple(part for run in sequence for part in ((Run(run.characters), run) if run.repeated else (run,)))
        for sequence in language
    )


def _common(first: tuple[Run, ...], second: tuple[Run, ...]) -> str | None:
    """Return the shortest text in both sequences, by a breadth-first search over pairs of positions."""
    global _intersections  # noqa: PLW0603  # a count of work, for tests and the benchmark
    _intersections += 1
    queue: deque[tuple[int, int, str]] = deque([(0, 0, "")])
    seen = {(0, 0)}
    while queue:
        ours, theirs, text = queue.popleft()
        if ours == len(first) and theirs == len(second):
            return text
        for step in _steps(first, second, ours, theirs):
            if step[:2] not in seen:
                seen.add(step[:2])
                # Steps without a character go first, so that the search continues in order of length.
                next_state = (step[0], step[1], text + step[2])
                queue.append(next_state) if step[2] else queue.appendleft(next_state)
    return None


def _steps(first: tuple[Run, ...], second: tuple[Run, ...], ours: int, theirs: int) -> Iterator[tuple[int, int, str]]:
    a = first[ours] if ours < len(first) else None
    b = second[theirs] if theirs < len(second) else None
    if a and a.repeated:
        yield ours + 1, theirs, ""
    if b and b.repeated:
        yield ours, theirs + 1, ""
    if a and b and (character := _shared_character(a.characters, b.characters)):
        # A repeated run can continue here. The steps above, which consume no character, leave the run.
        yield ours + (not a.repeated), theirs + (not b.repeated), character


def _shared_character(first: CharacterSet, second: CharacterSet) -> str | None:
    shared = [
        (max(low, other_low), min(high, other_high))
        for low, high in first
        for other_low, other_high in second
        if max(low, other_low) <= min(high, other_high)
    ]
    if not shared:
        return None
    readable = (c for c in _READABLE if any(low <= ord(c) <= high for low, high in shared))
    return next(readable, chr(shared[0][0]))
