"""What is no memory."""

import pytest

from openclaw_memd.domain.contamination import (
    Contamination,
    find_claim_contamination,
    find_contamination,
)

STAGED = "Candidate: use tabs\n  - confidence: 0.62\n  - evidence: memory/2026-01-11.md:3-4\n"
LIGHT = STAGED + "  - recalls: 2\n  - status: staged"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LIGHT, Contamination.REPORT),
        ("- " + LIGHT, Contamination.REPORT),
        ("@@ -1,3 +1,4 @@ - " + LIGHT, Contamination.REPORT),
        ("[(" + LIGHT, Contamination.REPORT),
        ("lead " * 30 + LIGHT, Contamination.REPORT),
        ("Reflections: x confidence: 1 evidence: memory/a.md note: reflection", Contamination.REPORT),
        ("# Reflections\nconfidence: 0.8\nevidence: memory/a.md:1\nnote: reflection", Contamination.REPORT),
        ("<!-- openclaw-memory-promotion:memory:a b.md -->\n- x", Contamination.MARKER),
        ("<!-- openclaw:dreaming:light:start -->", Contamination.MARKER),
        ("He pasted <<<BEGIN_MEMD_RECALL>>> Recalled from memory files.", Contamination.MARKER),
        ("> <<<end_openclaw_internal_context>>> as I said", Contamination.MARKER),
        ("[[MEMD_UNTRUSTED_BEGIN]] meter", Contamination.MARKER),
        (
            "> [1] memory/2026-01-11.md#L1-L2 (episodic, origin agent) > > - The pot is blue.",
            Contamination.MARKER,
        ),
        ("[12] MEMORY.md#L4 (curated, weak match, origin owner)", Contamination.MARKER),
        ("- The pot is blue. (Source: memory/2026-01-11.md#L3, noted 2026-01-11)", Contamination.MARKER),
        ("Conversation Summary: we talked", Contamination.SUMMARY),
        ("- conversation summary: we talked", Contamination.SUMMARY),
        ("User: hello", Contamination.TRANSCRIPT),
        ("- assistant: hello", Contamination.TRANSCRIPT),
        ("> User: I moved", Contamination.TRANSCRIPT),
        ("We talked.\n> User: I moved\n> Assistant: Good.", Contamination.TRANSCRIPT),
        ("2026-01-11 19:04 (Etc/UTC): > User: I moved > Assistant: Good.", Contamination.TRANSCRIPT),
        ("2026-01-11T19:04:10Z Assistant: Good.", Contamination.TRANSCRIPT),
        ("score=0.82 meter promoted recalls=4", Contamination.SCORE),
        ("[message_id: 4455] words of Ana", Contamination.WRAPPER),
        ("[Mon 2026-01-12 08:00 UTC] Ana: hello", Contamination.WRAPPER),
        ('Conversation info (untrusted metadata): {"a": 1}', Contamination.WRAPPER),
        ("- HEARTBEAT_OK meter", Contamination.WRAPPER),
        (
            "x [score=0.812 signals=3 recalls=2 avg=0.700 source=memory/2026-01-11.md:3-3]",
            Contamination.SCORE,
        ),
        ("The pot is blue [confidence=0.77 evidence=memory/2026-01-11.md:1-1]", Contamination.SCORE),
        ("Us\u200ber: hello", Contamination.TRANSCRIPT),
        ("Conver\u00adsation Summary: we \u202etalked", Contamination.SUMMARY),
        ("**Session Key**: a\n**Session ID**: b", Contamination.SESSION_HEADER),
    ],
)
def test_it_is_told(text: str, found: Contamination) -> None:
    assert find_contamination(text) is found


@pytest.mark.parametrize(
    "text",
    [
        "Candidate profile: the new hire starts in May",
        "The file begins with <<<BEGIN and ends with [[END]].",
        "See [1] notes.md#L4 and [2] plan.md for the origin of it.",
        "The pot is blue. (Source: the potter)",
        "The pot is blue. (Source: docs/pots.md#L3)",
        STAGED,
        "confidence: 0.9 evidence: memory/a.md status: staged recalls: 2",
        "The session key is kept in the safe.",
        "Session Key" + " " * 300 + "Session ID",
        "Users: forty of them",
        "score=0.8 of the test",
        "Roles > User: may read only",
        "Grafana: user: ops",
        "2026-01-11 19:04: Users of the lab got keys",
        "Heartbeats are due every hour.",
        "",
    ],
)
def test_what_only_resembles_it_is_none(text: str) -> None:
    assert find_contamination(text) is None
    assert find_claim_contamination(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Todo: HEARTBEAT_OK meter", Contamination.WRAPPER),
        ("Todo > later > [message_id: 4455] words", Contamination.WRAPPER),
        ("Talk: 2026-01-11 19:04 (Etc/UTC): > User: I moved", Contamination.TRANSCRIPT),
        ("Todo: Conversation summary: we talked", Contamination.SUMMARY),
    ],
)
def test_a_heading_above_hides_nothing(text: str, found: Contamination) -> None:
    assert find_claim_contamination(text) is found


def test_turns_of_a_conversation_begin_with_who_speaks() -> None:
    assert find_contamination("User: I moved to Graz", is_session=True) is None
