"""Rows of the client benchmark, by the words that workers receive and the names that the tables show.

Every contender environment imports this module, so it depends only on the standard library.
"""

from __future__ import annotations

GET, QUERY_100, QUERY_1000 = "get", "100", "1000"
READ_ROWS = {GET: "GetItem", QUERY_100: "Query 100 items", QUERY_1000: "Query 1,000 items"}

PUT, CREATE, UPDATE, MOVE, BATCH, TRANSACTION = "put", "create", "update", "move", "batch", "transaction"
WRITE_ROWS = {
    PUT: "Put",
    CREATE: "Create",
    UPDATE: "Update",
    MOVE: "Update index key",
    BATCH: "Batch 1,000",
    TRANSACTION: "Transaction 4",
}
BATCH_ITEMS = 1_000
TRANSACTION_ITEMS = 4

PUT_MANY = "put_many"
PUT_MANY_ITEMS = 20_000
ENGINE_ROWS = {PUT: "Put", UPDATE: "Update", MOVE: "Update index key"}
"""Rows that compare a typed call with the engine alone."""
