"""The HTTP/1.1 server of the engine: DynamoDB's JSON protocol, as every AWS SDK uses it."""
