"""Reading and writing items: keys, pages, transactions, capacity and expiry."""
