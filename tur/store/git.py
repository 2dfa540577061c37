"""Memory files as git has them at a revision. Reads the object database only: no work tree, index or ref is touched.

Git is asked through plumbing, and its answers are taken by exit code and by format, never by their
words, which are only passed on to the user.
"""

import contextlib
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from tur.errors import InvalidInput, NotFound, StoreCorrupt, StoreUnavailable

FILE_LIMIT = 512 * 1024
"""Largest memory file that is read, as in the work tree."""

SECONDS = 60

# `env` and not a copy of the process's environment: the core never reads that on its own. A hook
# of git runs with GIT_DIR and its like set, which would lead to another repository.
_GIT = (
    "env",
    *(
        word
        for name in (
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_NAMESPACE",
            "GIT_PREFIX",
        )
        for word in ("-u", name)
    ),
    "LC_ALL=C",
    "GIT_OPTIONAL_LOCKS=0",
    "GIT_NO_LAZY_FETCH=1",
    "GIT_TERMINAL_PROMPT=0",
    "git",
)
_MEMORY = re.compile(rb"(?:.*/)?memories/(?:active|archive)/[^/]+\.md")
_REGULAR = (b"100644", b"100755")


class GitMemories:
    """The history of the memory files below `folder`, which lies in a git work tree.

    Making one asks nothing of git. Every method raises StoreUnavailable when git is not
    installed or gives no answer, and NotFound when the folder lies in no work tree of git.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def resolve(self, rev: str) -> str:
        """The full commit hash that a revision names.

        Raises InvalidInput for text that git cannot take, NotFound for an unknown revision and
        for any revision of a repository without a commit.
        """
        if not rev.strip() or "\0" in rev or "\n" in rev:
            raise InvalidInput(
                f"not a git revision: {rev!r}", hint="Give a commit, branch, tag, or HEAD~1 and the like."
            )
        found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
        if found.returncode == 0:
            return found.stdout.decode("ascii").strip()
        self._check_repository()
        if self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode != 0 and not self._has_commits():
            raise NotFound(
                f"{self._folder} is in a git repository without any commit",
                hint="Commit the memory files first; `tur diff` without `--git` needs no commit.",
                revision=rev,
            )
        if self._is_shallow():
            raise NotFound(
                f"git knows no revision {rev!r} here, and this is a shallow clone",
                hint="`git fetch --unshallow` brings the older commits.",
                revision=rev,
            )
        words = self._run("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").stderr
        raise NotFound(
            f"git knows no single revision {rev!r} here",
            hint="`git log --oneline` lists commits. " + _last_line(words),
            revision=rev,
        )

    def committed_at(self, rev: str) -> datetime:
        """When the commit that a revision names was made, by its committer's clock. Raises what `resolve` raises."""
        commit = self.resolve(rev)
        found = self._run("show", "-s", "--no-show-signature", "--format=%ct", commit).stdout.strip()
        if not found.isdigit():
            raise self._missing(commit, found)
        return datetime.fromtimestamp(int(found), UTC)

    def files(self, rev: str, *, persona_id: str | None = None) -> list[tuple[str, bytes]]:
        """Path (relative to the folder, with `/`) and bytes of each memory file at a revision, by path.

        Only those of one persona when it is given. Symlinks, submodules and files beyond the size
        limit of a memory are left out; a revision from before the folder existed gives none.
        Raises what `resolve` raises, and StoreUnavailable for objects that a shallow or partial
        clone lacks.
        """
        commit = self.resolve(rev)
        # The folder need not be in that commit, so it is named to the listing and not gone into.
        prefix = self._run("rev-parse", "--show-prefix").stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        below = prefix if persona_id is None else f"{prefix}personas/{persona_id}/"
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", commit, *(["--", below] if below else []))
        if listed.returncode != 0:
            raise self._missing(commit, listed.stderr)
        wanted: list[tuple[str, bytes]] = []
        for line in listed.stdout.split(b"\0"):
            head, _, path = line.partition(b"\t")
            if head and head.split()[0] in _REGULAR and _MEMORY.fullmatch(path):
                name = path.decode("utf-8", "surrogateescape").removeprefix(prefix)
                wanted.append((name, head.split()[2]))
        return list(self._contents(wanted, commit))

    def text_before(self, name: str) -> bytes | None:
        """The bytes of one file at HEAD, by its path below the folder, or None when HEAD lacks it."""
        prefix = self._run("rev-parse", "--show-prefix").stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        found = self._run("cat-file", "blob", f"HEAD:{prefix}{name}")
        return found.stdout if found.returncode == 0 and len(found.stdout) <= FILE_LIMIT else None

    def _contents(self, wanted: list[tuple[str, bytes]], commit: str) -> Iterator[tuple[str, bytes]]:
        if not wanted:
            return
        with self._batch() as (ask, answer):
            for name, blob in wanted:
                ask.write(blob + b"\n")
                ask.flush()
                header = answer.readline().split()
                if len(header) != 3:
                    raise self._missing(commit, b" ".join(header))
                size = int(header[2])
                data = answer.read(min(size, FILE_LIMIT + 1))
                left = size - len(data) + 1  # and the newline after it
                while left:
                    skipped = answer.read(min(left, 1 << 16))
                    if not skipped:
                        raise StoreCorrupt(f"git stopped in the middle of {name}", hint="`git fsck` looks for damage.")
                    left -= len(skipped)
                if size <= FILE_LIMIT:
                    yield name, data

    @contextlib.contextmanager
    def _batch(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        process = subprocess.Popen(
            [*_GIT, "cat-file", "--batch"],
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            with process.stdin, process.stdout:
                yield process.stdin, process.stdout
        except BrokenPipeError:
            raise StoreUnavailable("git stopped before it had answered", hint="`git fsck` looks for damage.") from None
        finally:
            process.kill()
            process.wait()

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        try:
            found = subprocess.run(
                [*_GIT, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise StoreUnavailable(f"git gave no answer within {SECONDS} seconds", hint="Try again.") from None
        except OSError as error:
            raise StoreUnavailable(f"cannot run git in {self._folder}: {error.strerror}") from error
        if found.returncode in (126, 127):  # what `env` says when there is no such program
            raise StoreUnavailable("git is not installed", hint="`tur diff` without `--git` does not need it.")
        return found

    def _check_repository(self) -> None:
        found = self._run("rev-parse", "--git-dir")
        if found.returncode == 0:
            return
        words = _last_line(found.stderr)
        raise NotFound(
            f"{self._folder} is in no git repository that git will read",
            hint=f"`tur diff` without `--git` needs none. {words}".strip(),
        )

    def _has_commits(self) -> bool:
        return bool(self._run("rev-list", "--all", "--max-count=1").stdout.strip())

    def _is_shallow(self) -> bool:
        return self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def _missing(self, commit: str, words: bytes) -> StoreUnavailable:
        hint = "`git fetch --unshallow` (`--refetch` in a partial clone) brings them; `git fsck` looks for damage."
        return StoreUnavailable(
            f"this clone lacks objects of commit {commit[:12]}", hint=hint, git=_last_line(words), commit=commit
        )


def _last_line(words: bytes) -> str:
    """The last line of what git said, to pass on as its words."""
    lines = words.decode("utf-8", "replace").strip().splitlines()
    return f"Git says: {lines[-1]}" if lines else ""
