"""A shop that moves from two tables to one in a simulation: clients of both, a runner that is killed, and an oracle."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypedDict

from singletable import Table, TableDiffers, copy, count, entity, field, get, key, pattern
from singletable.client.open_table import transport_for
from singletable.client.request_session import Session
from singletable.client.request_steps import CallForChunks, IndependentCalls, Pause, run
from singletable.consolidation import Consolidation, DynamoDBSource, LeftOut
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.consolidation_state import Stage
from singletable.consolidation.dual_table import DualTable
from singletable.consolidation.retirement import retire
from singletable.errors import RequestRefused, SingletableError, Unreachable
from singletable.migrations.runner import WAIT_SECONDS
from tests.migrations.simulated_runner import World

CUSTOMERS, ORDERS = "customers", "orders"
NAMES, STATUSES, NOTES = ("Ann", "Bob"), ("OPEN", "PAID", "TEST"), (None, "n1", "n2")


@entity(key=("CUST#{id}", "CUST"), unique=("email",))
@dataclass(frozen=True)
class Customer:
    id: str
    name: str
    email: str
    order_count: int = 0


@entity(
    key=("ORDER#{id}", "ORDER"),
    gsi1=("CUST#{customer_id}", "ORDER#{id}"),
    copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})],
    counted=[count(Customer, by={"id": "customer_id"}, field="order_count")],
)
@dataclass(frozen=True)
class Order:
    id: str
    customer_id: str
    status: str
    customer_name: str = ""


@entity(key=("ORDER#{order_id}", "NOTE"))
@dataclass(frozen=True)
class Note:
    order_id: str
    text: str


class Shop(Table, entities=[Customer, Order, Note]):
    @pattern
    def customer(self, id: str) -> Customer | None:
        return get(Customer)


class CustomerRow(TypedDict):
    id: str
    name: str
    email: str


def customer_of(row: CustomerRow) -> Customer:
    return Customer(row["id"], row["name"], row["email"])


def row_of_customer(customer: Customer) -> CustomerRow:
    return {"id": customer.id, "name": customer.name, "email": customer.email}


def order_of(row: dict[str, Any]) -> list[Order | Note] | LeftOut:
    """Map a row to an order, to an order with a note, or to nothing if it is a test."""
    if row["status"] == "TEST":
        return LeftOut("a test")
    order = Order(row["id"], row["customer"], row["status"])
    return [order, Note(row["id"], row["note"])] if "note" in row else [order]


def row_of_order(order: Order) -> dict[str, Any]:
    return {"id": order.id, "customer": order.customer_id, "status": order.status}


def row_of_note(note: Note) -> dict[str, Any]:
    return {"id": note.order_id, "note": note.text}


CONSOLIDATION = Consolidation(
    Shop,
    DynamoDBSource(CUSTOMERS, customer_of, row_of_customer),
    DynamoDBSource(ORDERS, order_of, (row_of_order, row_of_note)),
    clean_time=timedelta(0),
    clean_calls=0,
)


@dataclass(frozen=True)
class Clean:
    """The standing of a pattern that was compared for a long time."""

    mode: str = "done"
    since: float = 2e9
    clean_since: float = 0.0
    clean_calls: int = 1000


Row = dict[str, str]
Rows = dict[tuple[str, str], Row]


class ShopWorld(World):
    """One engine, clients that write through the old tables or the new one, and the rows that must exist."""

    def __init__(self, seed: int, wait_seconds: float = WAIT_SECONDS) -> None:
        super().__init__(seed)
        self.wait_seconds = wait_seconds
        self.session = Session(transport_for(self.engine))
        for name in (CUSTOMERS, ORDERS):
            self.call("CreateTable", table_definition(name))
        Shop.open(self.engine, create=True).close()
        self.rows: Rows = {}
        self.rows_at_end: Rows | None = None
        """The rows when the dual writes ended."""
        self.is_retiring = False
        self.commits = 0
        for number in range(6):
            self.add(CUSTOMERS, {"id": f"c{number}", "name": "Ann", "email": f"c{number}@x"})
        for number in range(10):
            status = self.random.choice(STATUSES)
            self.add(ORDERS, {"id": f"o{number}", "customer": f"c{number % 6}", "status": status})
        old, new = [OldClient(self) for _ in range(3)], [NewClient(self) for _ in range(2)]
        self.clients: list[Client] = [*old, *new]

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request past all clients."""
        return self.engine.call(operation, request)

    def add(self, table: str, row: Row) -> None:
        """Write a row before the application sends its writes to both sides."""
        self.call("PutItem", {"TableName": table, "Item": _item(row)})
        self.rows[table, row["id"]] = row

    def act(self) -> None:
        """Let some clients send some requests."""
        for client in self.clients:
            if self.random.random() < 0.4:
                client.act()

    def opened(self, session: Session | None = None) -> Shop:
        """Open the table with dual writes, on the clock of the simulation."""
        table = CONSOLIDATION.open(self.engine)
        opened = table._opened()
        assert isinstance(opened, DualTable)
        opened.writer_of_both.lease.clock = self.clock
        opened.session.lease = None
        return table

    @property
    def stage(self) -> Stage | None:
        """The current stage."""
        state = run(self.runner().items.state(), self.session)
        return None if state is None else state.stage

    def runner(self) -> ConsolidationRun:
        """Return a runner, as each start of the command makes one."""
        settings = ConsolidationSettings(segments=2, wait_seconds=self.wait_seconds, clock=self.clock)
        return ConsolidationRun(CONSOLIDATION, self.opened(), settings)

    def run_once(self, session: Session) -> bool:
        runner = self.runner()
        if self.is_retiring:
            run(retire(runner, {"customer": Clean()}, now=self.clock), session)
            return True
        stage = self.stage
        if stage is not Stage.DUAL:
            result = run(runner.run(), session)
            assert not result.failures, result.failures
        return True

    def settle(self) -> None:
        """Let every call finish."""
        for client in self.clients:
            while client.running is not None:
                client.go_on(client.running)

    def check_rows(self) -> None:
        """Check that the old tables contain exactly the answered writes."""
        expected = self.rows if self.rows_at_end is None else self.rows_at_end
        assert self.stored_rows() == expected

    def stored_rows(self) -> Rows:
        """Return all rows of the old tables."""
        return {
            (name, item["id"]["S"]): {each: value["S"] for each, value in item.items()}
            for name in (CUSTOMERS, ORDERS)
            for item in self.call("Scan", {"TableName": name})["Items"]
        }

    def check_items(self) -> None:
        """Check that the new table contains exactly the entities of the answered writes, with right derived data."""
        with Shop.open(self.engine) as shop:
            found = {_id(each): each for each in shop.scan(reason="check", consistent=True)}
        expected: dict[Any, Any] = {}
        orders = [row for (name, _), row in self.rows.items() if name == ORDERS and row["status"] != "TEST"]
        for (name, id), row in self.rows.items():
            if name == CUSTOMERS:
                made = sum(each["customer"] == id for each in orders)
                expected[Customer, id] = Customer(id, row["name"], row["email"], made)
        for row in orders:
            name = self.rows[CUSTOMERS, row["customer"]]["name"]
            expected[Order, row["id"]] = Order(row["id"], row["customer"], row["status"], name)
            if "note" in row:
                expected[Note, row["id"]] = Note(row["id"], row["note"])
        assert found == expected, f"{found.items() ^ expected.items()}"
        items = self.call("Scan", {"TableName": "Shop"})["Items"]
        marked = [each for each in items if "email" in str(each.get("PK")) or "UNIQUE" in str(each.get("PK"))]
        assert len(marked) == sum(name == CUSTOMERS for name, _ in self.rows), marked


def table_definition(name: str) -> dict[str, Any]:
    """Return the CreateTable request of an old table."""
    return {
        "TableName": name,
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _id(value: Any) -> tuple[type, str]:
    return type(value), value.order_id if isinstance(value, Note) else value.id


@dataclass
class Operation:
    """A call of a client in progress: its steps, and its effect on the rows."""

    steps: Generator[Any, Any, Any]
    effect: Callable[[Rows], None]
    may_fail: Callable[[Exception], bool]
    step: Any = None
    is_committed: bool = False


class Client:
    """A client whose calls can stop between any two requests, while others continue."""

    def __init__(self, world: ShopWorld) -> None:
        self.world = world
        self.table = world.opened()
        opened = self.table._opened()
        assert isinstance(opened, DualTable)
        self.opened = opened
        self.running: Operation | None = None
        self.number = 0

    def act(self) -> None:
        """Start a call, or send the next request of the running one."""
        if self.running is None:
            self.start()
        elif self.world.random.random() < 0.03 and not self.running.is_committed:
            self.running.steps.close()  # the process ends; after the commit, a writer would still update late copies
            self.running = None
        else:
            self.go_on(self.running)

    def start(self) -> None:
        """Start a random call."""
        raise NotImplementedError

    def go_on(self, operation: Operation) -> None:
        """Send the requests of one step."""
        world = self.world
        self.running = None
        try:
            if operation.step is None:
                operation.step = next(operation.steps)
            else:
                operation.step = self._advanced(operation)
        except StopIteration:
            assert operation.is_committed or operation.may_fail(KeyError()), "a call has returned without a commit"
            return
        except SingletableError as problem:
            assert not operation.is_committed, "a committed call has failed"
            if not operation.may_fail(problem):
                raise AssertionError(f"a call failed: {problem!r}") from problem
            return
        self.running = operation
        if world.random.random() < 0.6:
            self.go_on(operation)

    def _advanced(self, operation: Operation) -> Any:
        step = operation.step
        try:
            responses = self._responses(step)
        except (RequestRefused, Unreachable) as problem:
            return operation.steps.throw(problem)
        if not operation.is_committed and self._writes(step):
            operation.effect(self.world.rows)
            operation.is_committed = True
            self.world.commits += 1
        return operation.steps.send(responses)

    def _writes(self, step: Any) -> bool:
        writes = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")
        return isinstance(step, tuple) and any(call.operation in writes for call in step)

    def _responses(self, step: Any) -> Any:
        session = self.world.session
        if isinstance(step, Pause):
            return ()
        if isinstance(step, CallForChunks):
            return (session.send_in_chunks(step.call),)
        return session.send_each(step.calls) if isinstance(step, IndependentCalls) else session.send_all(step)

    def customer(self) -> str:
        """Return a customer who exists."""
        return self.world.random.choice(sorted(id for name, id in self.world.rows if name == CUSTOMERS))

    def order(self) -> str:
        """Return an order that may exist."""
        return f"o{self.world.random.randrange(14)}"


class OldClient(Client):
    """A client that writes the old tables."""

    def start(self) -> None:
        random = self.world.random
        if self.world.stage in (Stage.CLOSING, Stage.RETIRED):
            return  # the application writes through the new table
        order = self.order()
        row = {"id": order, "customer": self.customer(), "status": random.choice(STATUSES)}
        if (note := random.choice(NOTES)) is not None:
            row["note"] = note
        match random.choice(("put", "put", "status", "delete", "rename", "both", "batch")):
            case "put":
                self._start("PutItem", {"TableName": ORDERS, "Item": _item(row)}, _put(ORDERS, row))
            case "delete":
                request: dict[str, Any] = {"TableName": ORDERS, "Key": _item({"id": order})}
                self._start("DeleteItem", request, lambda rows: rows.pop((ORDERS, order), None))
            case "status":
                status = random.choice(STATUSES)
                self._start(
                    "UpdateItem", _update(ORDERS, order, "status", status), _change(ORDERS, order, "status", status)
                )
            case "rename":
                renamed, name = self.customer(), random.choice(NAMES)
                request = _update(CUSTOMERS, renamed, "name", name)
                self._start("UpdateItem", request, _change(CUSTOMERS, renamed, "name", name))
            case "batch":
                other = {**row, "id": f"o{14 + random.randrange(3)}"}
                puts = [{"PutRequest": {"Item": _item(each)}} for each in (row, other)]
                self._start("BatchWriteItem", {"RequestItems": {ORDERS: puts}}, _put(ORDERS, row, other))
            case _:
                id = f"c{random.randrange(9)}"
                made: Row = {"id": id, "name": random.choice(NAMES), "email": f"{id}@x"}
                self._start_both(made, {**row, "customer": id})

    def _start_both(self, customer: Row, order: Row) -> None:
        both = ((CUSTOMERS, customer), (ORDERS, order))
        puts = [{"Put": {"TableName": table, "Item": _item(each)}} for table, each in both]
        effects = [_put(table, each) for table, each in both]
        self._start("TransactWriteItems", {"TransactItems": puts}, lambda rows: [each(rows) for each in effects])

    def _start(self, operation: str, request: dict[str, Any], effect: Callable[[Rows], Any]) -> None:
        self.go_on(self._operation(operation, request, effect))

    def _operation(self, operation: str, request: dict[str, Any], effect: Callable[[Rows], Any]) -> Operation:
        steps = self.opened.writer_of_both.write(operation, request)
        return Operation(steps, effect, lambda problem: _is_failed_condition(problem) or self._is_retired(problem))

    def _is_retired(self, problem: Exception) -> bool:
        return isinstance(problem, TableDiffers) and self.world.stage in (Stage.CLOSING, Stage.RETIRED)


class NewClient(Client):
    """A client that writes the new table."""

    def start(self) -> None:
        random, writer = self.world.random, self.opened.writer
        lease = self.opened.writer_of_both.lease
        stage = self.world.stage
        if stage not in (Stage.DUAL, Stage.CLOSING, Stage.RETIRED):
            return
        if lease.stage in (Stage.BACKFILL, Stage.VERIFY):
            lease.forget()  # the application starts to write the new table
        order, status = self.order(), random.choice(("OPEN", "PAID"))
        changed = field(Order, lambda o: o.status).set(status)
        steps: Any
        match random.choice(("put", "status", "delete", "rename")):
            case "put":
                row: Row = {"id": order, "customer": self.customer(), "status": status}
                steps = writer.put(Order(order, row["customer"], status))
                effect = _put_with_note(row)
            case "status":
                steps = writer.update(key(Order, id=order), (changed,), None)
                effect = _change(ORDERS, order, "status", status)
            case "delete":
                steps, effect = self._deletion(order)
            case _:
                customer, name = self.customer(), random.choice(NAMES)
                renamed = field(Customer, lambda c: c.name).set(name)
                steps = writer.update(key(Customer, id=customer), (renamed,), None)
                effect = _change(CUSTOMERS, customer, "name", name)
        self.go_on(Operation(self.opened._in_both(steps), effect, _is_missing))

    def _deletion(self, order: str) -> tuple[Any, Callable[[Rows], Any]]:
        """Return the steps that delete an order with its note in one transaction, because both are one row."""
        transaction = self.table.transaction().__enter__()
        transaction.delete(key(Order, id=order))
        transaction.delete(key(Note, order_id=order))
        assert transaction._end(None)
        return transaction._steps(), lambda rows: self._remove(rows, order)

    def _remove(self, rows: Rows, order: str) -> None:
        row = rows.get((ORDERS, order))
        if row is not None and row["status"] != "TEST":
            del rows[ORDERS, order]


def _put_with_note(order: Row) -> Callable[[Rows], Any]:
    """Return the effect of a put through the new table, which keeps the note of the order."""
    place = (ORDERS, order["id"])

    def effect(rows: Rows) -> None:
        before = rows.get(place, order)
        rows[place] = order if before["status"] == "TEST" else before | order

    return effect


def _item(row: Row) -> dict[str, Any]:
    return {name: {"S": value} for name, value in row.items()}


def _put(table: str, *added: Row) -> Callable[[Rows], None]:
    return lambda rows: rows.update({(table, row["id"]): row for row in added})


def _change(table: str, id: str, name: str, value: str) -> Callable[[Rows], None]:
    def effect(rows: Rows) -> None:
        rows[table, id] = {**rows[table, id], name: value}

    return effect


def _update(table: str, id: str, name: str, value: str) -> dict[str, Any]:
    return {
        "TableName": table,
        "Key": {"id": {"S": id}},
        "UpdateExpression": "SET #name = :value",
        "ConditionExpression": "attribute_exists(id)",
        "ExpressionAttributeNames": {"#name": name},
        "ExpressionAttributeValues": {":value": {"S": value}},
    }


def _is_failed_condition(problem: Exception) -> bool:
    return isinstance(problem, RequestRefused) and problem.code == "ConditionalCheckFailedException"


def _is_missing(problem: Exception) -> bool:
    """Return whether a call may fail: the order does not exist, or its row was left out and has a note."""
    return type(problem).__name__ in ("NotFound", "KeyError", "TransactionCancelled", "ItemRefused")


def simulate(seed: int, **settings: Any) -> ShopWorld:
    """Run the eight steps with clients and killed runners, and check the result."""
    world = ShopWorld(seed, **settings)
    for _ in range(10):
        world.act()
    world.run_to_the_end()
    for _ in range(60):
        world.act()
        world.check_rows()
    world.settle()
    world.check_items()
    result = run(world.runner().verify(), world.session)
    assert not result.failures, result.failures
    world.is_retiring = True
    world.run_to_the_end()
    for _ in range(60):
        world.act()
    world.settle()
    world.check_items()
    return world
