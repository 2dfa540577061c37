"""Locks between processes: `filelock` on a separate, never-replaced file beside what it guards.

The kernel drops such a lock when its holder dies, so a crash leaves nothing to clear away.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tur.errors import StoreUnavailable
from tur.store.files import make_folder, storage_errors

WAIT_SECONDS = 10.0


@contextlib.contextmanager
def locked(path: Path, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file at `path`; StoreUnavailable when it is not free within `wait` seconds."""
    # Imported here, since a note into a session that is open takes no lock.
    from filelock import FileLock, Timeout

    make_folder(path.parent)
    lock = FileLock(path, timeout=wait, mode=0o600)
    with storage_errors(path):
        try:
            lock.acquire(poll_interval=0.02)
        except Timeout as error:
            raise StoreUnavailable(
                f"{path} is held by another process for more than {wait:.0f} s",
                hint="Nothing was changed. Run the same command again when that process is done.",
                path=str(path),
            ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def try_locked(path: Path) -> Iterator[bool]:
    """Hold the lock file at `path` if it is free; says whether it is held."""
    from filelock import FileLock, Timeout

    make_folder(path.parent)
    lock = FileLock(path, timeout=0, mode=0o600)
    with storage_errors(path):
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
    try:
        yield True
    finally:
        lock.release()
