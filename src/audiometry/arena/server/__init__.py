"""The arena as a server: its settings, what it does for a voter, and how that goes over the wire."""
