"""Names of things: session ids, memory ids and their prefixes, persona ids, agent names, tur:// URIs.

Nothing here touches the disk. Everything that comes from a user passes through one of these
before it may become part of a path, so no id can leave the store.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from tur.errors import Ambiguous, InvalidInput, NotFound

SESSION_ID = re.compile(r"\d{8}_\d{6}_[0-9a-f]{8}")
MEMORY_ID = re.compile(r"[0-9a-f]{64}")
PERSONA_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
AGENT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
MEMORY_PREFIX = re.compile(r"[0-9a-f]{4,64}")
NOTE_URI = re.compile(r"tur://session/(?P<session>\d{8}_\d{6}_[0-9a-f]{8})#note-(?P<idx>[1-9]\d{0,8})")


def new_session_id(now: datetime, token: str) -> str:
    """`YYYYMMDD_HHMMSS_<8 hex>` of a UTC moment and a random token."""
    return f"{now:%Y%m%d_%H%M%S}_{token}"


def memory_uri(memory_id: str) -> str:
    return f"tur://memory/{memory_id}"


def session_uri(session_id: str) -> str:
    return f"tur://session/{session_id}"


def note_uri(session_id: str, idx: int) -> str:
    return f"tur://session/{session_id}#note-{idx}"


def short_id(memory_id: str) -> str:
    """How a memory id is shown: `concept-` and its first eight hex digits."""
    return f"concept-{memory_id[:8]}"


def memory_of_uri(uri: str) -> str | None:
    """The memory id that a `tur://memory/<id>` URI names, or None for another URI."""
    found = uri.removeprefix("tur://memory/")
    return found if found != uri and MEMORY_ID.fullmatch(found) else None


def note_of_uri(uri: str) -> tuple[str, int] | None:
    """Session id and note index that a note URI names, or None for another URI."""
    match = NOTE_URI.fullmatch(uri)
    return (match["session"], int(match["idx"])) if match else None


def session_of_uri(uri: str) -> str | None:
    """The session id of a session or note URI, or None."""
    found = uri.removeprefix("tur://session/").partition("#")[0]
    return found if uri.startswith("tur://session/") and SESSION_ID.fullmatch(found) else None


def memory_prefix(given: str) -> str:
    """The hex prefix in what a user typed: bare, with `concept-`, or as a `tur://memory/` URI.

    Raises InvalidInput when it is no prefix of four or more hex digits.
    """
    prefix = given.strip().removeprefix("tur://memory/").removeprefix("concept-").lower()
    if not MEMORY_PREFIX.fullmatch(prefix):
        raise InvalidInput(
            f"not a memory id: {given!r}",
            hint="An id is 4 to 64 hex digits, with or without `concept-`, or tur://memory/<id>.",
        )
    return prefix


def match_prefix(prefix: str, known: Iterable[str], *, kind: str) -> str:
    """The one id of `known` that begins with `prefix`; an exact id wins over longer ones.

    Raises NotFound, or Ambiguous with the candidates.
    """
    found = sorted({one for one in known if one.startswith(prefix)})
    if prefix in found:
        return prefix
    if not found:
        raise NotFound(f"no {kind} with id {prefix}", hint=f"Nothing in this store begins with {prefix!r}.")
    if len(found) > 1:
        shown = ", ".join(one[:16] if kind == "memory" else one for one in found[:10])
        raise Ambiguous(
            f"ambiguous: {len(found)} matches for {kind} {prefix}: {shown}",
            hint="Give more digits of the id. Nothing was changed.",
            candidates=found,
        )
    return found[0]


def check_session_prefix(given: str) -> str:
    """A session id or the beginning of one, safe to compare with ids. Raises InvalidInput."""
    prefix = given.strip().removeprefix("tur://session/")
    if not re.fullmatch(r"[0-9][0-9a-f_]{3,23}", prefix):
        raise InvalidInput(
            f"not a session id: {given!r}",
            hint="A session id is YYYYMMDD_HHMMSS_<8 hex>; any unique beginning of 4 or more characters does.",
        )
    return prefix


def check_agent_name(given: str) -> str:
    """A manifestation's name, as an author of notes. Raises InvalidInput."""
    if not AGENT_NAME.fullmatch(given):
        raise InvalidInput(
            f"not a manifestation name: {given!r}",
            hint="A name is 1 to 64 letters, digits and ._@+- and begins with a letter or digit.",
        )
    return given
