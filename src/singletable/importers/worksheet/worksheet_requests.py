"""The request of a row of a worksheet: the kind of read or write, the entity, the fields and the order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from singletable.importers.draft import RangeKind
from singletable.importers.names import field_name, name_words
from singletable.model.pattern_declaration import FREQUENCIES

Column = Literal["title", "name", "entry", "filters", "sort", "frequency", "budget", "items"]
RequestKind = Literal["get", "list", "with", "near", "search", "create", "put", "update", "delete"]
MOMENT = "created_at"
_VERBS = {
    *("get", "list", "find", "fetch", "show", "read", "load", "query", "retrieve", "look", "up", "lookup", "view"),
    *("search", "see", "display", "return", "select"),
}
_WRITES: Mapping[str, RequestKind] = {
    **dict.fromkeys(("create", "add", "insert", "register", "place", "save", "store", "write"), "create"),
    **dict.fromkeys(("put", "replace"), "put"),
    **dict.fromkeys(("update", "change", "set", "mark", "edit", "correct", "move", "rename"), "update"),
    **dict.fromkeys(("delete", "remove", "drop", "cancel"), "delete"),
}
_ARTICLES = {"a", "an", "the", "one", "single", "this", "that", "its", "their", "his", "her", "my", "our", "details"}
_MANY = {"all", "every", "each", "any", "list", "many", "several"}
_RECENT = {"last", "latest", "recent", "newest", "recently", "most", "new", "first", "top", "oldest", "next", "past"}
_JOINTS = {
    *("by", "of", "for", "in", "with", "near", "containing", "from", "since", "within", "to", "at", "on", "who"),
    *("that", "which", "after", "before", "between", "sorted", "ordered", "under", "belonging", "placed", "made"),
    *("where", "whose", "and", "or", "per", "using", "given", "via", "chronologically", "alphabetically", "having"),
}
_TEXT_SEARCH = re.compile(
    r"\bfull[ -]?text\b|\bby (?:free )?text\b(?! \w)|"
    r"\bsearch\b.*\b(?:containing|matching|(?:by|for) (?:\w+ )?(?:text|keywords?|terms?|phrases?|words?)$)"
)
"""A search inside text."""
_PLACEHOLDER = re.compile(r"[?:{<$@%\[(]|\.\.\.|$")
"""A placeholder for an argument."""
_VAGUE = {"item", "entry", "line", "record", "detail", "event", "row"}
_TIME_WORDS = r"(?:day|week|month|year|hour|minute|date|time|period)s?"
_MOMENT_NAME = re.compile(r"(?:^|_)(?:at|date|time|timestamp|day|on|since|moment)$")
_DESCENDING = re.compile(r"\bdesc(?:ending)?\b")
_THOUSANDS = r"\d{1,3}(?:[, _']\d{3})+(?:\.\d+)?"
_RATE = re.compile(
    rf"(?<![\w.,-])({_THOUSANDS}|\d+(?:[.,]\d+)?(?:e\d)?)\s*(?:(k|thousand|million|m(?=\s*(?:/|per\b)))(?!\w))?\+?\s*"
    r"(?:(?:req\w*|calls?|reads?|writes?|times)\s*)?(?:(?:/|per\b|an?\b)\s*(s|m|h|d|sec\w*|min\w*|hours?|days?|weeks?)\b)?(?![\w.,-])"
)
"""A rate: a number, a multiplier, a unit and a period."""
_NUMBERS = re.compile(r"(?:^|_)(?:price|total|amount|cost|balance|value|score|rank|rating|quantity|count|age|number)$")


@dataclass(frozen=True)
class WorksheetRow:
    """A row with its line number."""

    line: int
    cells: Mapping[Column, str]
    beyond: tuple[str, ...] = ()
    """Cells without a column name."""

    @property
    def title(self) -> str:
        """The description of the access pattern."""
        return self.cells.get("title", "")

    @property
    def entry(self) -> str:
        """The entry entity."""
        return self.cells.get("entry", "")


@dataclass
class RowRequest:
    """A request for items of an entity, by fields and in an order."""

    row: WorksheetRow
    kind: RequestKind
    entry: str
    target: str
    """The target entity as words, such as `order item`. The entry entity has the same form."""
    members: tuple[str, ...] = ()
    equal: list[str] = field(default_factory=list)
    range: tuple[str, RangeKind] | None = None
    order: str | None = None
    is_newest_first: bool = False
    is_descending: bool = False
    """Whether a list starts with the highest value of a field that is not a time."""
    is_consistent: bool = False
    is_unlimited: bool = False
    """Whether a list is read without a limit."""
    sets: tuple[str, ...] = ()
    """The fields that an update sets."""
    limit: int | None = None
    values: list[tuple[str, str]] = field(default_factory=list)
    """The constants in the row for fields compared with `=`."""
    not_understood: list[str] = field(default_factory=list)


def singular(word: str) -> str:
    """Return the singular of a word."""
    known = {"people": "person", "children": "child", "series": "series", "news": "news", "geo": "geo"}
    if word in known:
        return known[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2 else word


def words_of(text: str) -> list[str]:
    """Return the words of a text or of a class name in lower case."""
    return [word.lower() for word in name_words(text)]


def entity_words(text: str) -> str:
    """Return the name of an entity as words, in the singular."""
    words = words_of(text)
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def row_request(row: WorksheetRow, known: Sequence[str]) -> RowRequest:
    """Return the request of a row. `known` are the entities of the worksheet, as words."""
    entry = entity_words(row.entry)
    # a title such as "P8: ..." is numbered
    text = re.sub(r"^\s*[A-Za-z]{0,3}\d+\s*[:.)]\s*", "", row.title.replace("\u2019", "'"))
    tokens = _tokens(re.sub(r"\([^()]*\)", " ", text).lower())
    write = _WRITES.get(tokens[0]) if tokens else None
    phrase, rest, is_owned = _phrase(tokens[1:] if write else tokens)
    is_many = any(word in _MANY or word in _RECENT for word in tokens) or (bool(phrase) and _is_plural(phrase[-1]))
    target = _target(phrase, entry, known, is_owned=is_owned, is_many=is_many)
    found = RowRequest(row, write or ("list" if is_many or target != entry else "get"), entry, target)
    if write is None:
        _read_rest(found, rest, is_many=is_many and target == entry and bool(phrase) and _is_plural(phrase[-1]))
        _read_filters(found, row.cells.get("filters", ""))
        _read_sort(found, row.cells.get("sort", ""), tokens)
        if re.search(r"\b(?:near|nearby|nearest|radius)\b", f"{row.title} {row.cells.get('filters', '')}".lower()):
            found.kind = "near"
        elif _TEXT_SEARCH.search(text.strip().lower()):
            found.kind, found.target = "search", entry
        sorting = (found.order, found.range and found.range[0])
        found.equal = [name for name in found.equal if name not in sorting or name == "id"]
    if found.target != entry and found.kind in ("list", "get"):
        found.kind = "list"
        found.equal.insert(0, f"{field_name(entry)}_id")
    elif write == "update":
        _read_sets(found, row.cells.get("filters", ""))
    found.equal = list(dict.fromkeys(found.equal))
    return found


def _read_sets(found: RowRequest, text: str) -> None:
    """Read the fields that an update sets: `set status; set price`."""
    pieces = [piece.strip() for piece in re.split(r"[;,]", text) if piece.strip()]
    names = [(piece, re.fullmatch(r"sets? (\w+)(?: ?= ?.*)?", piece, re.IGNORECASE)) for piece in pieces]
    found.sets = tuple(dict.fromkeys(field_name(match[1]) for _, match in names if match))
    found.not_understood += [piece for piece, match in names if match is None]


def _tokens(text: str) -> list[str]:
    """Return the words, in any script. `user's` is one word."""
    letters = "".join(each if each == "'" or f"a{each}".isidentifier() else " " for each in text)
    return re.findall(r"[^\s']+(?:'s)?", letters)


def _phrase(tokens: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Return the words of the target, the words after them, and whether an owner precedes them (`a user's orders`)."""
    words = list(tokens)
    while words and (words[0] in _VERBS or words[0] in _ARTICLES or words[0] in _MANY or words[0] in _RECENT):
        words.pop(0)
    end = next((at for at, word in enumerate(words) if word in _JOINTS), len(words))
    phrase, rest = words[:end], words[end:]
    owner = next((at for at, word in enumerate(phrase) if word.endswith(("'s", "s'"))), None)
    if owner is not None:
        phrase = phrase[owner + 1 :]
    plain = [word for word in phrase if word not in _RECENT and word not in _MANY and not word.isdigit()]
    return [word for word in plain if word not in _ARTICLES] or plain, rest, owner is not None


def _is_plural(word: str) -> bool:
    return singular(word) != word


def _target(phrase: Sequence[str], entry: str, known: Sequence[str], *, is_owned: bool, is_many: bool) -> str:
    """Return the entity that is read: a known entity, the entry entity, or a new entity."""
    if not phrase:
        return entry
    words = [*phrase[:-1], singular(phrase[-1])]
    for start in range(len(words)):
        if " ".join(words[start:]) in known:
            return " ".join(words[start:])
    starts_with_entry = entry.split() == [singular(word) for word in phrase[: len(entry.split())]]
    if starts_with_entry and not is_owned and not (is_many and _is_plural(phrase[-1])):
        return entry  # the "user profile" is the user
    return " ".join(words[-2:] if words[-1] in _VAGUE else words[-1:])


def _read_rest(found: RowRequest, rest: Sequence[str], *, is_many: bool) -> None:
    """Read the words after the target: `by email`, `with all line items`, `sorted by price`."""
    text = " ".join(rest)
    text = re.sub(r"\b(?:sorted|ordered) by\b", "orderedby", text)
    if match := re.search(r"\borderedby ((?:\w+ ?){1,2})", text):
        found.order = field_name(match[1].strip())
        text = text.replace(match[0], " ")
    if match := re.search(r"\bwith (?:all |its |their |the |every )*(\w+(?: \w+)?)$", text):
        words = words_of(match[1])
        if found.target == found.entry and _is_plural(words[-1]) and not is_many:
            found.kind = "with"
            found.members = (" ".join([*words[:-1], singular(words[-1])]),)
            return
    if match := re.search(r"\bby (\w+(?: (?!and\b|for\b|in\b|of\b)\w+)?)(?: and (\w+))?", text):
        names = [field_name(each) for each in match.groups() if each]
        if names[0] in ("id", f"{field_name(found.entry)}_id"):
            names[0] = "id"
        if is_moment(names[0]) or is_number(names[0]):
            found.order = names[0]
        elif found.target == found.entry:
            found.equal += names
    if is_many and (match := re.search(r"\b(?:in|of|for|under|belonging to) (?:an? |the )?(\w+)", text)):
        found.equal.append(field_name(singular(match[1])))
    if re.search(r"\bsince\b|\bafter\b", text):
        found.range = (MOMENT, "Since")
    elif re.search(r"\bbefore\b|\buntil\b", text):
        found.range = (MOMENT, "Until")
    elif re.search(r"\bbetween\b|\bwithin (?:a )?(?:date|time)", text):
        found.range = (MOMENT, "Between")


_CHECKED: Sequence[tuple[str, RangeKind]] = (
    (r"(\w+) between(?: two)?(?:\W.*)?", "Between"),
    (r"(\w+) (?:since|after|from)(?:\W.*)?", "Since"),
    (r"(\w+) (?:until|before|up to)(?:\W.*)?", "Until"),
    (r"(\w+) (?:begins|starts) with.*", "Prefix"),
    (r"(\w+) prefix", "Prefix"),
    (r"(\w+) range", "Between"),
    (r"(\w+) ?(?:>=|>) ?.*", "Since"),
    (r"(\w+) ?(?:<=|<) ?.*", "Until"),
)


def _read_filters(found: RowRequest, text: str) -> None:
    for piece in re.split(r"[;,]|\band\b", text):
        if piece.strip():
            _read_filter(found, piece.strip())


def _read_filter(found: RowRequest, piece: str) -> None:
    """Read one filter: a period, a range, an equality, an order or a limit."""
    plain = piece.lower()
    if _read_option(found, plain):
        return
    if re.fullmatch(rf"(?:in |within )?(?:the )?(?:last|past|since|previous) (?:\d+ )?{_TIME_WORDS}", plain):
        found.range = (found.order or MOMENT, "Since")
    elif re.fullmatch(rf"(?:by |in |within )?(?:a )?(?:{_TIME_WORDS}) ?(?:range|window|span)?", plain):
        found.range = (found.order or MOMENT, "Between")
    elif match := re.fullmatch(r"by ([\w ]+)", plain):
        found.order = field_name(match[1])
    elif match := re.fullmatch(r"(\w+)(?: ?==?| (?:is|equals)\b) ?(.*)", piece, re.IGNORECASE):
        found.equal.append(field_name(match[1].lower()))
        if _PLACEHOLDER.match(match[2]) is None:
            found.values.append((found.equal[-1], match[2]))
    else:
        for pattern, kind in _CHECKED:
            if match := re.fullmatch(pattern, plain):
                name = field_name(match[1])
                found.range = (MOMENT if name in ("date", "time") else name, kind)
                return
        if re.fullmatch(r"[^\W\d]+", plain) and plain not in ("none", "all", "any"):
            found.equal.append(field_name(plain))
        elif not re.search(r"radius|near|\bkm\b|\bmiles?\b", plain):
            found.not_understood.append(plain)


def _read_option(found: RowRequest, plain: str) -> bool:
    """Read a limit or the consistency, and return whether the text is one of them."""
    if match := re.fullmatch(r"(?:first|top|last|limit|max) (\d{1,4})", plain):
        found.limit = int(match[1])
    elif plain in ("no limit", "without limit", "unlimited"):
        found.is_unlimited = True
    elif re.fullmatch(r"(?:strongly )?consistent(?:ly)?(?: reads?)?", plain):
        found.is_consistent = True
    else:
        return False
    return True


def _read_sort(found: RowRequest, text: str, title: Sequence[str]) -> None:
    plain = text.strip().lower()
    both = f"{plain} {' '.join(title)}"
    name = re.sub(
        r"\b(?:by|asc|ascending|desc|descending|first|newest|oldest|latest|order|a-z|z-a)\b|[(),]", " ", plain
    )
    if name.strip() and (words := words_of(name)):
        found.order = "_".join(words[:3])
    is_timed = re.search(r"\b(?:newest|latest|oldest|recent|chronologically|last|most recent)\b", both) is not None
    if found.range is not None and found.order is None and found.range[1] != "Prefix":
        found.order = found.range[0]
    if is_timed and found.order is None and found.kind != "get":
        found.order = MOMENT
    is_descending = re.search(r"\b(?:newest|latest|desc|descending|recent)\b|\blast \d+\b", both) is not None
    found.is_newest_first = is_descending and found.order is not None and is_moment(found.order)
    found.is_descending = (
        found.order is not None and not is_moment(found.order) and _DESCENDING.search(plain) is not None
    )
    if match := re.search(r"\b(?:last|first|top|latest|recent|newest) (\d{1,4})\b", " ".join(title)):
        found.limit = int(match[1])


def is_moment(name: str) -> bool:
    """Return whether a name is usual for a timestamp."""
    return _MOMENT_NAME.search(name) is not None


def is_number(name: str) -> bool:
    """Return whether a name is usual for a number."""
    return _NUMBERS.search(name) is not None


def frequency_of(text: str) -> tuple[str | None, float | None, str | None]:
    """Return the frequency word, the rate per second, and the text that was not understood."""
    plain = text.strip().lower()
    word = next((each for each in sorted(FREQUENCIES, key=len, reverse=True) if re.search(rf"\b{each}\b", plain)), None)
    if not re.search(r"\d", plain):
        return word, None, None if word or not plain else plain
    match = _RATE.search(plain)
    if match is None or re.search(r"\d|/|\bper\b", plain[: match.start()] + plain[match.end() :]):
        return word, None, plain
    many = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}.get(match[2], 1.0)
    seconds = {"m": 60, "h": 3600, "d": 86400, "w": 604800}.get((match[3] or "")[:1], 1)
    return word, _number(match[1]) * many / seconds or None, None


def _number(text: str) -> float:
    """Return a number: `1,000` and `1 000` are one thousand, `2,5` is 2.5."""
    if re.fullmatch(_THOUSANDS, text):
        return float(re.sub(r"[, _']", "", text))
    return float(text.replace(",", "."))


def items_of(text: str) -> int | None:
    """Return the expected number of items: `1,200` is 1200."""
    digits = re.sub(r"[, _]", "", text.strip())
    return int(digits) if digits.isascii() and digits.isdigit() and 0 < len(digits) <= 15 and int(digits) else None


def budget_of(text: str) -> float | None:
    """Return a latency budget in milliseconds: `< 10 ms` is 10, `0.5 s` is 500."""
    plain = text.strip().lower()
    number = rf"({_THOUSANDS}|\d+(?:\.\d+)?)"
    if match := re.search(rf"{number}\s*(ms|milliseconds?|s|secs?|seconds?)\b", plain):
        return _number(match[1]) * (1 if match[2].startswith("m") else 1000) or None
    match = re.fullmatch(rf"[<~≤]?\s*{number}", plain)
    return (_number(match[1]) or None) if match else None
