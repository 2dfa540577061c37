"""Tur: memory that agents keep and humans govern. This package is the core and never prints."""

__version__ = "0.1.0"
