"""Every example runs under its exported IAM policies, which the engine enforces."""

from __future__ import annotations

import pytest

from examples import SYSTEMS
from examples.script import fill
from singletable.engine import Engine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import AwsScope, Scope, policies_of
from tests.examples.scripts import clock_of, every_script, expected, script

SCRIPTS = [(system, name) for system in SYSTEMS for name in every_script(system)]
ARN = "arn:aws:iam::000000000000:role/example"


def principal(model: type, scope: Scope) -> Principal:
    found = policies_of(exported_table(model.design), scope, AwsScope())  # type: ignore[attr-defined]  # a Table
    return Principal(
        ARN,
        tuple(document for policy in found for document in parse_policies(policy.entry, policy.name)),
    )


@pytest.mark.parametrize("scope", ["application", "entity"])
@pytest.mark.parametrize(("system", "name"), SCRIPTS)
def test_a_script_runs_under_the_exported_policies(
    system: str, name: str, scope: Scope, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = script(system, name)
    with Engine(now=clock_of(chosen), sweep_seconds=None) as engine:
        with chosen.model.open(engine, create=True) as table:
            fill(table, chosen.rows)
        limited = engine.as_principal(principal(chosen.model, scope))
        with chosen.model.open(limited) as table:
            chosen.show(chosen.execute(table))
    assert capsys.readouterr().out == expected(system, name)
