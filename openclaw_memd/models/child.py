"""The embedding process: ``python -m openclaw_memd.models.child``, started by the daemon and owned by it.

It reads requests from stdin and writes replies to stdout, one at a time and in order. It ends when stdin
ends, so it cannot outlive the daemon, and when nothing was asked for a while, so it does not keep the memory
of an idle model.
"""

import contextlib
import os
import queue
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from openclaw_memd.models import wire

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

_READ_BYTES = 65_536
_BACKGROUND_NICE = 10
_ENVIRONMENT = {
    "OMP_WAIT_POLICY": "passive",  # a spinning OpenMP falls to a tenth of its speed on a busy machine
    "OPENBLAS_NUM_THREADS": "1",
    "GGML_NO_BACKTRACE": "1",  # an abort would start a debugger
}


def _read_requests(inbox: "queue.SimpleQueue[wire.Request]") -> None:
    """Feed ``inbox``; end the process, whatever it computes, when the daemon is gone."""
    buffer = wire.FrameBuffer()
    while data := os.read(0, _READ_BYTES):
        buffer.feed(data)
        for request in buffer.requests():
            inbox.put(request)
    os._exit(0)


def _guarded_read(inbox: "queue.SimpleQueue[wire.Request]") -> None:
    try:
        _read_requests(inbox)
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


def _write(descriptor: int, reply: wire.Reply) -> None:
    frame = memoryview(wire.encode_frame(reply))
    while frame:
        frame = frame[os.write(descriptor, frame) :]


def _pack(vectors: "Vectors") -> bytes:
    return vectors.astype("<f4").tobytes()


def _lower_priority() -> None:
    """Make the calling thread give way to everything else; elsewhere than on Linux, the process."""
    target = threading.get_native_id() if sys.platform == "linux" else 0
    with contextlib.suppress(OSError):  # a sandbox may forbid it
        os.setpriority(os.PRIO_PROCESS, target, _BACKGROUND_NICE)


def _serve(load: wire.Load, inbox: "queue.SimpleQueue[wire.Request]", replies: int) -> None:
    try:
        from openclaw_memd.models.encoder import Encoder, ModelError
    except (ImportError, OSError, RuntimeError):  # llama_cpp raises the last when its library does not load
        _write(replies, wire.NotLoaded("no_library"))
        return
    try:
        encoder = Encoder(load.path, threads=load.threads, max_tokens=load.max_tokens)
        trial, _ = encoder.embed(load.trial)
    except ModelError:
        _write(replies, wire.NotLoaded("bad_model"))
        return
    _write(replies, wire.Ready(encoder.dims, encoder.max_tokens, _pack(trial)))
    background = ThreadPoolExecutor(1, initializer=_lower_priority)
    while True:
        try:
            request = inbox.get(timeout=load.idle_s)
        except queue.Empty:
            return
        if isinstance(request, wire.Load):
            continue
        try:
            # The model has one user at a time: this thread waits for the other.
            if request.background:
                vectors, cut = background.submit(encoder.embed, request.texts).result()
            else:
                vectors, cut = encoder.embed(request.texts)
        except ModelError:
            _write(replies, wire.Refused(request.id))
        else:
            _write(replies, wire.Vectors(request.id, encoder.dims, _pack(vectors), cut))


def main() -> None:
    """Serve until the daemon or the need for it is gone."""
    os.environ.update(_ENVIRONMENT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the daemon's to handle
    replies = _take_over_stdout()
    inbox: queue.SimpleQueue[wire.Request] = queue.SimpleQueue()
    threading.Thread(target=_guarded_read, args=(inbox,), daemon=True).start()
    request = inbox.get()
    if isinstance(request, wire.Load):
        _serve(request, inbox, replies)
    os._exit(0)


if __name__ == "__main__":
    main()
