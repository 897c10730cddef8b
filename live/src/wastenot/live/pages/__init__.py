"""Pages: pure functions from a frame and the size of the terminal to lines."""
