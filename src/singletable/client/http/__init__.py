"""DynamoDB over HTTP: connections that are kept, answers that are checked, requests that are signed."""
