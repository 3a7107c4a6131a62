"""A stand-in for a chat model's process: speaks its protocol without llama.cpp, and fails on demand.

usage: fake_child.py FOLDER. Words in the prompt make it misbehave; files in FOLDER do so for every prompt, or
steer its start. ``log`` there tells what it did.
"""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from openclaw_memd.models import wire
from tests.models.children import load, note, reply, requests


def answer(request: wire.Complete, mood: set[str]) -> None:
    number = request.id
    if "die" in mood:
        os.kill(os.getpid(), signal.SIGABRT)
    elif "stop" in mood:
        os.kill(os.getpid(), signal.SIGSTOP)
    elif "garbage" in mood:
        os.write(1, b"\x04\x00\x00\x00oops")
    elif "hangs" in mood:  # but watches the clock, as the real one does
        time.sleep(request.limit_s)
        reply(wire.NotCompleted(number, "timeout"))
    elif "blank" in mood:
        reply(wire.Completed(number, " \n"))
    elif "huge" in mood:
        reply(wire.Completed(number, "x" * 300_000))
    elif "fails" in mood:
        reply(wire.NotCompleted(number, "failed"))
    elif "long" in mood:
        reply(wire.NotCompleted(number, "too_large"))
    else:
        reply(wire.Completed(number, '{"found": true}'))


def main() -> None:
    folder = Path(sys.argv[1])
    note(folder, f"start {os.getpid()}")
    for request in requests():
        if isinstance(request, wire.LoadChat):
            note(folder, f"load {request.path} {request.threads} {request.idle_s}")
            load(folder, lambda: wire.ChatReady(8192))
        elif isinstance(request, wire.Complete):
            note(folder, f"ask {request.prompt.splitlines()[0][:40] if request.prompt else ''}")
            answer(request, {*request.prompt.split(), *(file.name for file in folder.iterdir())})
            if (folder / "leave").exists():
                os._exit(0)
        elif isinstance(request, wire.GiveUp):
            note(folder, f"give up {request.id}")


if __name__ == "__main__":
    main()
