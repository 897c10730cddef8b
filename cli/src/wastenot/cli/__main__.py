"""`python -m wastenot.cli`."""

from wastenot.cli.starting import run

run()
