"""Secondary indexes: changes, backfill and replication lag."""
