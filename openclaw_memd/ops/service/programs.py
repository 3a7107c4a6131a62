"""Running a service manager's own program."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

LIMIT_S = 100.0
"""More than a start may take (``TimeoutStartSec``)."""


class ServiceError(Exception):
    """The service manager is not there, or refused; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a program left behind."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The first line of its complaint, for people."""
        return (self.err.strip() or self.out.strip() or f"exit code {self.code}").splitlines()[0]


@dataclass(frozen=True, slots=True)
class Step:
    """A program to run. ``tries`` are a second apart; ``failure`` says what people do when all fail.

    One that ``may_fail`` is only asked for, as to stop what may not run.
    """

    words: tuple[str, ...]
    may_fail: bool = False
    tries: int = 1
    offline: bool = False
    failure: str = ""


def carry_out(step: Step) -> None:
    """Run the program of a step.

    Raises:
        ServiceError: it failed at every try.
    """
    for left in reversed(range(step.tries)):
        done = run_program(step.words, offline=step.offline)
        if done.code == 0 or step.may_fail:
            return
        if left:
            time.sleep(1.0)
    raise ServiceError(f"`{' '.join(step.words)}` failed: {done.complaint}{step.failure}")


def run_program(words: Sequence[str], *, offline: bool = False, limit_s: float = LIMIT_S) -> Done:
    """Run it to its end. ``offline`` lets ``systemctl`` change files without asking a manager.

    Raises:
        ServiceError: it is not there, or did not end.
    """
    env = {**os.environ, "LC_ALL": "C.UTF-8"} | ({"SYSTEMD_OFFLINE": "1"} if offline else {})
    try:
        done = subprocess.run(
            words, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s, check=False
        )
    except (FileNotFoundError, PermissionError):
        raise ServiceError(f"{words[0]} is not here") from None
    except subprocess.TimeoutExpired:
        raise ServiceError(f"`{' '.join(words)}` did not end within {limit_s:.0f} s") from None
    return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
