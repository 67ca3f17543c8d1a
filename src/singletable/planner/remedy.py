"""Remedies as data: alternative sets of source edits, each with a text that contains the exact source code to paste."""

from __future__ import annotations

from typing import ClassVar, Literal

from singletable.errors import Location
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.pattern_declaration import PatternDeclaration

PACKAGE = "singletable"
_UNBROKEN = str.maketrans(" ", "\u00a0")


@dataclass(frozen=True)
class Place:
    """The call or class in the source that an edit changes.

    `call` names the call in the body of a pattern (`query`). `inner` selects a call in a list: `GSI("gsi1")` in
    `indexes=`.
    """

    kind: Literal["entity", "pattern", "body", "table", "class"]
    name: str
    location: Location
    call: str = ""
    inner: InnerCall | None = None

    def __str__(self) -> str:
        outer = {
            "entity": f"@entity of {self.name}",
            "pattern": f"@pattern of {self.name}",
            "body": f"{self.call}(...) of {self.name}",
            "table": f"the table class {self.name}",
            "class": f"class {self.name}",
        }[self.kind]
        return outer if self.inner is None else f"{self.inner} of {outer}"


@dataclass(frozen=True)
class InnerCall:
    """A call in a list argument, such as `copy(Author)` or `GSI("gsi1")`. Its first argument distinguishes it."""

    keyword: str
    function: str
    first: str

    def __str__(self) -> str:
        return f"{self.function}({self.first})"


@dataclass(frozen=True)
class SetKeyword:
    """Add a keyword argument, or replace its value."""

    place: Place
    keyword: str
    source: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return f"{self.keyword}={self.source}"

    words: ClassVar[tuple[str, str]] = ("set", "in {place}")


@dataclass(frozen=True)
class RemoveKeyword:
    """Remove a keyword argument."""

    place: Place
    keyword: str

    @property
    def code(self) -> str:
        """The source to remove."""
        return f"{self.keyword}="

    words: ClassVar[tuple[str, str]] = ("remove", "from {place}")


@dataclass(frozen=True)
class SetItem:
    """Add an item to the dict of a keyword argument, or replace its value."""

    place: Place
    keyword: str
    key: str
    source: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return f'"{self.key}": {self.source}'

    words: ClassVar[tuple[str, str]] = ("set", "in {keyword}= of {place}")


@dataclass(frozen=True)
class AddElement:
    """Add an element to the list of a keyword argument."""

    place: Place
    keyword: str
    source: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return self.source

    words: ClassVar[tuple[str, str]] = ("add", "to {keyword}= of {place}")


@dataclass(frozen=True)
class RemoveElement:
    """Remove an inner call from the list that contains it."""

    place: Place

    @property
    def code(self) -> str:
        """The source to remove."""
        return str(self.place.inner)

    @property
    def keyword(self) -> str:
        """The keyword argument that contains the element."""
        assert self.place.inner is not None, "only a place with an inner call can be removed"
        return self.place.inner.keyword

    words: ClassVar[tuple[str, str]] = ("remove", "from {keyword}= of {outer}")


@dataclass(frozen=True)
class AddParameter:
    """Add a required parameter to the signature of a pattern."""

    place: Place
    name: str
    annotation: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return f"{self.name}: {self.annotation}"

    words: ClassVar[tuple[str, str]] = ("add the parameter", "to {name}")


@dataclass(frozen=True)
class SetParameter:
    """Add a keyword-only parameter with a default to a pattern, or replace the declaration of an existing parameter."""

    place: Place
    name: str
    source: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return f"{self.name}: {self.source}"

    words: ClassVar[tuple[str, str]] = ("set the keyword-only parameter", "of {name}")


@dataclass(frozen=True)
class SetFieldDeclaration:
    """Replace the declaration of a field in its class."""

    place: Place
    field: str
    source: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return self.source

    words: ClassVar[tuple[str, str]] = ("declare", "in {place}")


@dataclass(frozen=True)
class AddImport:
    """Import a name, unless the module already has it."""

    place: Place
    module: str
    name: str

    @property
    def code(self) -> str:
        """The source to paste."""
        return f"from {self.module} import {self.name}"

    words: ClassVar[tuple[str, str]] = ("add the import", "")


Edit = (
    SetKeyword
    | RemoveKeyword
    | SetItem
    | AddElement
    | RemoveElement
    | AddParameter
    | SetParameter
    | SetFieldDeclaration
    | AddImport
)


def clause(edit: Edit) -> str:
    """Return an edit as a clause. Spaces in its source are no-break spaces, so that line wrapping keeps it whole."""
    verb, where = edit.words
    place = edit.place
    shown = where.format(
        place=place,
        outer=replace(place, inner=None),
        name=place.name,
        keyword=getattr(edit, "keyword", ""),
    ).translate(_UNBROKEN)
    return f"{verb} {edit.code.translate(_UNBROKEN)} {shown}".rstrip()


@dataclass(frozen=True)
class Alternative:
    """Edits that together remove a finding, and a sentence about their effect.

    If an alternative changes what a pattern returns, or depends on facts outside the model, the author must decide.
    `check --fix` does not apply such an alternative.
    """

    edits: tuple[Edit, ...]
    effect: str = ""
    needs_decision: bool = False

    @property
    def sentence(self) -> str:
        """The edits as one sentence, in lower case, and the effect."""
        clauses = "; ".join(clause(edit) for edit in self.edits)
        return f"{clauses}.{f' {self.effect}' if self.effect else ''}"


@dataclass(frozen=True)
class Remedy:
    """The changes that remove a finding: an explanation, and alternatives to paste or to apply with `--fix`."""

    explanation: str = ""
    alternatives: tuple[Alternative, ...] = ()

    @property
    def automatic(self) -> Alternative | None:
        """The alternative that `check --fix` applies: the first one, unless the author must decide."""
        first = next(iter(self.alternatives), None)
        return None if first is None or first.needs_decision else first

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The explanation, and one paragraph per alternative. Spaces in source code are no-break spaces."""
        sentences = [each.sentence for each in self.alternatives]
        shown = [f"Or {each}" if number else f"{each[0].upper()}{each[1:]}" for number, each in enumerate(sentences)]
        return tuple(each for each in (self.explanation, *shown) if each)

    @property
    def lines(self) -> tuple[str, ...]:
        """The paragraphs as plain text."""
        return tuple(plain_text(paragraph) for paragraph in self.paragraphs)

    def __str__(self) -> str:
        return " ".join(self.lines)


def as_remedy(remedy: Remedy | str) -> Remedy:
    """Return a sentence as a remedy without edits."""
    return Remedy(remedy) if isinstance(remedy, str) else remedy


def plain_text(text: str) -> str:
    """Replace no-break spaces with spaces."""
    return text.replace("\u00a0", " ")


def entity_place(entity: Entity) -> Place:
    """Return the `@entity` call of an entity."""
    return Place("entity", entity.label, entity.location)


def class_place(entity: Entity) -> Place:
    """Return the class of an entity."""
    return Place("class", entity.label, entity.location)


def pattern_place(pattern: PatternDeclaration) -> Place:
    """Return the `@pattern` call of a pattern. It also represents the signature of the pattern."""
    return Place("pattern", pattern.name, pattern.location)


def body_place(pattern: PatternDeclaration) -> Place:
    """Return the call that the body of a pattern returns."""
    kind = getattr(pattern.intent, "kind", "") or type(pattern.intent).__name__.removesuffix("Intent").lower()
    return Place("body", pattern.name, pattern.location, "query" if kind == "feed" else kind)


def table_place(design: Design) -> Place:
    """Return the class statement of a table."""
    return Place("table", design.name, design.settings.location)


def index_place(design: Design, alias: str) -> Place | None:
    """Return the `GSI(...)`, `LSI(...)` or `inverse(...)` call that declares an index.

    Return None if there is no such call.
    """
    declared = next((each for each in design.settings.indexes if each.alias == alias), None)
    if declared is None:
        return None
    function = "inverse" if getattr(declared, "is_inverse", False) else type(declared).__name__
    return replace(table_place(design), inner=InnerCall("indexes", function, f'"{alias}"'))


def import_from_package(place: Place, name: str) -> AddImport:
    """Return the import of a public name of singletable."""
    return AddImport(place, PACKAGE, name)
