"""The import of a text file as a draft. The planner validates every part of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from singletable.cli.import_output import CLIENT_NAMES, read_source, write_import
from singletable.errors import DesignError, ImportRefused
from singletable.importers.draft import Draft, DraftTable
from singletable.importers.draft_tree import draft_tree
from singletable.importers.entity_references import with_reference_notes
from singletable.importers.json_document import InvalidText, decode_text
from singletable.importers.restricted_tree import load_tree
from singletable.importers.validation import Objection, validated
from singletable.planner.plan import Plan, UnsupportedPattern, Verdict
from singletable.planner.planner import plan_all


def find_objections(table: DraftTable) -> Sequence[Objection]:
    """Return why a table cannot be loaded, which patterns are not one request, and which proposals waste reads."""
    try:
        model = draft_tree(Draft(table.name, (table,)))
        with load_tree(model, CLIENT_NAMES) as names:
            outcomes = plan_all(names[table.class_name].design)
    except DesignError as problem:
        return [Objection(each.message) for each in problem.problems]
    except Exception as problem:  # an invalid draft must not show a traceback
        return [Objection(f"{type(problem).__name__}: {problem}")]
    unsupported = [each for each in outcomes if isinstance(each, UnsupportedPattern)]
    several = [each for each in outcomes if each.verdict is Verdict.UNDECLARED_FANOUT]
    proposed = {each.name for each in table.patterns if each.is_proposed}
    plans = [each for each in outcomes if isinstance(each, Plan) and each.pattern.name in proposed]
    seen: dict[str, str] = {}
    repeated = [each for each in plans if seen.setdefault(_request(each), each.pattern.name) != each.pattern.name]
    wasteful = [each for each in plans if any(_replaces(other, each) for other in plans)]
    return [
        *(Objection(each.reason, each.pattern.name) for each in unsupported),
        *(Objection("it needs more than one request", each.pattern.name) for each in several),
        *(Objection("another proposal sends the same request", each.pattern.name) for each in repeated),
        *(Objection("a collection reads its whole range", each.pattern.name) for each in wasteful),
    ]


def _request(plan: Plan) -> str:
    return repr((plan.pattern.intent, str(plan.pattern.signature), plan.index.alias))


def _replaces(collection: Plan, plan: Plan) -> bool:
    """Return whether a collection returns all entities that a query reads, including those that the query discards."""
    if not collection.members or not plan.other_entities or collection.index is not plan.index:
        return False
    returned = {entity.label for entity in collection.entities}
    return returned.issuperset(entity.label for entity in (*plan.entities, *plan.other_entities))


def import_draft(draft: Draft) -> Draft:
    """Return the draft without the parts that cannot be loaded, with a note for each of them."""
    return with_reference_notes(validated(draft, find_objections))


def import_text(options: argparse.Namespace, read: Callable[[str, str], Draft]) -> int:
    """Read the file and write the model."""
    name = "standard input" if options.file == "-" else options.file
    return write_import(import_draft(read(read_text(options.file), name)), options)


def read_text(file: str) -> str:
    """Return the text of a file in UTF-8; `-` is standard input."""
    try:
        return decode_text(read_source(file))
    except InvalidText as problem:
        name = "standard input" if file == "-" else file
        raise ImportRefused(f"{name}: {problem}") from None
