"""The private half of the steward key: made, kept under a passphrase, unlocked for one act.

The file `steward.key` is JSON: the 32-byte Ed25519 seed, encrypted with ChaCha20-Poly1305 under a
key that scrypt makes from the passphrase. Persona and public key are bound into it.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from tur import faults
from tur.codec.audit import fingerprint, signing_bytes
from tur.errors import NotFound, Refused, StoreCorrupt
from tur.model.audit import AuditEntry
from tur.paths import HomePaths
from tur.policy.passphrase import check_passphrase
from tur.store.files import read_file, remove_file, write_file
from tur.store.steward_key import write_public_key

_SCRYPT = {"n": 2**15, "r": 8, "p": 1}
_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class StewardKey:
    """An unlocked key. It lives as long as the act it was unlocked for, and is never written."""

    seed: bytes

    @property
    def public_key(self) -> str:
        """The public half, in hex."""
        return Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw().hex()

    @property
    def fingerprint(self) -> str:
        """The name of the key."""
        return fingerprint(bytes.fromhex(self.public_key))

    def sign(self, entry: AuditEntry) -> str:
        """The signature of an audit entry whose `fingerprint` is this key's, in hex."""
        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(signing_bytes(entry)).hex()

    def __repr__(self) -> str:
        return f"StewardKey({self.fingerprint[:16]})"


def private_key_path(home: HomePaths, persona_id: str) -> Path:
    """Where the encrypted private half lies."""
    return home.persona(persona_id) / "steward.key"


def make_key() -> StewardKey:
    """A new key, from the system's random source."""
    return StewardKey(Ed25519PrivateKey.generate().private_bytes_raw())


def lock_key(key: StewardKey, persona_id: str, passphrase: str) -> bytes:
    """The private half as its file holds it. Raises InvalidInput for a short passphrase."""
    salt, nonce = os.urandom(16), os.urandom(12)
    derived = Scrypt(salt=salt, length=32, **_SCRYPT).derive(
        check_passphrase(passphrase).encode("utf-8", "surrogatepass")
    )
    box = ChaCha20Poly1305(derived).encrypt(nonce, key.seed, _bound(persona_id, key.public_key))
    facts = {
        "version": 1,
        "kdf": "scrypt",
        **_SCRYPT,
        "salt": salt.hex(),
        "nonce": nonce.hex(),
        "box": box.hex(),
        "public_key": key.public_key,
    }
    return (json.dumps(facts, indent=1) + "\n").encode()


def write_new_key(home: HomePaths, persona_id: str, locked: bytes) -> None:
    """Put an encrypted private half down beside the one in force, until its line is in the audit log."""
    write_file(_new_key_path(home, persona_id), locked)


def new_public_key(home: HomePaths, persona_id: str) -> str | None:
    """The public half of a key that waits to come into force, or None. Raises StoreCorrupt."""
    return _public_half(_new_key_path(home, persona_id))


def present_public_key(home: HomePaths, persona_id: str) -> str | None:
    """The public half that belongs to the private half on this machine, or None. Raises StoreCorrupt."""
    return _public_half(private_key_path(home, persona_id))


def promote_new_key(home: HomePaths, persona_id: str, public_key: str) -> None:
    """Put the waiting key (`public_key` in hex) into the place of the one in force."""
    path = _new_key_path(home, persona_id)
    write_file(private_key_path(home, persona_id), read_file(path, limit=_LIMIT))
    faults.reached("key.private")
    write_public_key(home, persona_id, public_key)
    faults.reached("key.public")
    remove_file(path)


def drop_new_key(home: HomePaths, persona_id: str) -> None:
    """Forget a key that never came into force."""
    remove_file(_new_key_path(home, persona_id))


def unlock_key(home: HomePaths, persona_id: str, passphrase: str) -> StewardKey:
    """The persona's key. Raises NotFound when there is none here, Refused for a wrong passphrase, StoreCorrupt."""
    path = private_key_path(home, persona_id)
    try:
        facts = json.loads(read_file(path, limit=_LIMIT))
        salt, nonce, box = (bytes.fromhex(facts[name]) for name in ("salt", "nonce", "box"))
        public_key = str(facts["public_key"])
        if facts["version"] != 1 or any(facts[name] != value for name, value in _SCRYPT.items()):
            # Parameters are fixed, so that a changed file cannot ask for weaker or endless work.
            raise ValueError("parameters")
    except FileNotFoundError:
        raise NotFound(
            "the private half of the steward key is not on this machine",
            hint="Bring steward.key here, or make a new key with `tur-adm steward rotate --lost`.",
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorrupt(f"{path} is no key of a steward", path=str(path)) from error
    derived = Scrypt(salt=salt, length=32, **_SCRYPT).derive(passphrase.encode("utf-8", "surrogatepass"))
    try:
        key = StewardKey(ChaCha20Poly1305(derived).decrypt(nonce, box, _bound(persona_id, public_key)))
    except (InvalidTag, ValueError):
        raise Refused("the passphrase does not open the steward key", hint="Nothing was changed.") from None
    if key.public_key != public_key:
        raise StoreCorrupt(f"{path}: its two halves do not belong together", path=str(path))
    return key


def _bound(persona_id: str, public_key: str) -> bytes:
    return f"tur.steward.v1\n{persona_id}\n{public_key}".encode()


def _new_key_path(home: HomePaths, persona_id: str) -> Path:
    return home.persona(persona_id) / "steward.key.new"


def _public_half(path: Path) -> str | None:
    try:
        public_key = str(json.loads(read_file(path, limit=_LIMIT))["public_key"])
        if len(bytes.fromhex(public_key)) != 32:
            raise ValueError("length")
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorrupt(f"{path} is no key of a steward", path=str(path)) from error
    return public_key
