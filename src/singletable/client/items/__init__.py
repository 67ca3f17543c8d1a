"""Items and the user's objects: one made into the other, and told apart."""
