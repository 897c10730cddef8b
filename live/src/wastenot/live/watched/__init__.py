"""A running watch as a source of frames: its views over the last minute, and what changed between them."""
