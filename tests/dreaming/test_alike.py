"""Which sentences of conversations are one claim."""

import pytest

from openclaw_memd.domain.claims import claim_key
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.alike import Alike

KNOWN = "The latency of the gateway must stay < 50 ms on each day of the week."
KEY = claim_key(KNOWN, Origin.OWNER)


def found(text: str, origin: Origin = Origin.OWNER) -> str | None:
    return Alike({KEY: KNOWN}, Analyzer()).find_key(claim_key(text, origin), text)


def test_almost_the_same_words_are_one_claim() -> None:
    assert found(KNOWN) == KEY
    assert found(KNOWN.replace("The latency", "Latency")) == KEY


@pytest.mark.parametrize(
    "text",
    [
        KNOWN.replace("<", ">"),
        KNOWN.replace("50", "60"),
        KNOWN.replace("must", "must not"),
        "Something else is said here.",
    ],
)
def test_signs_numbers_and_negations_make_another(text: str) -> None:
    assert found(text) is None


def test_trust_parts_them() -> None:
    assert found(KNOWN.replace("The latency", "Latency"), Origin.UNTRUSTED) is None
