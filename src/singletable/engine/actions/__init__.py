"""DynamoDB's actions: one file per action, named after it."""
