import socket

import trio

from openclaw_memd.gateway.lines import FrameReader
from openclaw_memd.gateway.stream import BoundedStream


async def test_blank_lines_leave_others_their_turn() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.sendall(b"\n" * 10_000 + b"{}\n")
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
        frames = FrameReader(BoundedStream(stream), max_bytes=1_000_000, read_s=5.0)
        turns = 0

        async def count_turns() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        async with stream, trio.open_nursery() as nursery:
            nursery.start_soon(count_turns)
            assert await frames.next() == b"{}"
            nursery.cancel_scope.cancel()
    assert turns > 5_000
