"""Where a human is asked: a real terminal, outside of any agent harness.

A convention, not a boundary: an agent can make itself a terminal and clear its environment. The
steward key is the boundary (docs/security.md).
"""

import getpass
import sys

from tur.errors import Refused, StewardRequired
from tur.policy.passphrase import MIN_PASSPHRASE, check_passphrase
from tur_tui import diagnostics, output
from tur_tui.compose import Stewardship, harness_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tur.stewardship.keys import StewardKey

TRIES = 3
_HINT = "A human runs it in a terminal of their own. Nothing was changed."


def at_terminal() -> bool:
    """Whether stdin and stdout are a terminal and no known harness is at work."""
    return _is_terminal() and harness_here() is None


def refuse_harness(what: str) -> None:
    """Raise StewardRequired (exit code 3) inside of an agent's harness; a script of a human's own may go on."""
    harness = harness_here()
    if harness is not None:
        variable, name = harness
        raise StewardRequired(f"{what} is for a human: {name} is at work here ({variable} is set)", hint=_HINT)


def require_human(what: str) -> None:
    """Raise StewardRequired (exit code 3) unless a human can be asked."""
    refuse_harness(what)
    if not _is_terminal():
        raise StewardRequired(f"{what} is for a human: stdin and stdout must be a terminal", hint=_HINT)


def ask(prompt: str) -> str:
    """One typed line, without blanks around it; "" at the end of input."""
    output.flush()
    sys.stdout.write(prompt)
    sys.stdout.flush()
    return sys.stdin.readline().strip()


def confirm_id(memory_id: str, what: str) -> None:
    """Have the first eight digits of an id typed. Raises Refused for anything else, a bare Enter included."""
    typed = ask(f"Type the first 8 digits of its id to {what}, anything else to leave it: ")
    if typed.lower().removeprefix("concept-") != memory_id[:8]:
        raise Refused("that is not its id" if typed else "nothing was typed", hint="Nothing was changed.")


def confirm_word(word: str, what: str) -> None:
    """Have a word typed. Raises Refused for anything else."""
    if ask(f"Type {word} to {what}, anything else to leave it: ") != word:
        raise Refused("that was not typed", hint="Nothing was changed.")


def unlock(desk: Stewardship) -> "StewardKey":
    """The steward key, by its passphrase. Raises StewardRequired (exit code 3) after three wrong ones."""
    for left in reversed(range(TRIES)):
        try:
            return desk.unlock(_secret("Passphrase of the steward key: "))
        except Refused as error:
            diagnostics.note(error.message + (f"; {left} more" if left else ""))
    raise StewardRequired("the steward key stays locked", hint="Nothing was changed.")


def new_passphrase() -> str:
    """A passphrase, typed twice. Raises InvalidInput at once for a short one, Refused when the two differ."""
    first = check_passphrase(_secret(f"New passphrase of the steward key ({MIN_PASSPHRASE} characters or more): "))
    if first != _secret("Once more: "):
        raise Refused("the two passphrases differ", hint="Nothing was changed.")
    return first


def _secret(prompt: str) -> str:
    output.flush()
    try:
        return getpass.getpass(prompt)
    except EOFError:
        return ""


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()
