"""Damaged traces: mutations of real ones of every format, each imported by a process that is watched.

    python -m tests.mutations --count 400 [--format text]... [--seed 1]

An import of whatever file ends within its limits of time and memory, with status 0 and a trace or with status 2 and one
line, and leaves nothing else behind.
"""
