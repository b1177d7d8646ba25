"""What is seen of results: each view makes plain tables, figures and lines of them, and knows no renderer."""
