"""DynamoDB's actions, one file each, named as clients ask for them."""
