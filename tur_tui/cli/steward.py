"""`tur-adm steward`: the key that signs what becomes part of the agent."""

from typing import Annotated

import typer

from tur.ids import short_id
from tur_tui import output
from tur_tui.cli.app import Json, group
from tur_tui.cli.memory import command_line
from tur_tui.cli.terminal import ask, at_terminal, confirm_word, new_passphrase, require_human, unlock
from tur_tui.compose import Stewardship, open_stewardship

steward_app = group("steward", "The key that signs what becomes part of the agent.")


@steward_app.command("init")
def init() -> None:
    """Make the steward key, under a passphrase; from then on every approval is signed."""
    require_human("making the steward key")
    make_key(open_stewardship(command_line()))


@steward_app.command("rotate")
def rotate(
    lost: Annotated[
        bool, typer.Option("--lost", help="The old key or its passphrase is lost: every approval so far ends.")
    ] = False,
) -> None:
    """Make a new steward key; the old one hands over by its signature."""
    require_human("rotating the steward key")
    desk = open_stewardship(command_line())
    old = None
    if lost:
        output.emit_text("Every approval so far ends, and every other terrain asks for `tur-adm steward trust` once.")
        confirm_word("lost", "go on")
    else:
        old = unlock(desk)
    key = desk.rotate_key(new_passphrase(), old=old, lost=lost)
    output.emit_text(f"The steward key is now {key.fingerprint[:16]}.")
    if lost:
        output.emit_text("Approve what still holds: `tur-adm memory list --type core`.")


@steward_app.command("show")
def show(as_json: Json = False) -> None:
    """Show which key signs, whether this user knows it, and what is wrong with it."""
    desk = open_stewardship()
    state = desk.key_state()
    if as_json:
        alarms = [{"code": one.code, "subject": one.subject, "message": one.message} for one in state.alarms]
        key = {"fingerprint": state.fingerprint, "private_here": state.private_here, "known": state.known}
        output.emit_json("tur.steward/1", {"key": key, "alarms": alarms})
        return
    if state.fingerprint is None:
        output.emit_text("There is no steward key: approvals are not signed. `tur-adm steward init` makes one.")
    else:
        output.emit_text(f"Steward key {state.fingerprint}")
        output.emit_text(f"  private half on this machine: {'yes' if state.private_here else 'no'}")
        output.emit_text(f"  known to this user: {'yes' if state.known else 'NO'}")
    for alarm in state.alarms:
        output.emit_text(f"ALARM {alarm.subject}: {alarm.message}\n  {alarm.hint}")


@steward_app.command("trust")
def trust(
    reason: Annotated[str | None, typer.Option("--reason", help="Why; kept in the audit log.")] = None,
    cut: Annotated[
        bool, typer.Option("--cut", help="First take off the end of the log what this user did not write.")
    ] = False,
) -> None:
    """Take audit log and steward key as they stand for yours, after a change that was your own."""
    require_human("taking the log on trust")
    desk = open_stewardship(command_line())
    state = desk.key_state()
    for alarm in state.alarms:
        output.emit_text(f"{alarm.subject}: {alarm.message}")
    output.emit_text(f"Steward key in the log: {state.in_log or 'none'}")
    output.emit_text("A log whose chain is broken is set aside, and its approvals end.")
    if not cut:
        output.emit_text("Every approval in it counts as yours from now on, those named above too.")
    confirm_word(state.in_log[:8] if state.in_log else "trust", "take them as they stand")
    key = unlock(desk) if desk.has_private_key() else None
    verdict, aside = desk.trust(key, reason, cut=cut)
    if aside:
        output.emit_text(f"The log as it was is kept as {aside}.")
    output.emit_text(f"This user and this terrain now know {verdict.key or 'a log without a steward key'}.")


def make_key(desk: Stewardship) -> None:
    """Ask for a passphrase and make the first key. The caller has made sure that a human is there."""
    state = desk.key_state()
    state.check_first_key()
    if state.unsigned:
        count = len(state.unsigned)
        told = "1 core memory was" if count == 1 else f"{count} core memories were"
        until = "It leaves the prompt until it is" if count == 1 else "They leave the prompt until they are"
        names = ", ".join(short_id(memory.id) for memory in state.unsigned)
        output.emit_text(f"{told} approved without a key: {names}.")
        output.emit_text(f"{until} approved once more, with the new key.")
    key, before = desk.init_key(new_passphrase())
    output.emit_text(f"Made the steward key {key.fingerprint[:16]}. Without its passphrase nothing can be approved.")
    if before:
        names = ", ".join(short_id(memory.id) for memory in before)
        output.emit_text(f"Approve once more, now signed: {names}")


def offer_key(desk: Stewardship) -> bool:
    """At a human's terminal, offer to make a steward key where there is none; says whether it was made."""
    if not at_terminal() or desk.key_state().fingerprint is not None:
        return False
    output.emit_text("A steward key makes approvals of core memories impossible to forge without its passphrase.")
    if ask("Make one now? [y/N] ").lower() not in ("y", "yes"):
        output.emit_text("Later: `tur-adm steward init`.")
        return False
    make_key(desk)
    return True
