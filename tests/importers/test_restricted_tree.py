"""Only declarations are loaded: every other statement, expression, name and attribute is rejected."""

from __future__ import annotations

import ast
import sys

import pytest

from singletable.cli.import_output import CLIENT_NAMES
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.draft_tree import draft_tree
from singletable.importers.python_source import declarations_source
from singletable.importers.restricted_tree import MODULE_NAME, TEXT_MAX, check_text, load_tree
from tests.importers.draft_features import FEATURES

MODEL = '''
@entity(key=("A#{id}", "A"), accept={"ST107": "why"})
@dataclass
class Author:
    """An author."""

    id: str
    name: str | None = None
    tags: list[str] = dataclass_field(default_factory=list)


class Library(Table, entities=[Author]):
    """A library."""

    @pattern(frequency="high")
    def author(self, id: str) -> Author | None:
        """One author."""
        return get(Author)

    @pattern()
    def named(self, id: str, name: str) -> Page[Author]:
        """Authors."""
        return query(Author, filter=lambda item: item.name == name)
'''
CALL = "__import__('os').system('true')"


def test_the_restricted_tree_loads_an_imported_model_with_its_tables() -> None:
    model = check_text(MODEL)
    assert (model.tables, model.classes, model.functions) == (["Library"], {"Author"}, set())
    with load_tree(model, CLIENT_NAMES) as names:
        assert [each.name for each in names["Library"].design.patterns] == ["author", "named"]
        assert MODULE_NAME in sys.modules
    assert MODULE_NAME not in sys.modules


@pytest.mark.parametrize("name", FEATURES)
def test_the_source_of_every_draft_feature_parses_to_the_same_tree(name: str) -> None:
    model = draft_tree(Draft("", (FEATURES[name],), doc=""))
    again = check_text(declarations_source(model))
    assert dumped(again.tree) == dumped(model.tree)


def dumped(tree: ast.AST) -> str:
    """Return a dump of the tree without the space that a file has after a docstring that ends in a quotation mark."""
    return ast.dump(tree).replace("\" ')", "\"')")


HOSTILE_CHANGES = [
    # statements
    ("class Library(", "import os\n\n\nclass Library("),
    ("class Library(", "from os import system\n\n\nclass Library("),
    ("class Library(", f"x = {CALL}\n\n\nclass Library("),
    ("class Library(", "def f(): pass\n\n\nclass Library("),
    ("class Library(", "for x in []: pass\n\n\nclass Library("),
    ("class Library(", "upgrade(Author, from_version=1)(print)\n\n\nclass Library("),
    ("class Library(", f"upgrade(Author, from_version={CALL})(f)\n\n\nclass Library("),
    ("    id: str\n", f"    id: str\n    {CALL}\n"),
    ("    id: str\n", "    id: str\n    __slots__ = ()\n"),
    ("    id: str\n", "    id: str\n    def __init__(self): pass\n"),
    ('        """One author."""\n', f'        """One author."""\n        {CALL}\n'),
    ("        return get(Author)\n", "        yield get(Author)\n"),
    # decorators, bases and keywords
    ("@dataclass\n", f"@dataclass\n@{CALL}\n"),
    ("@dataclass\n", "@dataclass(eq=False)\n"),
    ('@pattern(frequency="high")', "@staticmethod"),
    ("(Table, entities=[Author])", "(Table, object, entities=[Author])"),
    ("(Table, entities=[Author])", "(Table, metaclass=Author)"),
    ("(Table, entities=[Author])", "(Table, **{})"),
    ("class Author:", "class Author(Exception):"),
    ("class Author:", "class Table:"),
    ("class Author:", "class str:"),
    ("class Author:", "class __Author:"),
    # types, which are evaluated as text
    ("id: str\n    name", f'id: "{CALL}"\n    name'),
    ("id: str\n    name", f'id: list["{CALL}"]\n    name'),
    ("id: str\n    name", f"id: {CALL}\n    name"),
    ("id: str\n    name", "id: type\n    name"),
    ("id: str\n    name", "id: Literal[Author]\n    name"),
    ("-> Author | None", f"-> {CALL}"),
    ("name: str) ->", f'name: "{CALL}") ->'),
    ("name: str) ->", "name) ->"),
    ("name: str) ->", "*name: str) ->"),
    # values
    ("= None", f"= {CALL}"),
    ("= None", "= Author.__subclasses__()"),
    ("= None", "= Author.__mro__"),
    ("= None", "= (1).__class__"),
    ("= None", "= ''.join([])"),
    ("= None", "= [x for x in ()]"),
    ("= None", "= 10 ** 10"),
    ("= None", "= 'a' * 10"),
    ("= None", "= f'{1}'"),
    ("= None", "= (lambda: 1)()"),
    ("= None", "= open('x')"),
    ("= None", "= eval('1')"),
    ("= None", "= print"),
    ("= None", "= ..."),
    ("= None", "= 1e999"),
    ("= None", "= {**{}}"),
    ("= None", "= [*()]"),
    ("default_factory=list", "default_factory=print"),
    ("default_factory=list", "default_factory=eval"),
    ("default_factory=list", "default_factory=Author"),
    ("default_factory=list", "default_factory=[].clear"),
    ("default_factory=list", "default_factory=partial(print, 1)"),
    ("default_factory=list", "default_factory=list, init=False"),
    ("item.name == name", "item.__class__ == name"),
    ("item.name == name", "item._steps == name"),
    ("item.name == name", "item.name() == name"),
    ("item.name == name", "sys.modules == name"),
    ("item.name == name", "(item.name, name)[0] == name"),
    ("item.name == name", "item.name[name] == name"),
    ("lambda item:", "lambda item=print(1):"),
    ("lambda item:", "lambda *item:"),
    ("return get(Author)", "return print(Author)"),
    ("return get(Author)", "return get(Author).x"),
    ("def author(self, id: str)", "def author(self, get: str)"),
    ("def author(self, id: str)", "def author(self, id: str, *, id: str)"),
    ("def author(", "async def author("),
    ('accept={"ST107": "why"}', "accept={'a': 1}, accept={'a': 1}"),
]


@pytest.mark.parametrize(("old", "new"), HOSTILE_CHANGES)
def test_the_restricted_tree_rejects_code_other_than_declarations(old: str, new: str) -> None:
    changed = MODEL.replace(old, new, 1)
    assert changed != MODEL
    with pytest.raises(ImportRefused):
        check_text(changed)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "x" * (TEXT_MAX + 1),
        "\x00",
        "class A(Table, x=" + "[" * 90 + "]" * 90 + "): pass",
        "1|" * 50_000 + "1",
    ],
)
def test_the_restricted_tree_rejects_source_that_python_cannot_parse(text: str) -> None:
    with pytest.raises(ImportRefused):
        check_text(text)
