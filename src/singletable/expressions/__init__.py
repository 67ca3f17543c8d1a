"""DynamoDB expressions: parsing, checks, evaluation and printing, all with the same syntax tree."""
