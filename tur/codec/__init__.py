"""Text and records, both ways: memory files, timelines, hashes, JSON answers. Pure: bytes in, bytes out."""
