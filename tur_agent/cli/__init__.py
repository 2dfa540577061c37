"""The verbs of `tur`: each parses its options, calls one service and prints one answer."""
