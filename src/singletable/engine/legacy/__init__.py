"""The parameters of the API before expressions, made into the trees that expressions become."""
