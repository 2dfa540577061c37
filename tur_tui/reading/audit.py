"""The steward's acts, and whether the log holds."""

from collections.abc import Sequence

from tur.clock import format_time
from tur.ids import short_id
from tur.model.audit import AuditEntry
from tur.policy.display import one_line
from tur.policy.trust import Alarm
from tur.service.core_trust import audit_file, core_trust
from tur.store.store import Store
from tur_tui.lines import BLANK, Line, Row, fields, heading, line
from tur_tui.reading.shared import Listing, empty_page, has_words


def list_audit(store: Store, words: str) -> Listing:
    """The steward's acts, newest first, and whether the log holds."""
    log = audit_file(store).read()
    verdict = core_trust(store, [])
    entries = {str(entry.seq): entry for entry in reversed(log.entries)}
    if words:
        entries = {key: one for key, one in entries.items() if has_words(words, _entry_text(one))}
    # What closes the core section comes first; the rest is an alarm all the same.
    alarms = sorted(verdict.alarms, key=lambda alarm: not alarm.closed)
    state = ("good", "the chain holds")
    if alarms:
        word, role = ("NOT IN ORDER", "bad") if alarms[0].closed else ("ALARM", "warn")
        state = (role, f"{word}: {alarms[0].subject}: {alarms[0].message}")
    key = f", key {verdict.key[:16]}" if verdict.key else ", no steward key"
    return Listing(
        list(entries),
        row_of=lambda key: _entry_row(entries[key]),
        summary=line(f"{len(log.entries):,} {'act' if len(log.entries) == 1 else 'acts'}, ", state, ("dim", key)),
        empty=_no_act(bool(words), alarms if log.faults else ()),
        facts=(entries, verdict.alarms),
    )


def _no_act(filtered: bool, alarms: Sequence[Alarm]) -> list[Line]:
    if alarms and not filtered:
        told = [line(("bad", f"{alarm.subject}: {alarm.message}"), indent=2) for alarm in alarms]
        return [line(("title", "No act can be read.")), BLANK, *told]
    return empty_page(
        filtered, "No act yet.", "Every approval, rejection, forgetting, restoring and prune is told here."
    )


def _entry_text(entry: AuditEntry) -> str:
    return f"{entry.act} {entry.actor} {entry.id or ''} {entry.reason or ''} {' '.join(entry.argv)}"


_ACT_ROLES = {
    "approve": "good",
    "restore": "good",
    "reject": "removed",
    "forget": "removed",
    "merge": "removed",
    "undo": "warn",
    "prune": "warn",
}


def _entry_row(entry: AuditEntry) -> Row:
    told = f"{entry.id[:8]} " if entry.id else ""
    return Row(
        str(entry.seq),
        line(
            ("dim", f"{entry.seq:>4} {entry.at:%m-%d %H:%M} "),
            (_ACT_ROLES.get(entry.act.value, "info"), f"{entry.act.value:<8} "),
            told,
            ("dim", one_line(entry.reason or entry.actor, 200)),
        ),
    )


def entry_detail(entry: AuditEntry, alarms: Sequence[object]) -> list[Line]:
    """One act in full."""
    return [
        line(("title", f"Line {entry.seq}"), (_ACT_ROLES.get(entry.act.value, "info"), f"  {entry.act.value}")),
        *fields(
            [
                ("at", format_time(entry.at)),
                ("by", entry.actor),
                ("memory", short_id(entry.id) if entry.id else "none"),
                ("reason", entry.reason or "none given"),
                ("command", " ".join(entry.argv) or "unknown"),
                ("id", entry.id or ""),
                ("seal", entry.seal or ""),
                ("digest", entry.digest or ""),
                ("signed by", entry.fingerprint or "nobody: no steward key"),
                ("before", entry.previous),
                ("hash", entry.hash),
            ]
        ),
        *([BLANK, heading("Alarms")] if alarms else []),
        *(
            line(("bad", f"  {getattr(alarm, 'subject', '')}: {getattr(alarm, 'message', '')}"), indent=2)
            for alarm in alarms
        ),
    ]
