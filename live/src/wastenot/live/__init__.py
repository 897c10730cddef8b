"""The terminal view: a running watch, or a trace played."""
