"""The prompt that a dreaming engine reads (EP-0152, 1): timeline, principles, schema. Pure."""

import json
from collections.abc import Sequence

from tur.dreaming.principles import DREAMING_EXTRACTION_PRINCIPLES
from tur.ids import short_id
from tur.model.dream import Dream
from tur.model.memory import Memory
from tur.model.note import Note
from tur.policy.display import as_prompt_data


def build_note_dreaming_prompt(session_id: str, notes: Sequence[Note], related: Sequence[Memory] = ()) -> str:
    """The prompt for a session's notes, in the layout of the seed, ending with the Dream schema.

    Each note's line ends with its index as `[#<idx>]`, which is what `from_notes` cites. `related` are
    existing memories that the engine may supersede or refute.
    """
    timeline = "\n".join(
        f"- [{note.at:%Y-%m-%d %H:%M:%S}] ({note.author}): {as_prompt_data(note.text)} [#{note.idx}]" for note in notes
    )
    known = "\n".join(
        f"- {short_id(memory.id)} ({memory.type.value}, {memory.id}): {as_prompt_data(memory.content)}"
        for memory in related
    )
    schema = json.dumps(Dream.model_json_schema(), indent=1, sort_keys=True)
    return (
        f"Analyze the following chronological milestone notes recorded during session '{session_id}'\n"
        "and extract durable long-term memories that should be consolidated across sessions.\n\n"
        f"Session Notes Timeline:\n\n{timeline}\n\n"
        + (f"Related memories that exist already:\n\n{known}\n\n" if known else "")
        + f"Memory Extraction Principles:\n{DREAMING_EXTRACTION_PRINCIPLES}\n\n"
        "Your Output MUST be a raw JSON object matching the Dream schema.\n\n"
        f"{schema}\n"
    )
