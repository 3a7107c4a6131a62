"""A model's process and its two pipes: requests come by stdin, replies go out where stdout was.

The process ends when stdin does, so it cannot outlive the daemon.
"""

import os
import queue
import signal
import threading
from collections.abc import Callable

from openclaw_memd.models import wire

_READ_BYTES = 65_536
_ENVIRONMENT = {
    "OMP_WAIT_POLICY": "passive",  # a spinning OpenMP falls to a tenth of its speed on a busy machine
    "OPENBLAS_NUM_THREADS": "1",
    "GGML_NO_BACKTRACE": "1",  # an abort would start a debugger
}

Inbox = queue.SimpleQueue[wire.Request]


def open_pipes(hear: Callable[[wire.Request], object] = lambda _request: None) -> tuple[Inbox, int]:
    """Where requests arrive, and the descriptor for replies; to be called first, before any library.

    ``hear`` is told of each request as it comes in, in another thread, whatever is being computed.
    """
    os.environ.update(_ENVIRONMENT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the daemon's to handle
    replies = _take_over_stdout()
    inbox: Inbox = queue.SimpleQueue()
    threading.Thread(target=_guarded_read, args=(inbox, hear), daemon=True).start()
    return inbox, replies


def write(replies: int, reply: wire.Reply) -> None:
    """Send ``reply`` whole."""
    frame = memoryview(wire.encode_frame(reply))
    while frame:
        frame = frame[os.write(replies, frame) :]


def _read_requests(inbox: Inbox, hear: Callable[[wire.Request], object]) -> None:
    """Feed ``inbox``; end the process, whatever it computes, when the daemon is gone."""
    buffer = wire.FrameBuffer()
    while data := os.read(0, _READ_BYTES):
        buffer.feed(data)
        for request in buffer.requests():
            hear(request)
            inbox.put(request)
    os._exit(0)


def _guarded_read(inbox: Inbox, hear: Callable[[wire.Request], object]) -> None:
    try:
        _read_requests(inbox, hear)
    finally:
        os._exit(1)


def _take_over_stdout() -> int:
    """A private descriptor for replies; what libraries print goes nowhere."""
    replies = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return replies
