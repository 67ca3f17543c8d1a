"""The key solver: an exact search for keys with the fewest indexes, with a certificate."""
