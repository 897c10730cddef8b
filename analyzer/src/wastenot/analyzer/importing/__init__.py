"""Traces of other tools, exports and archives as trace files."""
