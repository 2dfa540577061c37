"""The `delegate` engine: the calling agent dreams with its own model and hands in the answer."""

import re

from pydantic import ValidationError

from tur.dreaming.engine import DreamRequest, DreamResult
from tur.errors import DreamFailed
from tur.model.dream import Dream

_FENCE = re.compile(r"```[a-z]*\s*\n(?P<body>.*?)\n\s*```", re.DOTALL)
LIMIT = 1024 * 1024


class DelegatedDream:
    """A Dream that exists already, as a Dreamer. `notes_seen`: how many notes its prompt showed."""

    name = "delegate"

    def __init__(self, dream: Dream, notes_seen: int | None = None) -> None:
        self._dream = dream
        self._notes_seen = notes_seen

    def dream(self, request: DreamRequest) -> DreamResult:
        return DreamResult(self._dream, self.name, notes_seen=self._notes_seen)


def parse_reply(reply: str) -> Dream:
    """The Dream in a model's reply: bare JSON, or JSON in one code fence. Raises DreamFailed."""
    if len(reply) > LIMIT:
        raise DreamFailed(f"the reply is longer than {LIMIT:,} characters", hint=_HINT)
    fenced = _FENCE.search(reply)
    text = reply.strip()
    if fenced and not text.startswith("{"):
        text = fenced["body"]
    try:
        return Dream.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["loc"][-1:] == ("memory_type",) and first.get("input") == "core":
            raise DreamFailed(
                "a dream cannot make a core memory", hint="Stage it with `tur evolve`; a human approves it."
            ) from error
        if first["loc"] == ("memories",) and first["type"] == "missing":
            raise DreamFailed(
                "the reply is no Dream: it has no `memories`",
                hint='A Dream without memories says `"memories": []`. ' + _HINT,
            ) from error
        raise DreamFailed(
            f"the reply is no Dream: {place + ': ' if place else ''}{first['msg']}", hint=_HINT
        ) from error


_HINT = "The session stays open and unconsolidated. `tur sleep --prompt` shows the schema."
