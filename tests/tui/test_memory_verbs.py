"""What a human meets at `tur-adm memory` and `tur-adm steward`: refused early, shown whole, told plainly."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.tui.desk import PASSPHRASE, Desk, make_desk
from tur.codec.memory_file import append_lifecycle
from tur.errors import Conflict
from tur.model.memory import LifecycleEntry, Relation, Status
from tur.stewardship.decide import accept_edit, forget
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.store.replaced import find_replacement

PROMPT = "Type the first 8 digits"
STEWARD = Steward("architect")


@pytest.fixture
def desk(place: Path) -> Desk:
    return make_desk(place)


def learn(desk: Desk, text: str = "The build needs make.", *words: str) -> str:
    return str(desk.tur_json("learn", text, *words)["memory"]["id"])


def commit(desk: Desk) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "one")):
        subprocess.run(["git", *words], cwd=desk.folder, check=True, stdout=subprocess.DEVNULL)


def edit(desk: Desk, memory_id: str, old: str = "needs make.\n", new: str = "needs make and Python.\n") -> Path:
    path = desk.store().memories.path_of(memory_id)
    assert path is not None
    path.write_text(path.read_text().replace(old, new))
    return path


def acts(desk: Desk) -> list[str]:
    return [act["act"] for act in json.loads(desk.adm("audit", "--json"))["acts"]]


def decided(screen: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(screen[screen.index('{\n "schema"') :])
    return found


def refused_at_once(desk: Desk, *words: str) -> str:
    """What a command says that refuses before it shows or asks anything."""
    before = acts(desk)
    with desk.human(*words) as human:
        pass
    assert human.code == 1, human.screen
    assert PROMPT not in human.screen
    assert "passphrase of" not in human.screen.casefold()
    assert "--- " not in human.screen
    assert acts(desk) == before
    return human.screen


# -- an edit by hand ---------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["superseded", "refuted", "merged", "archived"])
def test_the_edit_of_a_memory_out_of_force_does_not_bring_it_back(desk: Desk, status: str) -> None:
    old, store = learn(desk), desk.store()
    path = store.memories.path_of(old)
    assert path is not None
    path.write_bytes(append_lifecycle(path.read_bytes(), LifecycleEntry(store.clock.now(), Status(status), "a")))
    edit(desk, old)
    before = path.read_bytes()
    screen = refused_at_once(desk, "memory", "accept-edit", old[:8])
    assert f"is {status}: accepting its edit would bring it back into force" in screen
    assert "Hint: Nothing was changed." in screen
    with pytest.raises(Conflict):
        accept_edit(store, old, STEWARD)
    assert path.read_bytes() == before
    assert len(store.memories.ids()) == 1


def test_an_edit_into_the_text_of_a_forgotten_memory_does_not_bring_that_back(desk: Desk) -> None:
    gone, store = learn(desk, "The build needs make and Python."), desk.store()
    forget(store, gone, STEWARD)
    old = learn(desk)
    edit(desk, old)
    assert f"concept-{gone[:8]}, which is archived" in refused_at_once(desk, "memory", "accept-edit", old[:8])


def test_a_change_of_the_time_alone_is_no_edit_to_accept(desk: Desk) -> None:
    old = learn(desk)
    path = desk.store().memories.path_of(old)
    assert path is not None
    path.write_text(re.sub(r"(?m)^(timestamp: '?)\d{4}", r"\g<1>2001", path.read_text()))
    assert "only its time or its links were changed" in refused_at_once(desk, "memory", "accept-edit", old[:8])
    assert len(desk.store().memories.ids()) == 1


def test_nothing_to_accept_is_said_before_anything_is_typed(desk: Desk) -> None:
    assert "there is no edit to accept" in refused_at_once(desk, "memory", "accept-edit", learn(desk)[:8])


def test_an_accepted_edit_supersedes_the_old_text_that_git_gives_back(desk: Desk) -> None:
    old = learn(desk)
    commit(desk)
    edit(desk, old)
    with desk.human("memory", "accept-edit", old[:8], "--json") as human:
        human.answer(PROMPT, old[:8])
    assert human.code == 0, human.screen
    assert "Content as it was written" in human.screen
    assert "| The build needs make." in human.screen
    assert "{+ and Python+}" in human.screen
    answer = decided(human.screen)
    assert (answer["replaced"], answer["audit_line"]) == (old, 1)
    new = desk.store().memories.get(answer["memory"]["id"])
    assert [link.relation for link in new.links if link.hash == old] == [Relation.SUPERSEDES]
    shown = desk.tur_json("show", old)["memory"]
    assert (shown["status"], shown["content"]) == ("superseded", "The build needs make.")
    assert desk.findings() == set()
    assert find_replacement(desk.store(), old) is None


def test_what_took_the_place_of_a_lost_text_stays_known(desk: Desk) -> None:
    old = learn(desk)
    edit(desk, old)
    with desk.human("memory", "accept-edit", old[:8]) as human:
        human.answer(PROMPT, old[:8])
    assert human.code == 0, human.screen
    assert "NOT KNOWN" in human.screen
    store = desk.store()
    (new,) = store.memories.ids()
    for given in (old, old[:8], f"concept-{old[:8]}"):
        found = find_replacement(store, given)
        assert found is not None
        assert (found.memory_id, found.successor, found.by) == (old, new, "architect")
        assert found.told.startswith("its text was lost to an edit by hand, accepted by architect on ")
        assert found.told.endswith(f"; concept-{new[:8]} took its place")
    assert find_replacement(store, new) is None
    assert find_replacement(store, "0" * 64) is None
    # Without this log, as in a clone of the terrain: the file that lies aside says it.
    log = desk.log.read_bytes()
    desk.log.unlink()
    assert find_replacement(store, old) is not None
    # And without that file, the log.
    desk.log.write_bytes(log)
    (aside,) = desk.folder.glob(".tur/personas/*/memories/quarantine/*.md")
    aside.unlink()
    assert find_replacement(store, old) is not None
    assert learn(desk) == old
    assert find_replacement(store, old) is None


def test_a_text_that_is_lost_a_second_time_makes_room_in_quarantine(desk: Desk) -> None:
    for word in ("one", "two"):
        old = learn(desk)
        edit(desk, old, "needs make.\n", f"needs {word}.\n")
        accept_edit(desk.store(), old, STEWARD)
        found = find_replacement(desk.store(), old)
        assert found is not None
        assert f"needs {word}." in desk.store().memories.get(found.successor).content
    assert len(list(desk.folder.glob(f".tur/personas/*/memories/quarantine/{old}*.md"))) == 2
    assert desk.findings() == set()


def test_list_and_show_say_that_a_memory_was_edited(desk: Desk) -> None:
    old, core = learn(desk), desk.stage()
    assert "edited" not in desk.adm("memory", "list")
    edit(desk, old)
    edit(desk, core, "admit doubt.", "admit doubt, twice.")
    listed = desk.adm("memory", "list")
    assert f"concept-{old[:8]}  active, edited, " in listed
    assert f"concept-{core[:8]}  pending_approval, edited, for " in listed
    rows = {row["id"]: row["edited"] for row in json.loads(desk.adm("memory", "list", "--json"))["memories"]}
    assert rows[old] is rows[core] is True
    assert "incarnation, active, edited\n" in desk.adm("memory", "show", old)
    shown = json.loads(desk.adm("memory", "show", old, "--json"))["memory"]
    assert (shown["edited"], shown["written"]) == (True, None)


# -- refused before anyone reads or types ------------------------------------------------------


def test_a_decision_that_cannot_apply_is_refused_at_once(desk: Desk) -> None:
    ordinary, core = learn(desk), desk.stage()
    assert "it is no core memory" in refused_at_once(desk, "memory", "approve", ordinary[:8])
    assert "is active, not forgotten" in refused_at_once(desk, "memory", "restore", ordinary[:8])
    assert "memory reject" in refused_at_once(desk, "memory", "forget", core[:8])
    assert "is active, not pending" in refused_at_once(desk, "memory", "reject", ordinary[:8], "--reason", "no")
    desk.approve(core)
    assert "is approved already" in refused_at_once(desk, "memory", "approve", core[:8])
    forget(desk.store(), ordinary, STEWARD)
    assert "is archived and cannot be forgotten" in refused_at_once(desk, "memory", "forget", ordinary[:8])


def test_a_reason_that_says_nothing_is_refused_at_once(desk: Desk) -> None:
    ordinary, core = learn(desk), desk.stage()
    assert "a reason" in refused_at_once(desk, "memory", "reject", core[:8], "--reason", " ")
    assert "a reason" in refused_at_once(desk, "memory", "forget", ordinary[:8], "--reason", "")


def test_a_second_key_is_refused_before_its_passphrase_is_asked_for(desk: Desk) -> None:
    desk.make_key()
    assert "this persona has the steward key" in refused_at_once(desk, "steward", "init")


def test_a_short_passphrase_is_refused_when_first_typed(desk: Desk) -> None:
    with desk.human("steward", "init") as human:
        human.answer("New passphrase", "short")
    assert human.code == 1, human.screen
    assert "8 characters or more" in human.screen
    assert "Once more" not in human.screen
    assert acts(desk) == []


def test_a_first_key_tells_beforehand_which_approvals_must_be_given_again(desk: Desk) -> None:
    first = desk.stage()
    desk.approve(first)
    with desk.human("steward", "init") as human:
        human.wait("1 core memory was approved without a key")
        human.wait("It leaves the prompt until it is approved once more")
        human.answer("New passphrase", "short")
    assert first[:8] in human.screen
    second = desk.stage("Another.", principle="Ask.", covenant="I ask.")
    desk.approve(second)
    with desk.human("steward", "init") as human:
        human.wait("2 core memories were approved without a key")
        human.answer("New passphrase", PASSPHRASE)
        human.answer("Once more", PASSPHRASE)
    assert human.code == 0, human.screen


def test_a_first_key_without_approvals_tells_of_none(desk: Desk) -> None:
    desk.stage()
    with desk.human("steward", "init") as human:
        human.answer("New passphrase", "short")
    assert "approved without a key" not in human.screen


# -- undo, answers in JSON, numbers ------------------------------------------------------------


def test_an_act_that_cannot_be_undone_is_named(desk: Desk) -> None:
    assert "there is no decision to undo" in refused_at_once(desk, "memory", "undo")
    old = learn(desk)
    edit(desk, old)
    accept_edit(desk.store(), old, STEWARD)
    assert "the last decision on a memory (line 1, accept_edit) cannot be undone" in refused_at_once(
        desk, "memory", "undo"
    )


def test_undo_asks_for_the_id_and_leaves_all_for_another(desk: Desk) -> None:
    core = desk.stage()
    desk.approve(core)
    with desk.human("memory", "undo") as human:
        human.answer(PROMPT, "")
    assert human.code == 1
    assert f"The last act: approve of concept-{core[:8]} by architect" in human.screen
    assert acts(desk) == ["approve"]
    forget(desk.store(), core, STEWARD)
    assert "memory restore" in refused_at_once(desk, "memory", "undo")


def test_every_decision_answers_in_json(desk: Desk) -> None:
    core, ordinary = desk.stage(), learn(desk)
    steps: list[tuple[str, str, tuple[str, ...], str]] = [
        (core, "reject", ("--reason", "too vague"), "rejected"),
        (core, "undo", (), "pending_approval"),
        (core, "approve", (), "active"),
        (ordinary, "forget", (), "archived"),
        (ordinary, "restore", (), "active"),
    ]
    for line, (memory, verb, more, status) in enumerate(steps, 1):
        words = ("memory", verb, *(() if verb == "undo" else (memory[:8],)), *more, "--json")
        with desk.human(*words) as human:
            human.answer(PROMPT, memory[:8])
        assert human.code == 0, human.screen
        answer = decided(human.screen)
        assert answer["schema"] == "tur.decision/1"
        assert (answer["memory"]["id"], answer["memory"]["status"], answer["audit_line"]) == (memory, status, line)


def test_one_line_is_one_line(desk: Desk) -> None:
    page = desk.adm("memory", "show", learn(desk))
    assert "--- end of it: 21 characters, 1 line ---" in page
    page = desk.adm("memory", "show", learn(desk, "Two.\nLines."))
    assert "--- end of it: 11 characters, 2 lines ---" in page
    core = desk.stage()
    desk.approve(core)
    assert "The log of 1 act is sound." in desk.adm("audit", "--verify")
    assert review(desk.store(), core).trusted


def test_init_says_that_a_persona_which_came_with_the_project_left_its_name_at_home(desk: Desk) -> None:
    desk.tur("learn", "The pump needs two valves.")
    clone = desk.folder.parent / "clone"
    shutil.copytree(desk.folder, clone, ignore=shutil.ignore_patterns("state.yaml", "cache", "sessions"))
    there = Desk(clone, desk.folder.parent / "home-of-a-colleague", desk.config)
    told = there.adm("init")
    assert f"{desk.store().persona_id[:8]} " in told
    assert "does not keep its name: `name:` in " in told
    named = Desk(clone, desk.folder.parent / "home-of-another", desk.config)
    shutil.rmtree(clone / ".tur" / "cache", ignore_errors=True)
    (clone / ".tur" / "state.yaml").unlink()
    told = named.adm("init", "--persona", "Ariel")
    assert "Persona Ariel" in told and "does not keep" not in told
