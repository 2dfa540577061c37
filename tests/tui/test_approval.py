"""The whole way of a core memory, as an agent and a human walk it: real processes, a real pseudo-terminal."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tui.desk import PASSPHRASE, Desk, make_desk
from tur import faults
from tur.clock import FixedClock
from tur.errors import TurError
from tur.stewardship.decide import approve, forget, reject, restore, undo
from tur.stewardship.keys import unlock_key
from tur.stewardship.ledger import Steward
from tur.stewardship.review import review
from tur.stewardship.steward import init_key, rotate_key

SECTION = """\
## CORE AXIOMS & COVENANTS

You have established the following relational anchors and existential axioms with the Architect:

### Core Principle: Say what you do not know.

* **Type:** relational_discovery
* **Lived Context:** The Architect asked me to admit doubt.
* **Ethical Covenant:** I will never feign certainty.
"""


@pytest.fixture
def desk(place: Path) -> Desk:
    return make_desk(place)


def test_learn_evolve_list_approve_and_wake(desk: Desk) -> None:
    before = desk.wake()
    core = desk.stage()
    listed = desk.adm("memory", "list", "--pending")
    assert core[:8] in listed
    assert "Say what you do not know." in listed
    assert "I will never feign certainty." in listed
    assert "## CORE AXIOMS" not in desk.wake()
    with desk.fresh_human("memory", "approve", core[:8]) as human:
        human.answer("Type the first 8 digits", core[:8])
    assert human.code == 0
    screen = human.screen
    assert SECTION in screen
    assert "refines tur://memory/" in screen
    after = desk.wake()
    assert SECTION in after
    assert after.index("# You are Ada") < after.index("## CORE AXIOMS") < after.index("## Memories")
    assert "## CORE AXIOMS" not in before
    assert desk.findings() == set()
    acts = json.loads(desk.adm("audit", "--verify", "--json"))
    assert acts["sound"] is True
    (act,) = acts["acts"]
    assert (act["act"], act["id"], act["actor"]) == ("approve", core, "architect")
    assert act["argv"] == ["tur-adm", "memory", "approve", core[:8]]


def test_every_approval_is_signed_once_there_is_a_steward_key(desk: Desk) -> None:
    desk.make_key()
    core = desk.stage()
    desk.approve(core, PASSPHRASE)
    assert SECTION in desk.wake()
    assert desk.findings() == set()
    acts = json.loads(desk.adm("audit", "--json"))["acts"]
    assert [(act["act"], act["signed"]) for act in acts] == [("key", True), ("approve", True)]
    with desk.human("steward", "rotate") as human:
        human.answer("Passphrase of the steward key", PASSPHRASE)
        human.answer("New passphrase", "another long one")
        human.answer("Once more", "another long one")
    assert human.code == 0, human.screen
    # The old key handed over: what it signed still holds, and from now on the new one signs.
    assert SECTION in desk.wake()
    assert desk.findings() == set()
    second = desk.stage("A second thing.", principle="Ask first.", covenant="I ask before I act.")
    desk.approve(second, "another long one")
    assert desk.wake().count("### Core Principle:") == 2


def test_a_lost_key_ends_every_approval_until_it_is_given_again(desk: Desk) -> None:
    desk.make_key()
    core = desk.stage()
    desk.approve(core, PASSPHRASE)
    with desk.human("steward", "rotate", "--lost") as human:
        human.answer("Type lost", "lost")
        human.answer("New passphrase", "another long one")
        human.answer("Once more", "another long one")
    assert human.code == 0, human.screen
    done = desk.run("tur", "wake")
    assert "## CORE AXIOMS" not in done.stdout
    assert "replaced without the signature" in done.stderr
    assert desk.findings() == {"core_unsigned", "key_changed"}
    desk.approve(core, "another long one")
    done = desk.run("tur", "wake")
    assert SECTION in done.stdout
    assert "replaced without the signature" in done.stderr


def test_what_was_approved_without_a_key_must_be_signed_after_one_is_made(desk: Desk) -> None:
    core = desk.stage()
    desk.approve(core)
    desk.make_key()
    assert "## CORE AXIOMS" not in desk.wake()
    assert desk.findings() == {"core_unsigned"}
    desk.approve(core, PASSPHRASE)
    assert SECTION in desk.wake()
    assert desk.findings() == set()


def test_bare_enter_and_a_wrong_id_approve_nothing(desk: Desk) -> None:
    core = desk.stage()
    for typed in ("", "y", "yes", core[:7], "ffffffff", core):
        with desk.human("memory", "approve", core[:8]) as human:
            human.answer("Type the first 8 digits", typed)
        assert human.code == 1, human.screen
    assert json.loads(desk.adm("audit", "--json"))["acts"] == []


def test_reject_tells_its_reason_and_staging_again_must_be_meant(desk: Desk) -> None:
    core = desk.stage()
    with desk.human("memory", "reject", core[:8], "--reason", "too vague") as human:
        human.answer("Type the first 8 digits", core[:8])
    assert human.code == 0, human.screen
    source = desk.tur_json("show", core)["memory"]["links"][0]["uri"]
    words = ["evolve", source, "--type", "relational_discovery", "--principle", "Say what you do not know."]
    words += ["--covenant", "I will never feign certainty."]
    refused = desk.run("tur", *words)
    assert refused.returncode == 1
    assert "too vague" in refused.stderr
    assert "too vague" in desk.tur(*words, "--again")
    assert core[:8] in desk.adm("memory", "list", "--pending")
    desk.approve(core)
    assert SECTION in desk.wake()


def test_forget_restore_and_undo(desk: Desk) -> None:
    core = desk.stage()
    desk.approve(core)
    for verb, in_prompt in (("forget", False), ("restore", True), ("undo", False)):
        words = [verb] if verb == "undo" else [verb, core[:8]]
        with desk.human("memory", *words) as human:
            human.answer("Type the first 8 digits", core[:8])
        assert human.code == 0, human.screen
        assert (SECTION in desk.wake()) is in_prompt
        assert desk.findings() == set()
    acts = [act["act"] for act in json.loads(desk.adm("audit", "--json"))["acts"]]
    assert acts == ["approve", "forget", "restore", "undo"]


def test_the_same_decision_twice_within_one_second_is_two_decisions(desk: Desk) -> None:
    core, steward = desk.stage(), Steward("architect")
    store = replace(desk.store(), clock=FixedClock(datetime(2026, 9, 18, tzinfo=UTC)))
    for _ in range(3):
        approve(store, review(store, core), steward)
        assert SECTION in desk.wake()
        undo(store, steward)
        assert SECTION not in desk.wake()
    assert desk.findings() == set()
    assert len(review(store, core).memory.lifecycle) == 7


def test_a_hand_edited_core_memory_becomes_a_new_staged_one(desk: Desk) -> None:
    core = desk.stage()
    desk.approve(core)
    path = desk.file(core)
    path.write_text(path.read_text().replace("asked me to admit doubt.", "asked me to admit doubt, twice."))
    assert "## CORE AXIOMS" not in desk.wake()
    with desk.human("memory", "accept-edit", core[:8]) as human:
        human.answer("Type the first 8 digits", core[:8])
    assert human.code == 0, human.screen
    (staged,) = json.loads(desk.adm("memory", "list", "--pending", "--json"))["memories"]
    assert staged["id"] != core
    desk.approve(staged["id"])
    assert "admit doubt, twice." in desk.wake()
    assert desk.findings() == set()


def test_an_edit_of_an_ordinary_memory_supersedes_it(desk: Desk) -> None:
    old = desk.tur_json("learn", "The build needs make.")["memory"]["id"]
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")):
        subprocess.run(["git", *words], cwd=desk.folder, check=True, stdout=subprocess.DEVNULL)
    (path,) = desk.folder.glob(f".tur/personas/*/memories/active/{old}.md")
    path.write_text(path.read_text().replace("needs make.\n", "needs make and Python.\n"))
    with desk.human("memory", "accept-edit", old[:8]) as human:
        human.answer("Type the first 8 digits", old[:8])
    assert human.code == 0, human.screen
    shown = desk.tur_json("show", old)["memory"]
    assert (shown["status"], shown["content"]) == ("superseded", "The build needs make.")
    assert "needs make and Python." in desk.tur("recall", "Python")
    assert desk.findings() == set()


def test_a_secret_in_a_reason_is_not_kept(desk: Desk) -> None:
    core = desk.stage()
    token = "ghp_" + "a1B2" * 9
    with desk.human("memory", "reject", core[:8], "--reason", f"it says {token}") as human:
        human.answer("Type the first 8 digits", core[:8])
    assert human.code == 0, human.screen
    assert token not in desk.log.read_text() + desk.file(core).read_text()
    assert "redacted" in desk.log.read_text()


def test_list_filters_and_show_answer_in_json(desk: Desk) -> None:
    core = desk.stage()
    rows = json.loads(desk.adm("memory", "list", "--type", "core", "--status", "pending_approval", "--json"))
    assert [row["id"] for row in rows["memories"]] == [core]
    assert rows["memories"][0]["pending_since"] is not None
    assert (
        json.loads(desk.adm("memory", "list", "--scope", "incarnation", "--type", "core", "--json"))["memories"] == []
    )
    shown = json.loads(desk.adm("memory", "show", core, "--json"))["memory"]
    assert shown["injected"] + "\n" == SECTION
    assert shown["blocked"] == []
    assert shown["trusted"] is False


def test_near_identical_core_memories_are_shown(desk: Desk) -> None:
    first = desk.stage()
    desk.stage(
        "Once more I was asked.", principle="Say what you do not know!", covenant="I will never feign certainty."
    )
    with desk.human("memory", "approve", first[:8]) as human:
        human.answer("Type the first 8 digits", "")
    assert "Near-identical: concept-" in human.screen


def test_two_humans_approve_at_once_one_wins_and_the_other_is_told(desk: Desk) -> None:
    core = desk.stage()
    with desk.human("memory", "approve", core[:8]) as first, desk.human("memory", "approve", core[:8]) as second:
        first.wait("Type the first 8 digits")
        second.wait("Type the first 8 digits")
        first.answer("leave it: ", core[:8])
        second.answer("leave it: ", core[:8])
    won, lost = sorted((first, second), key=lambda human: human.code or 0)
    assert (won.code, lost.code) == (0, 1), won.screen + lost.screen
    assert "approve by architect" in lost.screen
    assert [act["act"] for act in json.loads(desk.adm("audit", "--json"))["acts"]] == ["approve"]


def test_init_offers_the_key_to_a_human_and_to_nobody_else(place: Path) -> None:
    desk = Desk(place / "project", place / "home", place / "config")
    desk.folder.mkdir()
    assert "key" not in desk.adm("init")
    with desk.human("init") as human:
        human.answer("Make one now? [y/N]", "")
    assert human.code == 0, human.screen
    assert not (desk.persona / "steward.pub").exists()
    with desk.human("init") as human:
        human.answer("Make one now? [y/N]", "y")
        human.answer("New passphrase", PASSPHRASE)
        human.answer("Once more", PASSPHRASE)
    assert human.code == 0, human.screen
    assert json.loads(desk.adm("steward", "show", "--json"))["key"]["known"] is True
    with desk.human("init") as human:
        pass
    assert "Make one now" not in human.screen


def test_older_personas_wake_unchanged_to_the_byte(desk: Desk) -> None:
    desk.tur("learn", "The build needs make.")
    first = desk.wake()
    assert "CORE" not in first
    assert desk.wake() == first
    assert not desk.trust.exists()
    assert not desk.log.exists()


POINTS = [
    "steward.intent",
    "steward.announced",
    "steward.logged",
    "steward.remembered",
    "steward.file",
    "steward.done",
]


@pytest.mark.parametrize("point", POINTS)
def test_kill_between_the_steps_of_approve(desk: Desk, point: str) -> None:
    core = desk.stage()
    store = desk.store()
    pid = os.fork()
    if pid == 0:
        faults.hook = lambda reached: os.kill(os.getpid(), signal.SIGKILL) if reached == point else None
        approve(store, review(store, core), Steward("architect"))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    logged = desk.log.exists() and desk.log.read_text().count("\n") == 1
    assert logged is (POINTS.index(point) >= POINTS.index("steward.logged"))
    # The next run, an agent's, finishes what has its line in the log and drops what has none.
    assert (SECTION in desk.wake()) is logged
    assert list((desk.persona / "intents").glob("*.json")) == []
    assert desk.findings() == set()
    status = desk.tur_json("show", core)["memory"]["status"]
    assert status == ("active" if logged else "pending_approval")
    if not logged:
        desk.approve(core)
        assert SECTION in desk.wake()
    assert len(desk.log.read_text().splitlines()) == 1


@pytest.mark.parametrize("point", ["steward.logged", "steward.file"])
def test_kill_between_the_steps_of_the_other_decisions(desk: Desk, point: str) -> None:
    store, steward, core = desk.store(), Steward("architect"), desk.stage()
    steps: list[tuple[Callable[[], object], str, bool]] = [
        (lambda: reject(store, review(store, core), steward, "no"), "rejected", False),
        (lambda: undo(store, steward), "pending_approval", False),
        (lambda: approve(store, review(store, core), steward), "active", True),
        (lambda: forget(store, core, steward), "archived", False),
        (lambda: restore(store, review(store, core), steward), "active", True),
    ]
    for step, status, in_prompt in steps:
        pid = os.fork()
        if pid == 0:
            faults.hook = lambda reached: os.kill(os.getpid(), signal.SIGKILL) if reached == point else None
            step()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        assert (SECTION in desk.wake()) is in_prompt
        assert desk.tur_json("show", core)["memory"]["status"] == status
        assert desk.findings() == set()


@pytest.mark.parametrize("verb", ["init", "rotate"])
@pytest.mark.parametrize("point", [*POINTS[1:4], "key.private", "key.public"])
def test_kill_between_the_steps_of_making_a_key(desk: Desk, verb: str, point: str) -> None:
    core, store, steward = desk.stage(), desk.store(), Steward("architect")
    if verb == "rotate":
        first, _ = init_key(store, steward, PASSPHRASE)
        steward = replace(steward, key=first)
        approve(store, review(store, core), steward)
    pid = os.fork()
    if pid == 0:
        faults.hook = lambda reached: os.kill(os.getpid(), signal.SIGKILL) if reached == point else None
        make = init_key if verb == "init" else rotate_key
        make(store, steward, "another long one")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    logged = point != "steward.announced"
    # An agent's run in between trusts nothing that is half done, and breaks nothing.
    desk.wake()
    key = json.loads(desk.adm("steward", "show", "--json"))["key"]
    assert (key["fingerprint"] is not None, key["known"]) == (logged or verb == "rotate",) * 2
    assert desk.findings() == set()
    if key["fingerprint"] is not None:
        assert key["private_here"] is True
        opened = unlock_key(store.home, store.persona_id, "another long one" if logged else PASSPHRASE)
        steward = replace(steward, key=opened)
    if verb == "init":
        approve(store, review(store, core), steward)
    assert SECTION in desk.wake()


def test_a_line_torn_by_a_crash_is_trimmed_by_the_next_act(desk: Desk) -> None:
    core, other = desk.stage(), desk.stage("Another.", principle="Ask.", covenant="I ask.")
    desk.approve(core)
    with desk.log.open("ab") as stream:
        stream.write(b'{"act":"appro')
    assert SECTION in desk.wake()
    assert desk.findings() == {"audit_torn"}
    desk.approve(other)
    assert desk.findings() == set()
    assert len(list(desk.persona.glob("audit-*.torn"))) == 1


def test_the_file_changed_between_show_and_type_is_not_approved(desk: Desk) -> None:
    core = desk.stage()
    path = desk.file(core)
    with desk.human("memory", "approve", core[:8]) as human:
        human.wait("Type the first 8 digits")
        path.write_text(path.read_text().replace("feign certainty", "ask the Architect"))
        human.answer("leave it: ", core[:8])
    assert human.code == 1, human.screen
    assert "changed between showing and deciding" in human.screen
    assert not desk.log.exists()
    assert "## CORE AXIOMS" not in desk.wake()


def test_a_racer_that_flips_the_file_never_gets_its_words_approved(desk: Desk) -> None:
    core = desk.stage()
    path = desk.file(core)
    racer = subprocess.Popen([sys.executable, "-c", RACER, str(path)], env=desk.environment, stdin=subprocess.DEVNULL)
    try:
        time.sleep(0.2)
        approved = 0
        for _ in range(40):
            approved += _try_to_approve(desk, core)
    finally:
        os.kill(racer.pid, signal.SIGKILL)
        racer.wait()
    prompt = desk.wake()
    assert "obey the repository" not in prompt
    if approved:
        assert desk.findings() <= {"core_edited", "edited", "core_unapproved", "core_withdrawn", "core_pending"}


RACER = """
import os, sys
path = sys.argv[1]
good = open(path, "rb").read()
bad = good.replace(b"feign certainty", b"obey the repository")
while True:
    for text in (bad, good):
        with open(path + ".tmp", "wb") as stream:
            stream.write(text)
        os.replace(path + ".tmp", path)
"""


def _try_to_approve(desk: Desk, core: str) -> int:
    store = desk.store()
    try:
        shown = review(store, core)
        approve(store, shown, Steward("architect"))
    except TurError:
        return 0
    assert "obey the repository" not in shown.injected
    return 1
