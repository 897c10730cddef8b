"""Values in words."""
