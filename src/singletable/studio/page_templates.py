"""Page templates: Jinja templates with escaped values, and the filters that they share."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from singletable.planner.formatting import format_bytes, format_count, format_number
from singletable.studio.key_pieces import KeyPieces

_JSON_TEXT = re.compile(r'("(?:[^"\\]|\\.)*")(:?)')
_UNIT = re.compile(r"(?<=\d) (?=(?:RRU|WRU|B|KB|MB|GB|ms|items?)\b)")


@cache
def environment() -> Environment:
    """Return the template environment. Every value is escaped, and a misspelt name is an error."""
    found = Environment(
        loader=PackageLoader("singletable.studio"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "breakable": breakable,
        "kind": class_name,
        "bytes": format_bytes,
        "call": breakable_call,
        "count": format_count,
        "json": json_markup,
        "key": key_markup,
        "units": unbroken_units,
        "number": format_number,
        "short_path": short_path,
    }
    found.filters.update(filters)
    return found


def render(name: str, **values: Any) -> str:
    """Return the HTML of a template with these values."""
    return environment().get_template(name).render(**values)


def class_name(value: object) -> str:
    """Return the name of the class of a value, such as a block of a document."""
    return type(value).__name__


def breakable(code: str) -> Markup:
    """Return code that a browser may wrap after `#`, `_` and `:`."""
    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[#_:])(?=[\w{])", code))


def short_path(path: str, names_max: int) -> str:
    """Return a path or a `file:` URL with its last names only, because the end of a path identifies the file."""
    start = "file:" if path.startswith("file:") else ""
    names = path.removeprefix(start).split("/")
    if len(names) <= names_max or "://" in path:
        return path
    return f"{start}\N{HORIZONTAL ELLIPSIS}/{'/'.join(names[-names_max:])}"


def breakable_call(code: str) -> Markup:
    """Return a call of a pattern that a browser wraps after `(`, `,` and `..`, and not inside of a short argument."""
    parts = [part for part in re.split(r"(?<=\()|(?<=,)|(?<=\.\.)(?=\S)", code) if part]
    return Markup("<wbr>").join(Markup("<span>{}</span>").format(part) for part in parts)


def key_markup(texts: KeyPieces) -> Markup:
    """Return a key with muted literals. A line can break before each delimiter."""
    parts = []
    for each in texts:
        shown = escape(each.text).replace("#", Markup("#<wbr>"))
        if each.field:
            title = f"{each.field} {each.value}".strip()
            parts.append(Markup('<span title="{}">{}</span>').format(title, shown))
        else:
            parts.append(Markup('<span class="literal">{}</span>').format(shown))
    return Markup("").join(parts)


def json_markup(text: str) -> Markup:
    """Return JSON with muted names and marked values of attributes: the `USER#42` in `{"PK": {"S": "USER#42"}}`."""
    parts: list[Markup] = []
    end, name = 0, ""
    for match in _JSON_TEXT.finditer(text):
        parts.append(escape(text[end : match.start()]))
        kind = "literal" if match[2] else "value" if name in ('"S"', '"N"', '"B"') else ""
        parts.append(Markup('<span class="{}">{}</span>').format(kind, match[1]) if kind else escape(match[1]))
        parts.append(escape(match[2]))
        end, name = match.end(), match[1] if match[2] else ""
    return Markup("").join([*parts, escape(text[end:])])


def unbroken_units(text: str) -> str:
    """Return a text in which a number and its unit stay on one line."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def ordered_json(value: Any) -> str:
    """Return JSON in which each typed value of DynamoDB is on one line."""
    return _compact(value, 0)


def _compact(value: Any, depth: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or (_is_typed(value) and len(flat) < 100):
        return flat
    space, end = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        inner = [f"{space}{json.dumps(name)}: {_compact(each, depth + 1)}" for name, each in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{end}}}"
    return "[\n" + ",\n".join(f"{space}{_compact(each, depth + 1)}" for each in value) + f"\n{end}]"


def _is_typed(value: Any) -> bool:
    """Return whether a value is one attribute value, or an object of texts such as the names of an expression."""
    if isinstance(value, dict):
        return all(
            isinstance(each, str | int | bool) or (isinstance(each, list) and _is_typed(each))
            for each in value.values()
        )
    return all(isinstance(each, str | int) for each in value)
