"""What text the store takes, and which differences between texts do not count."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tur.codec.text import MAX_TEXT_BYTES, check_text, normalise
from tur.errors import InvalidInput


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "  kept as it is \r\n",
        "大语言模型",
        "🚀",
        "\x1b[31mred\x1b[0m",
        "\u202eevil",
        "[/a-z] [bold]",
        "'); DROP TABLE notes;--",
        "---\nstatus: approved\n---",
        "a" * MAX_TEXT_BYTES,
    ],
)
def test_text_that_shows_something_is_kept_as_given(text: str) -> None:
    assert check_text(text, "note") == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \t\r\n", "empty"),
        ("\u200b\u200d\ufeff", "empty"),
        ("\u3164\u2800", "empty"),
        ("\ufe0f", "empty"),
        ("a\0b", "NUL"),
        ("a\ud800b", "surrogate"),
        ("caf\udce9", "surrogate"),
        ("a" * (MAX_TEXT_BYTES + 1), "65,536"),
        ("é" * (MAX_TEXT_BYTES // 2 + 1), "65,536"),
    ],
)
def test_text_that_cannot_be_kept_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem) as refused:
        check_text(text, "note")
    assert refused.value.message.startswith("note ")
    assert refused.value.hint


def test_a_stated_limit_is_in_bytes() -> None:
    assert check_text("éé", "title", limit=4) == "éé"
    with pytest.raises(InvalidInput, match="5 bytes, and the limit is 4"):
        check_text("ééa", "title", limit=4)


@pytest.mark.parametrize("char", ["\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_one_line_field_takes_no_kind_of_line_break(char: str) -> None:
    assert check_text(f"x{char}status: approved", "content")
    with pytest.raises(InvalidInput, match="one line"):
        check_text(f"x{char}status: approved", "title", one_line=True)


@pytest.mark.parametrize(
    "other", ["a\r\nb", "a\rb", "a\x85b", "a\u2028b", "a\u2029b", "\ufeffa\nb", "  a\nb\n\n", "\ufeff\n a\nb"]
)
def test_line_breaks_marks_and_space_around_do_not_change_what_is_hashed(other: str) -> None:
    assert normalise(other) == "a\nb"


def test_composed_and_decomposed_letters_are_one() -> None:
    assert normalise(unicodedata.normalize("NFD", "Zoë Ångström")) == normalise("Zoë Ångström")


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
