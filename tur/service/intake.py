"""What is on its way into the store: text is checked and loses its secrets; what is known already is told so."""

from collections.abc import Iterable

from tur.codec.text import check_text
from tur.errors import Refused
from tur.ids import short_id
from tur.model.memory import Memory
from tur.policy.secrets import redact


def take_text(text: str, what: str, *, one_line: bool = False, limit: int | None = None) -> tuple[str, list[str]]:
    """The text as it may be stored, and the kinds of secrets that were redacted in it.

    Raises InvalidInput for text that is empty, too long, or cannot be stored.
    """
    checked = (
        check_text(text, what, one_line=one_line)
        if limit is None
        else check_text(text, what, one_line=one_line, limit=limit)
    )
    return redact(checked)


def take_tags(tags: Iterable[str]) -> tuple[tuple[str, ...], list[str]]:
    """Tags as they are stored, and the kinds of secrets that were redacted in them.

    Each is stripped and given once, in the order given; commas part them.
    """
    parts = [part.strip().strip("[]\"'").strip() for tag in tags for part in tag.split(",")]
    taken = [take_text(part, "a tag", one_line=True, limit=100) for part in parts if part]
    return tuple(dict.fromkeys(tag for tag, _ in taken)), [kind for _, kinds in taken for kind in kinds]


def known_and_gone(known: Memory) -> Refused:
    """What to tell who says again what is stored already, and which only a human can bring back."""
    last = known.lifecycle[-1] if known.lifecycle else None
    why = f" ({last.reason})" if last is not None and last.reason else ""
    return Refused(
        f"{short_id(known.id)} is known and {known.status}{why}",
        hint="Only a human can bring it back: `tur-adm memory restore`.",
        id=known.id,
        status=known.status.value,
    )
