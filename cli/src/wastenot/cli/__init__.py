"""The `wastenot` command."""
