import errno
import os
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from openclaw_memd.domain.callers import Caller, ChatType
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.sessions import lines, listing, reading
from openclaw_memd.sessions.folders import TranscriptFolders
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.formats.records import Rules
from openclaw_memd.sessions.outcomes import Appended
from openclaw_memd.sessions.watched import Format, TranscriptFolder
from tests.fakes import ConstantRng
from tests.sessions.transcripts import EndError, Faulty, Place, line, open_place, opening, said, typed
from tests.sessions.worlds import caller, open_world, user

TIME = "2026-01-11T08-15-30.000Z"
ONE = said("m1", "Der Schrank steht links.")
TWO = said("m2", "好的，左边。", "assistant")
THREE = said("m3", "А ключ?")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_place(tmp_path) as opened:
        yield opened


@pytest.fixture
def settled_stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stamp is old enough to be relied on."""
    monkeypatch.setattr(reading, "FRESH_NS", 0)


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "PIECE_BYTES", 512)
    monkeypatch.setattr(lines, "SLICE_BYTES", 1024)


async def fresh(place: Place, base: Path) -> list[object]:
    """What is held when the same files are read for the first time."""
    async with open_world(base) as world:
        folders = TranscriptFolders(
            world.store, world.sessions, place.configured, ConstantRng(), archives=place.archives
        )
        other = Place(world, place.folder, folders, place.configured)
        await other.look()
        return list(await other.held())


async def test_a_transcript_becomes_a_session(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE, TWO)

    await place.look()

    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。"]
    assert await place.origins() == {"m1": "owner", "m2": "agent"}
    assert await place.world.paths() == ["sessions/main/s1"]
    assert "User: Der Schrank steht links." in await place.world.text("sessions/main/s1")
    (state,) = place.folders.states
    assert (state.files, state.pending, state.messages, state.warning) == (1, 0, 2, None)


async def test_what_is_appended_is_added_and_nothing_comes_twice(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    before = await place.held()

    await place.look()
    assert await place.held() == before
    place.append("s1.jsonl", TWO, THREE[:-9])  # the last line is still being written
    await place.look()
    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。"]
    place.append("s1.jsonl", THREE[-9:])
    await place.look()

    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。", "А ключ?"]


async def test_a_new_process_goes_on_where_the_last_one_ended(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    place.append("s1.jsonl", TWO)
    place.restart()

    await place.look()

    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。"]


async def test_a_session_is_named_by_its_record_else_by_its_file(place: Place) -> None:
    place.write("file-a.jsonl", opening("record-a"), ONE)
    place.write("file-b.jsonl", ONE)

    await place.look()

    assert await place.sessions() == {"record-a", "file-b"}


REWRITES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, 0),
    "cut in the middle": lambda path: os.truncate(path, path.stat().st_size - len(TWO.encode()) - 3),
    "rewritten in place": lambda path: path.write_text(opening("s1") + said("m9", "Alles neu.") * 1),
    "rewritten longer": lambda path: path.write_text(
        opening("s1") + said("m9", "Alles neu.") + ONE + TWO + THREE
    ),
    "replaced": lambda path: replace_file(path, opening("s1") + THREE),
    "replaced by the same": lambda path: replace_file(path, path.read_text()),
    "one word of the same length": lambda path: path.write_text(path.read_text().replace("links", "mitte")),
    "a line taken out": lambda path: path.write_text(path.read_text().replace(ONE, "")),
    "emptied and filled": lambda path: path.write_text(THREE),
}


def replace_file(path: Path, text: str) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


@pytest.mark.parametrize("name", REWRITES)
@pytest.mark.parametrize("restart", [False, True])
async def test_a_file_that_did_not_only_grow_makes_its_session_anew(
    place: Place, tmp_path: Path, name: str, restart: bool
) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE, TWO)
    await place.look()

    REWRITES[name](path)
    if restart:
        place.restart()
    await place.look()

    assert await place.held() == await fresh(place, tmp_path / "fresh")


async def test_a_file_that_is_replaced_is_replaced_at_once(place: Place) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE, TWO)
    await place.look()
    replace_file(path, opening("s1") + THREE)
    place.folders = TranscriptFolders(
        place.world.store, Faulty(place.world, 0, after=False), place.configured, ConstantRng()
    )

    with pytest.raises(EndError):
        await place.look()

    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。"]


@pytest.mark.parametrize(
    "suffix",
    [
        f".deleted.{TIME}",
        ".deleted",
        f".reset.{TIME}",
        f".bak.{TIME}",
        ".bak",
        ".gz",
        f".deleted.{TIME}.zst",
        f".reset.{TIME}.zst",
        "~",
    ],
)
async def test_a_session_whose_file_got_a_suffix_is_gone(place: Place, suffix: str) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE)
    place.write("s2.jsonl", opening("s2"), TWO)
    await place.look()
    place.world.hints.clear()

    path.rename(path.with_name(path.name + suffix))
    await place.look()

    assert await place.sessions() == {"s2"}
    assert await place.world.paths() == ["sessions/main/s2"]
    assert frozenset({"sessions/main/s1"}) in place.world.hints
    assert path.name + suffix in place.skipped
    place.restart()
    await place.look()
    assert await place.sessions() == {"s2"}


async def test_a_deleted_file_takes_its_session_along(place: Place) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()

    path.unlink()
    await place.look()

    assert await place.held() == []
    assert await place.world.paths() == []


@pytest.mark.parametrize("name", [f"s1.jsonl.deleted.{TIME}", "s1.jsonl.bak", "s1.jsonl.gz"])
async def test_nothing_brings_what_was_deleted_or_put_aside(tmp_path: Path, name: str) -> None:
    async with open_place(tmp_path, archives=True) as place:
        place.write(name, opening("s1"), ONE)

        await place.look()

        assert await place.held() == []
        assert list(place.skipped) == [name]


async def test_a_reset_session_stays_when_archives_are_wanted(tmp_path: Path) -> None:
    async with open_place(tmp_path, archives=True) as place:
        path = place.write("s1.jsonl", opening("s1"), ONE)
        await place.look()

        path.rename(path.with_name(f"s1.jsonl.reset.{TIME}"))
        await place.look()

        assert await place.texts() == ["Der Schrank steht links."]
        place.restart()
        place.archives = False
        place.restart()
        await place.look()
        assert await place.held() == []


async def test_a_folder_that_is_not_configured_any_more_takes_its_sessions_along(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()

    other = place.folder.parent / "other"
    other.mkdir()
    place.restart(TranscriptFolder(other))
    await place.look()

    assert await place.held() == []


async def test_other_rules_read_everything_anew(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), said("m1", "Blau.", owner=None))
    await place.look()
    assert await place.origins() == {"m1": "untrusted"}
    (state,) = place.folders.states
    assert state.unattributed == 1
    assert state.warning is not None

    place.restart(replace(place.configured[0], rules=Rules(local_user=True)))
    await place.look()

    assert await place.origins() == {"m1": "owner"}
    assert place.folders.states[0].warning is None


async def test_taint_heartbeats_and_recall_hold_for_the_whole_turn(place: Place) -> None:
    place.write(
        "s1.jsonl",
        opening("s1"),
        said("q1", "Look it up."),
        said("t1", "page", "toolResult", toolName="x", __openclaw={"resultContentSource": "network"}),
        said("a1", "The page says so.", "assistant"),
        said("q2", "And yours?"),
        said("a2", "I say so.", "assistant"),
        said("q3", "poll", provenance={"kind": "internal_system", "sourceTool": "heartbeat"}),
        said("a3", "Nothing is due today.", "assistant"),
        said("q4", "memory", provenance={"kind": "internal_system", "sourceTool": "memory_search"}),
        said("a4", "You once said it.", "assistant"),
        said("q5", "[cron:job] Sum up."),
        said("a5", "Summed up.", "assistant"),
        said("q6", "Mine again."),
        said("a6", "Yes.", "assistant"),
        said("q7", "What did I say of it?"),
        said("a7", "Let me see.", "assistant"),
        said("t7", "- it is noted", "toolResult", toolName="mcp__memd__memory_search"),
        said("a8", "That it is noted.", "assistant"),
    )

    await place.look()

    origins = await place.origins()
    assert {id_: origins[id_] for id_ in ("a1", "a2", "a5", "a6")} == {
        "a1": "untrusted",
        "a2": "agent",
        "a5": "system",
        "a6": "agent",
    }
    assert await place.texts() == [
        "Look it up.",
        "The page says so.",
        "And yours?",
        "I say so.",
        "Summed up.",
        "Mine again.",
        "Yes.",
        "What did I say of it?",
        "Let me see.",
    ]


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([line({"type": "session", "id": "dreaming-narrative-1"}), ONE], TranscriptSkip.DREAMING),
        (
            [ONE, TWO, line({"type": "custom", "data": {"runId": "dreaming-narrative-rem-1"}})],
            TranscriptSkip.DREAMING,
        ),
        ([opening("s1"), said("m1", "[cron:job 1] Sum up."), TWO], TranscriptSkip.CRON),
    ],
)
async def test_nothing_of_a_generated_transcript_is_kept(
    place: Place, records: list[str], reason: TranscriptSkip
) -> None:
    place.write("s1.jsonl", *records)
    await place.look()
    assert await place.held() == []
    assert place.skipped == {"s1.jsonl": reason}

    place.append("s1.jsonl", THREE)
    await place.look()

    assert await place.held() == []


async def test_what_was_taken_before_a_transcript_proved_generated_goes(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    assert await place.texts() != []

    place.append("s1.jsonl", line({"type": "custom", "data": {"runId": "dreaming-narrative-1"}}), TWO)
    await place.look()

    assert await place.held() == []


async def test_the_session_index_says_who_reads_a_session_and_what_started_it(place: Place) -> None:
    index = {
        "agent:main:telegram:group:-1": {"sessionId": "s1", "chatType": "group"},
        "agent:main:cron:job": {"sessionId": "s2"},
        "agent:main:subagent:x": {"sessionId": "s3", "spawnedBy": "agent:main:telegram:group:-1"},
    }
    place.write("sessions.json", line(index))
    for name in ("s1", "s2", "s3"):
        place.write(f"{name}.jsonl", opening(name), ONE)

    await place.look()

    listed = {one.session_id: one.kind for one in place.world.sessions.list()}
    assert listed == {"s1": SessionKind.INTERACTIVE, "s3": SessionKind.SUBAGENT}
    assert place.skipped == {"s2.jsonl": TranscriptSkip.CRON}
    place.write("sessions.json", "{}")  # an index that forgets a session does not make it another one
    place.restart()
    await place.look()
    assert {one.session_id for one in place.world.sessions.list()} == {"s1", "s3"}
    place.write("sessions.json", '{"agent:main')
    await place.look()
    assert {one.session_id for one in place.world.sessions.list()} == {"s1", "s3"}


async def test_what_the_index_says_later_counts_from_then_on(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    assert await place.texts() != []

    place.write("sessions.json", line({"agent:main:cron:job": {"sessionId": "s1"}}))
    await place.look()

    assert await place.held() == []


async def test_what_claude_code_s_agent_says_after_a_recall_is_left_out(tmp_path: Path) -> None:
    folder = TranscriptFolder(tmp_path / "transcripts", "claude-code", rules=Rules(local_user=True))
    recall = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "name": "mcp__memd__memory_get"},
    ]
    async with open_place(tmp_path, folder) as place:
        place.write(
            "s1.jsonl",
            typed("m1", "Which port?"),
            typed("m2", "", "assistant", message={"role": "assistant", "content": recall}),
            typed("m3", "8080, you once said.", "assistant"),
            typed("m4", "Thanks."),
            typed("m5", "Any time.", "assistant"),
        )
        await place.look()
        assert await place.texts() == ["Which port?", "Let me see.", "Thanks.", "Any time."]


async def test_claude_code_s_sessions_and_sub_agents(tmp_path: Path) -> None:
    folder = TranscriptFolder(tmp_path / "transcripts", "claude-code", "coder", Rules(local_user=True))
    async with open_place(tmp_path, folder) as place:
        place.write(
            "-home-a/s1.jsonl",
            typed("m1", "Which port?"),
            typed("m2", "Find the port.", isSidechain=True),
            typed("m3", "8080", "assistant", isSidechain=True),
            typed("m4", "8080.", "assistant"),
        )
        place.write(
            "-home-a/s1/subagents/agent-a7.jsonl", typed("n1", "Count.", isSidechain=True, agentId="a7")
        )

        await place.look()

        assert await place.sessions() == {"s1", "s1:sidechain", "s1:a7"}
        (state,) = place.folders.states  # nobody need vouch for the task of a sub-agent: a model wrote it
        assert (state.unattributed, state.warning) == (0, None)
        assert await place.origins() == {"m1": "owner", "m4": "agent"}
        assert await place.origins("s1:a7") == {"n1": "untrusted"}
        kinds = {one.session_id: one.kind for one in place.world.sessions.list("coder")}
        assert kinds == {
            "s1": SessionKind.INTERACTIVE,
            "s1:sidechain": SessionKind.SUBAGENT,
            "s1:a7": SessionKind.SUBAGENT,
        }
        (shown,) = (one for one in place.world.sessions._known.all() if one.session_id == "s1")
        assert shown.places[0].chat_type is ChatType.DIRECT
        (place.folder / "-home-a/s1.jsonl").unlink()
        await place.look()
        assert await place.sessions() == {"s1:a7"}


@pytest.mark.parametrize("is_configured", [True, False])
async def test_no_byte_of_a_deleted_transcript_stays_in_the_ledger(place: Place, is_configured: bool) -> None:
    file = place.write("s1.jsonl", opening("s1"), *(said(f"m{n}", f"Zwetschge {n} " * 40) for n in range(50)))
    await place.look()
    ledger = place.world.store.path

    def left() -> list[str]:
        return [
            part.name for part in ledger.parent.glob(f"{ledger.name}*") if b"Zwetschge" in part.read_bytes()
        ]

    assert left()
    if is_configured:
        file.unlink()
    else:
        place.configured = ()
        place.restart()
    await place.look()
    assert left() == []


async def test_a_folder_of_the_local_user_is_not_told_to_become_one(place: Place) -> None:
    """Records may name somebody of whom nothing more is known, whatever the folder is said to be."""
    place.restart(replace(place.configured[0], rules=Rules(local_user=True)))
    place.write("s1.jsonl", opening("s1"), said("m1", "Blau.", owner=None, provenance={"kind": "other"}))
    await place.look()
    assert await place.origins() == {"m1": "untrusted"}
    (state,) = place.folders.states
    assert (state.unattributed, state.warning) == (1, None)


async def test_two_files_of_one_session_do_not_mix(place: Place) -> None:
    place.write("a.jsonl", opening("s1"), ONE)
    place.write("b.jsonl", opening("s1"), ONE, THREE)
    await place.look()

    first, second = sorted(await place.sessions())
    assert first == "s1"
    assert second.startswith("s1~")
    place.append("a.jsonl", TWO)
    place.append("b.jsonl", said("m9", "Neu."))
    place.restart()
    await place.look()
    assert len(await place.held()) == 5
    (place.folder / "a.jsonl").unlink()
    (place.folder / "b.jsonl").unlink()
    await place.look()
    assert await place.held() == []


async def test_a_session_that_the_host_reports_itself_is_not_read(place: Place) -> None:
    await place.world.sessions.append(caller("s1"), [user("r1", "told")])
    place.write("s1.jsonl", opening("s1"), ONE)

    await place.look()

    assert await place.texts() == ["told"]
    assert place.skipped == {"s1.jsonl": TranscriptSkip.REPORTED}
    (place.folder / "s1.jsonl").unlink()
    await place.look()
    assert await place.texts() == ["told"]


@pytest.mark.parametrize("then", [*REWRITES, "appended to", "gone", "not configured any more"])
async def test_what_the_host_reports_stays_whatever_becomes_of_the_file(place: Place, then: str) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE, TWO)
    await place.look()
    await place.world.sessions.append(caller("s1"), [user("r1", "told")])
    claims = await place.world.store.read(
        lambda connection: connection.execute("SELECT * FROM transcript_sessions").fetchall()
    )
    assert claims == []
    match then:
        case "appended to":
            place.append("s1.jsonl", THREE)
        case "gone":
            path.unlink()
        case "not configured any more":
            place.configured = ()
            place.restart()
        case _:
            REWRITES[then](path)
            place.restart()

    for _ in range(2):
        await place.look()
        assert await place.texts() == ["Der Schrank steht links.", "好的，左边。", "told"]
    await place.world.sessions.append(caller("s1"), [user("r2", "and more")])
    assert (await place.texts())[-1] == "and more"


async def test_what_the_host_reports_while_the_file_is_read_anew_stays(
    place: Place, small_slices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("s1.jsonl", opening("s1"), *(said(f"m{number}", "x" * 400) for number in range(8)))
    await place.look()
    path = place.write("s1.jsonl", opening("s1"), *(said(f"n{number}", "y" * 400) for number in range(8)))
    sessions, ingest = place.world.sessions, place.world.sessions.ingest
    told = [user("r1", "told")]

    async def report_first(who: Caller, *given: Any, **named: Any) -> Appended:
        if told:
            await sessions.append(caller("s1"), [told.pop()])
        return await ingest(who, *given, **named)

    monkeypatch.setattr(sessions, "ingest", report_first)
    await place.look()
    assert not told
    assert "told" in await place.texts()
    assert not any("y" in text for text in await place.texts())
    path.unlink()
    await place.look()
    assert "told" in await place.texts()


async def test_taint_alone_is_no_report_of_what_was_said(place: Place) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    await place.world.sessions.append(caller("s1", tainted=True), [])
    place.append("s1.jsonl", TWO)
    await place.look()
    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。"]


async def test_links_are_not_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "s1.jsonl").write_text(opening("s1") + ONE)
    (place.folder / "s1.jsonl").symlink_to(outside / "s1.jsonl")
    (place.folder / "deep").symlink_to(outside)
    os.mkfifo(place.folder / "pipe.jsonl")
    place.write("s2.jsonl", opening("s2"), TWO)

    await place.look()

    assert await place.sessions() == {"s2"}
    assert place.skipped == {"s1.jsonl": TranscriptSkip.SYMLINK, "pipe.jsonl": TranscriptSkip.NOT_REGULAR}


async def test_a_file_that_becomes_a_link_is_gone(place: Place, tmp_path: Path) -> None:
    path = place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    moved = tmp_path / "moved.jsonl"
    path.rename(moved)
    path.symlink_to(moved)

    await place.look()

    assert await place.held() == []


async def test_the_folder_itself_may_be_a_link_and_may_be_missing(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "transcripts")
    async with open_place(tmp_path, TranscriptFolder(link)) as place:
        place.write("s1.jsonl", opening("s1"), ONE)
        await place.look()
        assert await place.texts() != []

        place.folder.rename(tmp_path / "away")
        await place.look()

        assert await place.held() == []
        assert place.skipped == {".": TranscriptSkip.MISSING}


async def test_what_cannot_be_read_is_listed_and_what_was_taken_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    place.write("deep/s2.jsonl", opening("s2"), TWO)
    await place.look()
    place.append("s1.jsonl", THREE)
    closed = {"s1.jsonl", "deep"}

    def refuse(root: int, path: str, flags: int) -> int:
        if path in closed:
            raise PermissionError(errno.EACCES, "closed")
        return open_beneath(root, path, flags)

    monkeypatch.setattr(listing, "open_beneath", refuse)
    monkeypatch.setattr(reading, "open_beneath", refuse)
    await place.look()
    await place.look()

    assert await place.sessions() == {"s1", "s2"}
    assert place.skipped == {"s1.jsonl": TranscriptSkip.UNREADABLE, "deep": TranscriptSkip.UNREADABLE}
    closed.clear()
    await place.look()
    assert len(await place.texts("s1")) == 2
    assert place.skipped == {}


async def test_a_folder_that_cannot_be_opened_keeps_its_sessions(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("s1.jsonl", opening("s1"), ONE)
    await place.look()
    original = os.open

    def refuse(path: object, *args: object, **kwargs: object) -> int:
        if str(path) == str(place.folder):
            raise PermissionError(errno.EACCES, "closed")
        return original(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    await place.look()

    assert await place.texts() != []
    assert place.skipped == {".": TranscriptSkip.UNREADABLE}


async def test_one_broken_line_costs_itself_only(place: Place) -> None:
    path = place.write("s1.jsonl", opening("s1"))
    with path.open("ab") as file:
        file.write(ONE.encode() + b"{broken\n\xff\xfe\x00\n[1]\n\n" + TWO.encode()[:30] + b"\n")
        file.write(rb'{"type":"message","id":"m5","message":{"role":"user","content":"a\ud800b"}}' + b"\r\n")
        file.write(THREE.encode())

    await place.look()

    assert await place.texts() == ["Der Schrank steht links.", "a\ufffdb", "А ключ?"]
    assert place.folders.states[0].broken == 4


@pytest.mark.usefixtures("settled_stamps")
async def test_an_unchanged_file_is_not_opened_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    original = reading.open_transcript

    def count(root: int, path: str) -> object:
        opened.append(path)
        return original(root, path)

    monkeypatch.setattr("openclaw_memd.sessions.watched.open_transcript", count)
    place.write("s1.jsonl", opening("s1"), ONE)
    place.write("s2.jsonl", opening("s2"), ONE)
    await place.look()
    assert sorted(opened) == ["s1.jsonl", "s2.jsonl"]

    await place.look()
    place.restart()
    await place.look()
    assert len(opened) == 2
    place.append("s2.jsonl", TWO)
    await place.look()

    assert opened[2:] == ["s2.jsonl"]


@pytest.mark.usefixtures("settled_stamps")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("left", range(7))
async def test_an_end_at_any_write_loses_no_message_and_doubles_none(
    place: Place, tmp_path: Path, small_slices: None, left: int, after: bool
) -> None:
    records = [
        said(f"m{number}", f"Satz {number}", "user" if number % 2 else "assistant") for number in range(40)
    ]
    path = place.write("s1.jsonl", opening("s1"), *records[:20])
    await place.look()
    replace_file(path, opening("s1") + "".join(records[5:]))
    place.folders = TranscriptFolders(
        place.world.store, Faulty(place.world, left, after=after), place.configured, ConstantRng()
    )
    with pytest.raises(EndError):
        await place.look()

    place.restart()
    await place.world.sessions.load()
    await place.look()

    assert await place.held() == await fresh(place, tmp_path / "fresh")


@pytest.mark.usefixtures("settled_stamps")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("left", range(6))
async def test_the_same_for_a_file_of_several_sessions(
    tmp_path: Path, small_slices: None, left: int, after: bool
) -> None:
    folder = TranscriptFolder(tmp_path / "transcripts", "claude-code", rules=Rules(local_user=True))
    async with open_place(tmp_path, folder) as place:
        records = [
            typed(f"m{number}", f"Satz {number}", isSidechain=bool(number % 3)) for number in range(12)
        ]
        path = place.write("s1.jsonl", *records)
        if left % 2:
            await place.look()
            replace_file(path, "".join(records[2:]))
        place.folders = TranscriptFolders(
            place.world.store, Faulty(place.world, left // 2, after=after), place.configured, ConstantRng()
        )
        with pytest.raises(EndError):
            await place.look()

        place.restart()
        await place.world.sessions.load()
        await place.look()

        assert await place.held() == await fresh(place, tmp_path / "fresh")


@pytest.mark.parametrize("seed", range(12))
async def test_reading_step_by_step_is_reading_at_once(tmp_path: Path, small_slices: None, seed: int) -> None:
    chance = random.Random(seed)
    async with open_place(tmp_path, archives=True) as place:
        for step in range(14):
            _change(chance, place.folder, step)
            if chance.random() < 0.3:
                place.restart()
            if chance.random() < 0.8:
                await place.look()
        await place.look()

        assert await place.held() == await fresh(place, tmp_path / "fresh")


def _change(chance: random.Random, folder: Path, step: int) -> None:
    files = sorted(folder.iterdir())
    record = said(
        f"r{step}", f"Schritt {step} " + "x" * chance.randrange(400), chance.choice(["user", "assistant"])
    )
    match chance.randrange(9) if files else 0:
        case 0 | 1:
            (folder / f"f{step}.jsonl").write_text(opening(f"s{step}") + record)
        case 2 | 3 | 4:
            with chance.choice(files).open("a") as file:
                file.write(record if chance.random() < 0.7 else record[: chance.randrange(len(record))])
        case 5:
            path = chance.choice(files)
            os.truncate(path, chance.randrange(path.stat().st_size + 1))
        case 6:
            path = chance.choice(files)
            text = path.read_text().split("\n")
            del text[chance.randrange(len(text))]
            path.write_text("\n".join(text))
        case 7:
            path = chance.choice(files)
            path.rename(path.with_name(path.name + chance.choice([f".reset.{step}", f".deleted.{step}"])))
        case 8:
            chance.choice(files).unlink()


async def test_a_file_that_grows_while_it_is_read_is_read_to_where_it_ended(
    place: Place, small_slices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [said(f"m{number}", "x" * 200) for number in range(20)]
    path = place.write("s1.jsonl", opening("s1"), *records)
    ingest = place.world.sessions.ingest
    grown = iter(range(100, 105))

    async def grow(*args: object, **kwargs: object) -> object:
        number = next(grown, None)
        if number is not None:
            place.append("s1.jsonl", said(f"m{number}", "later"))
        return await ingest(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(place.world.sessions, "ingest", grow)
    await place.look()
    await place.look()

    assert len(await place.texts()) == 25
    assert path.stat().st_size > 0


def large(place: Place, size: int) -> Path:
    """A transcript of that many bytes, nearly all of them in results of tools, which are not kept."""
    path = place.folder / "s1.jsonl"
    with path.open("w") as file:
        file.write(opening("s1") + ONE)
        number = 0
        while file.tell() < size // 2:
            number += 1
            file.write(said(f"t{number}", f"{number} " + "x" * 8000, "toolResult"))
        file.write(TWO)
        while file.tell() < size:
            number += 1
            file.write(said(f"t{number}", f"{number} " + "x" * 8000, "toolResult"))
    return path


async def test_a_large_transcript_is_resumed_without_being_read_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(place, reading.WHOLE_BYTES + 1_000_000)
    await place.look()
    read: list[int] = []
    pread = os.pread

    def count(descriptor: int, length: int, offset: int) -> bytes:
        data = pread(descriptor, length, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", count)
    place.append("s1.jsonl", THREE)
    await place.look()

    assert sum(read) < 4 * 64 * 1024
    assert await place.texts() == ["Der Schrank steht links.", "好的，左边。", "А ключ?"]


@pytest.mark.parametrize(
    ("size", "grows", "replaced", "restart"),
    [
        (400_000, True, False, False),  # small enough to be compared in full
        (reading.WHOLE_BYTES + 400_000, False, False, False),
        (reading.WHOLE_BYTES + 400_000, True, True, False),
        (reading.WHOLE_BYTES + 400_000, True, False, True),
    ],
)
async def test_a_word_that_changed_in_the_middle_is_seen(
    place: Place, size: int, grows: bool, replaced: bool, restart: bool
) -> None:
    path = large(place, size)
    await place.look()
    changed = path.read_text().replace("左边", "右边") + (THREE if grows else "")
    if replaced:
        replace_file(path, changed)
    else:
        path.write_text(changed)
    if restart:
        place.restart()

    await place.look()

    assert (await place.texts())[:2] == ["Der Schrank steht links.", "好的，右边。"]


async def test_looks_come_every_few_seconds_with_jitter_and_at_a_hint(
    place: Place, autojump_clock: trio.testing.MockClock
) -> None:
    looks: list[float] = []

    async def look() -> None:
        looks.append(trio.current_time())
        await trio.lowlevel.checkpoint()

    place.folders.look = look  # type: ignore[method-assign]
    async with trio.open_nursery() as nursery:
        await nursery.start(place.folders.run)
        await trio.sleep(9)
        place.folders.hint()
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert looks == pytest.approx([0, 4, 8, 9])


@pytest.mark.parametrize("format_", ["openclaw", "claude-code"])
@pytest.mark.parametrize("seed", range(4))
async def test_no_bytes_in_a_file_are_too_strange(tmp_path: Path, format_: Format, seed: int) -> None:
    chance = random.Random(seed)
    good = [ONE, TWO, typed("m1", "x"), typed("m2", "y", "assistant"), opening("s1"), line([1]), line(None)]
    data = bytearray()
    for _ in range(400):
        piece = bytearray(chance.choice(good).encode())
        for _ in range(chance.randrange(3)):
            piece[chance.randrange(len(piece))] = chance.randrange(256)
        data += piece if chance.random() < 0.8 else chance.randbytes(chance.randrange(60))
    async with open_place(tmp_path, TranscriptFolder(tmp_path / "transcripts", format_)) as place:
        path = place.write("s1.jsonl")
        with path.open("wb") as file:
            file.write(data + b"\n" + ONE.encode() + typed("last", "Ende").encode())

        await place.look()

        assert place.folders.states[0].broken > 0
        assert place.skipped.keys() <= {"s1.jsonl"}
