"""Design documents in Markdown and HTML, with pictures of item collections."""
