"""Which sessions are kept: by what they descend from, and by the rules of admission."""

from pathlib import Path

import pytest

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Channel, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind
from tests.sessions.worlds import GUEST, World, assistant, caller, open_world, tool, user

NOBODY = Sender()
CHAT = Channel("telegram", "default", "c1")


async def kinds(world: World) -> dict[str, str]:
    """By path, the kind of what is shown there."""
    found = {}
    for path in await world.paths():
        runs = (await world.document(path)).attribution.runs
        found[path] = ",".join(provenance.session_kind.value for _, provenance in runs)
    return found


@pytest.mark.parametrize("kind", [SessionKind.CRON, SessionKind.HEARTBEAT])
async def test_nothing_is_kept_of_scheduled_runs_but_their_count_and_turn(
    world: World, kind: SessionKind
) -> None:
    who = caller(kind=kind, sender=NOBODY)
    appended = await world.sessions.append(
        who, [user("1", "a prompt"), tool("2", network=True), assistant("3")]
    )
    assert [skip.reason for skip in appended.skipped] == [kind.value, "role", kind.value]
    assert appended.tainted
    assert await world.paths() == []
    (summary,) = world.sessions.list()
    assert (summary.kind, summary.messages) == (kind, 3)


async def test_sub_agents_are_kept_as_what_they_are(world: World) -> None:
    await world.sessions.append(caller("child", kind=SessionKind.SUBAGENT, parent="s1"), [user("1")])
    await world.sessions.append(caller("grandchild", parent="child"), [user("1")])
    await world.sessions.append(caller("stranger", parent="nobody knows"), [user("1")])
    assert await kinds(world) == {
        "sessions/main/child": "subagent",
        "sessions/main/grandchild": "subagent",
        "sessions/main/stranger": "interactive",
    }


async def test_a_parent_that_becomes_known_as_a_scheduled_run_takes_its_descendants_along(
    world: World,
) -> None:
    await world.sessions.append(caller("child", kind=SessionKind.SUBAGENT, parent="run"), [user("1")])
    await world.sessions.append(caller("grandchild", parent="child"), [user("1")])
    assert len(await world.paths()) == 2

    await world.sessions.append(caller("run", kind=SessionKind.CRON, sender=NOBODY), [user("1")])
    assert await world.paths() == []
    appended = await world.sessions.append(caller("grandchild", parent="child"), [user("2")])
    assert [skip.reason for skip in appended.skipped] == ["cron"]
    assert {summary.session_id: summary.kind for summary in world.sessions.list()} == {
        "child": SessionKind.CRON,
        "grandchild": SessionKind.CRON,
        "run": SessionKind.CRON,
    }


async def test_parents_of_another_agent_and_circles_are_no_parents(world: World) -> None:
    await world.sessions.append(
        caller("run", agent="other", kind=SessionKind.CRON, sender=NOBODY), [user("1")]
    )
    await world.sessions.append(caller("a", parent="run"), [user("1")])
    await world.sessions.append(caller("b", parent="c"), [user("1")])
    await world.sessions.append(caller("c", parent="b"), [user("1")])
    assert set((await kinds(world)).values()) == {"interactive"}


async def test_a_heartbeat_in_a_conversation_hides_itself_alone(world: World) -> None:
    await world.sessions.append(caller(), [user("1", "a question")])
    beat = caller(kind=SessionKind.HEARTBEAT, sender=NOBODY)
    appended = await world.sessions.append(beat, [user("2", "tick"), assistant("3", "ok")])
    assert [skip.reason for skip in appended.skipped] == ["heartbeat", "heartbeat"]
    await world.sessions.append(caller(), [user("4", "another")])
    assert await world.text("sessions/main/s1") == "User: a question\nUser: another"


async def test_a_session_that_began_as_a_scheduled_run_stays_one(world: World) -> None:
    await world.sessions.append(caller(kind=SessionKind.CRON, sender=NOBODY), [user("1")])
    appended = await world.sessions.append(caller(kind=SessionKind.INTERACTIVE), [user("2")])
    assert [skip.reason for skip in appended.skipped] == ["cron"]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (AdmissionRules.parse(channels=["telegram"]), "excluded_channel"),
        (AdmissionRules.parse(chat_types=["group"]), "excluded_chat_type"),
        (AdmissionRules.parse(participants=["bob"]), "excluded_participant"),
        (AdmissionRules.parse(sessions=["s*"]), "excluded_session"),
    ],
)
async def test_nothing_is_stored_of_what_a_rule_excludes_but_the_count(
    tmp_path: Path, rules: AdmissionRules, reason: str
) -> None:
    who = caller(sender=GUEST, chat=ChatType.GROUP, channel=CHAT)
    messages = [user("1", "xyzzy one"), tool("2", network=True), assistant("3", "xyzzy two")]
    async with open_world(tmp_path, rules=rules) as world:
        for _ in range(2):
            appended = await world.sessions.append(who, messages)
            assert appended.accepted == 0
            assert appended.tainted
        assert {skip.reason for skip in appended.skipped} == {"repeated"}
        assert await world.paths() == []
        assert world.sessions.exclusions() == {reason: 3}
        assert world.sessions.exclusions("other") == {}
        assert world.sessions.list()[0].excluded == reason
        cycle = await world.sessions.turns.cycle("main", "s1")
        assert cycle.clean_texts == ()
    stored = (tmp_path / "state.db").read_bytes()
    assert b"xyzzy" not in stored
    assert b"telegram" not in stored
    assert b"bob" not in stored or reason == "excluded_participant"


async def test_a_participants_turns_go_and_the_others_stay(tmp_path: Path) -> None:
    async with open_world(tmp_path, rules=AdmissionRules.parse(participants=["bob"])) as world:
        group = caller(chat=ChatType.GROUP)
        await world.sessions.append(
            group,
            [
                user("1", "from ana"),
                assistant("2", "for ana"),
                user("3", "from bob", sender=GUEST),
                assistant("4", "for bob"),
                user("5", "from ana again"),
            ],
        )
        assert (
            await world.text("sessions/main/s1") == "User: from ana\nAssistant: for ana\nUser: from ana again"
        )
        assert world.sessions.exclusions() == {"excluded_participant": 2}


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        (AdmissionRules.parse(channels=["telegram:default"]), None),
        (AdmissionRules.parse(chat_types=["group"]), None),
        (AdmissionRules.parse(sessions=["s1"]), None),
        (AdmissionRules.parse(participants=["bob"]), "User: from ana"),
    ],
)
async def test_a_rule_that_comes_later_hides_what_is_there_and_its_end_shows_it_again(
    tmp_path: Path, rules: AdmissionRules, left: str | None
) -> None:
    group = caller(chat=ChatType.GROUP, channel=CHAT)
    messages = [user("1", "from ana"), user("2", "from bob", sender=GUEST), assistant("3", "for bob")]
    async with open_world(tmp_path) as world:
        await world.sessions.append(group, messages)
        (before,) = await world.listed()
        whole = await world.text(before.path)

    async with open_world(tmp_path, rules=rules) as world:
        if left is None:
            assert await world.paths() == []
            assert world.sessions.documents.stamp(before) is None
            assert sum(world.sessions.exclusions().values()) == 3
        else:
            assert await world.text(before.path) == left
            assert world.sessions.documents.stamp(before) != before.stamp
        await world.sessions.append(group, [user("4", "while excluded", sender=GUEST)])

    async with open_world(tmp_path) as world:
        assert await world.text(before.path) == whole
        await world.sessions.append(group, [user("5", "from now on")])
        assert await world.text(before.path) == f"{whole}\nUser: from now on"


async def test_the_child_of_an_excluded_session_is_excluded(tmp_path: Path) -> None:
    async with open_world(tmp_path, rules=AdmissionRules.parse(sessions=["private-*"])) as world:
        who = caller("4f1c", parent="private-1", kind=SessionKind.SUBAGENT)
        appended = await world.sessions.append(who, [user("1")])
        assert [skip.reason for skip in appended.skipped] == ["excluded_session"]
