"""The exported policy of a tenant allows every pattern for the tenant, and denies every request for another tenant."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import date
from typing import Any

import pytest

from examples.guide.open_tasks import Attempt, execute
from examples.guide.project_rows import ROWS
from examples.guide.projects import Project, Projects, Task
from examples.script import fill
from singletable import RequestRefused, key
from singletable.engine import Engine
from singletable.engine.access.authorization import PrincipalEngine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import AwsScope, tenant_policies

DENIED = "AccessDeniedException"
Document = dict[str, Any]


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with Engine(sweep_seconds=None) as found:
        with Projects.open(found, create=True) as projects:
            fill(projects, ROWS)
        yield found


def tenant(engine: Engine, name: str) -> PrincipalEngine:
    _, both = tenant_policies(exported_table(Projects.design), "tenant", "tenant", AwsScope())
    return engine.as_principal(
        Principal(f"arn:aws:iam::000000000000:role/{name}", parse_policies(both.entry), {"tenant": name})
    )


@pytest.fixture
def acme(engine: Engine) -> PrincipalEngine:
    return tenant(engine, "acme")


def test_every_pattern_works_for_the_own_tenant(acme: PrincipalEngine) -> None:
    new = Task(tenant="acme", project_id="p2", id="t9", title="Polish", status="OPEN", due=date(2026, 6, 1))
    with Projects.open(acme) as projects:
        assert [each.name for each in projects.projects("acme")] == ["Giant magnet", "Rocket skates"]
        assert projects.add_task(new) == new
        assert [each.id for each in projects.tasks_in_status("acme", "OPEN")] == ["t2", "t1", "t9"]
        projects.set_status("acme", "p2", "t9", "DONE")
        whole = projects.project_with_tasks("acme", "p2")
        assert whole is not None
        assert [each.status for each in whole.tasks] == ["DONE", "DONE"]
        projects.put_many([new])
        assert projects.get_many([key(Task, tenant="acme", project_id="p2", id="t9")], transaction=True) == [new]
        with projects.transaction() as changes:
            changes.delete(new)


def test_each_tenant_sees_only_its_own_tasks(engine: Engine) -> None:
    with Projects.open(tenant(engine, "globex")) as projects:
        assert execute(projects) == [Attempt("acme", [], DENIED), Attempt("globex", ["Rent a volcano"])]


def test_patterns_for_another_tenant_are_denied(acme: PrincipalEngine) -> None:
    new = Task(tenant="globex", project_id="p1", id="t1", title="Spy", status="OPEN", due=date(2026, 6, 1))
    own = new.model_copy(update={"tenant": "acme"})

    def both(projects: Projects) -> None:
        with projects.transaction() as changes:
            changes.put(own)
            changes.put(new)

    attempts: list[Callable[[Projects], object]] = [
        lambda projects: projects.projects("globex"),
        lambda projects: projects.project_with_tasks("globex", "p1"),
        lambda projects: projects.tasks_in_status("globex", "OPEN"),
        lambda projects: projects.add_task(new),
        lambda projects: projects.set_status("globex", "p1", "t1", "DONE"),
        lambda projects: projects.get(key(Project, tenant="globex", id="p1")),
        lambda projects: projects.delete(new),
        both,
    ]
    with Projects.open(acme) as projects:
        for attempt in attempts:
            with pytest.raises(RequestRefused, match=DENIED):
                attempt(projects)


def item_key(tenant: str, project: str = "p1", sort: str = "PROJECT") -> Document:
    return {"PK": {"S": f"TENANT#{tenant}#PROJECT#{project}"}, "SK": {"S": sort}}


TABLE = {"TableName": "Projects"}
OWN, OTHER, MISSING = item_key("acme"), item_key("globex"), item_key("globex", "p404")
NEW = {**OTHER, "name": {"S": "taken over"}}
CHANGE = {"UpdateExpression": "SET #n = :n", "ExpressionAttributeNames": {"#n": "name"}}
VALUE = {"ExpressionAttributeValues": {":n": {"S": "x"}}}
CHECK = {"ConditionExpression": "attribute_exists(PK)"}
WHERE = "WHERE PK = 'TENANT#globex#PROJECT#p1'"
ONE = f"{WHERE} AND SK = 'PROJECT'"


def query(partition: str, index: bool = False, **others: Any) -> Document:
    name = "GSI1PK" if index else "PK"
    placed = {"IndexName": "GSI1"} if index else {}
    values = {":p": {"S": partition}}
    return {**TABLE, **placed, "KeyConditionExpression": f"{name} = :p", "ExpressionAttributeValues": values, **others}


def equals(name: str, text: str) -> Document:
    return {name: {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": text}]}}


ATTEMPTS: list[tuple[str, Document]] = [
    ("GetItem", {**TABLE, "Key": OTHER}),
    ("GetItem", {**TABLE, "Key": MISSING}),
    ("GetItem", {**TABLE, "Key": item_key("acm"), "ConsistentRead": True}),
    ("GetItem", {**TABLE, "Key": item_key("acme2")}),
    ("GetItem", {**TABLE, "Key": item_key("ACME")}),
    ("GetItem", {**TABLE, "Key": item_key("*")}),
    ("GetItem", {**TABLE, "Key": OTHER, "AttributesToGet": ["name"]}),
    ("PutItem", {**TABLE, "Item": NEW}),
    ("PutItem", {**TABLE, "Item": {**NEW, "tenant": {"S": "acme"}}, "ReturnValues": "ALL_OLD"}),
    ("PutItem", {**TABLE, "Item": NEW, **CHECK, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}),
    ("PutItem", {**TABLE, "Item": {**MISSING, "name": {"S": "x"}}}),
    ("UpdateItem", {**TABLE, "Key": OTHER, **CHANGE, **VALUE, "ReturnValues": "ALL_NEW"}),
    ("UpdateItem", {**TABLE, "Key": OTHER, "AttributeUpdates": {"name": {"Value": {"S": "x"}}}}),
    ("DeleteItem", {**TABLE, "Key": OTHER, "ReturnValues": "ALL_OLD"}),
    ("DeleteItem", {**TABLE, "Key": MISSING, **CHECK}),
    ("Query", query("TENANT#globex#PROJECT#p1")),
    ("Query", query("TENANT#globex#PROJECT#p1", Select="COUNT")),
    ("Query", {**TABLE, "KeyConditions": equals("PK", "TENANT#globex#PROJECT#p1")}),
    ("Query", query("TENANT#globex#STATUS#OPEN", index=True)),
    ("Query", query("TENANT#globex#PROJECTS", index=True)),
    ("Query", {**TABLE, "IndexName": "GSI1", "KeyConditions": equals("GSI1PK", "TENANT#globex#PROJECTS")}),
    ("Scan", TABLE),
    ("Scan", {**TABLE, "IndexName": "GSI1"}),
    ("Scan", {**TABLE, "Segment": 0, "TotalSegments": 4, "Limit": 1}),
    ("BatchGetItem", {"RequestItems": {"Projects": {"Keys": [OTHER]}}}),
    ("BatchGetItem", {"RequestItems": {"Projects": {"Keys": [OWN, OTHER]}}}),
    ("BatchWriteItem", {"RequestItems": {"Projects": [{"PutRequest": {"Item": NEW}}]}}),
    ("BatchWriteItem", {"RequestItems": {"Projects": [{"DeleteRequest": {"Key": OTHER}}]}}),
    (
        "BatchWriteItem",
        {"RequestItems": {"Projects": [{"DeleteRequest": {"Key": OWN}}, {"DeleteRequest": {"Key": OTHER}}]}},
    ),
    ("TransactGetItems", {"TransactItems": [{"Get": {**TABLE, "Key": OWN}}, {"Get": {**TABLE, "Key": OTHER}}]}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {**TABLE, "Item": NEW}}]}),
    ("TransactWriteItems", {"TransactItems": [{"Update": {**TABLE, "Key": OTHER, **CHANGE, **VALUE}}]}),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Delete": {**TABLE, "Key": OWN}}, {"Delete": {**TABLE, "Key": OTHER}}]},
    ),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Delete": {**TABLE, "Key": OWN}}, {"ConditionCheck": {**TABLE, "Key": OTHER, **CHECK}}]},
    ),
    ("ExecuteStatement", {"Statement": f"SELECT * FROM Projects {WHERE}"}),
    ("ExecuteStatement", {"Statement": "SELECT * FROM Projects"}),
    ("ExecuteStatement", {"Statement": f"UPDATE Projects SET name = 'x' {ONE}"}),
    ("ExecuteStatement", {"Statement": f"DELETE FROM Projects {ONE} RETURNING ALL OLD *"}),
    ("ExecuteStatement", {"Statement": "INSERT INTO Projects VALUE {'PK': 'TENANT#globex#PROJECT#p7', 'SK': 'x'}"}),
    ("ExecuteStatement", {"Statement": "SELECT * FROM Projects.GSI1 WHERE GSI1PK = 'TENANT#globex#PROJECTS'"}),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": f"SELECT * FROM Projects {ONE}"}]}),
    ("ExecuteTransaction", {"TransactStatements": [{"Statement": f"DELETE FROM Projects {ONE}"}]}),
    ("DeleteTable", TABLE),
    ("UpdateTable", {**TABLE, "BillingMode": "PAY_PER_REQUEST"}),
    ("CreateBackup", {**TABLE, "BackupName": "copy"}),
    ("ListTables", {}),
    ("ListStreams", {}),
]


@pytest.mark.parametrize(("action", "request_"), ATTEMPTS)
def test_requests_for_another_tenant_are_denied_and_change_nothing(
    engine: Engine, acme: PrincipalEngine, action: str, request_: Document
) -> None:
    before = engine.call("Scan", TABLE)
    with pytest.raises(RequestRefused) as denied:
        acme.call(action, request_)
    assert denied.value.code == DENIED
    assert "globex" not in denied.value.message
    assert engine.call("Scan", TABLE) == before
    # The same request is valid: the denial is not the error of an invalid request.
    if not action.startswith(("Update", "Create", "Delete", "Put", "Transact", "Execute")):
        engine.call(action, request_)


@pytest.mark.parametrize("other", ["globex", "acme"])
def test_a_batch_of_statements_denies_those_for_another_tenant(
    engine: Engine, acme: PrincipalEngine, other: str
) -> None:
    both = parse_policies({"Version": "2012-10-17", "Statement": [partiql()]})
    policies = (*acme.principal.policies, *both)
    allowed = engine.as_principal(Principal(acme.principal.arn, policies, acme.principal.tags))
    text = f"SELECT name FROM Projects WHERE PK = 'TENANT#{other}#PROJECT#p1' AND SK = 'PROJECT'"
    (response,) = allowed.call("BatchExecuteStatement", {"Statements": [{"Statement": text}]})["Responses"]
    assert response.get("Error", {}).get("Code") == ("AccessDenied" if other == "globex" else None)
    assert ("Item" in response) == (other == "acme")


def partiql() -> Document:
    """Return a statement that allows PartiQL for the own tenant, which the export does not."""
    keys = ["TENANT#${aws:PrincipalTag/tenant}#*"]
    condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}, "Null": {"dynamodb:LeadingKeys": "false"}}
    return {"Effect": "Allow", "Action": "dynamodb:PartiQL*", "Resource": "*", "Condition": condition}


PARTIQL = [(action, request) for action, request in ATTEMPTS if action.startswith("Execute")]


@pytest.mark.parametrize(("action", "request_"), PARTIQL)
def test_statements_for_another_tenant_are_denied_where_partiql_is_allowed(
    engine: Engine, acme: PrincipalEngine, action: str, request_: Document
) -> None:
    policies = parse_policies({"Version": "2012-10-17", "Statement": [partiql()]})
    allowed = engine.as_principal(Principal(acme.principal.arn, policies, acme.principal.tags))
    before = engine.call("Scan", TABLE)
    with pytest.raises(RequestRefused, match=DENIED):
        allowed.call(action, request_)
    assert engine.call("Scan", TABLE) == before


def test_a_tenant_without_a_tag_may_read_nothing(engine: Engine, acme: PrincipalEngine) -> None:
    nobody = engine.as_principal(Principal(acme.principal.arn, acme.principal.policies))
    for tenant_name in ("acme", "", "*"):
        with pytest.raises(RequestRefused, match=DENIED):
            nobody.call("GetItem", {**TABLE, "Key": item_key(tenant_name)})
