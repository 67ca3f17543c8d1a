"""Models from elsewhere: read into a draft, and written as an ordinary Python file."""
