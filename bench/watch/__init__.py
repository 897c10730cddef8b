"""The promises of `wastenot watch`, each measured by a command that can be run again (`__main__.py`)."""
