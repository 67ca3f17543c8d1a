"""The engine over HTTP/1.1: the JSON protocol that every AWS SDK speaks."""
