"""Lines of text with styles: what pages are made of."""
