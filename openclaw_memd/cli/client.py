"""A small client of the line protocol: one connection, standard library only."""

import json
import os
import socket
import struct
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openclaw_memd.cli.exits import BAD_CONFIG, FAILED, NO_DAEMON, CliError
from openclaw_memd.config import paths

ALIVE_WITHIN_S = 0.9
"""A daemon that says nothing at all for this long is not answering; people wait a second, not more."""

BUSY_WITHIN_S = 5.0
"""How long one that runs may take to say anything, as on a machine with too much to do."""

_PROBE = "probe"
_CONNECT_AGAIN_S = 0.05
_PID_CHARS = 20


class NoDaemonError(CliError):
    """Nobody answers on the socket. ``advice`` ends the sentence; ``pid`` is the daemon's, if it is known."""

    def __init__(self, path: Path, what: str, advice: str = "", *, pid: int | None = None) -> None:
        data: dict[str, Any] = {"kind": "no_daemon"} | ({} if pid is None else {"pid": pid})
        process = "" if pid is None else f" (pid {pid})"
        super().__init__(f"{what} at {path}{process}{advice}", NO_DAEMON, {"message": what, "data": data})


class RpcError(CliError):
    """The daemon answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        data = error.get("data") or {}
        hints = [
            str(data[key])
            for key in ("field", "reason")
            if data.get(key) and str(data[key]) not in error["message"]
        ]
        super().__init__(error["message"] + (f" ({', '.join(hints)})" if hints else ""), FAILED, error)
        self.kind: str | None = data.get("kind")
        self.reason: str | None = data.get("reason")


def socket_of(options: Namespace) -> Path:
    """The socket: the option, ``MEMD_SOCKET``, the configuration, the default, in this order."""
    env = os.environ
    configured: dict[str, Any] = {}
    file, is_named = paths.config_file(env, options.config)
    if file.exists():
        configured = _paths_section(file)
    elif is_named:  # it may lead to another daemon than the default one
        raise CliError(f"{file.name}: there is no such configuration file", BAD_CONFIG)
    if options.socket:
        return paths.expand(options.socket, env)
    return paths.socket_path(
        env,
        env.get("MEMD_SOCKET") or env.get("MEMD_PATHS__SOCKET") or configured.get("socket"),
        env.get("MEMD_STATE_DIR") or env.get("MEMD_PATHS__STATE_DIR") or configured.get("state_dir"),
    )


def _paths_section(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        section = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("paths", {})
    except OSError as error:
        raise CliError(f"{file.name}: {error.strerror}", BAD_CONFIG) from None
    except ValueError as error:
        raise CliError(f"{file.name}: {error}", BAD_CONFIG) from None
    if not isinstance(section, dict):
        raise CliError("paths: must be a table", BAD_CONFIG)
    for key in ("socket", "state_dir"):
        if not isinstance(section.get(key, ""), str):
            raise CliError(f"paths.{key}: must be a string", BAD_CONFIG)
    return section


def _agent_of(options: Namespace) -> dict[str, Any]:
    """The parameter that names the agent, when one was asked for; a context names its own."""
    return {"agent": options.agent} if options.agent else {}


def call(options: Namespace, method: str, params: dict[str, Any], *, timeout_s: float = 30.0) -> Any:
    """The result of one call.

    Raises:
        NoDaemonError: nobody answers.
        RpcError: the daemon refused or failed.
    """
    return call_at(socket_of(options), method, {**_agent_of(options), **params}, timeout_s=timeout_s)


def call_at(path: Path, method: str, params: dict[str, Any], *, timeout_s: float) -> Any:
    """As :func:`call`, with the socket given.

    A cheap call goes ahead of one that may take long: any answer to either proves the daemon alive, so that a
    stopped one is told from a busy one within a second.
    """
    calls = [{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}]
    if method != "status":
        calls.insert(0, {"jsonrpc": "2.0", "id": _PROBE, "method": "status", "params": {}})
    payload = b"".join(json.dumps(one).encode() + b"\n" for one in calls)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ALIVE_WITHIN_S)
        try:
            _connect(connection, path)
            connection.sendall(payload)
            for answer in _answers(connection, timeout_s):
                if answer.get("id") == 1:
                    return _result(answer)
                if answer.get("id") is None:
                    raise RpcError(answer["error"])
        except TimeoutError:  # it is there, so another one could not start
            raise NoDaemonError(path, "the daemon does not answer", pid=_lock_holder(path)) from None
        except (FileNotFoundError, ConnectionRefusedError):
            raise NoDaemonError(path, "no daemon", "; start it with `memd run`") from None
        except ValueError:
            raise NoDaemonError(path, "what answers is not memd") from None
        except OSError as error:
            raise NoDaemonError(path, f"cannot reach the daemon ({error.strerror or error})") from None
    raise NoDaemonError(path, "the daemon closed the connection")


def _connect(connection: socket.socket, path: Path) -> None:
    """Connect; a daemon that is stopped takes nobody any more once its queue is full."""
    ends_at = time.monotonic() + ALIVE_WITHIN_S
    while True:
        try:
            connection.connect(os.fspath(path))
        except BlockingIOError:
            if time.monotonic() > ends_at:
                raise TimeoutError from None
            time.sleep(_CONNECT_AGAIN_S)
        else:
            return


def _lock_holder(path: Path) -> int | None:
    """The process that wrote its id into the socket's lock file, if it still runs."""
    try:
        with Path(f"{path}.lock").open("rb") as file:
            written = file.read(_PID_CHARS).strip()
        pid = int(written) if written.isdigit() else 0
        if pid:  # 0 would be our own group
            os.kill(pid, 0)
    except (OSError, OverflowError):
        return None
    return pid or None


def _answers(connection: socket.socket, timeout_s: float) -> Iterator[dict[str, Any]]:
    """Answers as they come: the first soon, the rest within ``timeout_s``."""
    buffer = bytearray()
    ends_at = time.monotonic() + timeout_s
    while True:
        try:
            received = connection.recv(65536)
        except TimeoutError:
            if buffer or connection.gettimeout() != ALIVE_WITHIN_S or not _is_at_work(connection):
                raise
            connection.settimeout(BUSY_WITHIN_S)
            continue
        if not received:
            return
        buffer += received
        while (end := buffer.find(b"\n")) >= 0:
            answer = json.loads(buffer[:end])
            if not isinstance(answer, dict) or not answer.keys() & {"result", "error"}:
                raise ValueError("not an answer")
            yield answer
            del buffer[: end + 1]
        remaining_s = ends_at - time.monotonic()
        if remaining_s <= 0:
            raise TimeoutError
        connection.settimeout(remaining_s)


def _is_at_work(connection: socket.socket) -> bool:
    """Whether the process at the other end can run: one that is stopped never answers.

    False where that cannot be told.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return False
    pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        state = status.rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in ("R", "S", "D")


def _result(answer: dict[str, Any]) -> Any:
    if "error" in answer:
        raise RpcError(answer["error"])
    return answer["result"]
