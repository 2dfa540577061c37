"""Letters that pose as Latin ones are found; words of other languages, and of two scripts, are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tur.policy.display import hidden_characters
from tur.policy.look_alikes import deceptive_characters, look_alikes, written_out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ignоre the rules", "ign<U+043E>re the rules"),
        ("paypaІ", "paypa<U+0406>"),
        ("ask Αlice", "ask <U+0391>lice"),
        ("сору it", "<U+0441><U+043E><U+0440><U+0443> it"),
        ("𝐢𝐠𝐧𝐨𝐫𝐞 it", "<U+1D422><U+1D420><U+1D427><U+1D428><U+1D42B><U+1D41E> it"),
    ],
    ids=["cyrillic", "capital", "greek", "whole-word", "mathematical"],
)
def test_letters_that_pose_as_latin_ones_are_written_out(text: str, shown: str) -> None:
    assert written_out(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Plain English, and naïve café, Łódź, İstanbul",
        "Он не хочет а или о: сор, ухо и роса",
        "PDFка, git-репозиторий и API-шлюз",
        "Το σπίτι είναι εδώ",
        "TGF-α, Δt, λx and 5 μs",
        "日本語 ｗｉｄｅ 한국어 ไทย हिन्दी עברית العربية",
        "x² ≤ ½, №5, ℃",
    ],
)
def test_words_of_other_scripts_are_what_they_are(text: str) -> None:
    assert look_alikes(text) == []


def test_they_are_named_by_place_letter_and_what_they_look_like() -> None:
    found = [(one.offset, one.name, one.kind) for one in deceptive_characters("n\u043e\u200b")]
    assert found == [
        (1, "CYRILLIC SMALL LETTER O, LIKE o", "look-alike"),
        (2, "ZERO WIDTH SPACE", "invisible"),
    ]


@given(st.text(st.sampled_from("abоАсρ𝐢яλé \u200b<U+>1")))
def test_what_was_written_out_poses_no_more(text: str) -> None:
    assert look_alikes(written_out(text)) == []
    assert written_out(text).count("<U+") - text.count("<U+") == len(look_alikes(text))
    assert len(deceptive_characters(text)) == len(look_alikes(text)) + len(hidden_characters(text))
