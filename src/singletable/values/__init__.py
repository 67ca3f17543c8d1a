"""DynamoDB's own figures: limits and sizes."""
