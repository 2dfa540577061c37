"""`C`: every hash, seal and chain of the store computed anew, with a bar while it goes on."""

from collections.abc import Iterator, Sequence

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from tur.errors import TurError
from tur.model.finding import Finding
from tur.progress import Progress
from tur.service.verify import verify_store
from tur.store.store import Store
from tur_tui.lines import BLANK, Line, line
from tur_tui.widgets.modal import Modal
from tur_tui.widgets.safe_text import Bar, content
from tur_tui.widgets.virtual_list import TextView
from tur_tui.working import Stopped, attempt, progress_line

LOOK_EVERY = 0.1
"""Seconds between two looks at how far it is."""

LISTED = 500
"""Most findings that are told here."""


class VerifyScreen(Modal[None]):
    """Checks the store in a worker; leaving stops it. It changes nothing."""

    class Checked(Message):
        """What was found, or why the check failed."""

        def __init__(self, findings: Sequence[Finding], error: TurError | None = None) -> None:
            super().__init__()
            self.findings = findings
            self.error = error

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._left = False
        self._at: tuple[int, int] = (0, 1)
        self._over = False

    def compose(self) -> ComposeResult:
        """A bar above what was found."""
        with Vertical(id="verify") as box:
            box.border_title = content("Check of the store: escape leaves")
            yield Bar(id="verify-bar")
            yield TextView(id="verify-text")

    def on_mount(self) -> None:
        """Begin at once."""
        self.set_interval(LOOK_EVERY, self._show_progress)
        self.scroller.show(
            [
                line("Every memory and every session is read and its hashes are computed anew."),
                line(("dim", "Nothing is changed by it.")),
            ]
        )
        self._show_progress()
        self.scroller.focus()
        self._check()

    def on_unmount(self) -> None:
        """Whoever still checks may stop."""
        self._left = True

    def _progress(self) -> Progress:
        def tell(done: int, total: int) -> None:
            if self._left:
                raise Stopped
            self._at = done, total

        return tell

    @work(thread=True, exclusive=True, group="verify", exit_on_error=False)
    def _check(self) -> None:
        attempt(
            lambda: self.post_message(self.Checked(verify_store(self._store, progress=self._progress()))),
            lambda error: self.post_message(self.Checked([], error)),
        )

    def _show_progress(self) -> None:
        if not self._over:
            self.query_one("#verify-bar", Bar).show(progress_line("checked", *self._at))

    def on_verify_screen_checked(self, message: Checked) -> None:
        """Tell what was found."""
        self._over = True
        told, role = "Everything is sound.", "good"
        if message.error is not None:
            told, role = "It could not be checked.", "bad"
        elif message.findings:
            count = len(message.findings)
            told, role = f"{count:,} {'thing is' if count == 1 else 'things are'} not as they should be.", "bad"
        self.query_one("#verify-bar", Bar).show(line((role, f" {told}")))
        self.scroller.show(list(_told(message)))

    @property
    def scroller(self) -> TextView:
        """What was found."""
        return self.query_one("#verify-text", TextView)


def _told(message: VerifyScreen.Checked) -> Iterator[Line]:
    if message.error is not None:
        yield line(("bad", message.error.message))
        yield line(("dim", message.error.hint or ""))
        return
    if not message.findings:
        yield line("All ids, seals, hashes and chains answer to what they stand for, and every link is sound.")
    for one in message.findings[:LISTED]:
        yield line(("bad", f"{one.code}  "), ("title", one.subject))
        yield line(f"  {one.message}", indent=2)
        if one.hint:
            yield line(("dim", f"  {one.hint}"), indent=2)
        yield BLANK
    if len(message.findings) > LISTED:
        yield line(("dim", f"and {len(message.findings) - LISTED:,} more: `tur verify` prints all of them"))
