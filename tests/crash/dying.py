"""Processes that are killed at a chosen step: one imports everything and forks one for each step."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

Step = TypeVar("Step")

KILLED = -signal.SIGKILL


def kill() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def killing(work: Callable[..., Any], *, is_after: bool, call: int = 1) -> Callable[..., Any]:
    """``work``, whose ``call``th call kills the process before or after it."""
    calls = 0

    def deadly(*arguments: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and not is_after:
            kill()
        result = work(*arguments, **more)
        if calls == call:
            kill()
        return result

    return deadly


def fork_each(steps: Iterable[Step], run: Callable[[Step], object]) -> None:
    """Fork a process for each step that does ``run``, and say how it ended."""
    for step in steps:
        child = os.fork()
        if child == 0:
            run(step)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("ended", step, os.waitstatus_to_exitcode(status), flush=True)


def run_forking(module: str, base: Path) -> dict[str, int]:
    """How the processes ended that this module, run with `fork_each`, has forked; by their steps."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-m", module, str(base)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,  # far beyond what a slow and busy machine needs
    )
    ends = [line.split() for line in found.stdout.splitlines() if line.startswith("ended ")]
    return {step: int(code) for _, step, code in ends}
