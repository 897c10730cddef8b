"""Trace files: opened safely, built, checked, written."""
