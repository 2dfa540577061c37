"""Which passphrase may guard a steward key."""

from tur.errors import InvalidInput

MIN_PASSPHRASE = 8
"""Shortest passphrase, in characters."""


def check_passphrase(passphrase: str) -> str:
    """A passphrase that may guard a key. Raises InvalidInput."""
    if len(passphrase) < MIN_PASSPHRASE:
        raise InvalidInput(
            f"a passphrase has {MIN_PASSPHRASE} characters or more",
            hint="Four unrelated words make a good one. Nothing was changed.",
        )
    return passphrase
