"""A stand-in for the embedding process: speaks its protocol without llama.cpp, and fails on demand.

usage: fake_child.py FOLDER. Words in the texts make it misbehave; files in FOLDER steer its start and count
what it did.
"""

import math
import os
import random
import signal
import struct
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from openclaw_memd.models import wire
from tests.models.children import load, note, reply, requests, wait_while_held

DIMS = 32


def vector(text: str) -> list[float]:
    """A fixed random direction for each word, and their sum; without numpy, which is slow to import."""
    total = [0.0] * DIMS
    for word in set(text.casefold().split()) or [text]:
        direction = random.Random(word.strip(".?,"))
        total = [value + direction.gauss() for value in total]
    norm = math.hypot(*total)
    return [value / norm for value in total]


def trial(folder: Path, texts: list[str]) -> bytes:
    """Right vectors, unless the folder says ``zeros``, ``alike`` or ``other``."""
    changed = {name: (folder / name).exists() for name in ("alike", "other")}
    rows = [
        vector("alike" if changed["alike"] else text[::-1] if changed["other"] else text) for text in texts
    ]
    if (folder / "zeros").exists():
        rows = [[0.0] * DIMS for _ in texts]
    return pack(rows)


def pack(rows: list[list[float]]) -> bytes:
    numbers = [value for row in rows for value in row]
    return struct.pack(f"<{len(numbers)}f", *numbers)


def ready(folder: Path, texts: list[str]) -> wire.Ready:
    return wire.Ready(DIMS, 512, trial(folder, texts))


def answer(request: wire.Embed) -> None:
    joined = " ".join(request.texts)
    if "abort" in joined:
        os.kill(os.getpid(), signal.SIGABRT)
    if "stop" in joined:
        os.kill(os.getpid(), signal.SIGSTOP)
    if "garbage" in joined:
        os.write(1, b"\x04\x00\x00\x00oops")
        return
    if "refuse" in joined:
        reply(wire.Refused(request.id))
        return
    if "slow" in joined:
        time.sleep(0.3)
    rows = [vector(text) for text in request.texts]
    if "empty" in joined:
        rows = [[0.0] * DIMS for _ in rows]
    if "infinite" in joined:
        rows = [[math.inf] * DIMS for _ in rows]
    reply(wire.Vectors(request.id, DIMS, pack(rows), 0))


def main() -> None:
    folder = Path(sys.argv[1])
    note(folder, f"start {os.getpid()}")
    for request in requests():
        if isinstance(request, wire.Load):
            note(folder, f"load {request.path} {request.threads} {request.max_tokens} {request.idle_s}")
            load(folder, partial(ready, folder, request.trial))
        elif isinstance(request, wire.Embed):
            priority = "background" if request.background else "query"
            note(folder, f"{priority} {' | '.join(request.texts)}")
            wait_while_held(folder)
            answer(request)
            if (folder / "leave").exists():
                (folder / "leave").unlink()
                os._exit(0)


if __name__ == "__main__":
    main()
