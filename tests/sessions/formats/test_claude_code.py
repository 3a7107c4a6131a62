import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.callers import Sender
from openclaw_memd.sessions.formats.claude_code import read_record
from openclaw_memd.sessions.formats.records import Ignored, Record, Rules, Said
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from tests.domain.strategies import patient
from tests.sessions.formats.generated import lines

AT = datetime(2026, 1, 11, 8, 15, tzinfo=UTC)
PLAIN = Rules()
OWNED = Rules(local_user=True)


def read(record: object, rules: Rules = OWNED) -> Record:
    return read_record(json.dumps(record).encode(), 7, rules)


def record(type_: str, content: object, /, **fields: object) -> dict[str, object]:
    return {
        "type": type_,
        "uuid": "m1",
        "parentUuid": None,
        "sessionId": "s1",
        "isSidechain": False,
        "userType": "external",
        "timestamp": "2026-01-11T08:15:00.000Z",
        "message": {"role": type_, "content": content},
    } | fields


def said(found: Record) -> tuple[Message, ...]:
    assert isinstance(found, Said)
    return found.messages


@pytest.mark.parametrize("content", ["用蓝色", [{"type": "text", "text": "用蓝色"}]])
def test_a_plain_record_is_the_owners_when_the_operator_says_so(content: object) -> None:
    owners = Message("m1", Role.USER, "用蓝色", AT, Sender(is_owner=True))

    assert read(record("user", content)) == Said((owners,), "s1")
    assert said(read(record("user", content), PLAIN))[0].sender is None


@pytest.mark.parametrize(
    "fields",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"isMeta": "maybe"},
        {"origin": {"kind": "task-notification"}},
        {"origin": "human"},
        {"origin": {}},
    ],
)
def test_what_the_program_wrote_is_nobodys(fields: dict[str, object]) -> None:
    (found,) = said(read(record("user", "Remember to obey.", **fields)))

    assert found.kind is MessageKind.SYSTEM
    assert found.text == ""
    assert found.sender is None


@pytest.mark.parametrize("fields", [{"origin": {"kind": "human"}}, {"isMeta": False}, {"isMeta": None}])
def test_what_a_person_typed_is_theirs(fields: dict[str, object]) -> None:
    (found,) = said(read(record("user", "hi", **fields)))

    assert found.sender == Sender(is_owner=True)


def test_a_sub_agents_records_are_named_after_it_and_have_no_owner() -> None:
    found = read(record("user", "Find the port.", isSidechain=True, agentId="a7"))

    assert isinstance(found, Said)
    assert found.agent == "a7"
    assert found.messages[0].sender is None
    older = read(record("assistant", "8080", isSidechain=True))
    assert isinstance(older, Said)
    assert older.agent == "sidechain"


@pytest.mark.parametrize(
    ("text", "kind", "left"),
    [
        ("<command-name>/clear</command-name>\n<command-args></command-args>", MessageKind.COMMAND, ""),
        ("<local-command-stdout>done</local-command-stdout>", MessageKind.SYSTEM, ""),
        ("<bash-input>ls</bash-input>", MessageKind.COMMAND, ""),
        ("<system-reminder>\nobey\n</system-reminder>\nWhich port?", MessageKind.NORMAL, "Which port?"),
        ("Which port?\n<system-reminder>\nobey", MessageKind.NORMAL, "Which port?"),
        ("<ide_selection>x = 1</ide_selection>\nNenne ihn um.", MessageKind.NORMAL, "Nenne ihn um."),
        ("[Request interrupted by user for tool use]", MessageKind.SYSTEM, ""),
        ("What is a <system-reminder> tag?", MessageKind.NORMAL, "What is a <system-reminder> tag?"),
        ("<task-notification>\nx\n</task-notification>", MessageKind.SYSTEM, ""),
        ("/deploy now", MessageKind.COMMAND, ""),
    ],
)
def test_what_stands_between_the_programs_tags_is_not_said(text: str, kind: MessageKind, left: str) -> None:
    (found,) = said(read(record("user", text)))

    assert (found.kind, found.text) == (kind, left)
    assert (found.sender is not None) == (kind in (MessageKind.NORMAL, MessageKind.COMMAND))


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "page"}]},
        {"content": "page", "toolUseResult": {"type": "text"}},
        {"content": [{"type": "text", "text": "x"}, {"type": "tool_result"}]},
        {"content": ""},
        {"content": []},
        {"content": 5},
    ],
)
def test_results_of_tools_and_empty_records_begin_no_turn(fields: dict[str, object]) -> None:
    content = fields.pop("content")

    assert read(record("user", content, **fields)) is Ignored.BOOKKEEPING


def test_a_picture_alone_begins_a_turn() -> None:
    (found,) = said(read(record("user", [{"type": "image", "source": {}}])))

    assert found == Message("m1", Role.USER, "", AT, Sender(is_owner=True))


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("WebFetch", True),
        ("WebSearch", True),
        ("mcp__github__get_issue", True),
        ("Read", False),
        ("Bash", False),
        ("Fetcher", True),
    ],
)
def test_a_call_of_a_network_tool_taints(name: str, network: bool) -> None:
    rules = Rules(network_tools=frozenset({"Fetcher"}))
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t", "name": name, "input": {"url": "x"}},
    ]

    answer, tool = said(read(record("assistant", content), rules))

    assert answer == Message("m1", Role.ASSISTANT, "I look.", AT)
    assert tool == Message("m1#2", Role.TOOL, "", AT, tool_name=name, tool_network=network)


def test_what_a_provider_fetched_by_itself_taints() -> None:
    content = [
        {"type": "server_tool_use", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "content": []},
        {"type": "text", "text": "Found."},
    ]

    found = said(read(record("assistant", content)))

    assert [one.tool_network for one in found] == [False, True, True]


def test_calls_of_recall_tools_are_recalled() -> None:
    content = [{"type": "tool_use", "name": "mcp__memd__memory_search"}]

    assert said(read(record("assistant", content)))[0].kind is MessageKind.RECALLED


@pytest.mark.parametrize(
    "found",
    [
        {"type": "summary", "summary": "Racks", "leafUuid": "m9"},
        {"type": "system", "subtype": "compact_boundary"},
        {"type": "file-history-snapshot"},
        {"type": "queue-operation"},
        record("assistant", [{"type": "thinking", "thinking": "hm"}]),
        record("assistant", "API Error: 500", isApiErrorMessage=True),
    ],
)
def test_what_nobody_said_is_left_out(found: object) -> None:
    assert read(found) is Ignored.BOOKKEEPING


def test_unknown_records_are_left_out() -> None:
    assert read({"type": "hologram"}) is Ignored.UNKNOWN
    assert read_record(b"{nope", 0, OWNED) is Ignored.NOT_JSON


@given(lines, st.sampled_from([PLAIN, OWNED]))
@patient
def test_nothing_in_a_line_raises(line: bytes, rules: Rules) -> None:
    found = read_record(line, 3, rules)

    if isinstance(found, Said):
        for one in found.messages:
            one.text.encode()
            one.id.encode()
            assert rules.local_user or one.sender is None
