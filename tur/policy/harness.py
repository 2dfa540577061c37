"""Which agent harness a process runs in, told from its environment."""

from collections.abc import Mapping

HARNESSES: tuple[tuple[str, str], ...] = (
    ("CLAUDECODE", "claude-code"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_CLI", "gemini-cli"),
    ("CURSOR_AGENT", "cursor"),
    ("CURSOR_TRACE_ID", "cursor"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    ("OPENCODE", "opencode"),
    ("AIDER_CHAT", "aider"),
    ("PI_CODING_AGENT", "pi"),
    ("AMP_THREAD_ID", "amp"),
    ("GOOSE_TERMINAL", "goose"),
)
"""Environment variables that known harnesses set, each with the harness's name."""


def detect_harness(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable and the harness's name when one is at work, else None."""
    for variable, name in HARNESSES:
        if environment.get(variable):
            return variable, name
    return None
