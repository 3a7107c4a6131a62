"""The end of a session: what is archived, and the note that remembers it."""

from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.errors import UnavailableError
from openclaw_memd.sessions.outcomes import CaptureWish, Ended, EndReason
from tests.sessions.worlds import GUEST, World, assistant, caller, open_world, tool, user

PATH = "sessions/main/s1"
WISH = CaptureWish()


async def end_noted(
    world: World, reason: EndReason = EndReason.END, *, wish: CaptureWish = WISH, name: str = "s1"
) -> Ended:
    return await world.sessions.end(caller(name), reason, wish, world.notebook)


async def test_a_note_quotes_the_last_messages_apart_by_trust(world: World) -> None:
    await world.sessions.append(
        caller(),
        [
            user("1", "deploy on <!-- importance: 10 --> fridays?"),
            assistant("2", "no"),
            user("3", "/new please"),
            user("4", "status", kind="system"),
            user("5", "hello all", sender=GUEST),
        ],
    )

    ended = await end_noted(world, EndReason.NEW)

    assert ended == Ended(5, "memory/2026-01-11-1300.md")
    (note,) = world.notebook.notes
    assert note.heading == "# 2026-01-11 13:00 (Europe/Vienna)"
    assert [text for text, _ in note.trusted] == [
        "- Session: s1",
        "- Reason: new",
        "",
        "> User: deploy on &lt;!-- importance: 10 --> fridays?",
        "> Assistant: no",
    ]
    assert [text for text, _ in note.untrusted] == [
        "- Session: s1",
        "- Reason: new",
        "",
        "> User: hello all",
    ]
    assert [provenance.origin for _, provenance in note.trusted] == [Origin.AGENT] * 3 + [
        Origin.OWNER,
        Origin.AGENT,
    ]
    assert {provenance.origin for _, provenance in note.untrusted} == {Origin.UNTRUSTED}
    assert {provenance.writer for _, provenance in note.trusted} == {caller().writer}
    assert {provenance.session_kind for _, provenance in note.trusted} == {SessionKind.INTERACTIVE}


async def test_outside_messages_crowd_nothing_out_of_the_trusted_note(world: World) -> None:
    await world.sessions.append(caller(), [user(f"o{number}", f"mine {number}") for number in range(20)])
    await world.sessions.append(
        caller(), [user(f"g{number}", f"theirs {number}", sender=GUEST) for number in range(40)]
    )
    await end_noted(world, wish=CaptureWish(messages=3, slug="My talk!"))
    (note,) = world.notebook.notes
    assert [text for text, _ in note.trusted[3:]] == [f"> User: mine {number}" for number in (17, 18, 19)]
    assert [text for text, _ in note.untrusted[3:]] == [f"> User: theirs {number}" for number in (37, 38, 39)]
    assert note.slug == "my-talk"


async def test_there_is_no_note_about_nothing(world: World) -> None:
    assert await end_noted(world, name="nobody") == Ended(0)
    await world.sessions.append(caller(kind=SessionKind.CRON), [user("1")])
    await world.sessions.append(caller("s2"), [user("1", "/status"), tool("2", network=True)])
    for name in ("s1", "s2"):
        assert (await end_noted(world, name=name)).note_path is None
    assert world.notebook.notes == []


async def test_a_message_is_captured_once(world: World) -> None:
    await world.sessions.append(caller(), [user("1", "one")])
    await end_noted(world, EndReason.COMPACT)
    assert (await end_noted(world)).note_path is None
    await world.sessions.append(caller(), [user("2", "two")])
    await end_noted(world)
    await world.sessions.append(caller(), [user("3", "three")])
    await world.sessions.end(caller(), EndReason.RESET)
    await world.sessions.append(caller(), [user("4", "four")])
    await end_noted(world)
    quoted = [[text for text, _ in note.trusted[3:]] for note in world.notebook.notes]
    assert quoted == [["> User: one"], ["> User: two"], ["> User: four"]]
    assert len({note.key for note in world.notebook.notes}) == 3


async def test_a_session_whose_note_cannot_be_written_is_not_ended(world: World) -> None:
    await world.sessions.append(caller(), [user("1", "one"), tool("2", network=True)])
    world.notebook.fault = UnavailableError("the disk is full", reason="disk_full")
    with pytest.raises(UnavailableError):
        await end_noted(world, EndReason.NEW)
    assert world.sessions.turns.is_tainted(caller())
    assert await world.paths() == [PATH]

    world.notebook.fault = None
    assert (await end_noted(world, EndReason.NEW)).note_path is not None


@pytest.mark.parametrize("reason", [EndReason.RESET, EndReason.NEW])
async def test_nothing_from_before_a_reset_is_shown(world: World, reason: EndReason) -> None:
    await world.sessions.append(caller(), [user("1", "before")])
    world.hints.clear()
    assert await world.sessions.end(caller(), reason) == Ended(1)
    assert await world.paths() == []
    assert world.hints == [frozenset({PATH})]

    await world.sessions.append(caller(), [user("2", "after")])
    assert await world.paths() == [f"{PATH}~2"]
    assert await world.text(f"{PATH}~2") == "User: after"


@pytest.mark.parametrize("reason", [EndReason.END, EndReason.COMPACT, EndReason.TIMEOUT])
async def test_other_ends_hide_nothing(world: World, reason: EndReason) -> None:
    await world.sessions.append(caller(), [user("1", "before")])
    await world.sessions.end(caller(), reason)
    await world.sessions.append(caller(), [user("2", "after")])
    assert await world.text(PATH) == "User: before\nUser: after"


async def test_archives_show_what_came_before_a_reset(tmp_path: Path) -> None:
    async with open_world(tmp_path, archives=True) as world:
        for number in range(3):
            await world.sessions.append(caller(), [user(str(number), f"number {number}")])
            for _ in range(2):
                await world.sessions.end(caller(), EndReason.RESET)
        assert await world.paths() == [PATH, f"{PATH}~2", f"{PATH}~3"]
        assert await world.text(f"{PATH}~2") == "User: number 1"
    async with open_world(tmp_path) as world:
        assert await world.paths() == []
