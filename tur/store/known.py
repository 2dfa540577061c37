"""What earlier surveys of the sessions read, so that the next one need not read it again."""

from dataclasses import dataclass, field

from tur.policy.retention import SessionRecord

StoredTimeline = tuple[bool, int, int, int]
"""A timeline's file as its folder lists it: whether in the archive, size, modification time, inode."""


@dataclass
class KnownRecords:
    """Records by session id, each with the files it was read from.

    Only of sessions that are no more than a timeline: whatever has a folder may change in a database.
    """

    facts: dict[str, tuple[tuple[StoredTimeline, ...], SessionRecord]] = field(default_factory=dict)
