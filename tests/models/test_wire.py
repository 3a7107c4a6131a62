import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models import wire

MESSAGES: st.SearchStrategy[wire.Reply] = st.one_of(
    st.builds(wire.Ready, st.integers(1, 4096), st.integers(1, 512), st.binary(max_size=64)),
    st.builds(wire.NotLoaded, st.sampled_from(["no_library", "bad_model"])),
    st.builds(wire.Vectors, st.integers(0, 2**31), st.integers(1, 64), st.binary(), st.integers(0, 9)),
    st.builds(wire.Refused, st.integers(0, 2**31)),
)


@given(st.lists(MESSAGES), st.integers(1, 7))
def test_replies_come_out_whole_however_they_are_cut(messages: list[wire.Reply], step: int) -> None:
    stream = b"".join(wire.encode_frame(message) for message in messages)
    buffer, received = wire.FrameBuffer(), list[wire.Reply]()

    for start in range(0, len(stream), step):
        buffer.feed(stream[start : start + step])
        received += buffer.replies()

    assert received == messages


def test_requests_come_out_whole() -> None:
    sent: list[wire.Request] = [
        wire.Load("/m.gguf", 1, 512, 60.0, ["a"]),
        wire.Embed(1, ["周五 仓库", ""], background=True),
    ]
    buffer = wire.FrameBuffer()
    buffer.feed(b"".join(wire.encode_frame(message) for message in sent))

    assert list(buffer.requests()) == sent


def test_a_frame_that_is_too_long_is_refused() -> None:
    buffer = wire.FrameBuffer()
    buffer.feed((wire.MAX_FRAME_BYTES + 1).to_bytes(4, "little"))

    with pytest.raises(wire.FrameError):
        list(buffer.replies())


@pytest.mark.parametrize(
    "payload", [b"", b"\xc1", b"hello", wire.encode_frame(wire.Load("", 1, 1, 1.0, []))[4:]]
)
def test_what_is_no_reply_is_refused(payload: bytes) -> None:
    buffer = wire.FrameBuffer()
    buffer.feed(len(payload).to_bytes(4, "little") + payload)

    with pytest.raises(wire.FrameError):
        list(buffer.replies())
