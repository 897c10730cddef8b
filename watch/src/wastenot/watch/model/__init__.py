"""Values between the native components and everything that shows them: no clock, file or process is used here."""
