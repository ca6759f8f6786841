"""Games that people play: records, sessions, reviews and puzzles."""
