"""What counts as a change of memory, which of the six kinds it is, and that a diff tells all of it once."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.diff_ledger import (
    BEFORE,
    END,
    SESSION,
    START,
    entry,
    full_id,
    historical,
    ledgers,
    memory,
    seed_ledger,
)
from tur.ids import note_uri
from tur.model.memory import Memory, MemoryType, Scope, Status
from tur.policy.diff import (
    MemoryDelta,
    apply_delta,
    compare,
    compose,
    compute_session_diff,
    counts,
    filter_deltas,
    ledger_counts,
    ledger_summary,
    summary_of_counts,
)
from tur.policy.lifecycle import Checkpoint, HandEdit, MemoryState, state_at
from tur.policy.words import LIMIT, word_diff

MINUTE = timedelta(minutes=1)


def diff(*memories: Memory) -> list[MemoryDelta]:
    """What SESSION did to these memories."""
    return compare(state_at(memories, Checkpoint(START)), state_at(memories, Checkpoint(END)))


def only(*memories: Memory) -> MemoryDelta:
    (delta,) = diff(*memories)
    return delta


checkpoints = st.builds(
    Checkpoint,
    at=st.none() | st.integers(-100, 100).map(lambda days: START + timedelta(days=days)),
    sessions=st.none() | st.sampled_from([frozenset({BEFORE}), frozenset({BEFORE, SESSION})]),
    later=st.sampled_from([frozenset(), frozenset({SESSION})]),
)


def _states(ledger: list[Memory], checkpoint: Checkpoint) -> dict[str, MemoryState]:
    return state_at(ledger, checkpoint, now=END)


@settings(max_examples=100, deadline=None)
@given(ledgers(), checkpoints, checkpoints)
def test_replaying_a_diff_on_the_base_gives_the_target(ledger: list[Memory], a: Checkpoint, b: Checkpoint) -> None:
    base, target = _states(ledger, a), _states(ledger, b)
    assert apply_delta(base, compare(base, target)) == target


@settings(max_examples=100, deadline=None)
@given(ledgers(), checkpoints, checkpoints, checkpoints)
def test_two_diffs_in_a_row_compose_to_one(ledger: list[Memory], a: Checkpoint, b: Checkpoint, c: Checkpoint) -> None:
    first, second, third = (_states(ledger, one) for one in (a, b, c))
    composed = compose(compare(first, second), compare(second, third), at=c.at or END)
    assert composed == compare(first, third)


def test_a_diff_that_looks_back_names_what_took_over_too() -> None:
    new = memory("feed", "What holds.")
    gone = entry(START, Status.SUPERSEDED, successor=new.id)
    old = memory("beef", "What held.", then=[gone, entry(START + MINUTE)])
    later, sooner = (state_at((new, old), Checkpoint(START + at)) for at in (MINUTE, timedelta()))
    (delta,) = compare(later, sooner)
    assert (delta.status, delta.successor) == ("SUPERSEDED", sooner[new.id].memory)


@settings(max_examples=60, deadline=None)
@given(ledgers(), checkpoints)
def test_a_state_does_not_differ_from_itself(ledger: list[Memory], a: Checkpoint) -> None:
    assert compare(_states(ledger, a), _states(list(reversed(ledger)), a)) == []


@settings(max_examples=100, deadline=None)
@given(ledgers(), checkpoints, checkpoints)
def test_every_memory_whose_state_differs_is_told_exactly_once(
    ledger: list[Memory], a: Checkpoint, b: Checkpoint
) -> None:
    base, target = _states(ledger, a), _states(ledger, b)
    told = Counter(one for delta in compare(base, target) for one in delta.covers)
    assert told == Counter(one for one in base.keys() | target.keys() if base.get(one) != target.get(one))


@settings(max_examples=60, deadline=None)
@given(ledgers(), checkpoints, checkpoints)
def test_the_order_of_a_diff_does_not_hang_on_the_order_of_reading(
    ledger: list[Memory], a: Checkpoint, b: Checkpoint
) -> None:
    back = list(reversed(ledger))
    assert compare(_states(ledger, a), _states(ledger, b)) == compare(_states(back, a), _states(back, b))


def test_the_samples_of_the_proposal_have_their_kinds() -> None:
    told = [(delta.status, delta.record.id[:8]) for delta in diff(*seed_ledger())]
    assert sorted(told) == [
        ("ADDED", "8f2a1b9c"),
        ("REFUTED", "a9dc0560"),
        ("SUPERSEDED", "104e77a1"),
    ]
    window = state_at(seed_ledger(), Checkpoint(START - timedelta(days=10)))
    later = compare(window, state_at(seed_ledger(), Checkpoint(END)))
    (decayed,) = [delta for delta in later if delta.status == "DECAYED"]
    assert decayed.reason == "last verified 32 days ago"


def test_live_memories_of_the_former_session_are_not_refuted() -> None:
    """P8: what nobody touched does not show."""
    assert diff(memory("aaaa0001"), memory("aaaa0002")) == []


def test_a_supersession_within_one_session_is_one_entry_and_not_two_added() -> None:
    """P8."""
    old = memory(
        "aaaa0001",
        "Port 80.",
        born=START + MINUTE,
        session=SESSION,
        then=[entry(START + 2 * MINUTE, Status.SUPERSEDED, successor=full_id("aaaa0002"))],
    )
    new = memory("aaaa0002", "Port 81.", born=START + 2 * MINUTE, session=SESSION, notes=[4])
    delta = only(old, new)
    assert delta.status == "SUPERSEDED"
    assert (delta.old_text, delta.new_text) == ("Port 80.", "Port 81.")
    assert delta.covers == (old.id, new.id)
    assert delta.sources == (note_uri(SESSION, 4),)
    assert [step.status for step in delta.steps] == [Status.ACTIVE, Status.SUPERSEDED]


def test_a_successor_that_was_superseded_in_turn_has_its_own_entry() -> None:
    chain = [
        memory("aaaa0001", then=[entry(START + MINUTE, Status.SUPERSEDED, successor=full_id("aaaa0002"))]),
        memory(
            "aaaa0002",
            born=START + MINUTE,
            then=[entry(START + 2 * MINUTE, Status.SUPERSEDED, successor=full_id("aaaa0003"))],
        ),
        memory("aaaa0003", born=START + 2 * MINUTE),
    ]
    told = [(delta.status, [one[:8] for one in delta.covers]) for delta in diff(*chain)]
    assert told == [("SUPERSEDED", ["aaaa0001"]), ("SUPERSEDED", ["aaaa0002", "aaaa0003"])]


def test_memories_merged_into_one_name_it_and_cover_it_once() -> None:
    merged = entry(START + MINUTE, Status.MERGED, successor=full_id("aaaa0003"))
    deltas = diff(
        memory("aaaa0001", "Half.", then=[merged]),
        memory("aaaa0002", "Other half.", then=[merged]),
        memory("aaaa0003", "Whole.", born=START + MINUTE),
    )
    assert [(delta.status, delta.new_text) for delta in deltas] == [("MERGED", "Whole."), ("MERGED", "Whole.")]
    assert [one[:8] for delta in deltas for one in delta.covers] == ["aaaa0001", "aaaa0003", "aaaa0002"]


def test_a_successor_that_was_there_before_is_named_but_not_covered() -> None:
    delta = only(
        memory("aaaa0001", then=[entry(START + MINUTE, Status.SUPERSEDED, successor=full_id("aaaa0002"))]),
        memory("aaaa0002", "Was there."),
    )
    assert delta.successor is not None
    assert delta.covers == (full_id("aaaa0001"),)


def test_a_successor_that_is_not_in_the_store_is_still_named() -> None:
    delta = only(memory("aaaa0001", then=[entry(START + MINUTE, Status.SUPERSEDED, successor=full_id("aaaa0002"))]))
    assert (delta.successor, delta.successor_id, delta.new_text) == (None, full_id("aaaa0002"), None)


def test_added_and_refuted_in_the_window_shows_as_refuted_with_both_steps() -> None:
    delta = only(
        memory(
            "aaaa0001",
            born=START + MINUTE,
            session=SESSION,
            then=[entry(START + 2 * MINUTE, Status.REFUTED, reason="measured otherwise")],
        )
    )
    assert (delta.status, delta.reason, delta.previous_record) == ("REFUTED", "measured otherwise", None)
    assert [(step.status, step.at) for step in delta.steps] == [
        (Status.ACTIVE, START + MINUTE),
        (Status.REFUTED, START + 2 * MINUTE),
    ]


def test_a_memory_archived_by_a_human_shows_as_archived_and_not_as_deleted() -> None:
    """O36."""
    delta = only(
        memory("aaaa0001", then=[entry(END, Status.ARCHIVED, session=None, by="human", reason="of no more use")])
    )
    assert (delta.status, delta.reason, delta.actor) == ("MODIFIED", "archived: of no more use", "human")


@pytest.mark.parametrize(
    ("statuses", "kind", "reason"),
    [
        ([Status.PENDING_APPROVAL], "ADDED", "pending approval"),
        ([Status.PENDING_APPROVAL, Status.ACTIVE], "ADDED", None),
        ([Status.PENDING_APPROVAL, Status.REJECTED], "MODIFIED", "rejected"),
    ],
)
def test_what_was_staged_in_the_window_shows_as_the_end_of_it_shows(
    statuses: list[Status], kind: str, reason: str | None
) -> None:
    staged = memory("aaaa0001", type=MemoryType.CORE, born=START + MINUTE, status=statuses[0])
    for status in statuses[1:]:
        staged = staged.appended(entry(START + MINUTE, status, session=None))
    delta = only(staged)
    assert (delta.status, delta.reason, delta.pending) == (kind, reason, len(statuses) == 1)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ([Status.PENDING_APPROVAL], Status.ACTIVE, "approved"),
        ([Status.PENDING_APPROVAL], Status.REJECTED, "rejected"),
        ([Status.PENDING_APPROVAL, Status.REJECTED], Status.PENDING_APPROVAL, "staged again"),
        ([Status.ACTIVE, Status.ARCHIVED], Status.ACTIVE, "restored"),
        ([Status.ACTIVE, Status.MERGED], Status.ACTIVE, "restored"),
        ([Status.ACTIVE, Status.REFUTED], Status.ACTIVE, "learned again"),
        ([Status.ACTIVE, Status.REFUTED], Status.ARCHIVED, "archived"),
    ],
)
def test_every_other_change_of_standing_is_modified_with_its_word(
    before: list[Status], after: Status, reason: str
) -> None:
    record = memory("aaaa0001", type=MemoryType.CORE, status=before[0])
    for status in before[1:]:
        record = record.appended(entry(START - MINUTE, status))
    delta = only(record.appended(entry(START + MINUTE, after)))
    assert (delta.status, delta.reason) == ("MODIFIED", reason)


def test_a_memory_verified_again_shows_as_modified() -> None:
    delta = only(memory("aaaa0001", then=[entry(START + MINUTE, verified=True)]))
    assert (delta.status, delta.reason, delta.actor) == ("MODIFIED", "verified again", "antigravity")


def test_decay_is_told_with_its_own_moment_and_no_actor() -> None:
    born = START + MINUTE - timedelta(days=30)
    delta = only(memory("aaaa0001", born=born))
    assert (delta.status, delta.actor, delta.at) == ("DECAYED", None, START + MINUTE)


def test_a_hand_edit_shows_as_modified_with_both_texts() -> None:
    edited = memory("aaaa0001", "New words.")
    edits = {edited.id: HandEdit(START + MINUTE, "Old words.")}
    (delta,) = compare(
        state_at([edited], Checkpoint(START), edits=edits), state_at([edited], Checkpoint(END), edits=edits)
    )
    assert (delta.status, delta.reason, delta.at) == ("MODIFIED", "edited by hand", START + MINUTE)
    assert (delta.old_text, delta.new_text) == ("Old words.", "New words.")


def test_a_hand_edit_whose_old_text_is_lost_still_shows() -> None:
    edited = memory("aaaa0001", "New words.")
    edits = {edited.id: HandEdit(START + MINUTE)}
    (delta,) = compare(
        state_at([edited], Checkpoint(START), edits=edits), state_at([edited], Checkpoint(END), edits=edits)
    )
    assert (delta.status, delta.old_text, delta.new_text) == ("MODIFIED", None, "New words.")


def test_two_texts_under_one_id_as_git_may_have_them_are_a_hand_edit() -> None:
    base = state_at([memory("aaaa0001", "Old words.")])
    (delta,) = compare(base, state_at([memory("aaaa0001", "New words.")]))
    assert (delta.status, delta.reason, delta.old_text) == ("MODIFIED", "edited by hand", "Old words.")


def test_a_memory_that_is_not_in_the_target_is_not_called_refuted() -> None:
    (delta,) = compare(state_at([memory("aaaa0001")]), {})
    assert (delta.status, delta.reason) == ("MODIFIED", "no longer there")


def test_a_diff_backwards_in_time_says_what_the_earlier_state_was() -> None:
    refuted = [memory("aaaa0001", then=[entry(START + MINUTE, Status.REFUTED)])]
    (delta,) = compare(state_at(refuted, Checkpoint(END)), state_at(refuted, Checkpoint(START)))
    assert (delta.status, delta.reason, delta.steps) == ("MODIFIED", "refuted -> active", ())


def test_a_historical_record_says_what_dated_it() -> None:
    by_time = only(historical("aaaa0001", "Old.", START + MINUTE))
    by_file = only(historical("aaaa0001", "Old.", START + MINUTE, from_file=True))
    assert (by_time.dated_by, by_time.estimated, by_file.dated_by, by_file.estimated) == (
        "timestamp",
        False,
        "file",
        True,
    )


def test_deltas_come_in_the_order_of_their_happening_then_by_id() -> None:
    later = memory("aaaa0001", born=START + 5 * MINUTE)
    tied = [memory(prefix, born=START + MINUTE) for prefix in ("cccc0001", "bbbb0001")]
    assert [delta.record.id[:4] for delta in diff(later, *tied)] == ["bbbb", "cccc", "aaaa"]


def test_filters_keep_an_entry_that_answers_with_either_of_its_memories() -> None:
    deltas = diff(*seed_ledger())
    assert [delta.status for delta in filter_deltas(deltas, {MemoryType.INSIGHT})] == ["SUPERSEDED"]
    assert filter_deltas(deltas, None, {Scope.UNIVERSAL}) == []
    assert filter_deltas(deltas) == deltas
    to_axiom = [
        memory("aaaa0001", then=[entry(END, Status.SUPERSEDED, successor=full_id("aaaa0002"))]),
        memory("aaaa0002", type=MemoryType.AXIOM, born=END),
    ]
    assert len(filter_deltas(diff(*to_axiom), {MemoryType.AXIOM})) == 1


def test_the_name_of_the_proposal_gives_the_same() -> None:
    base, target = (state_at(seed_ledger(), Checkpoint(at)) for at in (START, END))
    assert compute_session_diff(base, target) == compare(base, target)


def test_the_ledger_summary_reads_as_the_proposal_shows_it() -> None:
    """The sample of EP-0133, section 3, word for word."""
    extra = [
        memory("aaaa0001", born=START + MINUTE),
        memory("aaaa0002", type=MemoryType.INSIGHT, born=START + MINUTE),
        memory("aaaa0003", born=START + MINUTE - timedelta(days=30)),
    ]
    without_refuted = [one for one in seed_ledger() if not one.id.startswith("a9dc")]
    deltas = diff(*without_refuted, *extra)
    assert ledger_summary(deltas) == (
        "## Session Memory Ledger Delta\n"
        "- Added: 2 facts, 1 insight\n"
        "- Superseded: 1 insight\n"
        "- Refuted: 0\n"
        "- Stale flagged: 1\n"
    )
    assert ledger_counts(deltas) == {
        "ADDED": {"fact": 2, "insight": 1},
        "SUPERSEDED": {"insight": 1},
        "DECAYED": {"fact": 1},
    }
    assert counts(deltas) == {"ADDED": 3, "SUPERSEDED": 1, "REFUTED": 0, "MERGED": 0, "DECAYED": 1, "MODIFIED": 0}


def test_merged_and_modified_are_summed_only_when_there_are_any() -> None:
    summary = summary_of_counts({"MERGED": {"fact": 2}, "MODIFIED": {"core": 1}})
    assert "- Merged: 2 facts\n- Modified: 1 core memory\n" in summary
    assert "- Added: 0\n" in summary


@given(st.text(max_size=300), st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_word_segments_join_to_both_texts(old: str, new: str) -> None:
    segments = word_diff(old, new)
    assert "".join(text for op, text in segments if op != "new") == old
    assert "".join(text for op, text in segments if op != "old") == new


def test_only_the_words_that_changed_are_marked() -> None:
    assert word_diff("Port is 9229 here.", "Port is 9230 here.") == [
        ("same", "Port is "),
        ("old", "9229"),
        ("new", "9230"),
        ("same", " here."),
    ]


@pytest.mark.parametrize("text", ["word " * (LIMIT // 4), "x " * 3_000, "a.b." * 1_500])
def test_long_or_repetitive_texts_are_replaced_whole(text: str) -> None:
    assert word_diff(text, text + "end") == [("old", text), ("new", text + "end")]


def test_a_text_compared_with_itself_has_nothing_marked() -> None:
    assert word_diff("", "") == []
    assert word_diff("same", "same") == [("same", "same")]


def test_records_that_differ_only_in_links_show_as_changed() -> None:
    base = state_at([memory("aaaa0001")])
    (delta,) = compare(base, state_at([replace(memory("aaaa0001"), tags=("new",))]))
    assert (delta.status, delta.reason) == ("MODIFIED", "record changed")
