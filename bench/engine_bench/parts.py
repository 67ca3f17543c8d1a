"""The parts of a run, each with its tables: HTTP, durable writes, in process, large store, and start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import sleep

from bench.engine_bench import large_store, report, targets
from bench.engine_bench.in_process import (
    WARM_UP_ROUNDS,
    ComparisonRow,
    SqliteBaseline,
    call_engine,
    compare,
    open_engine,
    sqlite_rows,
    sqlite_settings,
)
from bench.engine_bench.over_http import Sampling, fill, generator_limits, measure
from bench.engine_bench.peers import OURS, DiskPeer, NotAvailable, Peer, singletable_program
from bench.engine_bench.report import TargetResult
from bench.engine_bench.server import Server, run_server
from bench.engine_bench.workload import Workload, create_table

STARTS = 5
SETTLE_SECONDS = 0.5
START_HEAD = ("server", "version", "s to start", "MB idle")


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run: the peers, the rows, the sampling, and the folders of peers and stores."""

    cache: Path
    folder: Path
    workload: Workload
    peers: tuple[Peer, ...]
    disk_peers: tuple[DiskPeer, ...]
    row_names: tuple[str, ...]
    sampling: Sampling
    items: int
    show_progress: Callable[[str], None]

    def selects(self, row: str) -> bool:
        """Return whether a row is selected by the beginning of its name, in upper or lower case."""
        return not self.row_names or row.lower().startswith(self.row_names)


@dataclass(frozen=True)
class PartReport:
    """The report of a part: its tables, its figures with their targets, and the failures of singletable."""

    text: str
    results: tuple[TargetResult, ...] = ()
    failures: tuple[str, ...] = ()


def http(settings: RunSettings) -> PartReport:
    """Compare singletable on disk with the peers in memory, over HTTP."""
    ours = Peer(OURS, lambda folder: singletable_program(settings.folder / "served"))
    return compare_servers(settings, ours, settings.peers)


def durable(settings: RunSettings) -> PartReport:
    """Compare `singletable serve --sync full` with the peers that store their data on disk, over HTTP."""
    ours = Peer(OURS, lambda folder: singletable_program(settings.folder / "durable", sync="full"))
    peers = [peer.with_data(settings.folder / f"{peer.name.lower()}.db") for peer in settings.disk_peers]
    return compare_servers(settings, ours, peers)


def compare_servers(settings: RunSettings, ours: Peer, others: Sequence[Peer]) -> PartReport:
    """Start all servers, and measure the selected rows of each."""
    rows = [row for row in settings.workload.rows if settings.selects(row.name)]
    with ExitStack() as stack:
        servers, notes = start_all(settings, stack, (ours, *others))
        idle = [
            [each.name, each.version, f"{each.start_seconds:.2f}", f"{each.resident_megabytes():.0f}"]
            for each in servers
        ]
        ceiling = generator_limits(settings.workload, settings.sampling.seconds)
        for server in servers:
            settings.show_progress(f"filling {server.name}")
            fill(server, settings.workload)
        rates = measure(servers, rows, settings.sampling, settings.show_progress)
    names = [server.name for server in servers]
    peers = [name for name in names if name != OURS]
    limits = " and ".join(f"{rate:,.0f}/s with {clients}" for clients, rate in ceiling.items())
    notes.append(f"The load generator itself reaches {limits}, against a server that does nothing.")
    notes += [f"{server}, {row}: {note}" for (row, server), note in (rates.failures | rates.slow).items()]
    tables = [report.table(START_HEAD, idle), report.rates_table(rates, rows, names)]
    if OURS in names and peers:
        tables.append(report.ratios_table(rates, rows, peers))
    failures = [f"{row}: {reason}" for (row, server), reason in rates.failures.items() if server == OURS]
    if OURS not in names:
        failures.append("the server does not start")
    results = report.ratio_results(rates, rows, peers)
    return PartReport("\n\n".join([*tables, "\n".join(notes)]), tuple(results), tuple(failures))


def start_all(settings: RunSettings, stack: ExitStack, peers: Sequence[Peer]) -> tuple[list[Server], list[str]]:
    """Start every available server. Return the servers, and notes on the missing ones."""
    servers, notes = [], []
    for peer in peers:
        settings.show_progress(f"starting {peer.name}")
        try:
            servers.append(
                stack.enter_context(run_server(peer.name, peer.install(install_folder(settings.cache, peer))))
            )
        except NotAvailable as reason:
            notes.append(f"{peer.name} is skipped: {reason}")
    return servers, notes


def install_folder(cache: Path, peer: Peer) -> Path:
    """Create and return the folder of an installed peer."""
    folder = cache / peer.slug
    folder.mkdir(exist_ok=True)
    return folder


def in_process(settings: RunSettings) -> PartReport:
    """Compare direct calls of the engine with plain sqlite3."""
    with closing(open_engine(settings.folder / "in-process")) as engine:
        settings.show_progress("filling the engine")
        for exchange in (create_table(), *settings.workload.load()):
            call_engine(engine, exchange)
        with closing(
            SqliteBaseline(settings.folder / "plain", sqlite_settings(engine), settings.workload.items())
        ) as baseline:
            rows = sqlite_rows(engine, baseline, settings.workload)
            return compare_latencies(settings, OURS, "plain sqlite3", rows)


def many_items(settings: RunSettings) -> PartReport:
    """Compare the engine with many items and with a thousand."""
    with ExitStack() as stack:
        large = stack.enter_context(
            closing(large_store.cached_store(settings.cache, settings.items, settings.show_progress))
        )
        small = stack.enter_context(closing(open_engine(settings.folder / "small")))
        large_store.load(small, large_store.SMALL_ITEMS, settings.show_progress)
        rows = large_store.scale_rows(large, small, settings.items, settings.sampling.rounds + WARM_UP_ROUNDS)
        return compare_latencies(settings, f"{settings.items:,} items", f"{large_store.SMALL_ITEMS:,} items", rows)


def compare_latencies(settings: RunSettings, ours: str, other: str, rows: Sequence[ComparisonRow]) -> PartReport:
    """Measure the selected rows of two columns."""
    settings.show_progress(f"comparing {ours} with {other}")
    comparisons = compare([row for row in rows if settings.selects(row.name)], settings.sampling.rounds)
    results = [replace(each.result, name=f"{each.name}, {ours} to {other}") for each in comparisons]
    return PartReport(report.comparisons_table(ours, other, comparisons), tuple(results))


def start(settings: RunSettings) -> PartReport:
    """Measure the time to the first response of singletable, and the memory of the idle server."""
    program = singletable_program(settings.folder / "started")
    seconds, megabytes = [], []
    for number in range(STARTS):
        settings.show_progress(f"start {number + 1} of {STARTS}")
        with run_server(OURS, program) as server:
            sleep(SETTLE_SECONDS)
            seconds.append(server.start_seconds)
            megabytes.append(server.resident_megabytes())
    results = (
        TargetResult("seconds to the first response", median(seconds), targets.START_SECONDS),
        TargetResult("MB of memory when idle", median(megabytes), targets.IDLE_MEGABYTES),
    )
    lines = [[each.name, f"{each.figure:.2f}", str(each.target), each.verdict] for each in results]
    return PartReport(report.table(["singletable serve", "median", "target", ""], lines), results)


PARTS: dict[str, Callable[[RunSettings], PartReport]] = {
    "http": http,
    "durable": durable,
    "in-process": in_process,
    "many-items": many_items,
    "start": start,
}
