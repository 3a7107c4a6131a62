"""What is done with the text of a message takes time in proportion to its length, whoever wrote it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product

import pytest

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.sessions.capturing import Heard, compose_note
from openclaw_memd.sessions.filters import clean_answer, clean_question
from openclaw_memd.sessions.messages import MessageKind, Role
from openclaw_memd.sessions.rendering import clean_text
from openclaw_memd.zones import Zone

pytestmark = pytest.mark.slow

CHARS = 8_000
LITTLE_S = 0.05
"""What is done in less counts as little: it is some ten times what the dearest of these takes."""

LONGER = 4
MOST_GROWTH = 9.0
"""Twice what proportion gives, and little over half of what the square would."""

HEADER = "OpenClaw runtime event.\n"
BEGIN, END = "<<<BEGIN_MEMD_RECALL>>>", "<<<END_MEMD_RECALL>>>"
ENVELOPE = "Sender (untrusted metadata):\n```json\n"

STARTS = [
    *("", "x", "\n", "<<<", "\\n<<<", f"{BEGIN}\n", f'"{BEGIN}\\n', HEADER, ENVELOPE, "/a ", "/new"),
    *("[", "[cron:", "[[", "[[reply_to:", "[message_id:", "System: [", "System (untrusted): [", "exec "),
    *("Untrusted context (metadata", "Read HEARTBEAT.md ", "HEARTBEAT_OK", "<!-- memd:", "- [x] "),
]
UNITS = [
    *(
        "\\",
        "\n",
        "\r",
        " ",
        "\t",
        "\u200b",
        "<",
        ">",
        '"',
        '\\"',
        "\\r",
        "\\n",
        "\\u003c",
        '"<<<',
        "[",
        "[[",
    ),
    *(
        "`",
        "```\n",
        "*",
        "_",
        "-",
        "/",
        ":",
        "a",
        "a ",
        "\n ",
        " \n",
        "\\ ",
        '" ',
        "x (untrusted):",
        "HEARTBEAT_OK ",
    ),
    *(HEADER, f"{BEGIN}\n", f"{END}\n", f'"{BEGIN}\\n', f'\\n{END}"', "Untrusted context\n", "<!--", "-->"),
    *(
        f"{ENVELOPE}{{}}\n```\n",
        "[message_id:1]\n",
        "[[reply_to:1]] ",
        "2026-01-11 12:00 ",
        "key=",
        "\U0001f1e6",
        "e\u0301",
    ),
]
ENDS = ["", "\nx"]


def capture(text: str) -> object:
    heard = [Heard(Role.USER, MessageKind.NORMAL, Provenance(Origin.OWNER, SessionKind.INTERACTIVE), (text,))]
    return compose_note(
        SessionKey("main", text[:512]), heard, through=1, reason="end", messages=1, slug=text[:200],
        at=datetime(2026, 1, 11, tzinfo=UTC), zone=Zone("Europe/Vienna"),
    )  # fmt: skip


WORK: list[Callable[[str], object]] = [clean_question, clean_answer, clean_text, capture]


def fill(start: str, unit: str, end: str, chars: int) -> str:
    return start + unit * (chars // len(unit)) + end


def cost_s(work: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    work(text)
    return time.thread_time() - began


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_more_text_takes_no_more_time_a_character(work: Callable[[str], object]) -> None:
    for made_of in product(STARTS, UNITS, ENDS):
        text = fill(*made_of, CHARS)
        if cost_s(work, text) < LITTLE_S:
            continue
        longer = fill(*made_of, LONGER * CHARS)
        once = min(cost_s(work, text) for _ in range(3))
        more = min(cost_s(work, longer) for _ in range(2))
        assert more < max(LITTLE_S, MOST_GROWTH * once), made_of
