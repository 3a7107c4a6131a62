import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.framing import BEGIN_RECALL, END_RECALL
from openclaw_memd.sessions.filters import Cleaned, FilterReason, clean_answer, clean_question, strip_envelope
from openclaw_memd.sessions.messages import MessageKind
from tests.domain.strategies import patient

BLOCK = f"{BEGIN_RECALL}\nx\n{END_RECALL}\n"
SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "name": "Ana"\n}\n```\n'
QUOTED = 'Replied message (untrusted, for context):\n```json\n{"body": "``` \\n /new"}\n```\n'


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("System: [2026-01-11 10:00] Node joined", MessageKind.SYSTEM, FilterReason.SYSTEM_WRAPPER),
        ("System (untrusted): [x] mail arrived", MessageKind.SYSTEM, FilterReason.SYSTEM_WRAPPER),
        ("System: [x] Exec finished (a, code 0)", MessageKind.SYSTEM, FilterReason.SYSTEM_WRAPPER),
        ("Exec finished: ok", MessageKind.SYSTEM, FilterReason.EXEC_EVENT),
        ("exec completed (calm-fox, code 0) :: done", MessageKind.SYSTEM, FilterReason.EXEC_EVENT),
        ("[cron:nightly report] Sum up the day.", MessageKind.CRON, FilterReason.CRON_PROMPT),
        (
            "Read HEARTBEAT.md if there is one. Say HEARTBEAT_OK if nothing is due.",
            MessageKind.HEARTBEAT,
            FilterReason.HEARTBEAT_PROMPT,
        ),
        ("[cron:a nightly 2026-01-11 03:00] Sum up.", MessageKind.CRON, FilterReason.CRON_PROMPT),
        (SENDER + "System (untrusted): [x] y", MessageKind.SYSTEM, FilterReason.SYSTEM_WRAPPER),
        ("[OpenClaw heartbeat poll]", MessageKind.HEARTBEAT, FilterReason.HEARTBEAT_PROMPT),
        ("Pre-compaction memory flush. Save what lasts.", MessageKind.SYSTEM, FilterReason.RUNTIME_PROMPT),
        ("[Subagent Context] You are one.", MessageKind.SYSTEM, FilterReason.RUNTIME_PROMPT),
        ("[Inter-session message] from b", MessageKind.INTER_SESSION, FilterReason.INTER_SESSION),
        ("/new", MessageKind.COMMAND, FilterReason.COMMAND),
        ("/think high please", MessageKind.COMMAND, FilterReason.COMMAND),
        ("/status@my_bot", MessageKind.COMMAND, FilterReason.COMMAND),
        (BLOCK, MessageKind.RECALLED, FilterReason.RECALLED),
        ("", MessageKind.NORMAL, FilterReason.EMPTY),
        (" \n", MessageKind.NORMAL, FilterReason.EMPTY),
        (SENDER, MessageKind.NORMAL, FilterReason.EMPTY),
        (SENDER + "\n/new", MessageKind.COMMAND, FilterReason.COMMAND),
        (BLOCK + "[cron:a] b", MessageKind.CRON, FilterReason.CRON_PROMPT),
    ],
)
def test_what_a_runtime_wrote_has_no_text_and_the_kind_that_it_is(
    text: str, kind: MessageKind, reason: FilterReason
) -> None:
    assert clean_question(text) == Cleaned("", kind, reason)


@pytest.mark.parametrize(
    "text",
    [
        "Why did it print `System: [x]`?",
        "The cron job [cron:a] failed again.",
        "Answer HEARTBEAT_OK in your report, please.",
        "Read HEARTBEAT.md to me.",
        "/home/ana/notes.md is missing",
        "/new\nis what I typed before",
        "he said exec finished: no",
        "Wer ist der Sender (untrusted metadata)?",
        "来自系统：[x]",
        "Что значит NO_REPLY?",
    ],
)
def test_what_people_say_about_such_texts_stays(text: str) -> None:
    assert clean_question(text) == Cleaned(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (SENDER + "\nはくあ", "はくあ"),
        (SENDER + "\n" + QUOTED + "\nТеперь второе.", "Теперь второе."),
        (SENDER.replace("\n", "\r\n") + "\r\nHallo", "Hallo"),
        (SENDER + "\n[Sun 2026-03-08 22:03 GMT+9] hi", "hi"),
        ("[Telegram Ana id:1 2026-01-11 10:22 UTC] hola", "hola"),
        ("hi\n[message_id: 77]", "hi"),
        ("hi\n\nUntrusted context (metadata, no instructions):\nbuy gold", "hi"),
        ("Sender (untrusted metadata):\n```json\n{ never closed\nbuy gold", ""),
        ("[Retry after the previous model attempt failed or timed out]\n\ngo on", "go on"),
        ("Look at this: " + SENDER, ("Look at this: " + SENDER).strip()),
        ("[x] a list", "[x] a list"),
        ("[2026-01-11] a date alone", "[2026-01-11] a date alone"),
    ],
)
def test_envelopes_go_and_the_text_stays(text: str, left: str) -> None:
    assert strip_envelope(text) == left


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("HEARTBEAT_OK", Cleaned("", reason=FilterReason.HEARTBEAT_ANSWER)),
        ("**HEARTBEAT_OK**.", Cleaned("", reason=FilterReason.HEARTBEAT_ANSWER)),
        ("NO_REPLY", Cleaned("", reason=FilterReason.SILENT)),
        ("`NO_REPLY` nothing to say", Cleaned("", reason=FilterReason.SILENT)),
        ('{"action": "NO_REPLY"}', Cleaned("", reason=FilterReason.SILENT)),
        ("", Cleaned("", reason=FilterReason.EMPTY)),
        (BLOCK, Cleaned("", reason=FilterReason.RECALLED)),
        ("[[reply_to_current]] 好的", Cleaned("好的")),
        ("[[reply_to: 12]]Done", Cleaned("Done")),
        ("HEARTBEAT_OK means all is well", Cleaned("HEARTBEAT_OK means all is well")),
        ("NO_REPLYING is no word", Cleaned("NO_REPLYING is no word")),
        (BLOCK + "Yes.", Cleaned("Yes.")),
    ],
)
def test_answers(text: str, cleaned: Cleaned) -> None:
    assert clean_answer(text) == cleaned


pieces = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [SENDER, QUOTED, BLOCK, "[cron:a]", "System: [x]", "/new", "```json\n", "```\n", "\n"]
        ),
    ),
    max_size=6,
).map("".join)


@given(pieces)
@patient
def test_a_reason_leaves_no_text_and_no_reason_some(text: str) -> None:
    for cleaned in (clean_question(text), clean_answer(text)):
        assert (cleaned.reason is None) == bool(cleaned.text)
        assert cleaned.text == cleaned.text.strip()


def test_hostile_texts_cost_little() -> None:
    for text in ("[" * 200_000, "a (untrusted):\n```json\n" * 20_000, " " * 200_000, "[[reply_to:" * 50_000):
        clean_question(text)
        clean_answer(text)


def test_every_reason_is_described() -> None:
    assert all(reason.description.endswith(".") for reason in FilterReason)
