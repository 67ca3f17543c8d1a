"""DynamoDB's ten types, how they are checked, written, measured and ordered, and its own figures."""
