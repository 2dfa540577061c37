"""The app's widgets. Stored text reaches the screen only through `safe_text`."""
