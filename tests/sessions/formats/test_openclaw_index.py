import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.callers import Channel, ChatType
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.sessions.formats.openclaw_index import SessionFacts, read_index
from tests.domain.strategies import patient


def facts(**entries: dict[str, object]) -> dict[str, SessionFacts]:
    keyed = {str(entry.pop("key")): entry | {"sessionId": name} for name, entry in entries.items()}
    found = read_index(json.dumps(keyed).encode())
    assert found is not None
    return dict(found)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"key": "agent:main:main"}, SessionKind.INTERACTIVE),
        ({"key": "agent:main:telegram:group:-100:topic:7"}, SessionKind.INTERACTIVE),
        ({"key": "cron:job-1"}, SessionKind.CRON),
        ({"key": "agent:main:cron:job-1:run:4"}, SessionKind.CRON),
        ({"key": "agent:main:subagent:c1"}, SessionKind.SUBAGENT),
        ({"key": "agent:main:x", "spawnedBy": "agent:main:main"}, SessionKind.SUBAGENT),
        ({"key": "agent:main:main:heartbeat"}, SessionKind.INTERACTIVE),  # a name proves nothing
        (
            {"key": "agent:main:main:heartbeat", "heartbeatIsolatedBaseSessionKey": "agent:main:main"},
            SessionKind.HEARTBEAT,
        ),
    ],
)
def test_the_kind_of_a_session_is_in_its_key_and_its_entry(
    entry: dict[str, object], kind: SessionKind
) -> None:
    assert facts(s=entry)["s"].kind is kind


def test_what_a_scheduled_run_started_is_scheduled_whatever_it_is_called() -> None:
    found = facts(
        job={"key": "agent:main:cron:j"},
        child={"key": "agent:main:main:child", "parentSessionKey": "agent:main:cron:j"},
        grandchild={"key": "agent:main:subagent:g", "spawnedBy": "agent:main:main:child"},
        a={"key": "agent:main:a", "parentSessionKey": "agent:main:b"},
        b={"key": "agent:main:b", "parentSessionKey": "agent:main:a"},
    )

    assert found["child"].kind is found["grandchild"].kind is SessionKind.CRON
    assert found["child"].parent == "job"
    assert found["a"].kind is SessionKind.INTERACTIVE
    assert found["a"].parent == "b"


@pytest.mark.parametrize(
    ("entry", "chat_type", "channel"),
    [
        ({"key": "agent:main:main"}, ChatType.UNKNOWN, Channel()),
        ({"key": "agent:main:main", "chatType": "direct", "lastChannel": "x"}, ChatType.DIRECT, Channel()),
        (
            {"key": "agent:main:telegram:group:-100:topic:7", "origin": {"provider": "signal"}},
            ChatType.GROUP,
            Channel("telegram", None, "-100:topic:7"),
        ),
        ({"key": "agent:main:slack:work:channel:C1"}, ChatType.CHANNEL, Channel("slack", "work", "C1")),
        ({"key": "agent:main:dm:u1"}, ChatType.DIRECT, Channel(None, None, "u1")),
        ({"key": "agent:main:main", "chatType": "parade"}, ChatType.UNKNOWN, Channel()),
        ({"key": "agent:group:main"}, ChatType.UNKNOWN, Channel()),  # an agent of that name
        ({"key": "agent:main:main", "origin": {"chatType": "group"}}, ChatType.GROUP, Channel()),
    ],
)
def test_who_can_read_a_session(entry: dict[str, object], chat_type: ChatType, channel: Channel) -> None:
    found = facts(s=entry)["s"]

    assert found.chat_type is chat_type
    assert found.channel == channel


def test_half_an_index_says_nothing() -> None:
    assert read_index(b'{"agent:main:main": {"sessionId": "s"') is None
    assert read_index(b"[]") is None
    assert read_index(b"{}") == {}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["sessionId", "spawnedBy", "parentSessionKey", "chatType", "origin", "provider", "k"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode())))
@patient
def test_nothing_in_the_file_raises(data: bytes) -> None:
    read_index(data)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
@patient
def test_no_entry_raises(entries: dict[str, object]) -> None:
    read_index(json.dumps(entries).encode())
