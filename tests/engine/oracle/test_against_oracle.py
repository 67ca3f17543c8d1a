"""The engine and the oracle give equal responses to the same random requests."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.engine.oracle import generated_requests as requests
from tests.engine.oracle.engine_and_oracle import EngineAndOracle
from tests.engine.oracle.generated_values import Given, global_index, table
from tests.engine.oracle.oracle_dynamodb import Answer
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.soak import longer

INDEX_CHANGES_MAX = 4
SEED = st.integers(0, 2**32 - 1)
TOKENS = st.sampled_from(["token-1", "token-2"])


class EngineAgainstOracle(RuleBasedStateMachine):
    """Two tables, and random requests to them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.pair = EngineAndOracle()
        self.given: list[Given] = []
        self.index_changes = 0
        self.sent_with_token: dict[str, Answer] = {}

    def teardown(self) -> None:
        self.pair.close()
        self.folder.cleanup()

    @initialize(seed=SEED, items=st.integers(0, 30), on_disk=st.booleans())
    def create(self, seed: int, items: int, on_disk: bool) -> None:
        chance = SeededChoices(seed)
        if on_disk:
            self.pair.close()
            self.pair = EngineAndOracle(Path(self.folder.name) / "store")
        self.given = [table(chance, "first"), table(chance, "second")]
        for given in self.given:
            self.pair.create(given.table)
        for _ in range(items):
            given = chance.pick(self.given)
            self.pair.run("PutItem", {"TableName": given.table.name, "Item": given.item(chance)})

    def _chosen(self, seed: int) -> tuple[SeededChoices, Given]:
        chance = SeededChoices(seed)
        return chance, chance.pick(self.given)

    # Items

    @rule(seed=SEED)
    def put(self, seed: int) -> None:
        self.pair.run("PutItem", requests.single_write(*self._chosen(seed), "PutItem"))

    @rule(seed=SEED)
    def update(self, seed: int) -> None:
        self.pair.run("UpdateItem", requests.single_write(*self._chosen(seed), "UpdateItem"))

    @rule(seeds=st.lists(SEED, min_size=2, max_size=8))
    def update_several_times(self, seeds: list[int]) -> None:
        for seed in seeds:
            self.update(seed)

    @rule(seed=SEED)
    def delete(self, seed: int) -> None:
        self.pair.run("DeleteItem", requests.single_write(*self._chosen(seed), "DeleteItem"))

    @rule(seed=SEED)
    def get(self, seed: int) -> None:
        self.pair.run("GetItem", requests.get(*self._chosen(seed)))

    # Pages

    @rule(seeds=st.lists(SEED, min_size=1, max_size=6))
    def query(self, seeds: list[int]) -> None:
        for seed in seeds:
            self.pair.read_pages("Query", requests.page(*self._chosen(seed), is_query=True))

    @rule(seed=SEED)
    def scan(self, seed: int) -> None:
        self.pair.read_pages("Scan", requests.page(*self._chosen(seed), is_query=False))

    @rule(seed=SEED, total=st.integers(1, 5))
    def scan_in_segments(self, seed: int, total: int) -> None:
        request = requests.page(*self._chosen(seed), is_query=False)
        options = ("TableName", "IndexName", "Limit")
        self.pair.scan_segments({name: value for name, value in request.items() if name in options}, total)

    @rule(seed=SEED, is_query=st.booleans())
    def read_while_items_go(self, seed: int, is_query: bool) -> None:
        """Delete the last item of a page before the next page is read."""
        chance, given = self._chosen(seed)
        request = requests.page(chance, given, is_query=is_query) | {"Limit": 1 + chance.below(2)}

        def between(answer: Answer) -> None:
            if chance.one_in(2):
                key = {name: answer["LastEvaluatedKey"][name] for name in given.table.key_names}
                self.pair.run("DeleteItem", {"TableName": given.table.name, "Key": key})

        self.pair.read_pages("Query" if is_query else "Scan", request, between)

    # Batches and transactions

    @rule(seed=SEED)
    def batch_write(self, seed: int) -> None:
        self.pair.run("BatchWriteItem", requests.batch_write(SeededChoices(seed), self.given))

    @rule(seed=SEED)
    def batch_get(self, seed: int) -> None:
        self.pair.run("BatchGetItem", requests.batch_get(SeededChoices(seed), self.given))

    @rule(seed=SEED)
    def transact_write(self, seed: int) -> None:
        self.pair.run("TransactWriteItems", requests.transact_write(SeededChoices(seed), self.given))

    @rule(seed=SEED, token=TOKENS, again=st.booleans())
    def transact_write_with_token(self, seed: int, token: str, again: bool) -> None:
        known = self.sent_with_token.get(token)
        if known is None or not again:
            known = requests.transact_write(SeededChoices(seed), self.given, fits=True)
            self.sent_with_token[token] = known
        self.pair.run("TransactWriteItems", {**known, "ClientRequestToken": token})

    @rule(seconds=st.sampled_from([1, 250, 350, 599, 601]))
    def time_passes(self, seconds: int) -> None:
        self.pair.clock.seconds += seconds

    @rule(seed=SEED, token=TOKENS, seconds=st.sampled_from([0, 1, 599, 601]))
    def send_a_transaction_twice(self, seed: int, token: str, seconds: int) -> None:
        """Repeat a token. It is valid for ten minutes, even if the items change."""
        self.time_passes(601)
        self.transact_write_with_token(seed, token, False)
        self.pair.clock.seconds += seconds
        self.update(seed + 1)
        self.transact_write_with_token(seed, token, seed % 5 != 0)

    @rule(seed=SEED)
    def transact_get(self, seed: int) -> None:
        self.pair.run("TransactGetItems", requests.transact_get(SeededChoices(seed), self.given))

    # New and deleted indexes, and restarts of the engine.

    @rule()
    def reopen(self) -> None:
        self.pair.reopen()

    @precondition(lambda self: self.index_changes < INDEX_CHANGES_MAX)
    @rule(seed=SEED)
    def add_index(self, seed: int) -> None:
        chance, given = self._chosen(seed)
        self.index_changes += 1
        self.pair.add_index(given.table, global_index(chance, given.table, f"later{self.index_changes}"))

    @precondition(lambda self: 0 < self.index_changes < INDEX_CHANGES_MAX)
    @rule(seed=SEED)
    def remove_index(self, seed: int) -> None:
        chance, given = self._chosen(seed)
        names = [index.name for index in given.table.indexes.values() if not index.is_local]
        if names:
            self.index_changes += 1
            self.pair.remove_index(given.table, chance.pick(names))


EngineAgainstOracle.TestCase.settings = settings(max_examples=longer(80), stateful_step_count=25)
TestEngineAgainstOracle = EngineAgainstOracle.TestCase
