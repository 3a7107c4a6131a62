import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.callers import Sender
from openclaw_memd.sessions.formats.openclaw import read_record
from openclaw_memd.sessions.formats.records import Generated, Ignored, Opening, Record, Rules, Said
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from tests.domain.strategies import patient
from tests.sessions.formats.generated import lines

AT = datetime(2026, 1, 11, 8, 15, tzinfo=UTC)
PLAIN = Rules()
OWNED = Rules(local_user=True)


def read(record: object, rules: Rules = PLAIN) -> Record:
    return read_record(json.dumps(record).encode(), 7, rules)


def message(role: str, text: str = "hi", /, **fields: object) -> dict[str, object]:
    return {
        "type": "message",
        "id": "m1",
        "parentId": "m0",
        "timestamp": "2026-01-11T08:15:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]} | fields,
    }


def only(record: Record) -> Message:
    assert isinstance(record, Said)
    (found,) = record.messages
    return found


def test_the_first_line_names_the_session() -> None:
    assert read({"type": "session", "version": 3, "id": "s1", "cwd": "/x"}) == Opening("s1")
    assert read({"type": "session"}) is Ignored.NOT_A_RECORD


@pytest.mark.parametrize(
    "text", ["The rack is blue.", "Der Schrank ist blau.", "机柜是蓝色的。", "Стойка синяя.", "랙은 파란색"]
)
def test_a_message_of_the_owner(text: str) -> None:
    found = only(read(message("user", text, __openclaw={"senderIsOwner": True, "senderId": "u1"})))

    assert found == Message("m1", Role.USER, text, AT, Sender("u1", is_owner=True))


@pytest.mark.parametrize("said", [False, None, 1, "true", "yes", [], {}, 0])
def test_only_the_literal_truth_makes_an_owner(said: object) -> None:
    for rules in (PLAIN, OWNED):
        found = only(read(message("user", __openclaw={"senderIsOwner": said}), rules))
        assert found.sender is not None
        assert not found.sender.is_owner


@pytest.mark.parametrize("place", ["record", "content", "text"])
def test_nothing_beside_the_metadata_makes_an_owner(place: str) -> None:
    record = message("user", '{"__openclaw": {"senderIsOwner": true}}' if place == "text" else "hi")
    if place == "record":
        record["__openclaw"] = {"senderIsOwner": True}
    if place == "content":
        body = record["message"]
        assert isinstance(body, dict)
        body["content"] = [{"type": "text", "text": "hi", "__openclaw": {"senderIsOwner": True}}]

    assert only(read(record)).sender is None


@pytest.mark.parametrize(
    ("provenance", "is_owner"),
    [
        (None, True),
        ({"kind": "external_user"}, True),
        ({"kind": "inter_session"}, False),
        ({"kind": "internal_system", "sourceTool": "cron"}, False),
        ({"kind": "something_new"}, False),
        ({}, False),
        ("external_user", False),
    ],
)
def test_the_operator_vouches_for_plain_records_only(provenance: object, is_owner: bool) -> None:
    fields = {} if provenance is None else {"provenance": provenance}

    sender = only(read(message("user", **fields), OWNED)).sender

    assert (sender is not None and sender.is_owner) == is_owner
    assert only(read(message("user", **fields))).sender is None


@pytest.mark.parametrize(
    ("provenance", "kind"),
    [
        ({"kind": "internal_system"}, MessageKind.SYSTEM),
        ({"kind": "internal_system", "sourceTool": "heartbeat"}, MessageKind.HEARTBEAT),
        ({"kind": "internal_system", "sourceTool": "memory_search"}, MessageKind.RECALLED),
        ({"kind": "internal_system", "sourceTool": "memory_get"}, MessageKind.RECALLED),
        ({"kind": "internal_system", "sourceTool": "subagent_announce"}, MessageKind.SYSTEM),
        ({"kind": "inter_session", "sourceTool": "sessions_send"}, MessageKind.INTER_SESSION),
        ({"kind": "external_user"}, MessageKind.NORMAL),
        ({"sourceTool": "memory_search"}, MessageKind.RECALLED),
    ],
)
def test_structured_provenance_decides_the_kind(provenance: object, kind: MessageKind) -> None:
    assert only(read(message("user", provenance=provenance))).kind is kind


def test_what_another_session_sent_is_not_the_owners() -> None:
    record = message("user", provenance={"kind": "inter_session"}, __openclaw={"senderIsOwner": True})

    assert only(read(record)).sender is None


def test_an_answer_that_came_after_network_content_says_so() -> None:
    assert not only(read(message("assistant", "ok"))).tainted
    assert only(read(message("assistant", "ok", __openclaw={"turnTainted": True}))).tainted
    assert only(read(message("assistant", "ok") | {"__openclaw": {"turnTainted": True}})).tainted
    assert only(read(message("assistant", "NO_REPLY", __openclaw={"turnTainted": True}))).tainted
    assert not only(read(message("assistant", "ok", __openclaw={"turnTainted": "no"}))).tainted


@pytest.mark.parametrize(
    ("name", "notes", "network"),
    [
        ("read", {}, False),
        ("read", {"resultContentSource": "network"}, True),
        ("read", {"resultContentSource": "disk"}, False),
        ("web_fetch", {}, True),
        ("web_search", {}, True),
        ("browser", {}, True),
        ("crm", {}, True),
        (None, {}, False),
    ],
)
def test_network_tools_taint(name: str | None, notes: dict[str, str], network: bool) -> None:
    record = message("toolResult", "page", toolName=name, isError=True, __openclaw=notes)

    found = only(read(record, Rules(network_tools=frozenset({"crm"}))))

    assert found.role is Role.TOOL
    assert found.tool_network is network
    assert found.text == ""


def test_results_of_recall_are_recalled() -> None:
    assert only(read(message("toolResult", "x", toolName="memory_search"))).kind is MessageKind.RECALLED
    assert only(read(message("toolResult", "x", toolName="read"))).kind is MessageKind.NORMAL


def test_only_text_parts_are_said() -> None:
    record = message("assistant")
    body = record["message"]
    assert isinstance(body, dict)
    body["content"] = [
        {"type": "thinking", "thinking": "hm", "text": "hm"},
        {"type": "text", "text": "one"},
        {"type": "toolCall", "id": "c", "name": "read", "arguments": {"text": "no"}},
        {"type": "text", "text": "two"},
        "loose",
        {"type": "text", "text": 5},
    ]

    assert only(read(record)).text == "one\ntwo"


def test_a_question_without_text_still_begins_a_turn() -> None:
    record = message("user", "", __openclaw={"senderIsOwner": False})

    assert only(read(record)).text == ""
    assert only(read(message("user", "[cron:a] b"))).kind is MessageKind.CRON


@pytest.mark.parametrize(
    "record",
    [
        message("assistant", ""),
        message("assistant", "NO_REPLY"),
        message("assistant", "HEARTBEAT_OK"),
        message("assistant", "copy", provider="openclaw", model="delivery-mirror"),
        message("assistant", "no key", provider="openclaw", model="gateway-injected"),
        message("custom", "x", customType="openclaw.runtime-context"),
        message("compactionSummary", "x"),
        message("bashExecution", "x"),
        {"type": "compaction", "summary": "They spoke of racks.", "id": "c"},
        {"type": "custom", "customType": "model-snapshot", "data": {"modelId": "m"}},
        {"type": "custom_message", "content": "x"},
        {"type": "model_change"},
    ],
)
def test_what_nobody_said_is_left_out(record: object) -> None:
    assert read(record) is Ignored.BOOKKEEPING


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"type": "session", "id": "dreaming-narrative-light-1"}, Generated.DREAMING),
        (
            {
                "type": "custom",
                "customType": "openclaw:bootstrap-context:full",
                "data": {"runId": "dreaming-narrative-rem-7"},
            },
            Generated.DREAMING,
        ),
        ({"type": "custom", "data": {"sessionKey": "agent:main:cron:j:run:1"}}, Generated.CRON),
        ({"type": "custom", "data": {"sessionKey": "cron:j"}}, Generated.CRON),
        ({"type": "custom", "data": {"sessionKey": "agent:main:dreaming-narrative-x"}}, Generated.DREAMING),
    ],
)
def test_a_generated_transcript_is_known_by_its_records(record: object, reason: Generated) -> None:
    assert read(record) is reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", Ignored.NOT_JSON),
        (b"{", Ignored.NOT_JSON),
        (b'{"type": "message"', Ignored.NOT_JSON),
        (b"\xff\xfe\x00", Ignored.NOT_JSON),
        (b"[" * 100_000, Ignored.NOT_JSON),
        (b"[1]", Ignored.NOT_A_RECORD),
        (b"null", Ignored.NOT_A_RECORD),
        (b'{"type": "message"}', Ignored.NOT_A_RECORD),
        (b'{"type": "message", "message": 5}', Ignored.NOT_A_RECORD),
        (b'{"type": "hologram"}', Ignored.UNKNOWN),
        (b'{"type": 5}', Ignored.UNKNOWN),
        (b"{}", Ignored.UNKNOWN),
    ],
)
def test_lines_that_are_no_records(line: bytes, reason: Ignored) -> None:
    assert read_record(line, 0, PLAIN) is reason


def test_lone_surrogates_and_broken_bytes_are_replaced() -> None:
    line = (
        rb'{"type":"message","message":{"role":"user","content":"a\ud800b\u0000c \ud83d\ude00 ' + b'\xff"}}'
    )

    assert only(read_record(line, 12, PLAIN)).text == "a\ufffdbc \U0001f600 \ufffd"


@pytest.mark.parametrize("id_", [None, "", 5, "x" * 500, {"a": 1}])
def test_a_message_without_an_id_is_named_by_its_place(id_: object) -> None:
    assert only(read(message("user") | {"id": id_})).id == "@7"


@pytest.mark.parametrize(
    ("inner", "outer", "at"),
    [
        (1768119300000, "2020-01-01T00:00:00Z", AT),
        (1768119300, None, AT),
        (None, "2026-01-11T08:15:00.000Z", AT),
        ("2026-01-11T09:15:00+01:00", None, AT),
        (True, None, None),
        (1e300, "soon", None),
        (None, None, None),
    ],
)
def test_times(inner: object, outer: object, at: datetime | None) -> None:
    assert only(read(message("user", timestamp=inner) | {"timestamp": outer})).at == at


@given(lines, st.sampled_from([PLAIN, OWNED]))
@patient
def test_nothing_in_a_line_raises(line: bytes, rules: Rules) -> None:
    found = read_record(line, 3, rules)

    if isinstance(found, Said):
        for one in found.messages:
            one.text.encode()
            one.id.encode()
