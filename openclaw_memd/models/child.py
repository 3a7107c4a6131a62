"""The embedding process: ``python -m openclaw_memd.models.child``, started by the daemon and owned by it.

It answers requests one at a time and in order. It ends with the daemon, and when nothing was asked for a
while, so it does not keep the memory of an idle model.
"""

import contextlib
import os
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from openclaw_memd.models import pipes, wire

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

_BACKGROUND_NICE = 10


def _pack(vectors: "Vectors") -> bytes:
    return vectors.astype("<f4").tobytes()


def _lower_priority() -> None:
    """Make the calling thread give way to everything else; elsewhere than on Linux, the process."""
    target = threading.get_native_id() if sys.platform == "linux" else 0
    with contextlib.suppress(OSError):  # a sandbox may forbid it
        os.setpriority(os.PRIO_PROCESS, target, _BACKGROUND_NICE)


def _serve(load: wire.Load, inbox: pipes.Inbox, replies: int) -> None:
    try:
        from openclaw_memd.models.encoder import Encoder, ModelError
    except (ImportError, OSError, RuntimeError):  # llama_cpp raises the last when its library does not load
        pipes.write(replies, wire.NotLoaded("no_library"))
        return
    try:
        encoder = Encoder(load.path, threads=load.threads, max_tokens=load.max_tokens)
        trial, _ = encoder.embed(load.trial)
    except ModelError:
        pipes.write(replies, wire.NotLoaded("bad_model"))
        return
    pipes.write(replies, wire.Ready(encoder.dims, encoder.max_tokens, _pack(trial)))
    background = ThreadPoolExecutor(1, initializer=_lower_priority)
    while True:
        try:
            request = inbox.get(timeout=load.idle_s)
        except queue.Empty:
            return
        if not isinstance(request, wire.Embed):
            continue
        try:
            # The model has one user at a time: this thread waits for the other.
            if request.background:
                vectors, cut = background.submit(encoder.embed, request.texts).result()
            else:
                vectors, cut = encoder.embed(request.texts)
        except ModelError:
            pipes.write(replies, wire.Refused(request.id))
        else:
            pipes.write(replies, wire.Vectors(request.id, encoder.dims, _pack(vectors), cut))


def main() -> None:
    """Serve until the daemon or the need for it is gone."""
    inbox, replies = pipes.open_pipes()
    request = inbox.get()
    if isinstance(request, wire.Load):
        _serve(request, inbox, replies)
    os._exit(0)


if __name__ == "__main__":
    main()
