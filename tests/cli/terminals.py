"""Commands on a terminal of their own."""

import os
import pty
import select
import subprocess
from collections.abc import Mapping

from tests.daemons import LIMIT_S, MEMD


def run_on_terminal(*arguments: str, env: Mapping[str, str]) -> str:
    """What a command that is given nothing shows on a terminal."""
    ours, theirs = pty.openpty()
    shown = bytearray()
    with subprocess.Popen(
        (*MEMD, *arguments), env=dict(env), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        while select.select([ours], [], [], LIMIT_S)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
        process.wait(timeout=LIMIT_S)
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def type_memd(*arguments: str, env: Mapping[str, str], keys: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command whose standard input is a terminal with somebody who types ``keys``."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, keys.encode())
        return subprocess.run(
            (*MEMD, *arguments),
            env=dict(env),
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
