"""Patterns that write: what their plan says, with the caller's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.items.decoder import made_of, make
from singletable.client.steps import Steps
from singletable.client.writing.wanted import Wanted
from singletable.client.writing.writer import Writer
from singletable.model.intents import Write
from singletable.planner.bind import item_key
from singletable.planner.bind_write import written_values
from singletable.planner.plan import Plan
from singletable.planner.stored import checked


def run_write(writer: Writer, plan: Plan, arguments: Mapping[str, Any]) -> Steps[Any]:
    """Writes, and returns the object as it is now, or as it was before its end."""
    intent, entity, name = plan.pattern.intent, plan.wanted[0], plan.pattern.name
    assert isinstance(intent, Write), "a write's plan has a write's intent"
    for parameter in plan.pattern.parameters.values():
        checked(parameter, arguments[parameter.name])  # what is stored has to be read back
    if intent.kind in ("put", "create"):
        value = make(made_of(entity), written_values(plan, entity, arguments))
        return writer.put(value, source=name) if intent.kind == "put" else writer.create(value, source=name)
    known = {field: arguments[field] for field in entity.fields if field in arguments}
    item_key(plan, arguments)  # refuses arguments that make no key
    wanted = Wanted(intent.kind, entity, known, None, intent.changes, intent.where, arguments)
    return writer.delete(wanted, source=name) if intent.kind == "delete" else writer.update(wanted, source=name)
