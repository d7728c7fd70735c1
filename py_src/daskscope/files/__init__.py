"""Files on disk and elsewhere: opened to read, or written whole or not at all."""
