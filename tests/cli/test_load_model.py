"""Every form of MODEL, and error messages with a location for models that cannot be loaded."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent

import pytest

from singletable.cli.load_model import load_tables
from singletable.errors import ModelNotLoaded
from tests.cli.program import ROOT, refused, singletable

Write = Callable[..., Path]
IMPORTS = """
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from singletable import Between, Page, Table, entity, get, pattern, query

"""
ENTITY = """
@entity(key=("THING#{id}", "META"))
@dataclass
class Thing:
    id: str
    name: str

"""
TABLE = """
class Things(Table, entities=[Thing]):
    @pattern()
    def thing(self, id: str) -> Thing | None:
        return get(Thing)
"""
GOOD = IMPORTS + ENTITY + TABLE
FLAWED = "class Things(Table, entities=[Thing]):\n"


@pytest.fixture(name="write")
def _write(tmp_path: Path) -> Write:
    def write(text: str | bytes, name: str = "model.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def line_with(path: Path, text: str) -> int:
    """Return the number of the last line that contains a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return max(number for number, line in enumerate(lines, 1) if text in line)


def of_table(body: str) -> str:
    return IMPORTS + ENTITY + FLAWED + indent(dedent(body), "    ")


# --- the forms of MODEL


@pytest.mark.parametrize(
    "model",
    [
        "examples/shop/model.py",
        "examples/shop/model.py:Shop",
        "./examples/shop/model.py",
        str(ROOT / "examples" / "shop" / "model.py"),
        "examples.shop.model",
        "examples.shop.model:Shop",
    ],
)
def test_load_model_accepts_a_file_or_a_module_with_or_without_a_table(model: str) -> None:
    finished = singletable("check", model)
    assert finished.returncode == 0
    assert finished.stderr == ""
    assert finished.stdout.count("Shop: the worksheet") == 1


def test_load_model_finds_a_module_in_the_current_folder(write: Write) -> None:
    write(GOOD, "things.py")
    folder = write(GOOD, "app/models/__init__.py").parents[2]
    for model in ("things", "things:Things", "app.models", "app.models:Things"):
        finished = singletable("check", model, cwd=folder)
        assert (finished.returncode, finished.stderr) == (0, ""), model


def test_load_model_loads_a_package_although_a_folder_has_its_name(write: Write) -> None:
    folder = write(GOOD, "things/__init__.py").parents[1]
    for model in ("things", "things:Things"):
        finished = singletable("check", model, cwd=folder)
        assert (finished.returncode, finished.stderr) == (0, ""), model


def test_load_model_lets_a_model_import_neighbouring_modules(write: Write) -> None:
    write(IMPORTS + ENTITY, "things_entities.py")
    path = write("from singletable import Table, get, pattern\nfrom things_entities import Thing\n" + TABLE)
    assert singletable("check", path).returncode == 0


def test_load_model_loads_an_imported_table_only_when_it_is_named(write: Write) -> None:
    write(GOOD, "things.py")
    path = write("from things import Things\n")
    assert "contains no table" in refused(singletable("check", path))
    assert singletable("check", f"{path}:Things").returncode == 0


@pytest.mark.parametrize("name", ["json.py", "enum.py", "decimal.py", "model-2.py", "my model.py", "größe.py"])
def test_load_model_loads_a_file_of_any_name(write: Write, name: str) -> None:
    finished = singletable("check", "--json", write(GOOD, name))
    assert (finished.returncode, finished.stderr) == (0, "")


# --- missing files and modules


def test_load_model_rejects_a_missing_file() -> None:
    said = refused(singletable("check", "examples/shop/modell.py"))
    assert said.startswith("examples/shop/modell.py: no such file")


@pytest.mark.parametrize("model", ["nothing_of_this_name", "nothing.of.this:Name", "examples.shop.modell:Shop"])
def test_load_model_rejects_a_missing_module(model: str) -> None:
    said = refused(singletable("check", model))
    assert said.startswith(f"{model.partition(':')[0]}: ")
    assert "no such" in said or "No module named" in said


@pytest.mark.parametrize("model", ["", ":", ":Shop"])
def test_load_model_rejects_an_argument_without_file_or_module(model: str) -> None:
    assert "no such file" in refused(singletable("check", model))


def test_load_model_rejects_a_folder(tmp_path: Path) -> None:
    assert str(tmp_path) in refused(singletable("check", tmp_path))


def test_load_model_rejects_a_file_without_a_table(write: Write) -> None:
    path = write(IMPORTS + ENTITY)
    assert refused(singletable("check", path)).startswith(f"{path} contains no table; a table is a subclass of")


def test_load_model_rejects_a_file_without_the_named_table(write: Write) -> None:
    path = write(GOOD)
    assert refused(singletable("check", f"{path}:Thing")).startswith(f"{path} contains no table Thing")


# --- files that are not Python


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (b"hello", "notes.txt", "not a Python file"),
        (b"x = (\n", "model.py", ":1: '(' was never closed"),
        (b"\n\ndef f():\nreturn 1\n", "model.py", ":4: expected an indented block"),
        (b"\nx = 1 1\n", "model.py", ":2: invalid syntax"),
        (b"\x00\x01\x02", "model.py", "null bytes"),
        (b'\nname = "\xff"\n', "model.py", "unicode error"),
        (b"\x89PNG\r\n\x1a\n", "model.py", "model.py:1: "),
    ],
    ids=["text", "bracket", "indentation", "syntax", "null bytes", "latin-1", "picture"],
)
def test_load_model_rejects_a_file_that_is_not_python(write: Write, text: bytes, name: str, said: str) -> None:
    path = write(text, name)
    message = refused(singletable("check", path))
    assert path.name in message
    assert said in message


def test_load_model_reports_a_syntax_error_in_an_imported_module_at_its_location(write: Write) -> None:
    broken = write("\n\nx = (\n", "things_entities.py")
    path = write("import things_entities\n")
    assert refused(singletable("check", path)).startswith(f"{broken}:3: ")


# --- errors while the model is imported


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("from singletable import Tabel", "ImportError: cannot import name 'Tabel' from 'singletable'"),
        ("from .entities import Thing", "ImportError: attempted relative import with no known parent package"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise KeyError", "KeyError"),
        ("print(undefined)", "NameError: name 'undefined' is not defined"),
        ("assert False, 'no'", "AssertionError: no"),
        ("import sys; sys.exit(3)", "the model calls sys.exit"),
        ("import sys; sys.exit()", "the model calls sys.exit"),
        ("import sys; sys.exit('a word')", "a word"),
        ("exit()", "the model calls sys.exit"),
        ("open('/nothing/of/this/name')", "FileNotFoundError"),
        ("import decimal; decimal.Decimal('x')", "InvalidOperation"),
        ("import json; json.loads('{')", "JSONDecodeError"),
        ("(lambda f: f(f))(lambda f: f(f))", "RecursionError"),
    ],
)
def test_load_model_reports_an_exception_with_its_line(write: Write, line: str, said: str) -> None:
    path = write(f"{GOOD}\n\n{line}\n")
    message = refused(singletable("check", path))
    assert message.startswith(f"{path}:{line_with(path, line)}: "), message
    assert said in message


def test_load_model_reports_an_exception_in_an_imported_module_at_its_location(write: Write) -> None:
    inner = write("\n\n1 / 0\n", "things_entities.py")
    path = write("import things_entities\n")
    assert refused(singletable("check", path)).startswith(f"{inner}:3: ZeroDivisionError: division by zero")


@pytest.mark.parametrize("folder", ["singletable", "my-singletable", "importlib", "site-packages-of-mine"])
def test_load_model_reports_the_location_of_an_exception_in_any_folder(write: Write, folder: str) -> None:
    path = write("\n1 / 0\n", f"{folder}/model.py")
    assert refused(singletable("check", path)).startswith(f"{path}:2: ZeroDivisionError")


def test_load_model_reports_a_location_relative_to_the_current_folder(write: Write) -> None:
    path = write("\n1 / 0\n", "models/shop.py")
    said = refused(singletable("check", "models/shop.py", cwd=path.parents[1]))
    assert said == "models/shop.py:2: ZeroDivisionError: division by zero\n"


# --- invalid designs


def of_entity(key: str, *fields: str, options: str = "") -> str:
    body = "".join(f"    {field}\n" for field in ("id: str", *fields))
    return f"{IMPORTS}\n@entity(key={key}{options})\n@dataclass\nclass Thing:\n{body}\n{TABLE}"


ENTITIES = {
    "a template that names an unknown field": (
        of_entity('("THING#{idd}", "META")'),
        ["Thing: key PK", "{idd}", "id"],
    ),
    "a template with a unmatched brace": (of_entity('("THING#{id", "META")'), ["unmatched brace"]),
    "an empty template": (of_entity('("THING#{id}", "")'), ["the template is empty"]),
    "an unknown format": (of_entity('("THING#{id:03d}", "META")'), ["{id:03d}", "{field}, {field:raw}"]),
    "two fields in one segment": (of_entity('("{id}-{name}", "META")', "name: str"), ["have no fixed length"]),
    "a literal that sorts wrong": (of_entity('("THING {id}", "META")'), ["contains ' '"]),
    "an invalid key": (of_entity("5"), ["key=5 is not a valid key"]),
    "a key of three": (
        of_entity('("A#{id}", "B", "C")'),
        ["is not a valid key; expected a partition and a sort key template"],
    ),
    "a type that is not supported in a key": (
        of_entity('("THING#{tags}", "META")', "tags: list[str]"),
        ["list[str] is not supported in a key"],
    ),
    "a ttl that is not a field": (
        of_entity('("THING#{id}", "META")', options=', ttl="expires"'),
        ["ttl names 'expires'"],
    ),
    "an identity that is not a field": (
        of_entity('("THING#{id}", "META")', options=', identity=("sku",)'),
        ["identity names 'sku'"],
    ),
    "findings accepted without a reason": (
        of_entity('("THING#{id}", "META")', options=', accept=["ST101"]'),
        ["accept must map the code of each finding to a reason, not ['ST101']", "reason"],
    ),
    "an unhashable annotation of a field": (
        of_entity('("THING#{id}", "META")', "tags: [str]"),
        ["'tags'", "[<class 'str'>]", "not a type"],
    ),
    "an annotation that is not a name": (
        of_entity('("THING#{id}", "META")', 'name: "Nothing"'),
        ["name 'Nothing' is not defined"],
    ),
}


@pytest.mark.parametrize("flaw", ENTITIES)
def test_load_model_reports_an_invalid_entity_at_its_decorator(write: Write, flaw: str) -> None:
    text, said = ENTITIES[flaw]
    path = write(text)
    message = refused(singletable("check", path))
    assert message.startswith(f"{path}:{line_with(path, '@entity(')}: "), message
    for piece in said:
        assert piece in message


PATTERNS = {
    "a parameter that is not a field": (
        "@pattern()\ndef thing(self, idd: str) -> Thing | None:\n    return get(Thing)\n",
        ["the parameter 'idd' is not a field of Thing", "'id'"],
    ),
    "a parameter of another type": (
        "@pattern()\ndef thing(self, id: int) -> Thing | None:\n    return get(Thing)\n",
        ["the parameter 'id' is int", "is str"],
    ),
    "a parameter without a type": (
        "@pattern()\ndef thing(self, id) -> Thing | None:\n    return get(Thing)\n",
        ["the parameter 'id' has no type"],
    ),
    "an unhashable annotation": (
        "@pattern()\ndef thing(self, id: [str]) -> Thing | None:\n    return get(Thing)\n",
        ["the annotation of 'id' is [<class 'str'>], which is not a type"],
    ),
    "an unhashable literal": (
        "@pattern()\ndef thing(self, id: Literal[['a']]) -> Thing | None:\n    return get(Thing)\n",
        ["the annotation of 'id' is", "which is not a type"],
    ),
    "an unhashable range": (
        "@pattern()\ndef thing(self, id: Between[{}]) -> Thing | None:\n    return get(Thing)\n",
        ["thing", "id"],
    ),
    "an unhashable answer": (
        "@pattern()\ndef thing(self, id: str) -> [Thing]:\n    return get(Thing)\n",
        ["but its body returns Thing | None"],
    ),
    "an annotation that is not a name": (
        "@pattern()\ndef thing(self, id: 'Nothing') -> Thing | None:\n    return get(Thing)\n",
        ["name 'Nothing' is not defined"],
    ),
    "a range of nothing": (
        "@pattern()\ndef thing(self, id: Between) -> Page[Thing]:\n    return query(Thing)\n",
        ["the parameter 'id' is Between without a type"],
    ),
    "an answer of another kind": (
        "@pattern()\ndef thing(self, id: str) -> Page[Thing]:\n    return get(Thing)\n",
        ["is annotated with Page[Thing], but its body returns Thing | None"],
    ),
    "no answer": (
        "@pattern()\ndef thing(self, id: str):\n    return get(Thing)\n",
        ["has no return type"],
    ),
    "a body that returns nothing": (
        "@pattern()\ndef thing(self, id: str) -> Thing | None:\n    get(Thing)\n",
        ["the body returns NoneType"],
    ),
    "a word that is none of the worksheet's": (
        "@pattern(frequency='often')\ndef thing(self, id: str) -> Thing | None:\n    return get(Thing)\n",
        ["frequency 'often' is not valid", "very high"],
    ),
    "a number below zero": (
        "@pattern(rate=-1)\ndef thing(self, id: str) -> Thing | None:\n    return get(Thing)\n",
        ["rate must be a number, 0 or greater, not -1"],
    ),
    "findings accepted without a reason": (
        "@pattern(accept=['ST001'])\ndef thing(self, name: str) -> Thing | None:\n    return get(Thing)\n",
        ["accept must map the code of each finding to a reason, not ['ST001']", "reason"],
    ),
    "a name that every table has": (
        "@pattern()\ndef get(self, id: str) -> Page[Thing]:\n    return query(Thing)\n",
        ["'get' is a reserved name and cannot be the name of a pattern"],
    ),
    "an entity of another table": (
        "@pattern()\ndef thing(self, id: str) -> Other | None:\n    return get(Other)\n",
        ["Other is not an entity of Things"],
    ),
}
OTHER = '@entity(key=("OTHER#{id}", "META"))\n@dataclass\nclass Other:\n    id: str\n\n'


@pytest.mark.parametrize("flaw", PATTERNS)
def test_load_model_reports_an_invalid_pattern_at_its_def(write: Write, flaw: str) -> None:
    body, said = PATTERNS[flaw]
    path = write(of_table(body).replace(FLAWED, OTHER + FLAWED))
    message = refused(singletable("check", path))
    assert message.startswith(f"{path}:{line_with(path, '    def ')}: "), message
    for piece in said:
        assert piece in message


def test_load_model_reports_a_pattern_body_that_raises_at_its_line(write: Write) -> None:
    path = write(
        of_table("@pattern()\ndef thing(self, id: str) -> Thing | None:\n    x = 1\n    return get(x.nothing)\n")
    )
    message = refused(singletable("check", path))
    assert message.startswith(f"{path}:{line_with(path, 'x.nothing')}: pattern thing: the body raised AttributeError")


def test_load_model_reports_duplicate_pattern_names_at_the_second(write: Write) -> None:
    one = "@pattern()\ndef thing(self, id: str) -> Thing | None:\n    return get(Thing)\n\n"
    path = write(of_table(one + one))
    message = refused(singletable("check", path))
    second = line_with(path, "def thing")
    assert message.startswith(
        f"{path}:{second}: the name 'thing' is defined twice: the pattern at model.py:{second - 4} has the same name"
    )


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("class Things(Table): ...", "entities"),
        ("class Things(Table, entites=[Thing]): ...", "entites"),
        ("class Things(Table, entities=Thing): ...", "Thing"),
        ("class Things(Table, entities=[str]): ...", "str is not an entity"),
        ("class Things(Table, entities=[Thing], delimiter='##'): ...", "invalid delimiter '##'"),
        ("class Things(Table, entities=[Thing], delimiter='%'): ...", "invalid delimiter '%'"),
        ("class Things(Table, entities=[Thing], accept=['ST101']): ...", "accept"),
    ],
)
def test_load_model_reports_an_invalid_table_at_its_class(write: Write, statement: str, said: str) -> None:
    path = write(f"{IMPORTS}{ENTITY}\n{statement}\n")
    message = refused(singletable("check", path))
    assert message.startswith(f"{path}:{line_with(path, statement)}: "), message
    assert said in message


def test_load_model_reports_every_problem_of_a_design_at_once(write: Write) -> None:
    body = """
        @pattern()
        def one(self, idd: str) -> Thing | None:
            return get(Thing)

        @pattern()
        def two(self, id: int) -> Thing | None:
            return get(Thing)
    """
    path = write(of_table(body))
    message = refused(singletable("check", path))
    assert f"{path}:{line_with(path, 'def one')}: pattern one" in message
    assert f"{path}:{line_with(path, 'def two')}: pattern two" in message


@pytest.mark.parametrize("command", ["check", "explain"])
def test_load_model_reports_the_same_error_to_every_command(write: Write, command: str) -> None:
    path = write("\n1 / 0\n")
    assert refused(singletable(command, path)).startswith(f"{path}:2: ZeroDivisionError")


def test_load_model_lets_a_file_of_a_package_import_its_neighbours(tmp_path: Path) -> None:
    package = tmp_path / "orders_app"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "entities.py").write_text(
        "from dataclasses import dataclass\nfrom singletable import entity\n\n"
        '@entity(key=("ORDER#{id}", "META"))\n@dataclass\nclass Order:\n    id: str\n'
    )
    (package / "tables.py").write_text(
        "from singletable import Table\nfrom .entities import Order\n\n"
        "class Orders(Table, entities=[Order]):\n    pass\n"
    )
    (table,) = load_tables(str(package / "tables.py"))
    assert (table.__name__, table.__module__) == ("Orders", "orders_app.tables")


def test_load_model_rejects_another_package_of_the_same_name(tmp_path: Path) -> None:
    for place in ("first", "second"):
        package = tmp_path / place / "twin_app"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "tables.py").write_text(
            "from singletable import Table\n\nclass Twin(Table, entities=[]):\n    pass\n"
        )
    load_tables(str(tmp_path / "first/twin_app/tables.py"))
    with pytest.raises(ModelNotLoaded, match="another module named twin_app"):
        load_tables(str(tmp_path / "second/twin_app/tables.py"))
