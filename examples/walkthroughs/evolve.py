"""Add an index to a table with 2,000 orders while old and new code use it."""

from __future__ import annotations

import difflib
import io
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from pathlib import Path

from singletable.cli.main import main as singletable
from singletable.cli.migration_target import migration_target
from singletable.cli.output import print_table
from singletable.client.request_steps import run as run_steps
from singletable.evolve.phases import DESCRIPTIONS, Phase
from singletable.migrations.baseline import baseline
from singletable.migrations.item_pass import PassResult
from singletable.migrations.runner import WAIT_SECONDS, RunSettings, run_migration

from . import orders_after, orders_before
from .order_programs import RENEWAL_SECONDS, SPEED, NewProgram, OldProgram, Program, WrittenOrders, fast_clock, ids

MODEL, URL = "orders.py", "file:orders.db"
ORDERS, CUSTOMERS = 2000, 200
PHASES = ("before", *(phase.value for phase in DESCRIPTIONS if phase is not Phase.ROLLBACK), "after")


def main() -> None:
    """Run the walkthrough in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _walk()


def _walk() -> None:
    written = WrittenOrders()
    waits = f"{WAIT_SECONDS / SPEED:.1f} seconds for clients, not {WAIT_SECONDS:.0f}"
    print(f"All clocks run {SPEED:.0f} times faster: `migrate run` waits {waits}.")
    _write_model(orders_before.__file__)
    with redirect_stdout(io.StringIO()):
        singletable(["migrate", "make", MODEL])
    with orders_before.Orders.open(URL, create=True) as old_table:
        _fill(old_table, written)
        with OldProgram(old_table, written) as old:
            print(f"The table has {ORDERS:,} orders and the design of migrations/0001_initial.py.")
            print("The old program writes and reads orders from now on.\n")
            _show_changes()
            _write_model(orders_after.__file__)
            _command("migrate", "make", MODEL, "-m", "orders of customer")
            _command("migrate", "plan", MODEL, URL, shown=_short_plan)
            _migrate(Phase.PENDING)
            with orders_after.Orders.open(URL) as new_table, NewProgram(new_table, written) as new:
                print("The new program writes and reads orders from now on.\n")
                time.sleep(RENEWAL_SECONDS)
                _migrate(Phase.EXPAND)
                time.sleep(RENEWAL_SECONDS)
                _migrate(None)
                time.sleep(RENEWAL_SECONDS)
    _show_calls(old, new)
    _command("migrate", "verify", MODEL, URL, shown=lambda lines: lines[:1])
    _show_result(written, old.wrong + new.wrong)


def _fill(table: orders_before.Orders, written: WrittenOrders) -> None:
    orders = [orders_before.Order(f"o{number}", f"c{number % CUSTOMERS}", "NEW") for number in range(ORDERS)]
    table.put_many(orders)
    for order in orders:
        written.add(order.id, order.customer)


def _write_model(path: str) -> None:
    Path(MODEL).write_text(Path(path).read_text(encoding="utf-8"), encoding="utf-8")


def _command(*arguments: str, shown: Callable[[list[str]], list[str]] = list) -> None:
    """Run a command, and print the command and its output."""
    print("$ singletable", *(f'"{each}"' if " " in each else each for each in arguments))
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = singletable(arguments)
    print(*shown(printed.getvalue().rstrip().splitlines()), "", sep="\n")
    assert code == 0, f"exit code {code}:\n{printed.getvalue()}"


def _short_plan(lines: list[str]) -> list[str]:
    """Return the first line of a plan, and its cost."""
    return [lines[0], *(line for line in lines if line.startswith("about "))]


def _show_changes() -> None:
    """Print the lines that the new model adds to its access patterns and keys."""
    before, after = (
        Path(str(module.__file__)).read_text(encoding="utf-8").partition("@entity")[2].splitlines()
        for module in (orders_before, orders_after)
    )
    print(f"Changes of {MODEL}:")
    for line in difflib.ndiff(before, after):
        if line.startswith("+ ") and line[2:].strip():
            print(f"  {line}")
    print()


def _migrate(until: Phase | None) -> None:
    """Do the work of `singletable migrate run`, with clocks as fast as those of the programs."""
    print(f"$ singletable migrate run {MODEL} {URL} --yes{'' if until is None else f' --until {until.value}'}")
    settings = RunSettings(wait_seconds=WAIT_SECONDS / SPEED, clock=fast_clock, until=until, report=_report)
    options = Namespace(model=MODEL, url=URL, folder=Path("migrations"), table_name=None)
    with migration_target(options) as target:
        state = target.state() or run_steps(baseline(target.control, target.files[0]), target.session)
        migration = target.run(state, settings)
        assert migration is not None, "the last phase has not run"
        result = run_steps(run_migration(migration, state), target.session)
    assert not result.failures, result.failures
    if until is None:
        print(f"{migration.file.label}: {_work_text(result.work)}")
    print()


def _report(text: str) -> None:
    print(f"  {text}")


def _work_text(work: PassResult) -> str:
    return f"{work.items:,} items read, {work.written:,} written, {work.write_units:,.0f} WRU"


def _show_calls(old: Program, new: Program) -> None:
    """Print the number of calls of both programs in each phase that they have seen."""
    columns = [(program, kind) for program in (old, new) for kind in program.calls]
    rows = [(phase, *(program.text(phase, kind) for program, kind in columns)) for phase in PHASES]
    headers = ("phase", *(f"{program.name} program: {kind}" for program, kind in columns))
    print_table("Successful calls in each phase", headers, [row for row in rows if any(row[1:])])
    print()


def _show_result(written: WrittenOrders, wrong: int) -> None:
    with orders_after.Orders.open(URL) as table:
        found = {order_id for n in range(CUSTOMERS) for order_id in ids(table.orders_of_customer.all(f"c{n}"))}
    missing = len(written.customers.keys() - found)
    print(f"{len(written.customers):,} orders were written. Missing in the new index: {missing}. Wrong reads: {wrong}.")


if __name__ == "__main__":
    main()
