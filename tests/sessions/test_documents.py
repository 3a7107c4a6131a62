"""Sessions as documents: their parts, their stamps, and what is known of their lines."""

from datetime import date
from functools import partial
from pathlib import Path

import pytest
import trio

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.catalog import ListedFile, Skipped, SkipReason
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.sessions import read_part
from openclaw_memd.sessions.intake import PART_BYTES
from tests.sessions.worlds import World, assistant, caller, open_world, user

PATH = "sessions/main/s1"
LONG = "some words of a long story " * 9_000


async def test_a_document_is_listed_as_a_session(world: World) -> None:
    await world.sessions.append(caller("b/c"), [user("1")])
    await world.sessions.append(caller("a"), [user("1")])
    listed = await world.listed()
    assert [file.path for file in listed] == ["sessions/main/a", "sessions/main/b%2Fc"]
    assert {(file.source, file.tier, file.evergreen) for file in listed} == {
        (Source.SESSIONS, Tier.SESSION, False)
    }
    assert all(world.sessions.documents.stamp(file) == file.stamp for file in listed)


async def test_a_long_session_goes_on_in_parts_that_do_not_change_when_they_are_full(world: World) -> None:
    for number in range(12):
        await world.sessions.append(caller(), [user(f"u{number}", f"{number} {LONG}")])
    listed = await world.listed()
    assert [file.path for file in listed] == [PATH, f"{PATH}~2", f"{PATH}~3"]
    texts = [await world.text(file.path) for file in listed]
    assert all(len(text.encode()) <= PART_BYTES for text in texts)
    words = [word for text in texts for line in text.split("\n") for word in line.split()[1:]]
    assert words == [word for number in range(12) for word in f"{number} {LONG}".split()]

    await world.sessions.append(caller(), [user("last")])
    later = await world.listed()
    assert [file.stamp for file in later][:2] == [file.stamp for file in listed][:2]
    assert later[2].stamp != listed[2].stamp


async def test_one_message_that_no_part_can_hold_is_spread_over_several(world: World) -> None:
    await world.sessions.append(caller(), [user("1", LONG * 6)])
    paths = await world.paths()
    assert len(paths) == 2
    texts = [await world.text(path) for path in paths]
    assert all(len(text.encode()) <= PART_BYTES for text in texts)
    words = [word for text in texts for line in text.split("\n") for word in line.split()[1:]]
    assert words == (LONG * 6).split()


async def test_a_stamp_is_another_one_after_each_message_and_the_same_after_none(world: World) -> None:
    stamps = set()
    for number in range(5):
        await world.sessions.append(caller(), [user(str(number), "same text")])
        (file,) = await world.listed()
        stamps.add(file.stamp)
        await world.sessions.append(
            caller(), [user(str(number), "same text"), user(f"c{number}", kind="command")]
        )
        assert [again.stamp for again in await world.listed()] == [file.stamp]
    assert len(stamps) == 5


async def test_a_session_that_is_made_anew_of_another_text_has_another_stamp(world: World) -> None:
    await world.sessions.ingest(caller(), [user("1", "one text")])
    (before,) = await world.listed()
    await world.sessions.remove(SessionKey("main", "s1"))
    assert await world.paths() == []
    await world.sessions.ingest(caller(), [user("1", "two text")])
    (after,) = await world.listed()
    assert after.stamp is not None
    assert before.stamp is not None
    assert after.stamp.size == before.stamp.size
    assert after.stamp != before.stamp


async def test_stamps_and_states_are_the_same_after_a_restart(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.sessions.append(caller(), [user("1"), assistant("2")])
        listed, document = await world.listed(), await world.document(PATH)
    async with open_world(tmp_path) as world:
        assert [file.stamp for file in await world.listed()] == [file.stamp for file in listed]
        assert await world.document(PATH) == document
        assert document.state.stamp == listed[0].stamp
        assert not document.state.fresh


async def test_the_hash_is_of_the_text_and_of_what_is_known_of_it(world: World) -> None:
    await world.sessions.append(caller("a"), [user("1", "the same")])
    await world.sessions.append(caller("b"), [user("2", "the same")])
    first, second = [await world.document(path) for path in await world.paths()]
    assert first.text == second.text
    assert first.state.hash != second.state.hash  # they belong to different conversations


async def test_lines_have_the_day_of_their_message_in_the_configured_zone(world: World) -> None:
    await world.sessions.append(caller(), [user("1")])
    world.clock.move(hours=11)  # 23:00 in UTC, the next day in Vienna
    await world.sessions.append(caller(), [user("2", "x" * 1_000), user("3")])
    document = await world.document(PATH)
    assert document.days == ((1, date(2026, 1, 11)), (2, date(2026, 1, 12)))
    assert document.day_of_lines(1, 1) == date(2026, 1, 11)
    assert document.day_of_lines(1, 2) == document.day_of_lines(3, 3) == date(2026, 1, 12)


@pytest.mark.parametrize("path", ["sessions/main/s2", f"{PATH}~2", "memory/2026-01-11.md"])
async def test_what_is_no_document_is_gone(world: World, path: str) -> None:
    await world.sessions.append(caller(), [user("1")])
    file = ListedFile(path, Source.SESSIONS, Tier.SESSION, "sessions/", path, evergreen=False)
    assert world.sessions.documents.stamp(file) is None
    read = await trio.to_thread.run_sync(world.sessions.documents.read, file)
    assert read == Skipped(path, SkipReason.VANISHED)


async def test_changes_are_announced_by_path(world: World) -> None:
    await world.sessions.append(caller(), [user("1")])
    await world.sessions.append(caller(), [user("1"), user("2", kind="command")])
    await world.sessions.ingest(caller("s2"), [user("1")])
    await world.sessions.remove(SessionKey("main", "s2"))
    assert world.hints == [frozenset({path}) for path in (PATH, "sessions/main/s2", "sessions/main/s2")]


async def test_the_lines_of_messages_are_told(world: World) -> None:
    said = [user("1", "word " * 3_000), assistant("2", "three"), user("3", "four")]
    await world.sessions.append(caller(), said)
    lines_of = world.sessions.documents.lines_of
    kept = await world.store.read(partial(read_part, key=SessionKey("main", "s1"), part=1))
    numbers = sorted({piece.seq for piece in kept})
    long, *short = [await trio.to_thread.run_sync(lines_of, PATH, {number}) for number in numbers]
    text = (await world.text(PATH)).split("\n")
    assert len(long) == len(text) - 2 > 1
    assert [text[line - 1] for (line,) in short] == ["Assistant: three", "User: four"]
    assert len(long.union(*short)) == len(text)
    assert await trio.to_thread.run_sync(lines_of, "sessions/main/none", {1}) == frozenset()
