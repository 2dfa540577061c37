"""The plans of rotation and prune: what stays, what goes and why, on generated and on named cases."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tur.errors import Conflict, InvalidInput, Refused
from tur.policy.retention import (
    CLOCK_TOLERANCE,
    RULES,
    Plan,
    RetentionPolicy,
    SessionRecord,
    plan_prune,
    plan_rotation,
    plan_single,
    state_hash,
)

NOW = datetime(2026, 10, 20, 12, 0, tzinfo=UTC)


def record(days_ago: float = 10, token: int = 0, **changes: object) -> SessionRecord:
    ended = NOW - timedelta(days=days_ago)
    started = ended - timedelta(minutes=5)
    base = SessionRecord(
        id=f"{started:%Y%m%d_%H%M%S}_{token:08x}",
        started_at=started,
        ended_at=ended,
        state="ended",
        consolidated=True,
        notes=3,
        unconsolidated_notes=0,
        head=f"{token:064x}",
        agents=("pi",),
        yaml_bytes=900,
        db_bytes=28_672,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@st.composite
def sessions(draw: st.DrawFn) -> list[SessionRecord]:
    found = []
    for token in range(draw(st.integers(0, 14))):
        consolidated = draw(st.booleans())
        notes = draw(st.integers(0, 3))
        unseen = draw(st.integers(0, notes)) if consolidated else notes
        archived = draw(st.booleans())
        found.append(
            record(
                draw(st.integers(0, 90)),
                token,
                consolidated=consolidated,
                notes=notes,
                unconsolidated_notes=unseen,
                archived=archived,
                db_bytes=0 if archived else draw(st.sampled_from([0, 4096, 28_672])),
                state=draw(st.sampled_from(["open", "sealed", "ended"])),
                dreaming=draw(st.integers(0, 9)) == 0,
                damaged=draw(st.sampled_from([None] * 9 + ["it is no database"])),
            )
        )
    with_active: bool = draw(st.booleans())
    if found and with_active:
        found[-1] = replace(found[-1], active=True)
    return list(draw(st.permutations(found)))


policies = st.builds(
    RetentionPolicy,
    keep=st.integers(1, 12),
    max_age_days=st.none() | st.integers(1, 90),
    delete=st.booleans(),
    include_unconsolidated=st.booleans(),
) | st.builds(
    RetentionPolicy, max_age_days=st.integers(1, 90), delete=st.booleans(), include_unconsolidated=st.booleans()
)


def check_whole(plan: Plan, seen: list[SessionRecord]) -> None:
    keeps, goes = {one.session.id for one in plan.keeps}, {one.session.id for one in plan.goes}
    assert not keeps & goes
    assert keeps | goes == {one.id for one in seen}
    assert len(plan.verdicts) == len(seen)
    assert all(one.reason and one.rule for one in plan.verdicts)
    assert all(one.freed == 0 for one in plan.keeps)
    assert plan.freed == sum(one.freed for one in plan.goes)
    ends = [one.session.ended_at for one in plan.verdicts]
    assert ends == sorted(ends)


@given(sessions(), policies)
def test_prune_keeps_and_takes_each_session_once(seen: list[SessionRecord], policy: RetentionPolicy) -> None:
    plan = plan_prune(seen, policy, NOW)
    check_whole(plan, [one for one in seen if policy.delete or one.in_primary])


@given(sessions(), policies)
def test_prune_never_takes_what_is_protected(seen: list[SessionRecord], policy: RetentionPolicy) -> None:
    for one in plan_prune(seen, policy, NOW).goes:
        assert not one.session.active
        assert not one.session.dreaming
        assert not one.session.damaged
        assert policy.include_unconsolidated or not one.session.unconsolidated


@given(sessions(), st.builds(RetentionPolicy, keep=st.integers(1, 12), max_age_days=st.integers(1, 90)))
def test_prune_rules_are_unions_of_keeps(seen: list[SessionRecord], policy: RetentionPolicy) -> None:
    both = {one.session.id for one in plan_prune(seen, policy, NOW).goes}
    by_count = {one.session.id for one in plan_prune(seen, replace(policy, max_age_days=None), NOW).goes}
    by_age = {one.session.id for one in plan_prune(seen, replace(policy, keep=None), NOW).goes}
    assert both == by_count & by_age


@given(sessions(), policies)
def test_a_pruned_list_has_nothing_left_to_prune(seen: list[SessionRecord], policy: RetentionPolicy) -> None:
    gone = {one.session.id for one in plan_prune(seen, policy, NOW).goes}
    assert not plan_prune([one for one in seen if one.id not in gone], policy, NOW).goes


@given(sessions(), st.integers(1, 20))
def test_rotation_keeps_the_horizon(seen: list[SessionRecord], horizon: int) -> None:
    primary = [one for one in seen if one.in_primary]
    plan = plan_rotation(seen, horizon)
    check_whole(plan, primary)
    for one in plan.goes:
        assert one.session.consolidated
        assert not (one.session.active or one.session.dreaming or one.session.damaged or one.session.unconsolidated)
    left = [one.session for one in plan.keeps if one.session.consolidated]
    consolidated = sum(one.consolidated and not one.archived for one in primary)
    assert len(left) >= min(horizon, consolidated)
    gone = {one.session.id for one in plan.goes}
    assert not plan_rotation([one for one in seen if one.id not in gone], horizon).goes


@given(sessions())
def test_the_hash_of_the_state_does_not_depend_on_order(seen: list[SessionRecord]) -> None:
    assert state_hash(seen) == state_hash(reversed(seen))


def test_the_hash_of_the_state_sees_every_change_but_the_live_notes() -> None:
    seen = [record(5, 1), record(3, 2), record(0, 3, state="open", active=True, consolidated=False)]
    before = state_hash(seen)
    assert state_hash([*seen, record(1, 4)]) != before
    assert state_hash([replace(seen[0], head="f" * 64), *seen[1:]]) != before
    assert state_hash([replace(seen[0], consolidated=False), *seen[1:]]) != before
    assert state_hash([replace(seen[0], dreaming=True), *seen[1:]]) != before
    assert state_hash([*seen[:2], replace(seen[2], notes=9, head="e" * 64)]) == before
    assert state_hash([replace(seen[0], db_bytes=1), *seen[1:]]) == before


def test_a_fingerprint_names_rule_verdicts_and_state() -> None:
    seen = [record(age, age) for age in (9, 5, 2)]
    later = NOW + timedelta(days=1)
    plans = [
        plan_prune(seen, RetentionPolicy(20), NOW),
        plan_prune(seen, RetentionPolicy(1), NOW),
        plan_prune(seen, RetentionPolicy(1, delete=True), NOW),
        plan_prune(seen, RetentionPolicy(max_age_days=3), NOW),
        plan_prune(seen, RetentionPolicy(max_age_days=3), later + timedelta(days=1)),
        plan_prune([*seen, record(1, 1)], RetentionPolicy(20), NOW),
        plan_single(seen, seen[0].id, "archive", NOW),
        plan_single(seen, seen[1].id, "archive", NOW),
    ]
    assert len({one.fingerprint for one in plans}) == len(plans)
    assert {len(one.fingerprint) for one in plans} == {64}
    assert plan_prune(seen, RetentionPolicy(1), later).fingerprint == plans[1].fingerprint
    assert len({one.seen for one in plans}) == 2


@given(sessions(), policies)
def test_every_rule_that_keeps_a_session_has_words(seen: list[SessionRecord], policy: RetentionPolicy) -> None:
    assert {one.rule for one in plan_prune(seen, policy, NOW).keeps} <= RULES.keys()


def test_what_a_deletion_frees_is_less_the_tombstone() -> None:
    seen = [record(9, 1, tombstone_bytes=400), record(1, 2)]
    policy = RetentionPolicy(1, delete=True)
    assert plan_prune(seen, policy, NOW).freed == 28_672 + 900 - 400 - len(str(policy))


def test_one_is_not_spoken_of_as_several() -> None:
    assert plan_rotation([], 1).sentence == (
        "Keep the newest consolidated session beside the live one; archive the rest."
    )


def test_twenty_one_consolidated_sessions_lose_the_oldest() -> None:
    seen = [record(age, age) for age in range(1, 22)]
    plan = plan_rotation(seen, 20)
    assert [one.session.id for one in plan.goes] == [record(21, 21).id]
    assert plan.goes[0].reason == "consolidated, and beyond the newest 20"
    assert plan.keeps[-1].reason == "1st of the newest 20"
    assert plan.freed == 28_672
    assert plan.sentence == "Keep the newest 20 consolidated sessions beside the live one; archive the rest."


def test_rotation_goes_by_the_end_not_by_the_start() -> None:
    long = record(1, 1, started_at=NOW - timedelta(days=60))
    plan = plan_rotation([long, record(5, 2), record(9, 3)], 2)
    assert [one.session.id for one in plan.goes] == [record(9, 3).id]


def test_a_half_moved_session_goes_whatever_the_horizon() -> None:
    left = record(2, 1, archived=True)
    plan = plan_rotation([left], 20)
    assert [(one.session.id, one.rule) for one in plan.goes] == [(left.id, "half-moved")]


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            RetentionPolicy(keep=10),
            "Keep the newest 10 sessions; archive the rest, unconsolidated ones excepted.",
        ),
        (
            RetentionPolicy(max_age_days=30, delete=True),
            "Keep those that ended in the last 30 days; delete the rest and leave tombstones, "
            "unconsolidated ones excepted.",
        ),
        (
            RetentionPolicy(keep=1, max_age_days=1, include_unconsolidated=True),
            "Keep the newest session and those that ended in the last 1 day; archive the rest, "
            "unconsolidated ones included.",
        ),
    ],
    ids=["count", "age-delete", "both-included"],
)
def test_policy_is_one_sentence(policy: RetentionPolicy, sentence: str) -> None:
    assert str(policy) == sentence


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: RetentionPolicy(), Refused),
        (lambda: RetentionPolicy(delete=True, include_unconsolidated=True), Refused),
        (lambda: RetentionPolicy(keep=0), InvalidInput),
        (lambda: RetentionPolicy(keep=-1), InvalidInput),
        (lambda: RetentionPolicy(max_age_days=0), InvalidInput),
        (lambda: RetentionPolicy(max_age_days=-1), InvalidInput),
        (lambda: RetentionPolicy(keep=3, max_age_days=-1), InvalidInput),
        (lambda: RetentionPolicy(max_age_days=10**12), InvalidInput),
        (lambda: plan_rotation([], 0), InvalidInput),
        (lambda: plan_rotation([], -5), InvalidInput),
    ],
    ids=[
        "empty",
        "empty-flags",
        "keep-0",
        "keep-neg",
        "age-0",
        "age-neg",
        "both",
        "age-huge",
        "horizon-0",
        "horizon-neg",
    ],
)
def test_senseless_rules_are_errors(make: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def test_a_huge_count_keeps_all() -> None:
    assert not plan_prune([record(90, 1), record(80, 2)], RetentionPolicy(keep=10**12), NOW).goes


def test_age_limit_is_a_limit_and_not_a_day_earlier() -> None:
    policy = RetentionPolicy(max_age_days=30)
    at_limit, over = record(30, 1), record(30.0001, 2)
    plan = plan_prune([at_limit, over], policy, NOW)
    assert [one.session.id for one in plan.goes] == [over.id]
    assert plan.goes[0].reason == "consolidated; ended 30 days ago"


def test_a_long_session_has_the_age_of_its_end() -> None:
    long = record(2, 1, started_at=NOW - timedelta(days=300))
    assert not plan_prune([long], RetentionPolicy(max_age_days=30), NOW).goes


@pytest.mark.parametrize("behind", [timedelta(hours=1), timedelta(days=365)], ids=["hour", "year"])
def test_a_clock_behind_the_sessions_refuses_ages(behind: timedelta) -> None:
    seen = [record(40, 1), record(0, 2)]
    with pytest.raises(Conflict, match="clock"):
        plan_prune(seen, RetentionPolicy(max_age_days=30), NOW - behind)
    assert plan_prune(seen, RetentionPolicy(keep=1), NOW - behind).goes


def test_a_session_from_the_future_refuses_ages_beyond_five_minutes() -> None:
    policy = RetentionPolicy(max_age_days=30)
    edge = record(0, 1, ended_at=NOW + CLOCK_TOLERANCE)
    assert not plan_prune([edge], policy, NOW).goes
    with pytest.raises(Conflict, match=edge.id):
        plan_prune([replace(edge, ended_at=NOW + CLOCK_TOLERANCE + timedelta(seconds=1))], policy, NOW)


def test_empty_sessions_do_not_push_out_real_ones() -> None:
    real = [record(20 + age, age) for age in range(10)]
    junk = [record(1, 100 + age, notes=0, head="") for age in range(200)]
    plan = plan_prune([*real, *junk], RetentionPolicy(keep=10), NOW)
    assert {one.session.id for one in plan.keeps} == {one.id for one in real}
    assert {one.rule for one in plan.goes} == {"empty"}
    assert any("200 sessions without notes" in one for one in plan.warnings)


def test_a_burst_of_sessions_is_pointed_out() -> None:
    flood = [record(1 + index / 10_000, index) for index in range(30)]
    plan = plan_prune([*flood, record(20, 99)], RetentionPolicy(keep=10), NOW)
    assert any(one.startswith("30 sessions began within the hour") for one in plan.warnings)


def test_sessions_of_one_second_are_told_apart() -> None:
    twins = [record(5, token) for token in range(5)]
    plan = plan_prune(twins, RetentionPolicy(keep=3), NOW)
    assert [one.session.head[-1] for one in plan.goes] == ["0", "1"]


def test_reasons_for_what_is_held() -> None:
    seen = [
        record(50, 1, active=True, state="open", consolidated=False, unconsolidated_notes=3),
        record(49, 2, dreaming=True),
        record(48, 3, consolidated=False, unconsolidated_notes=3),
        record(47, 4, unconsolidated_notes=1),
        record(46, 5, damaged="it is no database"),
        record(45, 6, state="open", consolidated=False, notes=0),
    ]
    plan = plan_prune(seen, RetentionPolicy(max_age_days=1), NOW)
    assert [(one.rule, one.reason) for one in plan.verdicts] == [
        ("active", "it is the active session"),
        ("dreaming", "it is being dreamt"),
        ("unconsolidated", "3 notes that no dream has seen"),
        ("unconsolidated", "1 note that no dream has seen"),
        ("damaged", "it cannot be read: it is no database"),
        ("open", "it is still open"),
    ]
    named = plan_prune(seen, RetentionPolicy(max_age_days=1, include_unconsolidated=True), NOW)
    assert [one.rule for one in named.goes] == ["unconsolidated", "unconsolidated", "empty"]
    assert "4 notes that no dream has seen would go." in named.warnings


def test_archive_prune_leaves_the_archive_alone_and_delete_counts_it() -> None:
    shelved = [record(30 + age, age, archived=True, db_bytes=0) for age in range(5)]
    live = [record(age + 1, 50 + age) for age in range(3)]
    assert len(plan_prune([*shelved, *live], RetentionPolicy(keep=2), NOW).verdicts) == 3
    plan = plan_prune([*shelved, *live], RetentionPolicy(keep=4, delete=True), NOW)
    assert len(plan.goes) == 4
    assert plan.freed == 4 * (900 - len(plan.sentence))


def test_one_session_by_hand() -> None:
    seen = [record(3, 1), record(0, 2, active=True)]
    plan = plan_single(seen, seen[0].id, "archive", NOW)
    assert [one.rule for one in plan.goes] == ["named"]
    with pytest.raises(Refused, match="active"):
        plan_single(seen, seen[1].id, "delete", NOW)
