"""Numbers out of a recording: pure functions, the same for panels and for Python."""
