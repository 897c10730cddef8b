"""Values and words for a terminal, a notebook and JSON."""
