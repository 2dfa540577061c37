"""Memory files: one Markdown file each under its content id, in the terrain or in the home.

A file is created whole and never overwritten; a change of lifecycle rewrites its frontmatter under
the folder's lock and leaves the body alone. What cannot be read is reported and left as it is.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tur.codec.memory_file import append_lifecycle, parse_memory, render_memory
from tur.errors import NotFound, StoreCorrupt, TurError
from tur.ids import MEMORY_ID, match_prefix, memory_prefix
from tur.model.memory import LifecycleEntry, Memory, Scope
from tur.paths import HomePaths, TerrainPaths, memory_file_name
from tur.progress import Progress, silent
from tur.store.files import Unreadable, create_file, move_file, read_file, write_file
from tur.store.locks import locked

FOLDERS = ("active", "archive")
MEMORY_FILE_LIMIT = 512 * 1024


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A memory file as the folder listing shows it, for the index to compare."""

    name: str
    """The whole path. A string, since making a Path takes longer than all the rest of a listing."""
    size: int
    mtime_ns: int
    inode: int

    @property
    def path(self) -> Path:
        return Path(self.name)


class MemoryStore:
    """The memories of one persona: those of a terrain and those of the home."""

    def __init__(self, home: HomePaths, terrain: TerrainPaths, persona_id: str) -> None:
        self._roots = {
            False: terrain.memories(persona_id).parent,
            True: home.memories(persona_id).parent,
        }
        self._folder_names = frozenset(map(str, self.folders()))

    def folder(self, scope: Scope, name: str = "active") -> Path:
        """Where memories of a scope lie: incarnation in the terrain, the others in the home."""
        return self._roots[scope is not Scope.INCARNATION] / name

    def folders(self) -> list[Path]:
        """The four folders, those of the terrain first."""
        return [root / name for root in self._roots.values() for name in FOLDERS]

    def files(self) -> Iterator[StoredFile]:
        """Every memory file, by listing only; symlinks and other things that are no file are left out."""
        for folder in self.folders():
            try:
                entries = list(os.scandir(folder))
            except (FileNotFoundError, NotADirectoryError):
                continue
            for entry in entries:
                if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    yield StoredFile(entry.path, found.st_size, found.st_mtime_ns, found.st_ino)

    def look_at(self, name: str) -> StoredFile | None:
        """One file by its whole path, as `files` would list it now; None when it would not."""
        # The index of a copied project names files of the one it was copied from.
        if os.path.dirname(name) not in self._folder_names:
            return None
        try:
            found = os.lstat(name)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return StoredFile(name, found.st_size, found.st_mtime_ns, found.st_ino)

    def irregular(self) -> list[Unreadable]:
        """What lies in a memory folder under a memory's name but is no regular file."""
        return [
            Unreadable(folder / entry.name, StoreCorrupt(f"{folder / entry.name} is no regular file"))
            for folder in self.folders()
            if folder.is_dir()
            for entry in os.scandir(folder)
            if entry.name.endswith(".md") and not entry.is_file(follow_symlinks=False)
        ]

    def read(self, path: Path) -> Memory:
        """Parse one file. Raises StoreCorrupt naming the file, FileNotFoundError when it is gone."""
        data = read_file(path, limit=MEMORY_FILE_LIMIT)
        try:
            memory = parse_memory(data)
        except TurError as error:
            raise StoreCorrupt(f"{path}: {error.message}", hint=error.hint, path=str(path)) from error
        if "timestamp_from" in memory.extra:
            # A historical file without a timestamp is as old as the file itself.
            born = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
            return replace(memory, timestamp=born)
        return memory

    def load_all(self, progress: Progress = silent) -> tuple[list[Memory], list[Unreadable]]:
        """Every memory that can be read, in order of id, and what cannot. For small stores and checks."""
        memories: dict[str, Memory] = {}
        unreadable = self.irregular()
        files = list(self.files())
        for at, file in enumerate(files, start=1):
            progress(at, len(files))
            try:
                memory = self.read(file.path)
            except FileNotFoundError:
                continue
            except TurError as error:
                unreadable.append(Unreadable(file.path, error))
                continue
            memories.setdefault(memory.id, memory)
        return sorted(memories.values(), key=lambda memory: memory.id), unreadable

    def ids(self) -> set[str]:
        """The ids that file names claim."""
        names: set[str] = set()
        for folder in self.folders():
            try:
                names.update(name[:-3] for name in os.listdir(folder) if name.endswith(".md"))
            except (FileNotFoundError, NotADirectoryError):
                continue
        return {name for name in names if MEMORY_ID.fullmatch(name)}

    def path_of(self, memory_id: str) -> Path | None:
        """The file of an exact id, or None."""
        name = memory_file_name(memory_id)
        return next((folder / name for folder in self.folders() if (folder / name).is_file()), None)

    def get(self, memory_id: str) -> Memory:
        """The memory of an exact id. Raises NotFound or StoreCorrupt."""
        path = self.path_of(memory_id)
        if path is None:
            raise NotFound(f"no memory with id {memory_id}", hint="`tur recall` finds memories by their words.")
        return self.read(path)

    def resolve(self, given: str) -> str:
        """The full id for what a user typed. Raises InvalidInput, NotFound or Ambiguous."""
        return match_prefix(memory_prefix(given), self.ids(), kind="memory")

    def find(self, given: str) -> Memory:
        """The memory for what a user typed."""
        return self.get(self.resolve(given))

    def add(self, memory: Memory) -> tuple[Memory, bool]:
        """Store a new memory. When its id is there already, that one is the answer, and False."""
        there = self.path_of(memory.id)
        if there is not None:
            return self.read(there), False
        path = self.folder(memory.scope) / memory_file_name(memory.id)
        made = create_file(path, render_memory(memory))
        return (memory, True) if made else (self.read(path), False)

    def append(self, memory_id: str, decide: Callable[[Memory], LifecycleEntry | None]) -> tuple[Memory, bool]:
        """Append one lifecycle entry, decided under the lock from what the file says at that moment.

        `decide` returns None to change nothing, or raises to refuse. Gives the memory as it is
        afterwards and whether it changed. Bytes beyond the new entry stay as they were.
        """
        path = self.path_of(memory_id)
        if path is None:
            raise NotFound(f"no memory with id {memory_id}")
        with locked(path.parent.parent / "memories.lock"):
            memory = self.read(path)
            entry = decide(memory)
            if entry is None:
                return memory, False
            write_file(path, append_lifecycle(read_file(path, limit=MEMORY_FILE_LIMIT), entry))
            return memory.appended(entry), True

    def move(self, memory_id: str, folder: str) -> None:
        """Move a memory's file to `active` or `archive`; one that is there already stays."""
        path = self.path_of(memory_id)
        if path is None:
            raise NotFound(f"no memory with id {memory_id}")
        target = path.parent.parent / folder / path.name
        if target != path:
            with locked(path.parent.parent / "memories.lock"):
                move_file(path, target)
