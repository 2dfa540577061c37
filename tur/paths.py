"""The places on disk, as a value. Asking for a place never makes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tur.errors import ConfigError
from tur.ids import MEMORY_ID, PERSONA_ID, SESSION_ID


def _checked(value: str, pattern_ok: bool, kind: str) -> str:
    # Ids are checked where users enter them; this second check keeps a bug from becoming a path.
    if not pattern_ok:
        raise ValueError(f"not a {kind} id: {value!r}")
    return value


@dataclass(frozen=True, slots=True)
class HomePaths:
    """The persona's home, `~/.tur` unless told otherwise."""

    root: Path

    @property
    def state(self) -> Path:
        return self.root / "state.yaml"

    @property
    def personas(self) -> Path:
        return self.root / "personas"

    def persona(self, persona_id: str) -> Path:
        return self.personas / _checked(persona_id, bool(PERSONA_ID.fullmatch(persona_id)), "persona")

    def persona_file(self, persona_id: str) -> Path:
        return self.persona(persona_id) / "persona.yaml"

    def memories(self, persona_id: str, folder: str = "active") -> Path:
        return self.persona(persona_id) / "memories" / folder

    def audit(self, persona_id: str) -> Path:
        return self.persona(persona_id) / "audit.jsonl"

    @property
    def lock(self) -> Path:
        return self.root / "home.lock"


@dataclass(frozen=True, slots=True)
class TerrainPaths:
    """One project's store: `root` is the `.tur` folder itself."""

    root: Path

    @property
    def state(self) -> Path:
        return self.root / "state.yaml"

    @property
    def lock(self) -> Path:
        return self.root / "terrain.lock"

    def memories(self, persona_id: str, folder: str = "active") -> Path:
        return self._persona(persona_id) / "memories" / folder

    def timelines(self, persona_id: str) -> Path:
        return self._persona(persona_id) / "sessions"

    def archive(self, persona_id: str) -> Path:
        return self.timelines(persona_id) / "archive"

    def timeline(self, persona_id: str, session_id: str, *, archived: bool = False) -> Path:
        folder = self.archive(persona_id) if archived else self.timelines(persona_id)
        return folder / f"{_checked(session_id, bool(SESSION_ID.fullmatch(session_id)), 'session')}.yaml"

    @property
    def personas(self) -> Path:
        return self.root / "personas"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    def session(self, session_id: str) -> Path:
        return self.sessions / _checked(session_id, bool(SESSION_ID.fullmatch(session_id)), "session")

    def session_db(self, session_id: str) -> Path:
        return self.session(session_id) / "session.db"

    @property
    def index(self) -> Path:
        return self.root / "cache" / "index.db"

    def _persona(self, persona_id: str) -> Path:
        return self.personas / _checked(persona_id, bool(PERSONA_ID.fullmatch(persona_id)), "persona")


def memory_file_name(memory_id: str) -> str:
    """`<id>.md`: portable, without case clashes or reserved names, whatever the title is."""
    return f"{_checked(memory_id, bool(MEMORY_ID.fullmatch(memory_id)), 'memory')}.md"


def find_terrain(start: Path, home: HomePaths) -> TerrainPaths | None:
    """The nearest terrain at or above `start`, as git finds `.git`; symlinks are resolved first.

    A terrain is told by what git carries (its `.gitignore`) or by its live sessions; a home has
    neither, and the user's own is left out by its path too.
    """
    here = start.resolve()
    home_root = home.root.resolve()
    for folder in (here, *here.parents):
        candidate = folder / ".tur"
        marked = (candidate / ".gitignore").is_file() or (candidate / "sessions").is_dir()
        if marked and candidate.resolve() != home_root:
            return TerrainPaths(candidate)
    return None


def home_from(environment: Mapping[str, str]) -> HomePaths:
    """`$TUR_HOME`, else `~/.tur`. Raises ConfigError when there is no home at all."""
    if environment.get("TUR_HOME"):
        return HomePaths(Path(environment["TUR_HOME"]).absolute())
    if environment.get("HOME"):
        return HomePaths(Path(environment["HOME"]).absolute() / ".tur")
    raise ConfigError("neither HOME nor TUR_HOME is set", hint="Set TUR_HOME to the folder of your personas.")


def config_from(environment: Mapping[str, str]) -> Path:
    """The user's configuration folder: `$XDG_CONFIG_HOME/tur`, else `~/.config/tur`."""
    if environment.get("XDG_CONFIG_HOME"):
        return Path(environment["XDG_CONFIG_HOME"]).absolute() / "tur"
    if environment.get("HOME"):
        return Path(environment["HOME"]).absolute() / ".config" / "tur"
    return home_from(environment).root / "config"


def state_from(environment: Mapping[str, str]) -> Path:
    """The user's folder for what programs leave behind: `$XDG_STATE_HOME/tur`, else `~/.local/state/tur`."""
    if environment.get("XDG_STATE_HOME"):
        return Path(environment["XDG_STATE_HOME"]).absolute() / "tur"
    if environment.get("HOME"):
        return Path(environment["HOME"]).absolute() / ".local" / "state" / "tur"
    return home_from(environment).root / "state"
