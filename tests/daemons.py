"""Real daemons for tests and benchmarks: started as a user would, in folders of their own, ended by pid."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

LIMIT_S = 60.0
"""When something that a daemon does is taken to hang: far beyond what a slow and busy machine needs."""

MEMD = (sys.executable, "-m", "openclaw_memd.cli.main")


class DaemonError(Exception):
    """The daemon answered a call with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']} {error['message']} {error.get('data')}")
        self.error = error
        self.kind: str = error["data"]["kind"]


class LineClient:
    """One connection that speaks the line protocol."""

    def __init__(self, path: Path, timeout_s: float = 60.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._file = self._socket.makefile("rb")
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def exchange(self, line: bytes) -> Any:
        """Send raw bytes, read one answer."""
        self._socket.sendall(line)
        return self.receive()

    def receive(self) -> Any:
        """The next answer, whichever call it is to."""
        answer = self._file.readline()
        if not answer:
            raise ConnectionResetError("the daemon closed the connection")
        return json.loads(answer)

    def send(self, method: str, **params: Any) -> None:
        """Ask and do not wait."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def notify(self, method: str, **params: Any) -> None:
        """Tell and ask for no answer."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def call(self, method: str, **params: Any) -> Any:
        """The result of one call, when no other is on its way."""
        self.send(method, **params)
        answer = self.receive()
        if "error" in answer:
            raise DaemonError(answer["error"])
        return answer["result"]


class RunningDaemon:
    """A daemon in ``folder``; the same folder again finds the same workspace and state."""

    def __init__(
        self,
        folder: Path,
        *,
        env: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        command: Sequence[str] = MEMD,
        **popen: Any,
    ) -> None:
        """``command`` stands in for ``memd``; ``popen`` goes to `subprocess.Popen` as it is."""
        self.folder = folder
        self.workspace = folder / "ws"
        self.socket = folder / "m.sock"
        self.log = folder / "log"
        self.env = daemon_env(folder) | dict(env or {})
        self._arguments = tuple(arguments)
        self._command = tuple(command)
        self._popen = popen
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def queue_ms(self) -> float:
        """How long its main thread, which answers calls, has waited for a processor since it began."""
        process = self.process  # another thread may be ending it
        return 0.0 if process is None else read_queue_ms(Path(f"/proc/{process.pid}/task/{process.pid}"))

    def start(self) -> None:
        """Start and wait until the socket answers."""
        self.launch()
        try:
            self.await_answer()
        except BaseException:
            self.kill()
            raise

    def launch(self) -> None:
        """Start it and wait for nothing."""
        (self.workspace / "memory").mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            command = (*self._command, "run", "--workspace", str(self.workspace), *self._arguments)
            self.process = subprocess.Popen(
                command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._popen
            )

    def await_answer(self) -> None:
        """Wait until the socket answers."""
        assert self.process is not None
        ends_at = time.monotonic() + LIMIT_S
        while time.monotonic() < ends_at:
            if self.process.poll() is not None:
                raise RuntimeError(f"the daemon ended with {self.process.returncode}: {self.read_log()}")
            try:
                with LineClient(self.socket) as client:
                    client.call("status")
                    return
            except DaemonError as error:
                if error.kind != "deadline":  # a loaded machine; it is asked again, until the limit
                    raise
            except OSError:
                time.sleep(0.01)
        raise RuntimeError(f"the daemon did not start: {self.read_log()}")

    def stop(self) -> int:
        """Ask it to stop and wait; its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL it."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()  # one that hangs must not outlive the test that finds it out
            self.process.wait()
            self.process = None
            raise
        self.process = None
        return code

    def read_log(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-4000:]

    def call(self, method: str, **params: Any) -> Any:
        with LineClient(self.socket) as client:
            return client.call(method, **params)

    def state_folder(self) -> Path:
        """The folder of this workspace's databases."""
        (folder,) = (entry for entry in (self.folder / "state").iterdir() if entry.name.isalnum())
        return folder

    def agent(self) -> Any:
        """What ``status`` says of the one agent."""
        return self.call("status")["agents"][0]

    def write(self, path: str, text: str) -> Path:
        """Write a file of the workspace as an editor would, by rename."""
        target = self.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.tmp")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
        return target

    def search_paths(self, query: str, **params: Any) -> list[str]:
        return [hit["path"] for hit in self.call("recall.search", query=query, **params)["hits"]]

    def memd(
        self, *arguments: str, given: str = "", timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run the command line against this daemon."""
        return run_memd(*arguments, env=self.env, given=given, timeout_s=timeout_s)

    def settle(self) -> Any:
        """Wait until every change so far is indexed, noticed or not; the status of the agent."""

        def is_fresh() -> bool:
            self.call("index.sync")
            return bool(self.agent()["freshness"] == "fresh")

        self.wait_until(is_fresh)
        return self.agent()

    def wait_until(self, holds: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        """Wait for something that the daemon does by itself; a deadline that is missed is no answer."""
        ends_at = time.monotonic() + limit_s
        while not self._is_so(holds):
            if time.monotonic() > ends_at:
                raise AssertionError(f"it did not come to be; log: {self.read_log()}")
            time.sleep(0.02)

    def _is_so(self, holds: Callable[[], bool]) -> bool:
        try:
            return holds()
        except DaemonError as error:
            if error.kind != "deadline":  # a loaded machine; it is asked again, until the limit
                raise
            return False


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    with TemporaryDirectory(prefix="m", dir="/tmp") as name:
        yield Path(name)


def read_queue_ms(thread: Path) -> float:
    """How long the thread of this folder of ``/proc`` has waited for a processor; 0 if nothing tells."""
    try:
        return int((thread / "schedstat").read_text(encoding="utf-8").split()[1]) / 1e6
    except OSError:
        return 0.0


def daemon_env(folder: Path, **more: str) -> dict[str, str]:
    """An environment that keeps everything of a daemon inside ``folder``; no embedding unless asked for.

    Nights come when they are asked for, and not in the middle of a test because it is three in the morning.
    """
    return {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "HOME": str(folder),
        "MEMD_SOCKET": str(folder / "m.sock"),
        "MEMD_STATE_DIR": str(folder / "state"),
        "MEMD_PATHS__DATA_DIR": str(folder / "data"),
        "MEMD_EMBEDDING__PROVIDER": "none",
        "MEMD_DREAMING__SCHEDULE": "0 3 1 1 *",
        **more,
    }


def run_memd(
    *arguments: str, env: Mapping[str, str], given: str = "", timeout_s: float = 60.0
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a script does, with ``given`` on its standard input."""
    return subprocess.run(
        (*MEMD, *arguments),
        env=dict(env),
        input=given,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
