"""What only a human may do. Nothing that an agent runs can import this package."""
