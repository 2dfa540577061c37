"""The app's screens: one pane each, and the help."""
