"""The one error tree. An error is data: a stable code, what was wrong, and a hint that says what to do.

TurError
├── InvalidInput          text, id, name or option that cannot be taken
├── NotFound              no such memory, session, persona, terrain
├── Ambiguous             a prefix that several ids share
├── Conflict              the store changed, or the act does not fit the state it found
│   ├── SessionAlreadyConsolidatedError
│   ├── SessionSealed
│   └── SleepInProgress
├── Refused               policy said no
│   └── StewardRequired   only a human at a terminal may do this (exit code 3)
├── DreamFailed           the dreaming engine gave nothing usable; the session stays open
├── StoreCorrupt          a file of the store cannot be read
├── StoreUnavailable      read-only, full, locked or missing place on disk
├── ConfigError           persona.yaml, state.yaml or the environment says something impossible
└── MissingExtra          an optional part is not installed
"""

from datetime import datetime


class TurError(Exception):
    """Root of all errors that a user can meet.

    `code` is stable and goes into JSON; `label` stands before the message; `hint` names the next thing to do; `context`
    holds further facts (ids, paths, counts) for machines.
    """

    code = "error"
    exit_code = 1
    label = "Error"

    def __init__(self, message: str, *, hint: str | None = None, **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.context = context


class InvalidInput(TurError):
    """Text, an id, a name or an option that cannot be taken as it is."""

    code = "invalid_input"


class UsageError(TurError):
    """The command line cannot be read as the verb's options."""

    code = "usage"
    exit_code = 2


class NotFound(TurError):
    """Nothing answers to that id or name."""

    code = "not_found"


class Ambiguous(TurError):
    """A prefix that several ids share; `context["candidates"]` lists the full ids."""

    code = "ambiguous"


class Conflict(TurError):
    """The act does not fit the state it found; nothing was changed."""

    code = "conflict"


class SessionSealed(Conflict):
    """A note came to a session that is sealed."""

    code = "session_sealed"


class SleepInProgress(Conflict):
    """Another process is dreaming this session."""

    code = "sleep_in_progress"


class SessionAlreadyConsolidatedError(Conflict):
    """The session was dreamt before (EP-0152, 2.2)."""

    code = "session_already_consolidated"
    label = "SessionAlreadyConsolidatedError"

    def __init__(self, session_id: str, consolidated_at: datetime, created: int, later_notes: int = 0) -> None:
        at = consolidated_at.strftime("%Y-%m-%d %H:%M:%S")
        memories = "memory" if created == 1 else "memories"
        message = (
            f"Session '{session_id}' was already consolidated\n"
            f"at {at} (created {created} L1 {memories}). Pass --force to re-dream."
        )
        if later_notes:
            notes = "note is" if later_notes == 1 else "notes are"
            message += f"\n{later_notes} later {notes} not consolidated."
        super().__init__(
            message,
            hint="Nothing was changed and no final note recorded. Begin a new session with `tur wake` or `tur note`.",
            session=session_id,
            consolidated_at=consolidated_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            created=created,
            later_notes=later_notes,
        )


class Refused(TurError):
    """A rule says no; the message names the rule."""

    code = "refused"


class StewardRequired(Refused):
    """Only a human at a terminal may do this."""

    code = "steward_required"
    exit_code = 3


class DreamFailed(TurError):
    """The engine gave nothing usable; the session stays open and unconsolidated."""

    code = "dream_failed"


class StoreCorrupt(TurError):
    """A file of the store cannot be read; it was left as it is."""

    code = "store_corrupt"


class StoreUnavailable(TurError):
    """The place on disk is read-only, full, locked or missing."""

    code = "store_unavailable"


class ConfigError(TurError):
    """A settings file or the environment says something impossible."""

    code = "config"


class MissingExtra(TurError):
    """An optional part of Tur is not installed; the hint says which."""

    code = "missing_extra"
