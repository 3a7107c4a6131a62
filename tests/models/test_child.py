"""The embedding process itself, up to the point where it needs a model."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.index.preparing_process import COMMAND as PREPARING_COMMAND
from openclaw_memd.models import wire
from openclaw_memd.models.chat.local import COMMAND as CHAT_COMMAND
from openclaw_memd.models.embedding_process import COMMAND

WAIT_S = 60


class Child:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def load(self, path: Path) -> wire.Reply:
        self.send(wire.encode_frame(wire.Load(str(path), threads=1, max_tokens=512, idle_s=60.0, trial=[])))
        assert self.process.stdout is not None
        buffer = wire.FrameBuffer()
        while data := os.read(self.process.stdout.fileno(), 65_536):
            buffer.feed(data)
            for reply in buffer.replies():
                return reply
        raise AssertionError("the process ended without a reply")

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(WAIT_S)


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    """The process, in whose Python llama_cpp cannot be imported."""
    (tmp_path / "llama_cpp.py").write_text("raise ImportError('not here')")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        yield Child(process)
        process.kill()


def test_it_ends_with_its_input(child: Child) -> None:
    assert child.end() == 0


def test_it_ends_when_it_is_told_nonsense(child: Child) -> None:
    child.send(b"\x05\x00\x00\x00hello")

    assert child.process.wait(WAIT_S) == 1


def test_it_leaves_ctrl_c_to_the_daemon(child: Child) -> None:
    assert child.load(Path("model.gguf")) == wire.NotLoaded("no_library")
    child.process.send_signal(signal.SIGINT)

    assert child.end() == 0


def test_it_dies_with_a_daemon_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({COMMAND!r}, stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as daemon:
        assert daemon.stdout is not None
        pid = int(daemon.stdout.readline())
        daemon.kill()
        # The child holds the other end of this pipe as long as it lives.
        daemon.stdout.read()

    deadline = time.monotonic() + WAIT_S
    while _runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("command", [COMMAND, CHAT_COMMAND, PREPARING_COMMAND], ids=lambda one: one[-1])
def test_none_imports_what_lies_where_the_daemon_was_started(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "openclaw_memd.py").write_text("open('imported', 'w')")
    (tmp_path / "queue.py").write_text("open('imported', 'w')")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}

    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, input=b"", stderr=subprocess.PIPE, check=False
    )

    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "imported").exists()


def _runs(pid: int) -> bool:
    """Whether the process lives; an ended one may wait for its new parent to collect it."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in ("", "Z")
