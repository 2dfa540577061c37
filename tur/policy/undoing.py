"""Which decision of a steward can be taken back: the last one, and only of some kinds."""

from tur.errors import NotFound, Refused
from tur.ids import short_id
from tur.model.audit import Act, AuditEntry, AuditLog
from tur.model.memory import Memory, MemoryType

UNDOABLE = frozenset({Act.APPROVE, Act.REJECT, Act.FORGET, Act.RESTORE})
"""Acts that leave the memory's text as it is, so that taking back its standing takes back all."""


def to_undo(log: AuditLog) -> tuple[str, AuditEntry]:
    """The line that an undo takes back, and the id of its memory.

    Raises NotFound when no memory was decided on, Refused when the last decision is of another kind.
    """
    for last in reversed(log.entries):
        if last.id is None:
            continue
        if last.act not in UNDOABLE:
            raise Refused(
                f"the last act (line {last.seq}, {last.act.value}) cannot be undone",
                hint="Nothing was changed. `tur-adm audit` lists all acts.",
                id=last.id,
                line=last.seq,
            )
        return last.id, last
    raise NotFound("there is no decision to undo", hint="`tur-adm audit` lists them.")


def check_undo(last: AuditEntry, memory: Memory) -> None:
    """Raise Refused where taking back would put a core memory into force unseen."""
    if last.act is Act.FORGET and memory.type is MemoryType.CORE:
        raise Refused(
            f"{short_id(memory.id)} is a core memory: bringing it back is an approval",
            hint="`tur-adm memory restore` shows it first.",
            id=memory.id,
        )
