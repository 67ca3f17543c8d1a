"""Kills a process during backups, restores, exports and imports, and then checks the store.

`python tests/engine/backup_crash_rounds.py FOLDER ROUNDS SEED` exits with 1 if a check fails, and prints the problem
and its seed. It is a separate program with one thread, so that it can fork the processes that it kills.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from singletable.engine.backups import backup_records, table_snapshot
from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage import backup_rows
from singletable.errors import RequestRefused
from tests.engine.crash_writer import Victim, kill_in_turn
from tests.engine.table_requests import create_indexed, definitions, key_schema, put, scan, texts

ITEMS = 60
ROUND_SECONDS_MAX = 0.2
BUCKET = "bucket"

KEYS: dict[str, Any] = {
    "KeySchema": key_schema("pk", "sk"),
    "AttributeDefinitions": definitions(pk="S", sk="S"),
    "BillingMode": "PAY_PER_REQUEST",
}

State = list[list[dict[str, Any]]]


class Wrong(Exception):
    """The store is in an invalid state."""


def contents(engine: Engine, table: str) -> State:
    return [scan(engine, table, **source)["Items"] for source in ({}, {"IndexName": "gsi"}, {"IndexName": "lsi"})]


def fill(engine: Engine, version: int) -> None:
    """Return items that differ from those of the previous version, so that a mixture of versions can be detected."""
    for number in range(ITEMS):
        item = texts(pk=f"p{number % 4}", sk=f"{number:03}", gsiPk=f"v{version}", lsiSk="l")
        if (number + version) % 5:
            put(engine, item)
        else:
            engine.call("DeleteItem", {"TableName": "table", "Key": texts(pk=f"p{number % 4}", sk=f"{number:03}")})


def work(url: str, folder: Path, seed: int, pipe: int) -> None:
    """Run one operation after another until the process is killed.

    Report the expected content of each backup or table first.
    """
    chance = random.Random(seed)
    backup_records.SMALL_ITEMS = 0 if chance.random() < 0.8 else 5000
    table_snapshot.STEP_ITEMS = 5
    engine = Engine(url, buckets=folder)
    known: dict[str, State] = {}

    def tell(name: str, state: State) -> None:
        os.write(pipe, json.dumps([name, state]).encode() + b"\n")

    for number in range(10**6):
        name = f"{seed}-{number}"
        match chance.choice(("backup", "backup", "restore", "recover", "export", "import", "delete")):
            case "backup":
                state = contents(engine, "table")
                tell(name, state)
                details = engine.call("CreateBackup", {"TableName": "table", "BackupName": name})["BackupDetails"]
                known[details["BackupArn"]] = state
                fill(engine, number)
            case "restore" if known:
                arn, state = chance.choice(list(known.items()))
                tell(name, state)
                _try(engine, "RestoreTableFromBackup", TargetTableName=name, BackupArn=arn)
            case "recover":
                tell(name, contents(engine, "table"))
                source = {"SourceTableName": "table", "UseLatestRestorableTime": True}
                _try(engine, "RestoreTableToPointInTime", TargetTableName=name, **source)
            case "export":
                _try(engine, "ExportTableToPointInTime", TableArn=engine.arn("table"), S3Bucket=BUCKET)
            case "import":
                source = {"S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": "in/"}, "InputFormat": "DYNAMODB_JSON"}
                _try(engine, "ImportTable", TableCreationParameters={"TableName": f"in-{name}", **KEYS}, **source)
            case "delete" if len(known) > 1:
                arn = next(iter(known))
                del known[arn]
                _try(engine, "DeleteBackup", BackupArn=arn)


def _try(engine: Engine, action: str, **request: Any) -> None:
    try:
        engine.call(action, request)
    except RequestRefused as error:
        if error.code != "BackupInUseException":
            raise


def one_round(path: Path, folder: Path, chance: random.Random) -> Counter[str]:
    url = f"file:{path}"
    seed = chance.getrandbits(32)
    victim = Victim(partial(work, url, folder, seed), chance.uniform(0.02, ROUND_SECONDS_MAX))
    reported: dict[str, State] = {name: state for name, state in kill_in_turn([victim])}  # noqa: C416  # typed so
    with Engine(url, buckets=folder) as engine:
        engine.jobs.wait()
        seen = check(engine, reported)
        for name in engine.call("ListTables", {})["TableNames"]:
            if name != "table":
                engine.call("DeleteTable", {"TableName": name})
        for summary in engine.call("ListBackups", {})["BackupSummaries"]:
            engine.call("DeleteBackup", {"BackupArn": summary["BackupArn"]})
    if problems := check_store(path).problems:
        raise Wrong("\n".join(problems))
    return seen


def check(engine: Engine, reported: dict[str, State]) -> Counter[str]:
    """Check that every backup and table is complete, and that nothing is in progress."""
    seen: Counter[str] = Counter()
    summaries = engine.call("ListBackups", {})["BackupSummaries"]
    for summary in summaries:
        name = summary["BackupName"]
        if summary["BackupStatus"] != "AVAILABLE":
            raise Wrong(f"{name} is {summary['BackupStatus']}")
        engine.call("RestoreTableFromBackup", {"TargetTableName": "looked-at", "BackupArn": summary["BackupArn"]})
        engine.jobs.wait()
        if contents(engine, "looked-at") != reported[name]:
            raise Wrong(f"{name} is not what its table was")
        engine.call("DeleteTable", {"TableName": "looked-at"})
        seen["backups"] += 1
    with engine.store.reading() as connection:
        if len(backup_rows.rows(connection)) != len(summaries):
            raise Wrong("a backup that is not listed is left")
    for table in engine.call("ListTables", {})["TableNames"]:
        status = engine.call("DescribeTable", {"TableName": table})["Table"]["TableStatus"]
        if status != "ACTIVE":
            raise Wrong(f"{table} is {status}")
        if table != "table" and not table.startswith("in-") and contents(engine, table) != reported[table]:
            raise Wrong(f"{table} is not what it was restored from")
        seen["tables"] += 1
    for kind, members in (("Export", "ExportSummaries"), ("Import", "ImportSummaryList")):
        for summary in engine.call(f"List{kind}s", {})[members]:
            status = summary[f"{kind}Status"]
            if status == "IN_PROGRESS":
                raise Wrong(f"{summary} is under way, and nobody is at it")
            seen[f"{kind} {status}"] += 1
    return seen


def main(folder: Path, rounds: int, seed: int) -> int:
    chance = random.Random(seed)
    path = folder / "store"
    (folder / "buckets" / BUCKET / "in").mkdir(parents=True)
    lines = [json.dumps({"Item": texts(pk="p", sk=str(number))}) for number in range(3000)]
    (folder / "buckets" / BUCKET / "in" / "items.json").write_text("\n".join(lines))
    with Engine(f"file:{path}") as engine:
        create_indexed(engine)
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        engine.call("UpdateContinuousBackups", {"TableName": "table", **specification})
        fill(engine, 0)
    seen: Counter[str] = Counter()
    for number in range(rounds):
        try:
            seen += one_round(path, folder / "buckets", chance)
        except Exception as error:
            print(f"round {number} of seed {seed}: {error}")
            if not isinstance(error, Wrong):
                raise
            return 1
    print(f"{rounds} kills, {dict(seen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
