"""Customers with their settings in one item, and in two."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable import Page, Table, entity, get, pattern, query
from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.client.table_metaclass import TableMeta
from singletable.evolve.design_snapshot import snapshot_of
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import MigrationRun, RunSettings, migration_run

SETTINGS_KEY = ("CUST#{customer}", "SETTINGS")


def _customer_class(*, is_united: bool, merged_from: Any) -> Any:
    declared = entity(
        key=("CUST#{id}", "METADATA"),
        gsi1=("COUNTRY#{country}", "{id}"),
        name="Customer",
        unique=["name"],
        expected_per_partition=9,
        merged_from=merged_from,
    )
    if is_united:

        @dataclass
        class Customer:
            id: str
            name: str
            country: str
            theme: str
            language: str | None = None
            tags: set[str] | None = None

        return declared(Customer)

    @dataclass
    class DividedCustomer:
        id: str
        name: str
        country: str

    return declared(DividedCustomer)


def _settings_class(split_from: Any) -> Any:
    @entity(key=SETTINGS_KEY, name="Settings", split_from=split_from)
    @dataclass
    class Settings:
        customer: str
        colours: str
        country: str
        language: str | None = None
        tags: set[str] | None = None

    return Settings


def _page_of(cls: Any) -> Any:
    many: Any = Page
    return many[cls]


class Customers:
    """One of the two designs of the customers."""

    def __init__(self, *, is_united: bool) -> None:
        self.is_united = is_united
        back = {"Settings": {"id": "customer", "theme": "colours"}} if is_united else None
        self.Customer = _customer_class(is_united=is_united, merged_from=back)
        self.Settings = None if is_united else _settings_class({"Customer": {"customer": "id", "colours": "theme"}})
        customer = self.Customer

        def of_country(self: Any, country: str) -> Any:
            """Customers of a country."""
            return query(customer)

        def one(self: Any, id: str) -> Any:
            """One customer."""
            return get(customer)

        of_country.__annotations__ = {"country": str, "return": _page_of(customer)}
        one.__annotations__ = {"id": str, "return": customer | None}
        body = {"of_country": pattern()(of_country), "one": pattern()(one)}
        entities = [customer] if is_united else [customer, self.Settings]
        made: Any = TableMeta("Customers", (Table,), body, entities=entities, name="Customers")
        self.table = made
        self.snapshot = snapshot_of(made.design)

    def rows(self, count: int) -> list[Any]:
        """Return customers; every third has no language, and every fourth no tags."""
        rows: list[Any] = []
        for number in range(count):
            own = (f"c{number}", f"Name {number}", f"land{number % 3}")
            theme, language = f"theme {number}", f"l{number}" if number % 3 else None
            tags = {f"t{number}"} if number % 4 else None
            if self.is_united:
                rows.append(self.Customer(*own, theme, language, tags))
            else:
                assert self.Settings is not None
                rows += [self.Customer(*own), self.Settings(own[0], theme, own[2], language, tags)]
        return rows


UNITED, DIVIDED = Customers(is_united=True), Customers(is_united=False)
CONTROL = control_items(UNITED.table.design, "Customers")


def files_of(*designs: Customers) -> list[MigrationFile]:
    """Return the migration files of designs that follow each other."""
    return [
        MigrationFile(number, f"m{number}", Path(f"{number:04d}_m{number}.json"), each.snapshot)
        for number, each in enumerate(designs, 1)
    ]


def next_run(session: Session, *designs: Customers, **settings: Any) -> MigrationRun:
    """Return the run of the next migration, without pauses for clients."""
    state = run(CONTROL.state(), session)
    assert state is not None
    given: dict[str, Any] = {"wait_seconds": 0.0, "segments": 2, **settings}
    chosen = RunSettings(**given)
    design = designs[-1].table.design
    found = migration_run(CONTROL, files_of(*designs), state, design, designs[-1].snapshot, chosen)
    assert found is not None
    return found


def record(session: Session, design: Customers) -> None:
    """Record the design of a table."""
    run(baseline(CONTROL, files_of(design)[0]), session)
