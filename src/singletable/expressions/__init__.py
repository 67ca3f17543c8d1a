"""DynamoDB expressions: a parser, checks, evaluation and printing, all with the same syntax tree."""
