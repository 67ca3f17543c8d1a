"""Legacy parameters, which DynamoDB had before expressions, translated into expression trees."""
