"""What a design looks like to people: documents and pictures that are made of it and of items in it."""
