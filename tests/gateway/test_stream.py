import pytest
import trio
import trio.testing

from openclaw_memd.gateway.stream import BoundedStream

MORE_THAN_A_BUFFER = b"x" * 10_000_000


@pytest.mark.parametrize("is_shielded", [False, True])
async def test_a_peer_that_does_not_read_breaks_the_stream_even_under_a_shield(is_shielded: bool) -> None:
    one, other = trio.socket.socketpair()
    stream = BoundedStream(trio.SocketStream(one), write_s=0.05)
    with other:
        with trio.CancelScope(shield=is_shielded), pytest.raises(trio.BrokenResourceError):
            await stream.send_all(MORE_THAN_A_BUFFER)
        with pytest.raises(trio.ClosedResourceError):
            await stream.receive_some()


async def test_closing_now_frees_a_sender_under_a_shield(nursery: trio.Nursery) -> None:
    one, other = trio.socket.socketpair()
    stream = BoundedStream(trio.SocketStream(one))

    async def send() -> None:
        with trio.CancelScope(shield=True), pytest.raises(trio.ClosedResourceError):
            await stream.send_all(MORE_THAN_A_BUFFER)
        freed.set()

    freed = trio.Event()
    with other:
        nursery.start_soon(send)
        await trio.testing.wait_all_tasks_blocked()
        stream.close_now()
        await freed.wait()


async def test_the_last_words_reach_a_peer_that_still_sends() -> None:
    async def turn_away() -> None:
        async with ours:
            await ours.send_last(b"bye")

    one, other = trio.socket.socketpair()
    ours = BoundedStream(trio.SocketStream(one))
    async with trio.SocketStream(other) as theirs, trio.open_nursery() as nursery:
        await theirs.send_all(b"still talking")
        nursery.start_soon(turn_away)
        assert await theirs.receive_some() == b"bye"
        assert await theirs.receive_some() == b""
        await theirs.send_eof()
