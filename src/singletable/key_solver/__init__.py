"""Choose keys for access patterns: an exact search for the fewest indexes, with a certificate."""
