"""The public half of the steward key, and checking its signatures. Nothing here can sign.

`cryptography` is loaded at the first signature that is checked: a store without a steward key
never pays for it.
"""

import re
from pathlib import Path

from tur.codec.audit import fingerprint, signing_bytes
from tur.errors import StoreCorrupt
from tur.model.audit import AuditEntry
from tur.paths import HomePaths
from tur.store.files import read_file, remove_file, write_file

_PUBLIC = re.compile(rb"tur-steward-ed25519 ([0-9a-f]{64})\s*")


def public_key_path(home: HomePaths, persona_id: str) -> Path:
    """Where the public half lies."""
    return home.persona(persona_id) / "steward.pub"


def read_public_key(home: HomePaths, persona_id: str) -> str | None:
    """The public key in hex, or None when there is none. Raises StoreCorrupt."""
    path = public_key_path(home, persona_id)
    try:
        data = read_file(path, limit=4096)
    except FileNotFoundError:
        return None
    found = _PUBLIC.fullmatch(data)
    if found is None:
        raise StoreCorrupt(f"{path} is no public key of a steward", hint="`tur-adm steward show` says what is known.")
    return found[1].decode()


def write_public_key(home: HomePaths, persona_id: str, public_key: str | None) -> None:
    """Put the public half (hex) in its place, or take it away with None."""
    path = public_key_path(home, persona_id)
    if public_key is None:
        remove_file(path)
    else:
        write_file(path, f"tur-steward-ed25519 {public_key}\n".encode())


class Ed25519Signatures:
    """Checks the signatures of audit entries (`tur.policy.trust.Signatures`)."""

    def holds(self, entry: AuditEntry, public_key: str) -> bool:
        """Whether the entry carries that key's signature. Never raises."""
        if entry.signature is None or entry.fingerprint != self.name(public_key):
            return False
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
            key.verify(bytes.fromhex(entry.signature), signing_bytes(entry))
        except (InvalidSignature, ValueError):
            return False
        return True

    def name(self, public_key: str) -> str:
        """The fingerprint of a public key (hex)."""
        return fingerprint(bytes.fromhex(public_key))
