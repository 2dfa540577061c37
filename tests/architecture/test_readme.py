"""The commands of the README run, in their order, on a machine with an empty home."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def command_lines() -> list[str]:
    """What follows each `$` in the README, without what needs a clone or a network."""
    blocks = re.findall(r"^```console\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line for line in lines if not line.startswith(("make ", "python3 -m "))]


def test_readme_commands_run(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    programs = Path(sys.executable).parent
    environment = {"HOME": str(home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}
    lines = command_lines()
    assert len(lines) > 8
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        assert done.stdout, f"$ {line} printed nothing"
