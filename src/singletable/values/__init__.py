"""DynamoDB's attribute values: validation, encoding, size, order and limits."""
