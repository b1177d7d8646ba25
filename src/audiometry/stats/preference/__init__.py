"""What predicts a preference: votes between pairs regressed on differences of what is known of their systems."""
