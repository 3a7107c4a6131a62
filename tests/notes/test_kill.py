"""A process that writes notes is killed again and again: every text that it acknowledged is there once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notes.worlds import World

ROUNDS = 8
SCRIPT = """
import os, sys, trio
from pathlib import Path
from tests.notes.worlds import GUEST, OWNER, World

async def main(base, start):
    async with World(Path(base)).open() as opened:
        number = int(start)
        while True:
            async with trio.open_nursery() as nursery:
                for caller in (OWNER, GUEST, OWNER):
                    number += 1
                    nursery.start_soon(append, opened.writer, caller, number)

async def append(writer, caller, number):
    text = f"- text {number}\\n  and more of {number}"
    if number % 2:
        await writer.append(caller, text=text)
    else:
        await writer.flush_append(caller, cycle_id="c", text=text)
    os.write(1, b"%d\\n" % number)

trio.run(main, *sys.argv[1:])
"""

pytestmark = pytest.mark.crash


async def test_acknowledged_texts_are_there_once_after_kills(tmp_path: Path) -> None:
    acknowledged: list[int] = []
    for round_number in range(ROUNDS):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(round_number * 100_000)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: ASYNC220
        assert process.stdout is not None
        for _ in range(5 + 7 * round_number):
            acknowledged.append(int(process.stdout.readline()))
        process.kill()
        acknowledged += [int(line) for line in process.stdout.read().split()]
        process.stdout.close()
        process.wait()
    world = World(tmp_path)
    async with world.open() as opened:
        assert opened.writer.waiting == 0
        accepted = opened.rows("SELECT count(*) FROM appends")[0][0]
    texts = [
        int(number)
        for text in world.files().values()
        for number in re.findall(r"^- text (\d+)\n  and more of \1$", text, re.MULTILINE)
    ]
    assert len(texts) == len(set(texts)) == accepted
    assert set(acknowledged) <= set(texts)
    assert len(acknowledged) >= ROUNDS * 5
    for text in world.files().values():
        assert re.fullmatch(r"# [^\n]+\n\n(- text (\d+)\n  and more of \d+\n)*", text)
