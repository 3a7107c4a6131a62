"""Who is at the other end of a Unix socket, by the kernel's word."""

import os
import select
import socket
import struct
import sys
from dataclasses import dataclass

import trio


@dataclass(frozen=True, slots=True)
class Peer:
    """A process that connected. ``pid`` is None where the kernel does not tell it."""

    uid: int
    pid: int | None

    @property
    def is_allowed(self) -> bool:
        """Whether it runs as our own user or as root."""
        return self.uid in {os.geteuid(), 0}


def identify(sock: trio.socket.SocketType) -> Peer:
    """The peer of a connected Unix socket.

    Raises:
        OSError: the kernel does not know (the peer is gone).
    """
    if sys.platform == "darwin":
        # struct xucred: u_int version; uid_t uid; short ngroups; gid_t groups[16]. From <sys/ucred.h>.
        raw = sock.getsockopt(0, 1, struct.calcsize("IIh16I"))  # SOL_LOCAL, LOCAL_PEERCRED
        return Peer(uid=struct.unpack_from("II", raw)[1], pid=None)
    pid, uid, _gid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return Peer(uid=uid, pid=pid)


def has_vanished(fd: int) -> bool:
    """Whether the peer closed its socket, as opposed to having ended its sending only."""
    if fd < 0:  # ours is closed
        return True
    poll = select.poll()
    poll.register(fd, 0)
    return any(events & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, events in poll.poll(0))


def has_room(fd: int) -> bool:
    """Whether a short message can be sent at once; also when sending fails at once."""
    if fd < 0:
        return True
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))
