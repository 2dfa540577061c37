"""Measurements of Tur: run them by hand, they are no part of the package."""
