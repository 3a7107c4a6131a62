"""The chat model's real process, where llama_cpp cannot be imported."""

import os
import subprocess
from pathlib import Path

from openclaw_memd.models import wire
from openclaw_memd.models.chat.local import COMMAND

ROOT = Path(__file__).parents[3]


def test_without_the_library_it_says_so_and_it_ends_with_its_input(tmp_path: Path) -> None:
    (tmp_path / "llama_cpp.py").write_text("raise ImportError('not here')\n")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(wire.encode_frame(wire.LoadChat("/none.gguf", 1, 60.0)))
        child.stdin.flush()
        replies = wire.FrameBuffer()
        replies.feed(os.read(child.stdout.fileno(), 65_536))
        assert list(replies.replies()) == [wire.NotLoaded("no_library")]
        child.stdin.close()
        assert child.wait(30) == 0


def test_it_ends_when_nobody_ever_asked(tmp_path: Path) -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}
    ) as child:
        child.communicate(b"", timeout=30)
    assert child.returncode == 0
