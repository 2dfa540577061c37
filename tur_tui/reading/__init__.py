"""What the workers read from the store for the panes: plain records, no Textual.

Everything here may block on the disk, so it is only ever called from a worker thread.
"""

from tur_tui.reading.audit import entry_detail, list_audit
from tur_tui.reading.chrome import find_anything, read_chrome, refresh_index, store_stamp
from tur_tui.reading.diff import DiffFacts, delta_detail, list_diff, moment, parse_selection, read_effect
from tur_tui.reading.memories import core_words, first_note, last_changed, list_memories, memory_detail, memory_rows
from tur_tui.reading.prune import list_archive, list_prune, prune_detail, told_going
from tur_tui.reading.review import list_review, review_detail
from tur_tui.reading.shared import Chrome, Detail, Listing
from tur_tui.reading.timeline import SessionFacts, has_session, list_timeline, note_detail, session_detail, session_rows

__all__ = [
    "Chrome",
    "Detail",
    "DiffFacts",
    "Listing",
    "SessionFacts",
    "core_words",
    "delta_detail",
    "entry_detail",
    "find_anything",
    "first_note",
    "has_session",
    "last_changed",
    "list_archive",
    "list_audit",
    "list_diff",
    "list_memories",
    "list_prune",
    "list_review",
    "list_timeline",
    "memory_detail",
    "memory_rows",
    "moment",
    "note_detail",
    "parse_selection",
    "prune_detail",
    "read_chrome",
    "read_effect",
    "refresh_index",
    "review_detail",
    "session_detail",
    "session_rows",
    "store_stamp",
    "told_going",
]
