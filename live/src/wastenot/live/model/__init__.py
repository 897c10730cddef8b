"""What the view shows, as values; no clock, file or terminal is used here."""
