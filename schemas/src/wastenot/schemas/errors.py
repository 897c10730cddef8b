"""What is wrong with a declaration."""


class DeclarationError(ValueError):
    """A declaration file is wrong; the message names the file, the column and the mend."""
