"""Items: identify the entity of each stored item, and decode the item into an object of the user's class."""
