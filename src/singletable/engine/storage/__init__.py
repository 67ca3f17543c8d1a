"""Where items are kept: ordered maps of bytes in one SQLite file, or in memory."""
