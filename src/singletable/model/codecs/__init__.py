"""Key codecs: how the values of each type are encoded in a key and decoded again."""
