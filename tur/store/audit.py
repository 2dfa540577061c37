"""The audit log's file: read as it lies, appended to by one `write` of one line, fsynced."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tur.codec.audit import parse_audit, render_line
from tur.errors import StoreCorrupt, TurError
from tur.model.audit import AuditEntry, AuditFault, AuditLog
from tur.paths import HomePaths
from tur.store.files import create_file, make_folder, read_file, remove_file, storage_errors, sync_folder, write_file


@dataclass(frozen=True, slots=True)
class AuditFile:
    """The log of one persona. Whoever writes holds `lock`."""

    home: HomePaths
    persona_id: str

    @property
    def path(self) -> Path:
        return self.home.audit(self.persona_id)

    @property
    def lock(self) -> Path:
        """The lock of all acts of a steward on this persona."""
        return self.home.persona(self.persona_id) / "steward.lock"

    def read(self) -> AuditLog:
        """The log as far as it holds. Never raises: a file that cannot be read is a fault of the log."""
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return AuditLog()
        except TurError as error:
            return AuditLog(faults=(AuditFault(1, "audit_unreadable", error.message),))
        return parse_audit(data, self.persona_id)

    def append(self, entry: AuditEntry) -> None:
        """Write one line durably. Raises StoreUnavailable, or StoreCorrupt when the log is no regular file."""
        make_folder(self.path.parent)
        with storage_errors(self.path):
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(self.path, flags, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise StoreCorrupt(f"{self.path} is no regular file")
                line = render_line(entry)
                if os.write(descriptor, line) != len(line):
                    raise OSError("short write")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            sync_folder(self.path.parent)

    def trim(self, stamp: str) -> Path | None:
        """Cut off a last line that was never finished, keeping a copy of the file; says where the copy is."""
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return None
        whole = data[: data.rfind(b"\n") + 1]
        if whole == data:
            return None
        copy = self.path.with_name(f"audit-{stamp}.torn")
        create_file(copy, data)
        write_file(self.path, whole)
        return copy

    def cut(self, length: int, stamp: str) -> Path | None:
        """Keep only the first `length` lines, and a copy of the whole file; says where the copy is."""
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return None
        kept = b"".join(data.splitlines(keepends=True)[:length])
        if kept == data:
            return None
        copy = self.path.with_name(f"audit-{stamp}.cut")
        create_file(copy, data)
        write_file(self.path, kept)
        return copy

    def set_aside(self, stamp: str) -> Path | None:
        """Move a log that does not hold out of the way, whole; says where it is now."""
        try:
            data = read_file(self.path)
        except (FileNotFoundError, TurError):
            # A symlink or device holds nothing of ours: the name is freed, what it points to stays.
            remove_file(self.path)
            return None
        copy = self.path.with_name(f"audit-{stamp}.broken")
        create_file(copy, data)
        remove_file(self.path)
        return copy
