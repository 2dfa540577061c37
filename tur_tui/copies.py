"""What `y` copies, and the file beside the clipboard for terminals that do not take OSC 52."""

import re
from dataclasses import dataclass
from pathlib import Path

from tur.errors import TurError
from tur.policy.display import hidden_characters, visible
from tur.store.files import write_file

_WRITTEN_OUT = re.compile(r"<U\+[0-9A-F]{4,6}>|␛")


@dataclass(frozen=True, slots=True)
class Copy:
    """A text in its visible form. `hidden` counts characters in it that stand for one that cannot be seen."""

    text: str
    hidden: int


def copy_of(text: str) -> Copy:
    """The copy of a text of the screen, some of which may be written out already."""
    hidden = len(hidden_characters(text)) + len(_WRITTEN_OUT.findall(text))
    return Copy(visible(text), hidden)


def write_copy(path: Path, copy: Copy) -> str | None:
    """Write the copy for this user alone, over the last one; why it could not be written, or None."""
    try:
        write_file(path, copy.text.encode())
    except TurError as error:
        return error.message
    return None
