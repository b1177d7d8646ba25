"""Tables, figures and texts as plain data, and how each is printed: on a terminal, on a page, for a paper."""
