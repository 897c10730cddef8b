"""A recorded trace as a source of frames: where it is played, and what its tables say of that instant."""
