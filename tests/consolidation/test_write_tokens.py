"""Write tokens: a dual write that the application repeats with its token takes effect once, whatever failed before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from singletable import ArgumentRefused, Table, entity, field, get, key, pattern
from singletable.client.request_steps import Step, Steps, run, with_responses
from singletable.consolidation import Consolidation, DynamoDBSource, install
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.consolidation_state import Stage
from singletable.consolidation.dual_table import opened_dual_table
from singletable.consolidation.dual_writer import DualWriter, transaction_of
from singletable.consolidation.write_tokens import TOKEN_SECONDS, _hash
from singletable.engine import Engine
from singletable.errors import Unreachable

ROWS = "old-accounts"
LOSES_THE_RESPONSE, CHANGES_THE_ROW = "loses the response", "changes the row before"


@entity(key=("ACCOUNT#{id}", "ACCOUNT"))
@dataclass
class Account:
    id: str
    balance: int
    note: str = ""


class Bank(Table, entities=[Account]):
    @pattern
    def account(self, id: str) -> Account | None:
        return get(Account)


def account_of(row: Any) -> Account:
    return Account(row["id"], int(row["balance"]), row.get("note", ""))


def row_of(account: Account) -> dict[str, Any]:
    return {"id": account.id, "balance": account.balance, "note": account.note}


@dataclass
class Sides:
    engine: Engine
    consolidation: Consolidation[Bank]
    bank: Bank
    client: Any
    other: Any
    """A client with dual writes, as another process has."""

    @property
    def writer(self) -> DualWriter:
        return opened_dual_table(self.bank).writer_of_both

    @property
    def run(self) -> ConsolidationRun:
        return ConsolidationRun(self.consolidation, self.bank, ConsolidationSettings(wait_seconds=0.0))

    def balances(self) -> tuple[int, int]:
        """Return the balance of the account in the old table and in the new one, after a comparison of both."""
        assert not run(self.run.verify(), self.bank._opened().session).failures
        row = self.client.get_item(TableName=ROWS, Key={"id": {"S": "a"}})["Item"]
        account = self.bank.account("a")
        assert account is not None
        return int(row["balance"]["N"]), account.balance

    def token_items(self) -> list[dict[str, Any]]:
        items = self.client.scan(TableName="Bank")["Items"]
        return [each for each in items if "#tokens#" in each["PK"]["S"]]


@pytest.fixture
def sides() -> Iterator[Sides]:
    engine = Engine("memory:")
    client, other = engine.boto3_client(), engine.boto3_client()
    client.create_table(
        TableName=ROWS,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    client.put_item(TableName=ROWS, Item={"id": {"S": "a"}, "balance": {"N": "0"}, "note": {"S": ""}})
    Bank.open(engine, create=True).close()
    consolidation = Consolidation(Bank, DynamoDBSource(ROWS, account_of, row_of))
    with consolidation.open(engine) as bank:
        install(bank, client)
        install(bank, other)
        made = Sides(engine, consolidation, bank, client, other)
        assert not run(made.run.run(), bank._opened().session).failures
        consolidation.refresh(bank)
        yield made


def deposit(amount: int = 1, **options: Any) -> dict[str, Any]:
    update = {
        "TableName": ROWS,
        "Key": {"id": {"S": "a"}},
        "UpdateExpression": "ADD balance :amount",
        "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
        **options,
    }
    return {"TransactItems": [{"Update": update}]}


def with_faults(sides: Sides, *faults: str) -> Callable[[Step], Steps[Sequence[Any]]]:
    """Return a function that sends the steps of a write, and lets each of its transactions meet the next fault."""
    remaining = iter(faults)

    def send(step: Step) -> Steps[Sequence[Any]]:
        fault = "" if transaction_of(step) is None else next(remaining, "")
        if fault == CHANGES_THE_ROW:
            update = {":note": {"S": f"changed {next(_numbers)}"}, ":more": {"N": "100"}}
            sides.other.update_item(
                TableName=ROWS,
                Key={"id": {"S": "a"}},
                UpdateExpression="SET note = :note ADD balance :more",
                ExpressionAttributeValues=update,
            )
        responses = yield step
        if fault == LOSES_THE_RESPONSE:
            raise Unreachable("the connection was lost", sent=True)
        return responses

    return send


_numbers = count()


@pytest.mark.parametrize("changes", [0, 1, 3])
def test_write_tokens_that_are_repeated_take_effect_once_although_a_later_response_was_lost(
    sides: Sides, changes: int
) -> None:
    request = {**deposit(), "ClientRequestToken": "t1"}
    send = with_faults(sides, *[CHANGES_THE_ROW] * changes, LOSES_THE_RESPONSE)
    with pytest.raises(Unreachable):
        run(with_responses(sides.writer.write("TransactWriteItems", request), send), sides.bank._opened().session)
    assert sides.balances() == (100 * changes + 1,) * 2
    for _ in range(2):
        sides.client.transact_write_items(**request)
    assert sides.balances() == (100 * changes + 1,) * 2


def test_write_tokens_that_are_repeated_are_accepted_although_their_own_write_fails_its_condition(sides: Sides) -> None:
    request = {**deposit(ConditionExpression="balance < :amount"), "ClientRequestToken": "t1"}
    send = with_faults(sides, LOSES_THE_RESPONSE)
    with pytest.raises(Unreachable):
        run(with_responses(sides.writer.write("TransactWriteItems", request), send), sides.bank._opened().session)
    sides.client.transact_write_items(**request)
    assert sides.balances() == (1, 1)
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        sides.client.transact_write_items(**{**request, "ClientRequestToken": "t2"})


def test_write_tokens_of_a_failed_transaction_can_be_used_again(sides: Sides) -> None:
    request = {**deposit(ConditionExpression="attribute_exists(opened)"), "ClientRequestToken": "t1"}
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        sides.client.transact_write_items(**request)
    sides.client.update_item(
        TableName=ROWS,
        Key={"id": {"S": "a"}},
        UpdateExpression="SET opened = :yes",
        ExpressionAttributeValues={":yes": {"BOOL": True}},
    )
    sides.client.transact_write_items(**request)
    assert sides.balances() == (1, 1)


def test_write_tokens_with_other_parameters_are_rejected(sides: Sides) -> None:
    sides.client.transact_write_items(**deposit(), ClientRequestToken="t1")
    with pytest.raises(ClientError, match="IdempotentParameterMismatchException"):
        sides.client.transact_write_items(**deposit(2), ClientRequestToken="t1")
    sides.client.transact_write_items(**deposit(), ClientRequestToken="t1", ReturnConsumedCapacity="TOTAL")
    assert sides.balances() == (1, 1)


def test_write_tokens_that_several_threads_send_at_the_same_time_take_effect_once(sides: Sides) -> None:
    tokens = [f"t{number // 4}" for number in range(24)]
    with ThreadPoolExecutor(4) as threads:
        send = [
            threads.submit(sides.client.transact_write_items, **deposit(), ClientRequestToken=each) for each in tokens
        ]
        for each in send:
            each.result(60)
    assert sides.balances() == (6, 6)


def test_write_tokens_are_stored_only_for_tokens_of_the_application(sides: Sides) -> None:
    sides.client.transact_write_items(**deposit())  # botocore adds a token
    assert not sides.token_items()
    sides.client.transact_write_items(**deposit(), ClientRequestToken="t1")
    assert len(sides.token_items()) == 1


def test_write_tokens_are_removed_when_they_are_old(sides: Sides) -> None:
    first = _hash("t0")[:3]
    same = [f"t{number}" for number in range(30_000) if _hash(f"t{number}")[:3] == first][:3]
    times = count(1_000_000, TOKEN_SECONDS * 2 // 3)
    for token, now in zip(same, times, strict=False):
        sides.writer.tokens = replace(sides.writer.tokens, now=partial(float, now))
        sides.client.transact_write_items(**deposit(), ClientRequestToken=token)
    (item,) = sides.token_items()
    assert [f"$singletable:{_hash(each)}" in item for each in same] == [False, True, True]


def test_write_tokens_make_a_repeated_typed_transaction_take_effect_once_on_both_sides(sides: Sides) -> None:
    def deposit_typed(amount: int) -> bool:
        with sides.bank.transaction(token="t1") as tx:
            tx.update(key(Account, id="a"), field(Account, lambda a: a.balance).add(amount))
        return tx.is_replay

    for stage in (Stage.DUAL, Stage.CLOSING):
        sides.writer.lease.stage = stage
        assert [deposit_typed(1), deposit_typed(1)] == [stage is Stage.CLOSING, True]
        assert sides.balances() == (1, 1)
    with pytest.raises(ArgumentRefused, match="already used by a transaction with different parameters"):
        deposit_typed(2)
    assert sides.balances() == (1, 1)


def test_write_tokens_let_a_typed_transaction_be_repeated_after_a_lost_response(sides: Sides) -> None:
    opened = opened_dual_table(sides.bank)
    send = with_faults(sides, CHANGES_THE_ROW, LOSES_THE_RESPONSE)
    in_both = opened._in_both
    vars(opened)["_in_both"] = lambda steps: with_responses(in_both(steps), send)
    add_one = field(Account, lambda a: a.balance).add(1)
    with pytest.raises(Unreachable), sides.bank.transaction(token="t1") as tx:
        tx.update(key(Account, id="a"), add_one)
    assert sides.balances() == (101, 101)
    with sides.bank.transaction(token="t1") as again:
        again.update(key(Account, id="a"), add_one)
    assert again.is_replay
    assert sides.balances() == (101, 101)
