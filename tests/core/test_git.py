"""Memory files are read from git at any revision, without touching anything of the repository."""

import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tur.errors import InvalidInput, NotFound, StoreUnavailable, TurError
from tur.store.git import FILE_LIMIT, GitMemories

PERSONA = "12345678-1234-1234-1234-123456789abc"
ACTIVE = f"personas/{PERSONA}/memories/active"
IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> str:
    found = subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, input=stdin, capture_output=True, check=True)
    return found.stdout.decode()


def write(terrain: Path, name: str, text: str) -> Path:
    path = terrain / ACTIVE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with two commits: one memory, then that one edited and another added."""
    root = tmp_path / "project"
    terrain = root / ".tur"
    terrain.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    write(terrain, "one.md", "first text")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    write(terrain, "one.md", "second text")
    write(terrain, "two.md", "another")
    git(root, "add", ".")
    git(root, "commit", "-qm", "two")
    return root


def terrain_of(project: Path) -> GitMemories:
    return GitMemories(project / ".tur")


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


def test_each_revision_has_its_own_files_and_texts(project: Path) -> None:
    memories = terrain_of(project)
    assert memories.files("HEAD~1") == [(f"{ACTIVE}/one.md", b"first text")]
    assert memories.files("main") == [(f"{ACTIVE}/one.md", b"second text"), (f"{ACTIVE}/two.md", b"another")]


def test_reading_changes_nothing_in_work_tree_or_repository(project: Path) -> None:
    write(project / ".tur", "one.md", "not committed")
    before = listing(project)
    terrain_of(project).files("HEAD~1")
    assert listing(project) == before


def test_only_memory_files_of_the_persona_count(project: Path) -> None:
    (project / ".tur" / "notes.md").write_text("no memory")
    other = project / ".tur" / ACTIVE.replace("1234-", "4321-")
    other.mkdir(parents=True)
    (other / "other.md").write_text("someone else's")
    git(project, "add", ".")
    git(project, "commit", "-qm", "more")
    assert [name for name, _ in terrain_of(project).files("HEAD", persona_id=PERSONA)] == [
        f"{ACTIVE}/one.md",
        f"{ACTIVE}/two.md",
    ]
    assert len(terrain_of(project).files("HEAD")) == 3


def test_symlinks_and_files_beyond_the_limit_are_left_out(project: Path) -> None:
    (project / ".tur" / ACTIVE / "link.md").symlink_to("/etc/hostname")
    write(project / ".tur", "big.md", "x" * (FILE_LIMIT + 1))
    write(project / ".tur", "edge.md", "x" * FILE_LIMIT)
    git(project, "add", ".")
    git(project, "commit", "-qm", "odd ones")
    names = [name.rpartition("/")[2] for name, _ in terrain_of(project).files("HEAD")]
    assert names == ["edge.md", "one.md", "two.md"]


def test_names_outside_ascii_and_with_line_breaks_are_read(project: Path) -> None:
    write(project / ".tur", "naïve\nname.md", "text\nwith\nlines\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "odd name")
    assert (f"{ACTIVE}/naïve\nname.md", b"text\nwith\nlines\n") in terrain_of(project).files("HEAD")


def test_a_detached_head_and_tags_and_short_hashes_are_revisions(project: Path) -> None:
    git(project, "tag", "-a", "v1", "-m", "tag", "HEAD~1")
    git(project, "checkout", "-q", "--detach", "HEAD~1")
    memories = terrain_of(project)
    head = git(project, "rev-parse", "HEAD").strip()
    assert memories.resolve("HEAD") == memories.resolve("v1") == memories.resolve(head[:8]) == head


def test_a_revision_from_before_the_folder_has_no_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    (tmp_path / ".tur").mkdir()
    assert GitMemories(tmp_path / ".tur").files("HEAD") == []


def test_a_commit_has_its_committer_s_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-08-27T15:00:00+02:00")
    git(project, "commit", "-q", "--allow-empty", "-m", "dated")
    assert terrain_of(project).committed_at("HEAD") == datetime(2026, 8, 27, 13, 0, tzinfo=UTC)


def test_a_linked_worktree_is_read_like_any_other(project: Path) -> None:
    git(project, "worktree", "add", "-q", "--detach", "../second", "HEAD~1")
    assert GitMemories(project.parent / "second" / ".tur").files("HEAD") == [(f"{ACTIVE}/one.md", b"first text")]


def test_running_inside_a_hook_of_another_repository_reads_this_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert len(terrain_of(project).files("HEAD")) == 2


def test_outside_git_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(NotFound, match="no git repository"):
        GitMemories(tmp_path).files("HEAD")


def test_an_unborn_branch_is_told_as_having_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(NotFound, match="without any commit"):
        GitMemories(tmp_path).files("HEAD")


def test_another_branch_can_be_read_from_an_unborn_one(project: Path) -> None:
    git(project, "checkout", "-q", "--orphan", "empty")
    assert len(terrain_of(project).files("main")) == 2
    with pytest.raises(NotFound, match="no single revision 'HEAD'"):
        terrain_of(project).files("HEAD")


@pytest.mark.parametrize("rev", ["nowhere", "HEAD~9", "--all", "-h", "HEAD:.tur", "@{upstream}"])
def test_an_unknown_revision_is_an_error_that_names_it(project: Path, rev: str) -> None:
    with pytest.raises(NotFound, match=rev.replace("{", r"\{")) as raised:
        terrain_of(project).resolve(rev)
    assert raised.value.hint


@pytest.mark.parametrize("rev", ["", "  ", "a\0b", "a\nb"])
def test_text_that_can_be_no_revision_is_refused(project: Path, rev: str) -> None:
    with pytest.raises(InvalidInput):
        terrain_of(project).resolve(rev)


def test_a_shallow_clone_gives_its_tip_and_says_what_it_lacks(project: Path) -> None:
    git(project.parent, "clone", "-q", "--depth", "1", f"file://{project}", "shallow")
    memories = terrain_of(project.parent / "shallow")
    assert len(memories.files("HEAD")) == 2
    with pytest.raises(NotFound, match="shallow clone") as raised:
        memories.files("HEAD~1")
    assert "--unshallow" in (raised.value.hint or "")


def test_a_missing_object_is_told_and_nothing_is_fetched(project: Path) -> None:
    git(project, "config", "uploadpack.allowFilter", "true")
    git(project.parent, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{project}", "partial")
    partial = project.parent / "partial"
    (partial / ".tur").mkdir()
    with pytest.raises(StoreUnavailable, match="lacks objects"):
        terrain_of(partial).files("HEAD")


def test_without_git_the_error_says_it_is_not_installed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(StoreUnavailable, match="not installed"):
        terrain_of(project).files("HEAD")


def test_a_folder_that_is_gone_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(TurError):
        GitMemories(tmp_path / "gone").files("HEAD")


@pytest.mark.parametrize("name", ["one.md", "gone.md"])
def test_the_committed_text_of_one_file_can_be_asked_for(project: Path, name: str) -> None:
    write(project / ".tur", "one.md", "edited since")
    found = terrain_of(project).text_before(f"{ACTIVE}/{name}")
    assert found == (b"second text" if name == "one.md" else None)


def test_a_thousand_files_over_two_hundred_commits_are_read_quickly(tmp_path: Path) -> None:
    lines: list[bytes] = []
    for commit in range(200):
        lines.append(
            b"commit refs/heads/main\ncommitter T <t@example.org> %d +0000\ndata 1\nx\n" % (1_700_000_000 + commit)
        )
        for number in range(commit * 5, commit * 5 + 5):
            text = b"text %d\n" % number
            lines.append(b"M 644 inline .tur/%s/m%04d.md\ndata %d\n%s\n" % (ACTIVE.encode(), number, len(text), text))
        lines.append(b"M 644 inline .tur/%s/m0000.md\ndata 4\nn%03d\n" % (ACTIVE.encode(), commit))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "fast-import", "--quiet", stdin=b"".join(lines))
    (tmp_path / ".tur").mkdir()
    memories = GitMemories(tmp_path / ".tur")
    started = time.monotonic()
    assert len(memories.files("HEAD")) == 1_000
    assert len(memories.files("HEAD~100")) == 500
    assert time.monotonic() - started < 5
    assert os.listdir(tmp_path / ".tur") == []
