"""The parts of a run, each from what was asked for to its tables: HTTP, in the process, many items, the start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import sleep

from bench.engine_bench import report, scale, targets
from bench.engine_bench.in_process import (
    WARM_UP_ROUNDS,
    Bare,
    Pair,
    ask,
    beside_sqlite,
    compare,
    open_engine,
    settings_of,
)
from bench.engine_bench.over_http import Pace, ceilings, fill, measure
from bench.engine_bench.peers import OURS, NotAvailable, Peer, ours
from bench.engine_bench.report import Judged
from bench.engine_bench.server import Server, running
from bench.engine_bench.workload import Workload, create_table

STARTS = 5
SETTLE_SECONDS = 0.5
START_HEAD = ("server", "version", "s to start", "MB idle")


@dataclass(frozen=True)
class Setting:
    """What is measured: the peers, the rows and the pace; and where peers and stores are kept."""

    cache: Path
    folder: Path
    workload: Workload
    peers: tuple[Peer, ...]
    row_names: tuple[str, ...]
    pace: Pace
    items: int
    say: Callable[[str], None]

    def has(self, row: str) -> bool:
        """Whether a row is asked for: by how its name begins, in any case."""
        return not self.row_names or row.lower().startswith(self.row_names)


@dataclass(frozen=True)
class Outcome:
    """What a part found: its tables, its figures before their targets, and answers of ours that are wrong."""

    text: str
    judged: tuple[Judged, ...] = ()
    failures: tuple[str, ...] = ()


def http(setting: Setting) -> Outcome:
    """Ours on disk beside the peers in memory, over HTTP."""
    rows = [row for row in setting.workload.rows if setting.has(row.name)]
    with ExitStack() as stack:
        servers, notes = start_all(setting, stack)
        idle = [
            [each.name, each.version, f"{each.start_seconds:.2f}", f"{each.resident_megabytes():.0f}"]
            for each in servers
        ]
        ceiling = ceilings(setting.workload, setting.pace.seconds)
        for server in servers:
            setting.say(f"filling {server.name}")
            fill(server, setting.workload)
        rates = measure(servers, rows, setting.pace, setting.say)
    names = [server.name for server in servers]
    peers = [name for name in names if name != OURS]
    limits = " and ".join(f"{rate:,.0f}/s with {clients}" for clients, rate in ceiling.items())
    notes.append(f"The load generator itself reaches {limits}, against a server that does nothing.")
    notes += [f"{server}, {row}: {note}" for (row, server), note in (rates.refusals | rates.slow).items()]
    tables = [report.table(START_HEAD, idle), report.rates_table(rates, rows, names)]
    if OURS in names and peers:
        tables.append(report.ratios_table(rates, rows, peers))
    failures = [f"{row}: {reason}" for (row, server), reason in rates.refusals.items() if server == OURS]
    if OURS not in names:
        failures.append("it does not start")
    judged = report.judge_all(rates, rows, peers)
    return Outcome("\n\n".join([*tables, "\n".join(notes)]), tuple(judged), tuple(failures))


def start_all(setting: Setting, stack: ExitStack) -> tuple[list[Server], list[str]]:
    """Ours and every peer that can be had here, started, and why others cannot."""
    servers, notes = [], []
    for peer in (Peer(OURS, lambda folder: ours(setting.folder / "served")), *setting.peers):
        setting.say(f"starting {peer.name}")
        try:
            servers.append(stack.enter_context(running(peer.name, peer.install(folder_of(setting.cache, peer)))))
        except NotAvailable as reason:
            notes.append(f"{peer.name} is left out: {reason}")
    return servers, notes


def folder_of(cache: Path, peer: Peer) -> Path:
    """Where a peer is installed."""
    folder = cache / peer.word
    folder.mkdir(exist_ok=True)
    return folder


def in_process(setting: Setting) -> Outcome:
    """Ours called directly, beside bare sqlite3."""
    with closing(open_engine(setting.folder / "in-process")) as engine:
        setting.say("filling the engine")
        for exchange in (create_table(), *setting.workload.load()):
            ask(engine, exchange)
        with closing(Bare(setting.folder / "bare", settings_of(engine), setting.workload.items())) as bare:
            pairs = beside_sqlite(engine, bare, setting.workload)
            return compared(setting, OURS, "bare sqlite3", pairs)


def many_items(setting: Setting) -> Outcome:
    """Ours with many items beside ours with a thousand."""
    with ExitStack() as stack:
        large = stack.enter_context(closing(scale.kept_store(setting.cache, setting.items, setting.say)))
        small = stack.enter_context(closing(open_engine(setting.folder / "small")))
        scale.load(small, scale.SMALL_ITEMS, setting.say)
        pairs = scale.pairs(large, small, setting.items, setting.pace.rounds + WARM_UP_ROUNDS)
        return compared(setting, f"{setting.items:,} items", f"{scale.SMALL_ITEMS:,} items", pairs)


def compared(setting: Setting, ours: str, other: str, pairs: Sequence[Pair]) -> Outcome:
    """The rows of two columns that are asked for."""
    setting.say(f"{ours} beside {other}")
    comparisons = compare([pair for pair in pairs if setting.has(pair.name)], setting.pace.rounds)
    judged = [replace(each.judged, name=f"{each.name}, {ours} to {other}") for each in comparisons]
    return Outcome(report.comparisons_table(ours, other, comparisons), tuple(judged))


def start(setting: Setting) -> Outcome:
    """How long ours takes to its first answer, and the memory it then holds."""
    program = ours(setting.folder / "started")
    seconds, megabytes = [], []
    for number in range(STARTS):
        setting.say(f"start {number + 1} of {STARTS}")
        with running(OURS, program) as server:
            sleep(SETTLE_SECONDS)
            seconds.append(server.start_seconds)
            megabytes.append(server.resident_megabytes())
    judged = (
        Judged("seconds to the first answer", median(seconds), targets.START_SECONDS),
        Judged("MB of memory when idle", median(megabytes), targets.IDLE_MEGABYTES),
    )
    lines = [[each.name, f"{each.figure:.2f}", str(each.target), each.verdict] for each in judged]
    return Outcome(report.table(["singletable serve", "median", "target", ""], lines), judged)


PARTS: dict[str, Callable[[Setting], Outcome]] = {
    "http": http,
    "in-process": in_process,
    "many-items": many_items,
    "start": start,
}
