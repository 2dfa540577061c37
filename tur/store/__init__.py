"""All that touches the disk: files, locks, session databases, memories, the derived index."""
