"""Lets a dreaming engine distil labelled sessions, for `score.py` to judge.

    python -m benchmarks.dreams DIR --engine NAME --out RESULTS

Each <session_id>.json of DIR that has notes is shown to the engine as its `session_id` and `notes`, nothing
else; RESULTS/<session_id>.json gets {"memories": [{"memory_type", "content", "from_notes"}]}.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tur.codec.seal import note_hash
from tur.dreaming.engine import Dreamer, DreamRequest
from tur.dreaming.prompt import build_note_dreaming_prompt
from tur.dreaming.registry import find_dreamer
from tur.errors import TurError
from tur.model.note import Note
from tur.policy.secrets import redact


def request_of(session: dict[str, Any]) -> DreamRequest:
    """The request a service would make of a session's `session_id` and `notes`: redacted and chained."""
    notes: list[Note] = []
    previous: str | None = None
    for row in session["notes"]:
        at = datetime.fromisoformat(row["at"])
        text = redact(row["text"])[0]
        previous = note_hash(previous, row["idx"], at, row["author"], text)
        notes.append(Note(idx=row["idx"], at=at, author=row["author"], text=text, hash=previous))
    prompt = build_note_dreaming_prompt(session["session_id"], notes)
    return DreamRequest(session["session_id"], notes[0].at, tuple(notes), (), prompt)


def distil(directory: Path, dreamer: Dreamer, out: Path) -> int:
    """Write one result for each session of the directory; returns how many there were."""
    out.mkdir(parents=True, exist_ok=True)
    done = 0
    for path in sorted(directory.glob("*.json")):
        session = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(session, dict) or not session.get("notes"):
            continue
        dream = dreamer.dream(request_of({key: session[key] for key in ("session_id", "notes")})).dream
        memories = [m.model_dump(include={"memory_type", "content", "from_notes"}) for m in dream.memories]
        text = json.dumps({"memories": memories}, ensure_ascii=False, indent=1)
        (out / f"{session['session_id']}.json").write_text(text + "\n", encoding="utf-8")
        done += 1
    return done


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dreams", description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--engine", default="offline", metavar="NAME")
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTS")
    options = parser.parse_args(argv)
    try:
        done = distil(options.directory, find_dreamer(options.engine), options.out)
    except TurError as error:
        sys.stderr.write(f"{error.message}\n{error.hint or ''}\n")
        return error.exit_code
    sys.stdout.write(f"{done} sessions distilled by {options.engine} into {options.out}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
