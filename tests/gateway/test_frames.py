import socket

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.gateway.frames import FrameReader, FrameTooLongError
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


MOST_BYTES = 100


@given(
    lines=st.lists(
        st.binary(min_size=1, max_size=3 * MOST_BYTES).map(lambda line: b"x" + line.replace(b"\n", b"n")),
        max_size=8,
    ),
    cuts=st.lists(st.integers(1, 4 * MOST_BYTES), max_size=8),
)
async def test_lines_that_are_too_long_cost_only_themselves_however_they_come(
    lines: list[bytes], cuts: list[int]
) -> None:
    ours, theirs = trio.socket.socketpair()
    frames = FrameReader(BoundedStream(trio.SocketStream(ours)), max_bytes=MOST_BYTES, read_s=5.0)
    read: list[bytes] = []

    async def write() -> None:
        rest = b"".join(line + b"\n" for line in lines)
        for cut in [*cuts, len(rest)]:
            await theirs.send(rest[:cut])
            rest = rest[cut:]
            await trio.testing.wait_all_tasks_blocked()
        theirs.close()

    async def read_all() -> None:
        while True:
            try:
                line = await frames.next()
            except FrameTooLongError as error:
                tail = await frames.skip()
                read.append(error.head + b"..." + tail)
            else:
                if line is None:
                    return
                read.append(line)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        await read_all()
    ours.close()
    assert len(read) == len(lines)
    for got, line in zip(read, lines, strict=True):
        if len(line) <= MOST_BYTES:
            assert got == line
        else:
            head, _, tail = got.partition(b"...") if b"..." not in line else (line, b"", b"")
            assert line.startswith(head)
            assert line.endswith(tail)


async def test_a_long_line_that_stops_half_way_is_not_waited_for(
    autojump_clock: trio.testing.MockClock,
) -> None:
    ours, theirs = trio.socket.socketpair()
    with ours, theirs:
        frames = FrameReader(BoundedStream(trio.SocketStream(ours)), max_bytes=MOST_BYTES, read_s=5.0)
        await theirs.send(b"x" * (MOST_BYTES + 1))
        with pytest.raises(FrameTooLongError):
            await frames.next()
        with pytest.raises(trio.TooSlowError):
            await frames.skip()
        assert trio.current_time() == pytest.approx(5.0)
