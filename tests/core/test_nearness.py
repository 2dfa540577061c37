"""When two core memories say the same, contradict each other, or overlap."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scratch import NOW
from tur.codec.seal import memory_id
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryType, Scope, Status
from tur.policy.nearness import NEAREST, SIMILAR, Verdict, judge, likeness, nearest

WORDS = st.lists(st.sampled_from("ask tell before the commit small diffs 8000 never always 表 say".split()), min_size=1)
CORES = st.builds(lambda principle, covenant: core(" ".join(principle), " ".join(covenant)), WORDS, WORDS)


def core(principle: str, covenant: str = "I keep to it.") -> Core:
    return Core(CoreType.RELATIONAL_DISCOVERY, principle, covenant)


def approved(principle: str, covenant: str = "I keep to it.") -> Memory:
    words = core(principle, covenant)
    identity = memory_id(Scope.UNIVERSAL, MemoryType.CORE, "Lived.", words)
    return Memory(
        id=identity,
        seal="0" * 64,
        type=MemoryType.CORE,
        scope=Scope.UNIVERSAL,
        title="",
        content="Lived.",
        timestamp=NOW,
        author="pi",
        lifecycle=(LifecycleEntry(NOW, Status.ACTIVE, "pi"),),
        core=words,
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "verdict"),
    [
        ("Say what you do not know.", "say what you don't know", Verdict.SAME),
        ("Say what you don’t know", "Say what you do not know", Verdict.SAME),
        ("Ask the Architect first", "ask architect first!", Verdict.SAME),
        ("Wait 2 minutes for the server.", "Wait two minutes for the server.", Verdict.SAME),
        ("Skip the tests before a release.", "Never skip the tests before a release.", Verdict.CONTRADICTS),
        ("I cannot approve my own work.", "I can approve my own work.", Verdict.CONTRADICTS),
        ("Always format files you touch.", "Never format files you touch.", Verdict.CONTRADICTS),
        ("Run the tests before you commit.", "Run the tests after you commit.", Verdict.CONTRADICTS),
        ("The preview server listens on 8000.", "The preview server listens on 8790.", Verdict.CONTRADICTS),
        ("The user prefers small diffs in a review.", "The user prefers tiny diffs in a review.", Verdict.OVERLAPS),
        ("Never do what nobody asked for.", "Do not do what none asked for.", Verdict.OVERLAPS),
        ("Say what was skipped.", "Keep the catalogue in one transaction.", Verdict.APART),
    ],
)
def test_verdicts(mine: str, theirs: str, verdict: Verdict) -> None:
    covenant = ("I keep to it.", "I keep to it.") if verdict is not Verdict.APART else ("I tell it.", "Rows stream.")
    one, other = approved(mine, covenant[0]), approved(theirs, covenant[1])
    assert one.core is not None and other.core is not None
    assert judge(one.core, other).verdict is verdict
    assert judge(other.core, one).verdict is verdict


@pytest.mark.parametrize(
    ("mine", "theirs", "why"),
    [
        ("Deploy after 5 checks in a row.", "Deploy after 3 checks in a row.", "5 against 3"),
        ("Always ask before a release.", "Never ask before a release.", "“always” against “never”"),
        ("Ask before a release.", "Do not ask before a release.", "one of the two says not"),
    ],
)
def test_a_contradiction_says_what_the_two_disagree_on(mine: str, theirs: str, why: str) -> None:
    found = judge(core(mine), approved(theirs))
    assert found.verdict is Verdict.CONTRADICTS
    assert found.why == why
    assert found.told == f"contradicts concept-{found.memory.id[:8]}: {why}"


def test_what_contradicts_comes_before_what_is_only_alike() -> None:
    pending = approved("Skip the tests before a release.", "I am quick about it.")
    against = approved("Never skip the tests before a release.", "Quality is the one thing that counts here.")
    alike = [approved("Skip the lunch before a release.", f"I am quick about it {word}.") for word in "abcd"]
    found = nearest(pending, [*alike, against])
    assert len(found) == NEAREST
    assert found[0].memory.id == against.id
    assert found[0].score < found[1].score


def test_a_memory_is_not_its_own_neighbour() -> None:
    pending = approved("Ask first.")
    assert nearest(pending, [pending]) == []


@given(CORES, CORES)
def test_likeness_is_the_same_both_ways_and_between_0_and_1(one: Core, other: Core) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, one) == 1.0


@given(CORES)
def test_case_and_marks_make_no_difference(one: Core) -> None:
    other = approved(one.derived_principle.upper() + "!", f"“{one.ethical_covenant}”")
    assert judge(one, other).verdict is Verdict.SAME


@given(st.lists(st.sampled_from("ask tell read commit small diffs review".split()), min_size=1), st.integers(0, 20))
def test_one_negation_anywhere_contradicts(words: list[str], at: int) -> None:
    negated = [*words[: at % (len(words) + 1)], "not", *words[at % (len(words) + 1) :]]
    assert judge(core(" ".join(words)), approved(" ".join(negated))).verdict is Verdict.CONTRADICTS


def test_long_and_repetitive_texts_are_judged_in_time() -> None:
    rng = random.Random(1)
    one = core("p q " * 60_000, "x" * 200_000)
    other = approved(" ".join(rng.choice("pq") for _ in range(120_000)), "y" * 200_000)
    assert 0.0 < judge(one, other).score < SIMILAR
