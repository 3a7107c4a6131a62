"""kill -9 at any moment while notes are written: what was answered is there once, the rest once or not."""

import random
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.counts import add
from tests.crash.batches import KILLS, Batch, batches
from tests.crash.writers import Outsider, Sent, new_word, numbered, write_until_killed
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

MOST_S = 0.8
SEARCHED = 12  # of a round, at most
READ = 60

TRUSTED = ("owner", "agent")
FIXED_LINES = re.compile(
    r"|- Reason: end|- Session: \d+r(owner|guest|reader|partner)-\d+"
    r"|# \d{4}-\d\d-\d\d(: from outside, not trusted)? \([\w/+:-]+\)"
    r"|# \d{4}-\d\d-\d\d \d\d:\d\d \([\w/+:-]+\)(: from outside, not trusted)?"
)

pytestmark = pytest.mark.crash

T = TypeVar("T")
Places = Mapping[str, Sequence[tuple[str, int]]]


@pytest.mark.parametrize("batch", batches(KILLS), ids=str)
def test_what_was_answered_is_there_once_whenever_it_is_killed(batch: Batch) -> None:
    rng = batch.random()
    asked: list[Sent] = []
    outside: list[str] = []
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT)
        daemon.start()
        try:
            shared = daemon.workspace / first_note(daemon, rng, asked)
            for number in range(batch.kills):
                with Outsider(shared, f"{number}r") as outsider:
                    sent = write_until_killed(daemon, rng, f"{number}r", 0.1 + rng.random() * MOST_S)
                    at_kill = read_notes(daemon)
                    assert_sound(daemon, folder / "copy")
                    daemon.start()
                asked += sent
                outside += outsider.lines
                daemon.settle()
                notes = read_notes(daemon)
                assert_grew(at_kill, notes)
                assert_whole(notes, asked, outside)
                assert_once(notes, sent)
                assert_origins(daemon, places_of(notes), sent, outsider.lines, rng)
                assert_remembered(daemon, sent, rng)
                assert_answers_again(daemon, sent)
                assert daemon.agent()["spool"]["items"] == 0
                print(
                    f"round {number}: {len(sent)} calls, {sum(one.answer is None for one in sent)} cut off,"
                    f" {len(outsider.lines)} lines from elsewhere",
                    flush=True,
                )
        finally:
            daemon.stop()
        notes = read_notes(daemon)
        assert_whole(notes, asked, outside)
        places = places_of(notes)
        for line in outside:
            assert len(places[line]) == 1
        for sent_once in asked:
            for line, _ in sent_once.lines:
                assert len(places[line]) == 1
        assert_sound(daemon, folder / "copy")
    add(
        "appends",
        "lost, doubled, torn or corrupt",
        kills=batch.kills,
        calls=len(asked),
        cut_off=sum(one.answer is None for one in asked),
        lines_of_others=len(outside),
    )


def first_note(daemon: RunningDaemon, rng: random.Random, asked: list[Sent]) -> str:
    """The day's note, which others write to as well; it is made here."""
    owner = {
        "session_id": "s",
        "session_kind": "interactive",
        "chat_type": "direct",
        "sender": {"id": "u", "is_owner": True},
    }
    line = f"- {new_word(rng)} came first"
    sent = Sent("note.append", {"text": line, "context": owner}, ((line, "agent"),), (), (line + "\n",))
    asked.append(sent)
    sent.answer = daemon.call(sent.method, **sent.params)
    path: str = sent.answer["path"]
    return path


def read_notes(daemon: RunningDaemon) -> dict[str, bytes]:
    folder = daemon.workspace / "memory"
    return {f"memory/{file.name}": file.read_bytes() for file in folder.glob("*.md")}


def places_of(notes: Mapping[str, bytes]) -> Places:
    """Where each line stands."""
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, data in notes.items():
        for number, line in numbered(data.decode()):
            places[line].append((path, number))
    return places


def assert_grew(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    for path, data in before.items():
        assert after[path].startswith(data), path


def assert_whole(notes: Mapping[str, bytes], asked: Iterable[Sent], outside: Iterable[str]) -> None:
    """Nothing is in a note but whole lines that somebody wrote."""
    written = {line for sent in asked for line, _ in sent.lines} | set(outside)
    for path, data in notes.items():
        assert data.endswith(b"\n"), path
        for number, line in numbered(data.decode()):
            assert line in written or FIXED_LINES.fullmatch(line), (path, number, line)


def assert_once(notes: Mapping[str, bytes], sent: Iterable[Sent]) -> None:
    """Answered lines are there once and where the answer says, others once or not at all."""
    places = places_of(notes)
    for one in sent:
        counts = {len(places[line]) for line, _ in one.lines}
        if one.lines:
            assert counts in ([{1}] if one.answer is not None else [{0}, {1}]), (one, counts)
        assert_where_it_says(notes, one)


def assert_origins(
    daemon: RunningDaemon,
    places: Places,
    sent: Iterable[Sent],
    outside: Sequence[str],
    rng: random.Random,
) -> None:
    """Lines have the origin that they were given, whoever wrote between them."""
    given = [
        (line, origin in TRUSTED, {origin}) for one in sent for line, origin in one.lines if places[line]
    ]
    cut_off = [
        (line, origin in TRUSTED, {origin})
        for one in sent
        for line, origin in one.lines[:5]
        if one.answer is None and places[line]
    ]
    strange = [(line, True, {"agent", "untrusted"}) for line in outside]  # a reader's turn taints those
    with LineClient(daemon.socket) as client:
        for line, is_trusted, origins in (*cut_off, *some(rng, given, READ), *some(rng, strange, SEARCHED)):
            ((path, number),) = places[line]
            assert path.endswith("-untrusted.md") != is_trusted
            answer = client.call("recall.get", path=path, lines=1, **{"from": number})
            assert answer["text"] == line
            assert answer["origin"] in origins, (path, number, line)


def some(rng: random.Random, all_of_them: Sequence[T], most: int) -> list[T]:
    return rng.sample(all_of_them, min(most, len(all_of_them)))


def assert_where_it_says(notes: Mapping[str, bytes], sent: Sent) -> None:
    if sent.answer is None or not sent.blocks:
        return
    (block,) = sent.blocks
    (part,) = sent.answer["parts"]
    assert not part["spooled"]
    lines = notes[part["path"]].decode().split("\n")[part["start_line"] - 1 : part["end_line"]]
    assert "\n".join(lines) + "\n" == block
    assert sent.answer["origin"] == sent.lines[0][1]


def assert_remembered(daemon: RunningDaemon, sent: Sequence[Sent], rng: random.Random) -> None:
    """Messages are found in their session, once, by whoever talks there; notes are found by anybody."""
    told = [one for one in sent if one.messages]
    rest = [one for one in told if one.answer is None]
    with LineClient(daemon.socket) as client:
        for one in (*some(rng, told, SEARCHED), *rest):
            found = [found_lines(client, one, line) for line, _ in one.messages]
            counts = {len(lines) for lines in found}
            assert counts == {1} if one.answer is not None else counts in ({0}, {1}), one
            for lines, (line, origin) in zip(found, one.messages, strict=True):
                assert all((text, from_) == (line, origin) for _, _, text, from_ in lines)
        for one in some(rng, sent, SEARCHED):
            for line, origin in one.lines[:1] if one.answer is not None else ():
                word = line.lstrip("-> ").removeprefix("User: ").split()[0]
                hits = client.call("recall.search", query=word)["hits"]
                assert {hit["origin"] for hit in hits if word in hit["text"]} == {origin}


def found_lines(client: LineClient, sent: Sent, line: str) -> set[tuple[str, int, str, str]]:
    """Where a search in the session finds the word of a message; passages may overlap."""
    word = line.split()[1]
    context = sent.params["context"]
    answer = client.call("recall.search", query=word, corpus="sessions", context=context)
    found = {
        (hit["path"], number, text, hit["origin"])
        for hit in answer["hits"]
        for number, text in enumerate(hit["text"].split("\n"), start=hit["start_line"])
        if word in text
    }
    assert all(path == f"sessions/main/{context['session_id']}" for path, _, _, _ in found)
    return found


def assert_answers_again(daemon: RunningDaemon, sent: Sequence[Sent]) -> None:
    """What was answered is answered again, and nothing is written; what was not is done once, now at last."""
    with LineClient(daemon.socket) as client:
        before = read_notes(daemon)
        for one in sent:
            if one.answer is not None:
                assert client.call(one.method, **one.params) == {**one.answer, "repeated": True}
        assert read_notes(daemon) == before
        for one in sent:
            if one.answer is None:
                finish(client, daemon, one)


def finish(client: LineClient, daemon: RunningDaemon, sent: Sent) -> None:
    before = places_of(read_notes(daemon))
    was_there = any(before[line] for line, _ in sent.lines)
    answer: dict[str, Any] = client.call(sent.method, **sent.params)
    if sent.blocks:
        assert answer.get("repeated", False) == was_there
        assert answer["origin"] == sent.lines[0][1], "a turn stays tainted over the end of the process"
    if sent.messages:
        # The looks above were recalls of these sessions: an answer that comes after one is not kept.
        recalled = sum(skip["reason"] == "recalled" for skip in answer["skipped"])
        assert answer["accepted"] + recalled in (0, len(sent.messages))
    again = client.call(sent.method, **sent.params)
    assert again == {**answer, "repeated": True}
    after = places_of(read_notes(daemon))
    for line, _ in sent.lines:
        assert len(after[line]) == 1


def assert_sound(daemon: RunningDaemon, copy: Path) -> None:
    """What the disk holds of the databases is whole, as a look at a copy tells."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(daemon.state_folder(), copy)
    for name in ("state.db", "index-1.db", "vectors.db"):
        with closing(sqlite3.connect(copy / name)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], name
