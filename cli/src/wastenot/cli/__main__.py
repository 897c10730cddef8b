"""`python -m wastenot.cli`."""

from wastenot.cli.main import run

run()
