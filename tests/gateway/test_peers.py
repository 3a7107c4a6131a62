import os
import socket
import sys

import pytest
import trio
from structlog.testing import capture_logs

from openclaw_memd.gateway.peers import Peer, has_vanished, identify
from tests.gateway.clients import serving

NOBODY = 65534

CONNECT = f"""
import os, socket, sys
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
with socket.socket(socket.AF_UNIX) as sock:
    sock.settimeout(60)
    try:
        sock.connect(sys.argv[1])
        sock.sendall(b'{{"jsonrpc":"2.0","id":1,"method":"status"}}\\n')
        print(sock.recv(100))
    except OSError as error:
        print(type(error).__name__)
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as somebody else")


async def connect_as_nobody(path: os.PathLike[str]) -> str:
    done = await trio.run_process([sys.executable, "-c", CONNECT, str(path)], capture_stdout=True)
    return done.stdout.decode().strip()


async def test_a_peer_is_who_the_kernel_says() -> None:
    one, other = trio.socket.socketpair()
    with one, other:
        peer = identify(one)
    assert peer.uid == os.geteuid()
    assert peer.pid in {None, os.getpid()}


def test_only_our_user_and_root_are_allowed() -> None:
    assert Peer(os.geteuid(), 1).is_allowed
    assert Peer(0, 1).is_allowed
    assert not Peer(os.geteuid() + 1, 1).is_allowed


@as_root
async def test_another_user_cannot_even_connect() -> None:
    async with serving() as served:
        assert await connect_as_nobody(served.path) == "PermissionError"


@as_root
async def test_another_user_who_gets_through_is_not_answered() -> None:
    async with serving() as served:
        served.path.chmod(0o666)
        served.path.parent.chmod(0o755)
        served.path.parent.parent.chmod(0o755)
        with capture_logs() as logs:
            assert await connect_as_nobody(served.path) in {"b''", "ConnectionResetError", "BrokenPipeError"}
        refused = [entry for entry in logs if entry["event"] == "connection refused"]
        assert [(entry["reason"], entry["uid"]) for entry in refused] == [("peer", NOBODY)]
        async with served.lines() as client:
            assert "result" in await client.call("status")


@as_root
async def test_root_is_let_in_and_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as served:
        monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
        with capture_logs() as logs:
            async with served.lines() as client:
                assert "result" in await client.call("status")
        assert [entry["uid"] for entry in logs if entry["event"] == "root connected"] == [0]


def test_a_peer_that_ended_its_sending_has_not_vanished() -> None:
    one, other = socket.socketpair()
    assert not has_vanished(one.fileno())
    other.shutdown(socket.SHUT_WR)
    assert not has_vanished(one.fileno())
    other.close()
    assert has_vanished(one.fileno())
    one.close()
    assert has_vanished(one.fileno())
