"""Review by people: who is shown what, what they are asked, what they said, and what it makes of a benchmark."""
