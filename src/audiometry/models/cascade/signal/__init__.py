"""What the cascade hears with besides a recogniser: levels, pitch, voices, onsets, timbre, events."""
