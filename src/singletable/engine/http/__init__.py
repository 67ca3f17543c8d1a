"""The HTTP/1.1 server of the engine, for DynamoDB's JSON protocol, which every AWS SDK uses."""
