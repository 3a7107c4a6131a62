"""What stand-ins for model processes have in common: they speak the protocol, and a folder steers them."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from openclaw_memd.models import wire


def requests() -> Iterator[wire.Request]:
    """What the daemon sends, until it closes the pipe."""
    buffer = wire.FrameBuffer()
    while data := os.read(0, 65_536):
        buffer.feed(data)
        yield from buffer.requests()


def reply(message: wire.Reply) -> None:
    """Send all of an answer."""
    frame = memoryview(wire.encode_frame(message))
    while frame:
        frame = frame[os.write(1, frame) :]


def note(folder: Path, line: str) -> None:
    """Tell the test what was done."""
    with (folder / "log").open("a") as log:
        log.write(line + "\n")


def wait_while_held(folder: Path) -> None:
    """Answer nothing as long as there is a file ``held``."""
    while (folder / "held").exists():
        time.sleep(0.01)


def load(folder: Path, ready: Callable[[], wire.Reply]) -> None:
    """Load as the files in ``folder`` say: fail, die, or be ready once ``loading`` is gone."""
    if (folder / "no_library").exists():
        reply(wire.NotLoaded("no_library"))
    elif (folder / "bad_model").exists():
        reply(wire.NotLoaded("bad_model"))
    elif (folder / "die_at_load").exists():
        os._exit(3)
    else:
        while (folder / "loading").exists():
            time.sleep(0.01)
        reply(ready())
