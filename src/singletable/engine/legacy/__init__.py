"""Translates legacy parameters, which DynamoDB had before expressions, into expression trees."""
