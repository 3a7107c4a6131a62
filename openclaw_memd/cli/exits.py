"""Exit codes (sysexits(3) where it has one) and the error that carries them."""

import sys
from typing import Any

DONE = 0
FAILED = 1
USAGE = 2
NO_DAEMON = 69
LOCKED = 75
BAD_CONFIG = 78
INTERRUPTED = 130

_KINDS = {FAILED: "failed", USAGE: "usage", LOCKED: "locked", BAD_CONFIG: "bad_configuration"}
"""What ``--json`` calls an error that no daemon answered with."""


class CliError(Exception):
    """A command cannot be done; shown as one line, or as a JSON object under ``--json``."""

    def __init__(self, message: str, code: int = FAILED, error: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.error = error

    def show(self, *, as_json: bool) -> int:
        """Print the error; the exit code."""
        if as_json:
            from openclaw_memd.cli.output import print_json

            own = {"message": self.message, "data": {"kind": _KINDS.get(self.code, "failed")}}
            print_json({"error": self.error or own})
        else:
            print(f"memd: {self.message}", file=sys.stderr)
        return self.code
