"""The command that a service runs: the one that was called to install it."""

import os
from collections.abc import Sequence
from pathlib import Path


def own_command(argv0: str, executable: str) -> tuple[str, ...]:
    """How to call this memd from anywhere: the script as it was named, else the interpreter with the module.

    A symlink is kept, as the one that pipx puts beside its other commands: it stays when what it names moves.
    """
    script = Path(argv0)
    if os.sep in argv0 and script.suffix != ".py" and os.access(script, os.X_OK):
        return (os.path.abspath(script),)  # noqa: PTH100 - a symlink must stay one
    return (executable, "-P", "-m", "openclaw_memd.cli.main")


def run_words(
    command: Sequence[str], *, config: Path | None, workspace: Path | None, socket: Path | None
) -> tuple[str, ...]:
    """``memd run`` with the options that were given, all paths absolute."""
    options = (("--config", config), ("--workspace", workspace), ("--socket", socket))
    return (
        *command,
        "run",
        *(word for name, path in options if path is not None for word in (name, str(path))),
    )
