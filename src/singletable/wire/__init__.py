"""DynamoDB's API: the structures of requests and results, errors, and request signatures."""
