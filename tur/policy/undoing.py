"""Which decision of a steward can be taken back: the last one, and only of some kinds."""

from tur.errors import Conflict, NotFound, Refused
from tur.ids import short_id
from tur.model.audit import Act, AuditEntry, AuditLog
from tur.model.memory import Memory, MemoryType

UNDOABLE = frozenset({Act.APPROVE, Act.REJECT, Act.FORGET, Act.RESTORE})
"""Acts that leave the memory's text as it is, so that taking back its standing takes back all."""


def to_undo(log: AuditLog, line: int | None = None) -> tuple[str, AuditEntry]:
    """The line that an undo takes back, and the id of its memory.

    `line` is the one that was shown. Raises Conflict when another one came after it, NotFound when no
    memory was decided on, Refused when the last decision is of another kind.
    """
    for last in reversed(log.entries):
        if last.id is None:
            continue
        if line is not None and last.seq != line:
            raise Conflict(
                f"line {line} is no longer the last decision: line {last.seq} is, "
                f"{last.act.value} of {short_id(last.id)} by {last.actor}",
                hint="Nothing was changed. Look again at what would be taken back.",
                id=last.id,
                line=last.seq,
            )
        if last.act is Act.UNDO:
            raise Refused(
                f"the last decision on a memory (line {last.seq}) took one back already, and only one step is kept",
                hint="Nothing was changed. Approve, reject, forget or restore the memory itself.",
                id=last.id,
                line=last.seq,
            )
        if last.act not in UNDOABLE:
            back = f"Bringing {short_id(last.id)} back is an approval: `tur-adm memory restore`, once what merged it"
            raise Refused(
                f"the last decision on a memory (line {last.seq}, {last.act.value}) cannot be undone",
                hint=f"{back} is forgotten."
                if last.act is Act.MERGE
                else "Nothing was changed. `tur-adm audit` lists all acts.",
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
