"""Where a memory stands at a moment, what may follow what, and when knowledge goes stale."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.core.diff_ledger import BEFORE, END, SESSION, START, entry, full_id, historical, memory
from tur.errors import ConfigError
from tur.model.memory import MemoryType, Status
from tur.policy.decay import HalfLives, age, is_stale, last_verified
from tur.policy.lifecycle import EVERYTHING, Checkpoint, HandEdit, may_be_restored, may_become, state_at

HOUR = timedelta(hours=1)
ONE = full_id("aaaa0001")


def test_a_memory_is_absent_before_its_birth_and_present_from_then_on() -> None:
    fact = memory("aaaa0001", born=START, session=SESSION)
    assert state_at([fact], Checkpoint(START - timedelta(seconds=1))) == {}
    assert state_at([fact], Checkpoint(START))[ONE].status is Status.ACTIVE


def test_a_state_shows_the_lifecycle_only_up_to_its_moment() -> None:
    fact = memory("aaaa0001", then=[entry(START + HOUR, Status.REFUTED, reason="wrong")])
    before = state_at([fact], Checkpoint(START))[ONE]
    assert (before.status, before.memory.status, len(before.memory.lifecycle)) == (Status.ACTIVE, Status.ACTIVE, 1)
    after = state_at([fact], EVERYTHING)[ONE]
    assert (after.status, after.at) == (Status.REFUTED, START + HOUR)


def test_order_of_writing_wins_over_a_clock_that_went_backwards() -> None:
    """P19: what was written later happened later, whatever its clock said."""
    fact = memory("aaaa0001", born=START, then=[entry(START - 2 * HOUR, Status.REFUTED, reason="wrong")])
    assert state_at([fact], Checkpoint(START - HOUR)) == {}
    assert state_at([fact], Checkpoint(START))[ONE].status is Status.REFUTED


def test_entries_of_a_named_session_count_whatever_their_clock_says() -> None:
    fact = memory("aaaa0001", born=END + HOUR, session=SESSION)
    ahead = Checkpoint(END, sessions=frozenset({SESSION}))
    assert ONE in state_at([fact], ahead)


def test_entries_of_a_later_session_never_count_even_when_their_clock_is_behind() -> None:
    fact = memory("aaaa0001", then=[entry(START - HOUR, Status.REFUTED, session=SESSION)])
    base = Checkpoint(START, sessions=frozenset({BEFORE}), later=frozenset({SESSION}))
    assert state_at([fact], base)[ONE].status is Status.ACTIVE


def test_a_human_s_act_outside_any_session_counts_by_time() -> None:
    fact = memory("aaaa0001", then=[entry(START + HOUR, Status.ARCHIVED, session=None, by="human")])
    base = Checkpoint(START, sessions=frozenset({BEFORE}), later=frozenset({SESSION}))
    assert state_at([fact], base)[ONE].status is Status.ACTIVE
    assert state_at([fact], replace(base, at=START + HOUR))[ONE].status is Status.ARCHIVED


def test_a_naive_time_among_aware_ones_counts_as_utc() -> None:
    """O43."""
    naive = datetime(2026, 8, 27, 15, 30)
    far_east = datetime(2026, 8, 28, 2, 0, tzinfo=timezone(timedelta(hours=10)))
    fact = memory("aaaa0001", then=[entry(naive, Status.SUPERSEDED), entry(far_east, Status.ARCHIVED)])
    assert state_at([fact], Checkpoint(naive))[ONE].status is Status.SUPERSEDED
    assert state_at([fact], Checkpoint(START + HOUR))[ONE].status is Status.ARCHIVED
    assert is_stale(replace(fact, lifecycle=(), timestamp=naive), END + timedelta(days=30))


def test_a_record_without_lifecycle_is_born_at_its_timestamp_and_says_so() -> None:
    record = historical("aaaa0001", "Old.", START)
    assert state_at([record], Checkpoint(START - HOUR)) == {}
    state = state_at([record], Checkpoint(START))[ONE]
    assert (state.status, state.dated_by, state.estimated) == (Status.ACTIVE, "timestamp", False)


def test_a_record_dated_by_its_file_is_marked_estimated() -> None:
    state = state_at([historical("aaaa0001", "Old.", START, from_file=True)], EVERYTHING)[ONE]
    assert state.estimated


def test_a_historical_record_refuted_later_was_active_before() -> None:
    record = replace(historical("aaaa0001", "Old.", START), lifecycle=(entry(END, Status.REFUTED),))
    assert state_at([record], Checkpoint(START))[ONE].status is Status.ACTIVE
    assert state_at([record], Checkpoint(END))[ONE].status is Status.REFUTED


def test_a_fresh_checkout_does_not_push_a_historical_record_s_later_life_into_the_future() -> None:
    checked_out = END + timedelta(days=300)
    record = replace(
        historical("aaaa0001", "Old.", checked_out, from_file=True), lifecycle=(entry(START, Status.REFUTED),)
    )
    assert state_at([record], Checkpoint(END))[ONE].status is Status.REFUTED


def test_of_two_copies_of_one_record_the_one_with_more_history_counts() -> None:
    fact = memory("aaaa0001")
    archived = fact.appended(entry(START, Status.ARCHIVED, session=None))
    for copies in ([fact, archived], [archived, fact]):
        assert state_at(copies)[ONE].status is Status.ARCHIVED
    born_later = memory("aaaa0001", born=END, then=[entry(END, Status.REFUTED)])
    assert state_at([fact, born_later], Checkpoint(START)) == {}


def test_a_hand_edit_shows_the_known_old_text_before_it_and_the_new_one_after() -> None:
    edited = memory("aaaa0001", "New words.")
    edits = {ONE: HandEdit(at=START, old="Old words.")}
    assert state_at([edited], Checkpoint(START - HOUR), edits=edits)[ONE].memory.content == "Old words."
    after = state_at([edited], Checkpoint(END), edits=edits)[ONE]
    assert after.memory.content == "New words."
    assert after.edit == edits[ONE]


@pytest.mark.parametrize(
    ("status", "new"),
    [
        (Status.PENDING_APPROVAL, Status.ACTIVE),
        (Status.PENDING_APPROVAL, Status.REJECTED),
        (Status.ACTIVE, Status.ACTIVE),
        (Status.ACTIVE, Status.SUPERSEDED),
        (Status.ACTIVE, Status.REFUTED),
        (Status.ACTIVE, Status.MERGED),
        (Status.ACTIVE, Status.ARCHIVED),
        (Status.ARCHIVED, Status.ACTIVE),
        (Status.REJECTED, Status.PENDING_APPROVAL),
        (Status.SUPERSEDED, Status.ARCHIVED),
        (Status.REFUTED, Status.ARCHIVED),
        (Status.MERGED, Status.ARCHIVED),
    ],
)
def test_these_changes_may_follow(status: Status, new: Status) -> None:
    assert may_become(status, new)


def test_every_other_change_may_not_follow() -> None:
    allowed = sum(may_become(status, new) for status in Status for new in Status)
    assert allowed == 12
    assert not may_become(Status.REJECTED, Status.ACTIVE)
    assert not may_become(Status.ARCHIVED, Status.REFUTED)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.REFUTED, Status.MERGED])
def test_what_was_put_out_of_force_comes_back_only_by_learning_it_again(status: Status) -> None:
    assert not may_become(status, Status.ACTIVE)
    assert may_become(status, Status.ACTIVE, relearned=True)


@pytest.mark.parametrize("kind", [MemoryType.FACT, MemoryType.CORE])
@pytest.mark.parametrize("status", Status)
def test_a_human_restores_what_was_forgotten_and_a_core_memory_that_was_merged(
    kind: MemoryType, status: Status
) -> None:
    restorable = status is Status.ARCHIVED or (status is Status.MERGED and kind is MemoryType.CORE)
    then = entry(START + HOUR, status)
    assert may_be_restored(replace(memory("aaaa0001", then=[then]), type=kind)) is restorable


def test_a_fact_goes_stale_at_its_half_life_and_not_a_second_before() -> None:
    fact = memory("aaaa0001", born=START)
    assert not is_stale(fact, START + timedelta(days=30) - timedelta(seconds=1))
    assert is_stale(fact, START + timedelta(days=30))


def test_verifying_makes_a_fact_fresh_again() -> None:
    fact = memory("aaaa0001", born=START, then=[entry(START + timedelta(days=29), verified=True)])
    assert last_verified(fact) == START + timedelta(days=29)
    assert not is_stale(fact, START + timedelta(days=40))


@pytest.mark.parametrize("kind", [kind for kind in MemoryType if kind is not MemoryType.FACT])
def test_only_facts_decay_unless_told_otherwise(kind: MemoryType) -> None:
    assert not is_stale(memory("aaaa0001", type=kind), START + timedelta(days=36_000))


def test_what_is_no_longer_active_is_not_stale() -> None:
    refuted = memory("aaaa0001", then=[entry(START, Status.REFUTED)])
    assert not is_stale(refuted, START + timedelta(days=400))


def test_a_time_in_the_future_counts_as_age_zero() -> None:
    """O44."""
    fact = memory("aaaa0001", born=START + timedelta(days=400))
    assert age(fact, START) == timedelta(0)
    assert not is_stale(fact, START)


def test_a_clock_that_ran_ahead_once_does_not_keep_a_fact_fresh_for_ever() -> None:
    fact = memory("aaaa0001", born=START + timedelta(days=9_000), then=[entry(START, verified=True)])
    assert is_stale(fact, START + timedelta(days=31))


def test_a_time_at_the_end_of_the_calendar_breaks_nothing() -> None:
    fact = memory("aaaa0001", born=datetime.max.replace(tzinfo=UTC))
    assert not is_stale(fact, END)


def test_half_lives_can_be_set_for_what_decays() -> None:
    set_so = HalfLives.of({"fact": None, "INSIGHT": 10})
    assert not is_stale(memory("aaaa0001", born=START), START + timedelta(days=400), set_so)
    assert is_stale(memory("aaaa0001", born=START, type=MemoryType.INSIGHT), START + timedelta(days=10), set_so)


@pytest.mark.parametrize("settings", [{"axiom": 10}, {"rumour": 10}, {"fact": 0}, {"fact": True}, {"fact": "30"}])
def test_an_impossible_half_life_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        HalfLives.of(settings)
