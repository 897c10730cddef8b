"""The verbs of `wastenot`, a module each."""
