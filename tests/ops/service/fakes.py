"""Service managers' programs as real executables that write down what they were told."""

import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

from tests.daemons import run_memd

PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >>"$FAKES/told"
case "$(basename "$0") $*" in
    *is-system-running*) cat "$FAKES/state" ;;
    *" show "* | "launchctl print "*/org.openclaw.memd) cat "$FAKES/shown" ;;
    *list-units*) cat "$FAKES/listed" 2>/dev/null ;;
esac
while read -r pattern; do
    case "$*" in *"$pattern"*) echo "told to fail" >&2; exit 1 ;; esac
done <"$FAKES/failing"
exit 0
"""


class FakeManager:
    """A folder with ``systemctl`` and ``launchctl``; ``home`` is the user's."""

    def __init__(self, folder: Path, *, state: str = "running", shown: str = "ActiveState=inactive") -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        for name in ("systemctl", "launchctl"):
            program = folder / name
            program.write_text(PROGRAM)
            program.chmod(0o755)
        self.set(state=state, shown=shown, failing="")

    @property
    def env(self) -> dict[str, str]:
        """An environment in which the programs are found."""
        return {
            "PATH": f"{self.folder}:/usr/bin:/bin",
            "HOME": str(self.home),
            "FAKES": str(self.folder),
            "PYTHONPATH": os.environ.get("PYTHONPATH", "") or str(Path(__file__).parents[3]),
            "XDG_RUNTIME_DIR": str(self.home),
        }

    def set(self, **answers: str) -> None:
        """What the programs answer from now on; ``failing`` is a line for each word that makes them fail."""
        for name, answer in answers.items():
            (self.folder / name).write_text(answer + "\n" if answer else "")

    def told(self) -> list[str]:
        """What the programs were told since the last look, but for questions."""
        file = self.folder / "told"
        lines = file.read_text().splitlines() if file.exists() else []
        file.write_text("")
        questions = (" is-system-running", " show ", " print ", " list-units")
        return [line for line in lines if not any(question in line for question in questions)]

    def memd(self, *arguments: str, env: Mapping[str, str] | None = None) -> CompletedProcess[str]:
        """Run the command line."""
        return run_memd(*arguments, env={**self.env, **(env or {})})
