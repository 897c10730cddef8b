"""What a watch shows: lines, the journal, systemd, a live table."""
