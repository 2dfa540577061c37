"""The one helper for files: private folders, whole-file writes, reads that follow no symlink.

A write is: temporary file in the same folder, write, fsync, rename, fsync of the folder. So a
reader sees the old file or the new one, and a crash leaves at most a temporary file with a
recognisable name (`.<name>.<8 hex>.tur-tmp`).
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tur.clock import SystemClock
from tur.errors import StoreCorrupt, StoreUnavailable, TurError

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.tur-tmp")
MAX_FILE_BYTES = 64 * 1024 * 1024


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError at `path` into StoreUnavailable that says what happened and where."""
    try:
        yield
    except OSError as error:
        reasons = {
            errno.EROFS: "the file system is read-only",
            errno.EACCES: "permission denied",
            errno.EPERM: "not permitted",
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the disk quota is used up",
            errno.EFBIG: "the file would be larger than allowed",
        }
        reason = reasons.get(error.errno or 0, error.strerror or str(error))
        raise StoreUnavailable(
            f"cannot use {error.filename or path}: {reason}",
            hint="Nothing that was stored before is lost. Mend the cause and run the same command again.",
            path=str(path),
        ) from error


def told_without(path: Path, error: Exception) -> str:
    """What an error says is wrong with the file at `path`, to be put after that path: it is not said twice."""
    told = error.message if isinstance(error, TurError) else str(error)
    _, found, rest = told.partition(str(path))
    return rest.lstrip(":, ") if found and rest[:1] in (":", ",", " ") else told


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read, and why."""

    path: Path
    error: TurError

    @property
    def problem(self) -> str:
        """What is wrong with it, to be put after its path."""
        return told_without(self.path, self.error)


def make_folder(path: Path) -> None:
    """Make a private folder (0700) and its parents, unless it is there."""
    if path.is_dir():
        return
    with storage_errors(path):
        for folder in reversed([path, *path.parents]):
            if not folder.is_dir():
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, 0o700)
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make renames and unlinks in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_file(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a regular file. A symlink, device or FIFO, or more than `limit` bytes: StoreCorrupt.

    Raises FileNotFoundError when there is none.
    """
    try:
        # O_NONBLOCK, so that a planted FIFO cannot make a reader wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise StoreCorrupt(f"{path} is no regular file", hint="Symlinks and devices are not followed.") from error
        with storage_errors(path):
            raise
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise StoreCorrupt(f"{path} is no regular file", hint="Symlinks and devices are not followed.")
    with os.fdopen(descriptor, "rb") as stream:
        if found.st_size > limit:
            raise StoreCorrupt(f"{path} is larger than {limit:,} bytes", hint="It was left as it is.")
        with storage_errors(path):
            return stream.read()


def _write_temporary(path: Path, data: bytes) -> Path:
    temporary = path.parent / f".{path.name}.{SystemClock().token()}.tur-tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary


def write_file(path: Path, data: bytes) -> None:
    """Write a whole file, replacing what was there, durably and all at once."""
    make_folder(path.parent)
    with storage_errors(path):
        temporary = _write_temporary(path, data)
        os.replace(temporary, path)
        sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> bool:
    """Write a new file, all at once, unless one of that name is there. Says whether it was made."""
    make_folder(path.parent)
    with storage_errors(path):
        temporary = _write_temporary(path, data)
        try:
            # link, not rename: of two that create the same name, one must learn that it lost.
            os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            os.unlink(temporary)
        sync_folder(path.parent)
        return True


def move_file(source: Path, target: Path) -> None:
    """Rename within the store; a target that is there is an error and nothing moves."""
    make_folder(target.parent)
    with storage_errors(source):
        os.link(source, target, follow_symlinks=False)
        sync_folder(target.parent)
        os.unlink(source)
        sync_folder(source.parent)


def remove_file(path: Path) -> None:
    """Unlink a file durably; one that is gone already is fine."""
    with storage_errors(path):
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        sync_folder(path.parent)
