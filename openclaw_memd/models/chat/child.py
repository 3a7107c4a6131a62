"""A chat model's process: ``python -m openclaw_memd.models.chat.child``, which the daemon starts and owns.

It answers one question at a time and in order. It ends with the daemon, and when nothing was asked for a
while, so it does not keep the memory of an idle model.
"""

import os
import queue

from openclaw_memd.models import pipes, wire


class _GivenUp:
    """The questions up to which nobody waits any more: they are asked in order, by increasing numbers."""

    def __init__(self) -> None:
        self._last = 0

    def hear(self, request: wire.Request) -> None:
        """Take note of it, if it gives something up."""
        if isinstance(request, wire.GiveUp):
            self._last = request.id

    def holds(self, number: int) -> bool:
        """Whether nobody waits for the answer to question ``number``."""
        return number <= self._last


def _serve(load: wire.LoadChat, inbox: pipes.Inbox, replies: int, given_up: _GivenUp) -> None:
    try:
        from openclaw_memd.models.chat.llama_writer import ModelError, NotCompletedError, Writer
    except (ImportError, OSError, RuntimeError):  # llama_cpp raises the last when its library does not load
        pipes.write(replies, wire.NotLoaded("no_library"))
        return
    try:
        writer = Writer(load.path, threads=load.threads, is_given_up=given_up.holds)
    except ModelError:
        pipes.write(replies, wire.NotLoaded("bad_model"))
        return
    pipes.write(replies, wire.ChatReady(writer.context_tokens))
    while True:
        try:
            request = inbox.get(timeout=load.idle_s)
        except queue.Empty:
            return
        if not isinstance(request, wire.Complete):
            continue
        try:
            text = writer.complete(request)
        except NotCompletedError as error:
            pipes.write(replies, wire.NotCompleted(request.id, error.problem))
        else:
            pipes.write(replies, wire.Completed(request.id, text))


def main() -> None:
    """Serve until the daemon or the need for it is gone."""
    given_up = _GivenUp()
    inbox, replies = pipes.open_pipes(given_up.hear)
    request = inbox.get()
    if isinstance(request, wire.LoadChat):
        _serve(request, inbox, replies, given_up)
    os._exit(0)


if __name__ == "__main__":
    main()
