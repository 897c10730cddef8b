"""Repeated runs of two sides compared: what changed, by how much, and whether chance explains it."""
