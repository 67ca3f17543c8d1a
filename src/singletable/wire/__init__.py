"""The API on the wire: the shapes of its requests and results, and its errors."""
