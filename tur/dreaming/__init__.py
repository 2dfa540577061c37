"""Distilling a session's notes into memories: the prompt, its principles, and the engines."""
