"""How a change is laid out: no word is lost on either side, and the way from hunk to hunk passes all of it."""

import re
from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from tur.policy.words import LIMIT, block_diff
from tur_tui.lines import Beside, Line, line, one_above_the_other
from tur_tui.reading.diff import text_pairs
from tur_tui.widgets.diff_view import CONTEXT, _beside, row_above, row_below
from tur_tui.widgets.safe_text import safe, wrap

WORDS = st.sampled_from(
    [
        "one",
        "two",
        "port",
        "8000",
        "表示",
        "e\u0301",
        "👍🏽",
        "\u202e",
        "x" * 30,
        " ",
        "  ",
        "\n",
        "\n\n",
        "-",
        "+",
        "[/]",
    ]
)
TEXTS = st.lists(WORDS, max_size=25).map("".join)
WHOLE = TEXTS.map(lambda text: text.rstrip("\n"))
"""A memory's text ends with no line break."""


def sides(pairs: Iterable[Beside]) -> tuple[list[Line], list[Line]]:
    left: list[Line] = []
    right: list[Line] = []
    for pair in pairs:
        left += pair.left
        right += pair.right
    return left, right


def told(lines: Iterable[Line]) -> str:
    return "\n".join("".join(span.text for span in one.spans[1:]) for one in lines)


def packed(text: str) -> str:
    return re.sub(r"\s", "", "".join(map(safe, text.split("\n"))))


@given(TEXTS, TEXTS)
@example("a\n", "a")
@example("a\nb\n", "a\n")
def test_blocks_joined_are_the_texts(old: str, new: str) -> None:
    blocks = block_diff(old, new)
    assert "".join(text for block in blocks for op, text in block if op != "new") == old
    assert "".join(text for block in blocks for op, text in block if op != "old") == new
    assert all(text for block in blocks for _, text in block)


def test_a_long_text_with_a_small_change_still_shows_its_words() -> None:
    body = "".join(f"line {number} of many\n" for number in range(LIMIT // 8))
    blocks = block_diff(body + "The port is 80.\n" + body, body + "The port is 81.\n" + body)
    assert [[op for op, _ in block] for block in blocks] == [["same"], ["same", "old", "new", "same"], ["same"]]


def test_a_text_of_equal_lines_is_compared_in_time() -> None:
    assert block_diff("x\n" * 60_000, "x\n" * 59_999)


@given(WHOLE, WHOLE)
@example("one\ntwo", "one")
@example("one", "one\n\ntwo")
@example("", "one")
def test_both_sides_joined_are_both_texts(old: str, new: str) -> None:
    left, right = sides(text_pairs(old, new))
    assert (told(left), told(right)) == (old, new)


@given(WHOLE, WHOLE, st.booleans())
def test_every_changed_line_has_its_sign_and_every_other_line_none(old: str, new: str, words: bool) -> None:
    for pair in text_pairs(old, new, words=words):
        if pair.left == pair.right:
            assert {one.spans[0].text for one in pair.left} == {"  "}
            continue
        assert {one.spans[0].text for one in pair.left} <= {"- "}
        assert {one.spans[0].text for one in pair.right} <= {"+ "}


def test_words_stand_out_on_both_sides_and_whole_lines_when_told_so() -> None:
    def roles(words: bool) -> list[list[tuple[str, str]]]:
        (pair,) = text_pairs("The port is 80.", "The port is 81.", words=words)
        return [[(span.role, span.text) for span in side[0].spans] for side in (pair.left, pair.right)]

    assert roles(True) == [
        [("removed", "- "), ("text", "The port is "), ("removed-word", "80"), ("text", ".")],
        [("added", "+ "), ("text", "The port is "), ("added-word", "81"), ("text", ".")],
    ]
    assert {role for side in roles(False) for role, _ in side} == {"removed", "added"}


def test_what_is_new_or_gone_stands_on_one_side_alone() -> None:
    assert sides(text_pairs(None, "new"))[0] == []
    assert sides(text_pairs("gone", None))[1] == []


@given(WHOLE, WHOLE, st.integers(50, 120))
def test_both_columns_keep_their_width_and_their_words(old: str, new: str, width: int) -> None:
    column = (width - 2) // 2
    left, right = "", ""
    for pair in text_pairs(old, new):
        for row, _ in _beside(pair, width):
            before, bar, after = row.plain.partition("│ ")
            assert bar
            assert cell_len(before) == column
            assert cell_len(after) <= width - column - 2
            left, right = left + before[2:], right + after[2:]
    assert (packed(left), packed(right)) == (packed(old), packed(new))


@given(WHOLE, WHOLE)
def test_rows_that_hold_no_change_are_not_taken_for_one(old: str, new: str) -> None:
    for pair in text_pairs(old, new):
        rows = list(_beside(pair, 80))
        assert any(changed for _, changed in rows) == (pair.left != pair.right)
        assert len(one_above_the_other(pair)) == len(pair.left) + (pair.left != pair.right) * len(pair.right)


CHANGED = st.sets(st.integers(0, 200)).map(sorted)


@given(CHANGED, st.integers(2, 40))
def test_going_on_passes_every_changed_row_once_and_ends(changed: list[int], height: int) -> None:
    top, seen = 0, set(range(height))
    while (row := row_below(changed, top, height)) is not None:
        assert row > top
        top = row
        seen.update(range(top, top + height))
    assert set(changed) <= seen


@given(CHANGED, st.integers(2, 40))
def test_going_back_does_so_too(changed: list[int], height: int) -> None:
    top = 300
    seen: set[int] = set()
    while (row := row_above(changed, top, height)) is not None:
        assert row < top
        top = row
        seen.update(range(top, top + height))
    assert set(changed) <= seen


def test_a_hunk_that_fits_is_shown_from_its_beginning() -> None:
    changed = [*range(18, 25), 60]
    assert row_below(changed, 0, 20) == 18 - CONTEXT
    assert row_below(changed, 17, 20) == 60 - CONTEXT
    assert row_above(changed, 59, 20) == 18 - CONTEXT


@given(st.lists(st.tuples(st.sampled_from(["text", "added-word"]), WORDS), max_size=20), st.integers(8, 40))
def test_where_a_line_breaks_does_not_depend_on_its_roles(parts: list[tuple[str, str]], width: int) -> None:
    parts = [(role, text.replace("\n", " ")) for role, text in parts]
    plain = "".join(text for _, text in parts)
    coloured = [one.plain for one in wrap(line(*parts, indent=2), width)]
    assert coloured == [one.plain for one in wrap(line(plain, indent=2), width)]
    assert all(cell_len(row) <= width for row in coloured)
    assert packed("".join(coloured)) == packed(plain)


def test_a_full_stop_stays_with_its_highlighted_word() -> None:
    rows = [row.plain for row in wrap(line("- ", "listens on port ", ("added-word", "8790"), ".", indent=2), 22)]
    assert rows == ["- listens on port", "  8790."]
    assert [row.plain for row in wrap(line("- ", "x" * 12, indent=2), 8)] == ["- xxxxxx", "  xxxxxx"]
