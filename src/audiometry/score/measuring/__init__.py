"""Parts of measuring a run's open answers: the answers, the rows, what is printed and stored."""
