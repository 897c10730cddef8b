"""What a trace says, as values."""
