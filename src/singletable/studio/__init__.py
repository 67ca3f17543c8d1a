"""Studio: a local web page that shows one table with its item collections, access patterns and items."""
