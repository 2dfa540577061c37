"""The YAML that Tur reads and writes."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tur.codec.yamlio import MAX_DEPTH, dump_mapping, flow_mapping, load_mapping, scalar
from tur.errors import InvalidInput, StoreCorrupt

TEXT = st.text() | st.sampled_from(
    [
        "",
        " ",
        "no",
        "~",
        "null",
        "1e3",
        "012",
        "0x1F",
        "2024-01-02",
        "1:30",
        "=",
        "<<",
        "---",
        "...",
        "- a",
        "a: b",
        "a #b",
        "#c",
        "&a",
        "*a",
        "!t",
        "%x",
        "@x",
        "`x`",
        "{{x}}",
        "[a]",
        '"',
        "'",
        "\\",
        "\t",
        "a\r\nb",
        "\ufeff",
        "\x85",
        "12345678_123456_12345678",
        "1_0",
        ".5",
        "+1",
        "-",
        "?",
        "|",
        ">",
        "NaN",
        ".inf",
        "é́",
        "👨\u200d👩\u200d👧",
        "\U000e0041",
    ]
)
KEY = TEXT.filter(lambda key: len(key) < 100)
VALUES = st.recursive(
    TEXT | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)


def load(text: str, limit: int = 100_000) -> dict[str, object]:
    return load_mapping(text, limit=limit, what="frontmatter", first_line=2)


@settings(max_examples=150)
@given(st.dictionaries(KEY, VALUES, max_size=5))
def test_what_is_written_reads_back_here_and_in_any_yaml_reader(mapping: dict[str, object]) -> None:
    text = dump_mapping(mapping, flow=("links", "a"))
    assert load(text) == mapping
    assert yaml.load(text, yaml.CSafeLoader) == mapping
    assert yaml.load(text, yaml.SafeLoader) == mapping


@given(TEXT)
def test_nothing_invisible_is_written_raw(text: str) -> None:
    written = dump_mapping({"text": text})
    assert all(char.isprintable() for char in written.replace("\n", ""))
    assert written.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["antigravity", "a b", "2nd try", "ab12cd", "it/is.fine", "大语言模型", "20260918_004355_d8ca9e13"]
)
def test_a_plain_string_is_written_plain(text: str) -> None:
    assert scalar(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("no", "Yes", "ON", "y", "null", "~", "", "1e3", "12e4567", "012", "0123456", "0o17", "1_000", "1:30", ".5"),
        *("2024-01-02", "2026-09-18T01:49:10Z", "20260918_004355_12345678", "nan", ".inf", "=", "<<", "a: b", "a #b"),
    ],
)
def test_a_string_that_yaml_would_retype_is_quoted(text: str) -> None:
    assert scalar(text).startswith('"')
    assert yaml.safe_load(scalar(text)) == text


@pytest.mark.parametrize(
    ("char", "escape"),
    [
        ("\u202e", r"\u202E"),
        ("\u200b", r"\u200B"),
        ("\x85", r"\x85"),
        ("\ufeff", r"\uFEFF"),
        ("\x9b", r"\x9B"),
        ("\U000e0041", r"\U000E0041"),
        ("\u2028", r"\u2028"),
        ("\x1b", r"\e"),
        ("\xa0", r"\xA0"),
        ("\ue000", r"\uE000"),
    ],
)
def test_what_cannot_be_seen_is_escaped(char: str, escape: str) -> None:
    assert scalar(f"a{char}b") == f'"a{escape}b"'


def test_a_long_line_is_not_wrapped() -> None:
    text = "word " * 600 + '"5\\6" #1 @home %x'
    assert dump_mapping({"title": text}).count("\n") == 1


def test_layout_is_block_with_one_line_mappings_where_asked() -> None:
    at = datetime(2026, 9, 18, 1, 49, 10, tzinfo=UTC)
    mapping = {
        "title": "One: two",
        "count": 3,
        "tags": ["sqlite", "no"],
        "links": [{"uri": "tur://memory/ab", "relation": "refines"}],
        "lifecycle": [],
        "notes": [{"at": at, "verified": True, "none": None}],
        "deep": {"a": {"b": "c"}, "empty": {}},
    }
    assert dump_mapping(mapping, flow=("links",)) == (
        'title: "One: two"\n'
        "count: 3\n"
        'tags: [sqlite, "no"]\n'
        "links:\n"
        '  - {uri: "tur://memory/ab", relation: refines}\n'
        "lifecycle: []\n"
        "notes:\n"
        "  - at: 2026-09-18T01:49:10Z\n"
        "    verified: true\n"
        "    none: null\n"
        "deep:\n"
        "  a:\n"
        "    b: c\n"
        "  empty: {}\n"
    )
    assert flow_mapping({"a": "b, c", "d": ["e"]}) == '{a: "b, c", d: [e]}'


@pytest.mark.parametrize("value", [1.5, object(), b"bytes", {1: "a"}, "\ud800"])
def test_what_could_not_be_read_back_is_not_written(value: object) -> None:
    with pytest.raises(InvalidInput):
        dump_mapping({"a": value})


@pytest.mark.parametrize("text", ["no", "1e3", "012", "2024-01-02", "=", "<<", "1:30", "0x1F", "true", "9" * 5000])
def test_unquoted_scalars_are_the_text_that_stands_there(text: str) -> None:
    assert load(f"a: {text}\n") == {"a": text}


def test_an_unquoted_scalar_is_written_back_unquoted() -> None:
    assert dump_mapping(load('a: 012\nb: "012"\nc: true\n')) == 'a: 012\nb: "012"\nc: true\n'


@pytest.mark.parametrize(("text", "value"), [("~", None), ("null", None), ("", None), ('"~"', "~"), ("'null'", "null")])
def test_only_an_unquoted_null_is_none(text: str, value: str | None) -> None:
    assert load(f"a: {text}\n") == {"a": value}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: b\ntitle: Assignment 1: Intro\n", 3, "mapping values"),
        ("a: b\nstatus: staged\nstatus: approved\n", 4, "twice"),
        ("a: &x b\n", 2, "anchors"),
        ("b: 1\na: *x\n", 3, "anchors"),
        ("&a [*a]\n", 2, "not a mapping"),
        ("a: !!python/object:os.system x\n", 2, "tags"),
        ("a: ! x\n", 2, "tags"),
        ("<<: {a: b}\n", 2, "merge"),
        ("- a\n", 2, "not a mapping"),
        ("? [a]\n: b\n", 2, "key must be text"),
        ("a: b\n--- \nc: d\n", 3, "second document"),
        ("a: x\u2028b: y\n", 2, "line break"),
        ("a: b # c\u2028d: e\n", 2, "line break"),
        ("a: b\n c: [\n", 3, "."),
        ("a: " + "[" * (MAX_DEPTH + 1), 2, "deep"),
        ("a: @home\n", 2, "start any token"),
    ],
)
def test_dangerous_or_broken_yaml_is_refused_with_the_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(StoreCorrupt, match=problem) as refused:
        load(text)
    assert refused.value.context["line"] == line
    assert refused.value.message.startswith(f"frontmatter, line {line}: ")


@pytest.mark.parametrize(
    "text", ["", "# only a comment\n", "a: \x1b[31m\n", "a: \0\n", "a: " + "[" * 5000, "a: \ud800\n", 'a: "\\ud800"\n']
)
def test_unreadable_text_is_refused_and_never_a_traceback(text: str) -> None:
    with pytest.raises(StoreCorrupt):
        load(text)


def test_a_colon_in_a_value_is_answered_with_how_to_quote_it() -> None:
    with pytest.raises(StoreCorrupt) as refused:
        load("title: Assignment 1: Intro\n")
    assert refused.value.hint is not None and "quoted" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x: [\n", "closed by ]"),
        ("x: {a: 1\n", "closed by ]"),
        ('x: "a\n', "never closed"),
        ("x: @a\n", "double quotes"),
    ],
)
def test_what_is_broken_off_is_answered_with_what_it_lacks(text: str, hint: str) -> None:
    with pytest.raises(StoreCorrupt) as refused:
        load(text)
    assert refused.value.hint is not None and hint in refused.value.hint


def test_size_is_limited_before_parsing() -> None:
    with pytest.raises(StoreCorrupt, match="over 10 bytes"):
        load("a: ééééé\n", limit=10)


def test_a_strange_line_break_inside_quotes_is_text() -> None:
    assert load('a: "x\u2028y"\nb: c\n') == {"a": "x\u2028y", "b": "c"}


@given(st.text(alphabet="ab:-[]{}#&*!|>'\"%@`?,\n \t\x85\u2028", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(StoreCorrupt):
        load(text)
