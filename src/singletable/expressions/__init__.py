"""The expression language of DynamoDB, as one tree."""
