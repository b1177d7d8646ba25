"""The arena: votes of people on two replies, and the board that they make. Here, what works from files."""
