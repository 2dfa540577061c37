"""One thing that a check of the store found wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is stable, `subject` names the file, id or line, `message` what is wrong, `hint` what to do."""

    code: str
    subject: str
    message: str
    hint: str | None = None
