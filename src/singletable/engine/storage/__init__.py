"""Storage of tables: ordered maps of bytes in one SQLite file, or in memory."""
