"""A changed bit in the log of a killed process is reported, but a torn end is not."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage.log_damage import log_damage
from singletable.errors import StoreRefused
from tests.engine.soak import longer
from tests.engine.table_requests import create_hash, get, item, put

NAMES = ("store.db", "store.db-wal", "store.db-shm")


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files of a store as a killed process leaves them, with confirmed writes in the log."""
    folder = tmp_path_factory.mktemp("crashed")
    (folder / "open").mkdir()
    with Engine(f"file:{folder / 'open' / 'store.db'}", sweep_seconds=None) as engine:
        create_hash(engine)
        for number in range(20):
            put(engine, item(pk=f"{number}", text="x" * 300), "hash")
        for name in NAMES:
            shutil.copy(folder / "open" / name, folder / name)
    return folder


def copied(crashed: Path, folder: Path) -> Path:
    for name in NAMES:
        shutil.copy(crashed / name, folder / name)
    return folder / "store.db"


def test_no_log_damage_is_reported_for_the_log_of_a_killed_process(crashed: Path, tmp_path: Path) -> None:
    path = copied(crashed, tmp_path)
    assert log_damage(Path(f"{path}-wal")) is None
    with Engine(f"file:{path}") as engine:
        assert get(engine, item(pk="19"), "hash") is not None


def test_log_damage_of_any_bit_keeps_the_store_closed(crashed: Path, tmp_path: Path) -> None:
    path = copied(crashed, tmp_path)
    log = Path(f"{path}-wal")
    whole = log.read_bytes()
    chance = random.Random(19)
    # The header of the log, the header of a frame, and pages.
    header = [*range(4, 12), *range(16, 32)]
    places = [*chance.sample(header, 8), *range(32, 56, 3), *chance.choices(range(32, len(whole)), k=longer(20))]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        log.write_bytes(damaged)
        with pytest.raises(StoreRefused, match=r"store.db-wal is damaged: one bit was changed .* \((header|frame)"):
            Engine(f"file:{path}")
        assert log.read_bytes() == damaged, place
    log.write_bytes(whole)
    with Engine(f"file:{path}") as engine:
        assert get(engine, item(pk="19"), "hash") is not None


@pytest.mark.parametrize("seed", range(longer(10)))
def test_no_log_damage_is_reported_for_a_torn_end(crashed: Path, tmp_path: Path, seed: int) -> None:
    """After a power failure, any part of the last sectors may be missing or old."""
    chance = random.Random(seed)
    log = Path(f"{copied(crashed, tmp_path)}-wal")
    whole = bytearray(log.read_bytes())
    start = chance.randrange(100, len(whole))
    for sector in range(start - start % 512, len(whole), 512):
        if chance.random() < 0.5:
            whole[sector : sector + 512] = chance.choice([bytes(512), chance.randbytes(512)])[: len(whole) - sector]
    log.write_bytes(whole[: chance.randrange(start, len(whole) + 1)])
    assert log_damage(log) is None
    Engine(f"file:{tmp_path / 'store.db'}").close()
