"""The store: voters, recordings, battles and votes in one database, and audio files beside it by content hash."""
