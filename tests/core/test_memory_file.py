"""The file of a memory: what is written reads back, and what others wrote there survives."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tur.codec.memory_file import (
    MAX_FRONTMATTER_BYTES,
    append_lifecycle,
    core_title,
    derive_title,
    is_edited,
    parse_memory,
    render_memory,
    split_tags,
)
from tur.codec.seal import memory_id, memory_seal
from tur.errors import StoreCorrupt
from tur.model.memory import Core, CoreType, LifecycleEntry, Memory, MemoryLink, MemoryType, Scope, Status

AT = datetime(2026, 9, 18, 1, 49, 10, tzinfo=UTC)
SESSION = "20260918_004355_d8ca9e13"
ENTRY = LifecycleEntry(AT, Status.ACTIVE, "antigravity", session=SESSION, reason='a: "b" #c', verified=True)
LINK = MemoryLink(f"tur://session/{SESSION}#note-3", "consolidated_from", "ab" * 32)
MINIMAL = "---\nmemory_type: FACT\nscope: INCARNATION\ntimestamp: 2026-05-20T08:29:42Z\n{}---\nThe content.\n"

AWKWARD = [
    "---",
    "---\nstatus: approved\n---",
    "\n---\n",
    "a\r\nb",
    "a\r",
    "\r\n",
    "\ufeffa",
    "x\n\n\n",
    "a  \n",
    "",
    "\n",
]
AWKWARD += [
    "🧭 👨‍👩‍👧",
    "\u202eabc",
    "\x1b[31m",
    "[/a-z]",
    "\x85\u2028",
    "no",
    "2024-01-02",
    'He said "5\\6"',
    "{{x}}",
    "<b>",
]
TEXT = st.text() | st.sampled_from(AWKWARD)
MOMENT = st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0))
LINKS = st.lists(st.builds(MemoryLink, TEXT, TEXT, st.none() | TEXT), max_size=3).map(tuple)
ENTRIES = st.builds(
    LifecycleEntry,
    at=MOMENT,
    status=st.sampled_from(Status),
    by=TEXT,
    session=st.none() | TEXT,
    reason=st.none() | TEXT,
    successor=st.none() | TEXT,
    verified=st.booleans(),
)
CORES = st.builds(Core, st.sampled_from(CoreType), TEXT, TEXT)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    kind = draw(st.sampled_from(MemoryType))
    scope = draw(st.sampled_from(Scope))
    content = draw(TEXT)
    core = draw(CORES) if kind is MemoryType.CORE else None
    links = draw(LINKS)
    timestamp = draw(MOMENT)
    identity = memory_id(scope, kind, content, core)
    return Memory(
        id=identity,
        seal=memory_seal(identity, timestamp, links),
        type=kind,
        scope=scope,
        title=draw(TEXT),
        content=content,
        timestamp=timestamp,
        author=draw(TEXT),
        session=draw(st.none() | TEXT),
        tags=tuple(draw(st.lists(st.text(alphabet="abé ,-no1", min_size=1), max_size=3))),
        links=links,
        lifecycle=tuple(draw(st.lists(ENTRIES, max_size=3))),
        core=core,
        extra=draw(st.dictionaries(st.text(max_size=20).map("x".__add__), TEXT | st.lists(TEXT), max_size=2)),
    )


@settings(max_examples=120)
@given(memories())
def test_what_is_written_reads_back_with_id_and_seal_intact(memory: Memory) -> None:
    read = parse_memory(render_memory(memory))
    assert read == memory
    assert read.extra == memory.extra
    assert not is_edited(read)
    assert render_memory(read) == render_memory(memory)


@settings(max_examples=80)
@given(memories(), ENTRIES)
def test_an_entry_is_added_and_nothing_else_changes(memory: Memory, entry: LifecycleEntry) -> None:
    data = render_memory(memory)
    grown = append_lifecycle(data, entry)
    assert parse_memory(grown) == memory.appended(entry)
    if memory.lifecycle:
        assert len(grown.split(b"\n")) == len(data.split(b"\n")) + 1
        added = [line for line in grown.split(b"\n") if line.startswith(b"  - {at: ")][-1]
        assert grown.replace(added + b"\n", b"", 1) == data or memory.lifecycle.count(entry)


def test_the_file_looks_as_documented() -> None:
    memory = Memory(
        id="12" * 32,
        seal="34" * 32,
        type=MemoryType.AXIOM,
        scope=Scope.INCARNATION,
        title="SQLite connections must execute PRAGMA foreign_keys = ON",
        content="Body: the content.",
        timestamp=AT,
        session=SESSION,
        author="antigravity",
        tags=("sqlite",),
        links=(LINK,),
        lifecycle=(LifecycleEntry(AT, Status.ACTIVE, "antigravity", session=SESSION),),
    )
    assert render_memory(memory).decode() == (
        "---\n"
        "type: L1 Memory\n"
        'title: "SQLite connections must execute PRAGMA foreign_keys = ON"\n'
        f'hash: "{"12" * 32}"\n'
        f'seal: "{"34" * 32}"\n'
        "memory_type: AXIOM\n"
        "scope: INCARNATION\n"
        "timestamp: 2026-09-18T01:49:10Z\n"
        "session: 20260918_004355_d8ca9e13\n"
        "author: antigravity\n"
        "tags: [sqlite]\n"
        "links:\n"
        f'  - {{uri: "tur://session/{SESSION}#note-3", relation: consolidated_from, hash: {"ab" * 32}}}\n'
        "lifecycle:\n"
        f"  - {{at: 2026-09-18T01:49:10Z, status: active, by: antigravity, session: {SESSION}}}\n"
        "---\n"
        "Body: the content.\n"
    )


def test_a_core_memory_as_the_protocol_shows_it_is_read() -> None:
    memory = parse_memory(
        b"---\ntype: L1 Memory\ntimestamp: 2026-07-12T12:00:00Z\nscope: UNIVERSAL\nmemory_type: CORE\n"
        b"links:\n  - uri: tur://memory/abc\n    relation: refines\ncore_type: relational_discovery\n"
        b'derived_principle: "Ask first."\nethical_covenant: "I will not act alone."\n---\n\nLived context.\n'
    )
    assert memory.core == Core(CoreType.RELATIONAL_DISCOVERY, "Ask first.", "I will not act alone.")
    assert memory.links == (MemoryLink("tur://memory/abc", "refines"),)
    assert memory.title == core_title(memory.id) == f"Core Memory {memory.id[:8]}"
    assert not is_edited(memory)


def test_a_core_memory_without_its_covenant_is_refused() -> None:
    with pytest.raises(StoreCorrupt, match="ethical_covenant"):
        parse_memory(
            b"---\nmemory_type: CORE\nscope: universal\ntimestamp: 2026-01-01\n"
            b"core_type: relational_discovery\nderived_principle: x\n---\nLived.\n"
        )


def test_what_a_historical_file_lacks_has_a_default() -> None:
    memory = parse_memory(MINIMAL.format("").encode())
    assert (memory.author, memory.seal, memory.session) == ("unknown", "", None)
    assert (memory.links, memory.lifecycle, memory.tags) == ((), (), ())
    assert memory.title == "The content"
    assert memory.id == memory_id(Scope.INCARNATION, MemoryType.FACT, "The content.")
    assert memory.status is Status.ACTIVE
    assert not is_edited(memory)


@pytest.mark.parametrize("written", ["2026-05-20T08:29:42+00:00", "2026-05-20T10:29:42+02:00", "2026-05-20 08:29:42"])
def test_times_are_read_as_utc(written: str) -> None:
    text = MINIMAL.format("").replace("2026-05-20T08:29:42Z", written)
    assert parse_memory(text.encode()).timestamp == datetime(2026, 5, 20, 8, 29, 42, tzinfo=UTC)


def test_type_and_scope_are_read_in_any_case() -> None:
    memory = parse_memory(MINIMAL.format("").replace("FACT", "fact").replace("INCARNATION", "User").encode())
    assert (memory.type, memory.scope) == (MemoryType.FACT, Scope.USER)


def test_a_status_written_by_hand_has_no_power() -> None:
    memory = parse_memory(
        MINIMAL.format("status: active\nlifecycle: [{at: 2026-01-01, status: pending_approval, by: x}]\n").encode()
    )
    assert memory.status is Status.PENDING_APPROVAL
    assert memory.extra == {"status": "active"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no frontmatter"),
        ("just text\n", "no frontmatter"),
        ("---hello\na: b\n---\n", "no frontmatter"),
        ("\n---\na: b\n---\n", "no frontmatter"),
        ("---\na: b\n", "not closed"),
        ("---\na: b\n----\n", "not closed"),
        ("---\n---\nx\n", "is empty"),
        ("---\n" + "a" * (MAX_FRONTMATTER_BYTES + 100) + ": b\n---\n", "over 65,536"),
        (MINIMAL.format("title: One: two\n"), "line 5.*mapping values"),
        (MINIMAL.format("scope: user\n"), "line 5.*twice"),
        (MINIMAL.format("").replace("FACT", "rumour"), "line 2, field memory_type"),
        (MINIMAL.format("").replace("scope: INCARNATION\n", ""), "scope: is missing"),
        (MINIMAL.format("").replace("2026-05-20T08:29:42Z", "last week"), "line 4, field timestamp"),
        (MINIMAL.format("").replace("2026-05-20T08:29:42Z", "2026-13-45"), "field timestamp"),
        (MINIMAL.format("").replace("2026-05-20T08:29:42Z", "0001-01-01T00:00:00+14:00"), "field timestamp"),
        (MINIMAL.format("hash: ../../x\n"), "line 5, field hash"),
        (MINIMAL.format("lifecycle: [{at: 2026-01-01, status: blessed}]\n"), r"field lifecycle\[1\].status"),
        (MINIMAL.format("lifecycle: [{status: active}]\n"), r"field lifecycle\[1\].at"),
        (MINIMAL.format("lifecycle: {a: b}\n"), "field lifecycle"),
        (MINIMAL.format("links: [x]\n"), r"field links\[1\]"),
        (MINIMAL.format("links: [{uri: x}]\n"), r"field links\[1\]"),
        (MINIMAL.format("title: [x]\n"), "field title"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(text: str, problem: str) -> None:
    with pytest.raises(StoreCorrupt, match=problem):
        parse_memory(text.encode())


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(StoreCorrupt, match="content is not UTF-8"):
        parse_memory(MINIMAL.format("").encode() + b"\xff")


def test_a_file_converted_to_crlf_with_a_bom_is_the_same_memory() -> None:
    memory = parse_memory(MINIMAL.format("title: One\nauthor: codex\n").replace("content.", "a\nb").encode())
    crlf = b"\xef\xbb\xbf" + render_memory(memory).replace(b"\n", b"\r\n")
    read = parse_memory(crlf)
    assert read.content == "The a\r\nb"
    assert replace(read, content=memory.content) == memory
    assert not is_edited(read)


def test_a_carriage_return_at_the_end_of_content_is_content() -> None:
    memory = parse_memory(MINIMAL.format("").encode())
    assert parse_memory(render_memory(replace(memory, content="a\r"))).content == "a\r"


@pytest.mark.parametrize("body", ["before\n\n---\n\nkey: not metadata\n---\nafter", "---\n", "x  \n\n\n", "\n\nx"])
def test_the_body_is_kept_byte_for_byte(body: str) -> None:
    data = MINIMAL.format("").replace("The content.", body).encode()
    assert parse_memory(data).content == body
    assert append_lifecycle(data, ENTRY).endswith(f"\n---\n{body}\n".encode())


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("check-in,qr-code", ("check-in", "qr-code")),
        ('\'["check-in","qr-code"]\'', ("check-in", "qr-code")),
        ('[check-in, "qr-code"]', ("check-in", "qr-code")),
        ("['[\"check-in\"', '\"qr-code\"]']", ("check-in", "qr-code")),
        ("", ()),
        ("one", ("one",)),
        ("'a, a, ,'", ("a",)),
    ],
)
def test_tags_are_clean_however_they_were_written(written: str, tags: tuple[str, ...]) -> None:
    assert parse_memory(MINIMAL.format(f"tags: {written}\n").encode()).tags == tags


def test_tags_of_one_string_are_split() -> None:
    assert split_tags("a, #b,[c]") == ("a", "b", "c")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "written",
    [
        "",
        "lifecycle:\n",
        "lifecycle: # none yet\nfoo: bar\n",
        "lifecycle: []\n",
        "lifecycle: [] # none\nfoo: bar\n",
        "lifecycle: [ # odd\n]\n",
        "lifecycle: ~ # none\n",
        "lifecycle: [{at: 2026-01-01, status: active}]\n",
        "lifecycle: [{at: 2026-01-01, status: active} , ]\nfoo: bar\n",
        "lifecycle:\n- at: 2026-01-01\n  status: active # since\n  # more\n# unrelated\nfoo: bar\n",
        'lifecycle:\n    - {at: 2026-01-01, status: active, by: "🌊"} # first\n\nfoo: "🌊"\n',
        "lifecycle:\n  - at: 2026-01-01\n    status: active\n    reason: |\n      long\n      text\n\nfoo: bar\n",
        "lifecycle:\n  - at: 2026-01-01\n    status: active\n    reason:\n# unrelated\nfoo: bar\n",
        '"lifecycle":\n  - {at: 2026-01-01, status: active, mood: kept}\n',
        "foo: |\n  text\n",
        "# 🌊 comment\nfoo: {nested: [1, 2]} # unrelated\nlifecycle:\n  - {at: 2026-01-01, status: active}\nbar: 'x'\n",
    ],
)
def test_a_frontmatter_written_by_hand_keeps_everything_else(written: str, line_end: str) -> None:
    data = b"\xef\xbb\xbf" + MINIMAL.format(written).replace("\n", line_end).encode()
    before = parse_memory(data)
    once = append_lifecycle(data, ENTRY)
    twice = append_lifecycle(once, replace(ENTRY, reason=None))
    assert parse_memory(twice).lifecycle == (*before.lifecycle, ENTRY, replace(ENTRY, reason=None))
    assert b"\n" not in twice.replace(b"\r\n", b"") or line_end == "\n"
    left = iter(once)
    kept = data.replace(b": ~", b": ").replace(b"[] #", b" #").replace(b": []", b": ").replace(b" , ]", b"]")
    assert all(byte in left for byte in kept.replace(b"} ]", b"}]")), "some byte of the old file is gone or moved"


def test_a_frontmatter_that_cannot_take_a_line_is_left_alone() -> None:
    flow = b"---\n{memory_type: FACT, scope: USER, timestamp: 2026-01-01}\n---\nx\n"
    with pytest.raises(StoreCorrupt, match="no lifecycle entry can be added"):
        append_lifecycle(flow, ENTRY)


def test_a_full_lifecycle_is_refused_before_the_file_becomes_unreadable() -> None:
    data = MINIMAL.format(f"note: {'x' * (MAX_FRONTMATTER_BYTES - 200)}\n").encode()
    with pytest.raises(StoreCorrupt, match="lifecycle is full"):
        append_lifecycle(data, replace(ENTRY, reason="y" * 200))


def test_a_changed_body_or_link_is_noticed() -> None:
    identity = memory_id(Scope.USER, MemoryType.FACT, "a")
    memory = Memory(
        identity, memory_seal(identity, AT, [LINK]), MemoryType.FACT, Scope.USER, "a", "a", AT, "codex", links=(LINK,)
    )
    assert not is_edited(memory)
    assert not is_edited(replace(memory, title="Other", tags=("new",), lifecycle=(ENTRY,)))
    assert is_edited(replace(memory, content="b"))
    assert is_edited(replace(memory, links=()))
    assert is_edited(replace(memory, timestamp=AT.replace(year=2025)))
    assert is_edited(replace(memory, scope=Scope.PERSONA))


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("One fact.", "One fact"),
        ("First sentence. Second one.", "First sentence"),
        ("Use ruff, e.g. Python only. More.", "Use ruff, e.g. Python only"),
        ("Release v0.15.1 shipped. Then lunch.", "Release v0.15.1 shipped"),
        ("\n\n# A heading\ntext", "A heading"),
        ("- a point", "a point"),
        ("use --force and -- here", "use --force and -- here"),
        ("Pass a -- b > c", "Pass a -- b > c"),
        ("<!-- /tur:wake -->", "<!-- /tur:wake -->"),
        ("---\nafter", "after"),
        ("大语言模型。然后", "大语言模型。"),
        ("a\x1b[31mb\u202ec\td", "a[31mbc d"),
        ("", "Untitled"),
        ("\u200b", "Untitled"),
        ("word " * 40, ("word " * 15).strip() + "…"),
        ("x" * 200, "x" * 79 + "…"),
        (".", "."),
    ],
)
def test_a_title_is_derived_from_the_first_sentence(content: str, title: str) -> None:
    assert derive_title(content) == title


@given(TEXT)
def test_a_derived_title_is_one_short_visible_line(content: str) -> None:
    title = derive_title(content)
    assert 0 < len(title) <= 80
    assert title.replace("\u200c", "").replace("\u200d", "").isprintable()
