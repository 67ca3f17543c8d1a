"""DynamoDB over HTTP: connection pools, response parsing, credentials and request signing."""
