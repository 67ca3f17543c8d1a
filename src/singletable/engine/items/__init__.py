"""Reads and writes of items: keys, pages, transactions, capacity and expiry."""
