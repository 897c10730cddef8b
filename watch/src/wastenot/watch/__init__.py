"""The checker that is always on."""
