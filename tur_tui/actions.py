"""The one registry of what can be done in the app, and with which keys.

Bindings, the bar of keys, the `?` help, the command palette and docs/keys.md are all made from
it, so none of them can tell something that is not so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.binding import BindingType


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do. `id` is stable and names it in the configuration; `scope` says where it works.

    `keys` are Textual's names of keys, the first one being shown. `bar` puts it into the bar of keys.
    `palette` offers it in the command palette; decisions are never offered there.
    """

    scope: str
    name: str
    keys: tuple[str, ...]
    label: str
    tooltip: str
    bar: bool = False
    palette: bool = False

    @property
    def id(self) -> str:
        """How the configuration names it, such as `review.approve`."""
        return f"{self.scope}.{self.name}"

    @property
    def method(self) -> str:
        """What Textual calls: the app's for the whole app, the widget's or screen's otherwise."""
        return f"app.{self.name}" if self.scope == "app" else self.name


SCOPES: Mapping[str, str] = {
    "app": "Everywhere",
    "pane": "In every pane",
    "list": "In a list",
    "text": "In a text",
    "timeline": "Timeline",
    "diff": "Diff",
    "review": "Review",
    "prune": "Prune",
    "memories": "Memories",
    "audit": "Audit",
    "dialog": "In a dialog",
}
"""Where an action works, and the heading of it."""

PANES = ("timeline", "diff", "review", "prune", "memories", "audit")
"""The panes in the order of their number keys."""

_MOTIONS = (
    ("down", ("j", "down"), "down"),
    ("up", ("k", "up"), "up"),
    ("half_down", ("ctrl+d",), "half a page down"),
    ("half_up", ("ctrl+u",), "half a page up"),
    ("page_down", ("pagedown", "ctrl+f"), "a page down"),
    ("page_up", ("pageup", "ctrl+b"), "a page up"),
    ("first", ("g", "home"), "to the beginning"),
    ("last", ("G", "end"), "to the end"),
)

ACTIONS: tuple[Action, ...] = (
    *(
        Action("app", f"pane_{name}", (str(number),), name.capitalize(), f"Go to the {name} pane", palette=True)
        for number, name in enumerate(PANES, start=1)
    ),
    Action("app", "undo", ("u",), "undo", "Take back the last decision on a memory, by a new entry of the audit log"),
    Action("app", "verify", ("C",), "check", "Verify the store: compute every hash, seal and chain anew", palette=True),
    Action("app", "theme", ("ctrl+t",), "theme", "Change to the next theme", palette=True),
    Action("app", "palette", ("ctrl+p", "colon"), "commands", "Find a command, a memory or a session by typing"),
    Action("app", "help", ("question_mark", "f1"), "help", "Show every key, with a filter", palette=True),
    Action("app", "quit", ("q", "ctrl+q"), "quit", "Leave the app", palette=True),
    Action(
        "pane",
        "filter",
        ("slash",),
        "filter",
        "Type words that entries must have; enter keeps, escape clears",
        bar=True,
    ),
    Action("pane", "next_pane", ("tab",), "pane", "To the next part of the pane"),
    Action("pane", "previous_pane", ("shift+tab",), "back", "To the part before"),
    Action("pane", "back", ("escape", "backspace"), "back", "Back to the list; then clear the filter"),
    Action("pane", "way_back", ("b",), "way back", "Back to where a jump to another pane began"),
    Action("pane", "zoom", ("plus",), "zoom", "Show the focused part alone, or all again"),
    Action("pane", "scroll_down", ("J",), "text down", "Scroll the text on the right from the list"),
    Action("pane", "scroll_up", ("K",), "text up", "Scroll the text on the right back up"),
    Action("pane", "scroll_page", ("space",), "page on", "Scroll the text on the right by a page"),
    Action(
        "pane", "copy", ("y",), "copy", "Copy the text on the right, made visible, to the clipboard (OSC 52) and a file"
    ),
    Action("pane", "reload", ("ctrl+r",), "reload", "Read the store again now", palette=True),
    *(Action("list", name, keys, label, f"Move {label}") for name, keys, label in _MOTIONS),
    Action("list", "choose", ("enter",), "open", "Open what the cursor is on"),
    *(Action("text", name, keys, label, f"Scroll {label}") for name, keys, label in _MOTIONS),
    Action("timeline", "open_memory", ("o",), "memory", "Go to the memory that the selected note became", bar=True),
    Action(
        "timeline",
        "session_diff",
        ("d",),
        "diff",
        "Show in Diff what it changed, or what lies between the base and it",
        bar=True,
    ),
    Action(
        "timeline",
        "base",
        ("B",),
        "base",
        "Mark the session as the base that d on another compares with; once more takes the mark away",
        bar=True,
    ),
    Action("timeline", "follow", ("f",), "follow", "Keep the cursor on the newest session", bar=True),
    Action("diff", "next_hunk", ("n",), "next", "To what changed further down, then to the next change", bar=True),
    Action("diff", "previous_hunk", ("N",), "previous", "To what changed further up, then to the change before"),
    Action("diff", "split", ("s",), "split", "Old and new side by side, or under each other", bar=True),
    Action("diff", "words", ("w",), "words", "Highlight the words that differ, or whole lines", bar=True),
    Action("diff", "compare", ("c",), "compare", "Choose what to compare: sessions, a time or git revisions", bar=True),
    Action("diff", "evidence", ("e",), "evidence", "Go to its note, or to the session it came up in", bar=True),
    Action("diff", "review", ("r",), "review", "Go to Review with it, while it awaits a decision there", bar=True),
    Action("diff", "open_memory", ("o",), "memory", "Go to this memory", bar=True),
    Action("diff", "kind", ("v",), "kind", "View one kind of change after the other, then all"),
    Action("diff", "type", ("t",), "type", "Show one type of memory after the other, then all"),
    Action("diff", "scope", ("p",), "scope", "Show one scope after the other, then all"),
    Action("review", "approve", ("a",), "approve", "Approve, by typing the id, once all of it was on screen", bar=True),
    Action("review", "reject", ("r",), "reject", "Reject with a reason, which the agent will be told", bar=True),
    Action(
        "review", "merge", ("m",), "merge", "Make one of it and an approved one; that one awaits approval", bar=True
    ),
    Action("review", "reword", ("E",), "edit", "Put it into other words; those await approval in its place", bar=True),
    Action("review", "mark", ("v",), "mark", "Mark it, or not: a and r then act on all marked, by a list", bar=True),
    Action("review", "mark_range", ("V",), "range", "Mark all from the last one that was marked to here"),
    Action("review", "skip", ("z",), "later", "Leave it undecided and go to the next one", bar=True),
    Action("review", "evidence", ("e",), "evidence", "Go to its note, or to the session it came up in"),
    Action("review", "open_memory", ("o",), "memory", "Go to this memory"),
    Action("review", "memory_diff", ("d",), "diff", "Show in Diff what changed it last"),
    Action("prune", "age", ("a",), "age", "Set the age in days up to which sessions stay", bar=True),
    Action("prune", "newest", ("n",), "newest", "Set how many of the newest sessions stay", bar=True),
    Action("prune", "mode", ("m",), "mode", "Change between archive and delete", bar=True),
    Action(
        "prune",
        "unconsolidated",
        ("i",),
        "undreamt",
        "Include sessions that no dream has seen, or spare them",
        bar=True,
    ),
    Action("prune", "run", ("x",), "run", "Carry out the plan, by typing the number of sessions", bar=True),
    Action("prune", "restore", ("R",), "restore", "Bring a session back from the archive", bar=True),
    Action("memories", "kind", ("t",), "type", "Show one type of memory after the other, then all", bar=True),
    Action("memories", "status", ("s",), "status", "Show one status after the other, then all", bar=True),
    Action("memories", "source", ("e",), "evidence", "Go to its note, or to the session it came up in", bar=True),
    Action("memories", "memory_diff", ("d",), "diff", "Show in Diff what changed it last"),
    Action(
        "memories", "forget", ("f",), "forget", "Put it out of force and into the archive, by typing its id", bar=True
    ),
    Action("memories", "restore", ("R",), "restore", "Bring a forgotten memory back, by typing its id", bar=True),
    Action("audit", "open_memory", ("o",), "memory", "Go to the memory that this act was about", bar=True),
    Action("audit", "memory_diff", ("d",), "diff", "Show in Diff what the memories were before and after", bar=True),
    Action("dialog", "cancel", ("escape", "ctrl+c"), "leave", "Leave; nothing is changed"),
    Action("dialog", "leave_app", ("ctrl+q",), "quit", "Leave the app; nothing is changed"),
    Action("dialog", "text_down", ("pagedown",), "text down", "Scroll the text of the dialog on"),
    Action("dialog", "text_up", ("pageup",), "text up", "Scroll the text of the dialog back up"),
)
"""Everything there is to do."""


def actions(scope: str) -> list[Action]:
    """What works in a scope."""
    return [action for action in ACTIONS if action.scope == scope]


def find_action(action_id: str) -> Action:
    """The action of an id."""
    return next(action for action in ACTIONS if action.id == action_id)


def bindings(*scopes: str) -> "list[BindingType]":
    """The bindings of these scopes, for a widget, a screen or the app."""
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.method,
            action.label,
            show=action.bar,
            tooltip=action.tooltip,
            id=action.id,
        )
        for scope in scopes
        for action in actions(scope)
    ]


_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "plus": "+",
    "escape": "esc",
    "backspace": "⌫",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
}


def key_name(key: str) -> str:
    """A key as a human reads it."""
    if key in _KEY_NAMES:
        return _KEY_NAMES[key]
    return key.replace("ctrl+", "^").replace("shift+", "⇧")


def key_of(action: Action, keymap: Mapping[str, str]) -> str:
    """The key of an action as a human reads it, by the configuration if it names one."""
    return key_name((keymap.get(action.id) or action.keys[0]).split(",")[0])


def key_names(keys: Iterable[str]) -> str:
    """Several keys as a human reads them."""
    return " ".join(map(key_name, keys))


def clashes(keymap: Mapping[str, str] | None = None) -> list[str]:
    """Keys that would do two things in one place, as lines for a human."""
    given = keymap or {}
    keys = {action.id: given.get(action.id, ",".join(action.keys)).split(",") for action in ACTIONS}
    found = []
    for pane in PANES:
        taken: dict[str, str] = {}
        for action in ACTIONS:
            if action.scope not in ("app", "pane", "list", pane):
                continue
            for key in keys[action.id]:
                if key in taken:
                    found.append(f"{key_name(key)} is both {taken[key]} and {action.id}")
                taken[key] = action.id
    return list(dict.fromkeys(found))


def keys_page() -> str:
    """docs/keys.md, as Markdown."""
    lines = [
        "# Keys of tur-adm",
        "",
        "Generated from the app's own registry of actions. Keys are changed in `tui.toml` of your configuration",
        "folder (`~/.config/tur`), by the name in the last column. `tur-adm --print-config` prints what is in force as",
        "such a file, with every name in it:",
        "",
        "```toml",
        'theme = "dark"   # dark, light, ansi-dark or ansi-light',
        "mouse = true",
        "",
        "[keys]",
        '"review.approve" = "A"',
        "```",
    ]
    for scope, title in SCOPES.items():
        lines += ["", f"## {title}", "", "| key | what it does | name |", "|---|---|---|"]
        for action in actions(scope):
            shown = " ".join(f"`{key_name(key)}`" for key in action.keys)
            lines.append(f"| {shown} | {action.tooltip} | `{action.id}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from tur_tui import output

    output.emit_text(keys_page().removesuffix("\n"))
