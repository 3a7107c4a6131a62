"""What a note claims, by who is behind each of its lines."""

from openclaw_memd.domain.daily_claims import read_claims
from openclaw_memd.domain.provenance import (
    FOREIGN,
    HANDWRITTEN,
    Origin,
    Provenance,
    SessionKind,
    Source,
    Tier,
)
from openclaw_memd.dreaming.sources import Found, ReadSource
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.index.origins import Attribution

PATH = "memory/2026-01-11.md"
TEXT = "- In the server room\n  - the key hangs at hook 9400.\n"
OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)


def claims(*behind: Provenance) -> list[Found]:
    """Those of the text, with who is behind each of its lines."""
    file = ListedFile(PATH, Source.MEMORY, Tier.EPISODIC, WORKSPACE, PATH, evergreen=False)
    attribution = Attribution(tuple(enumerate(behind, start=1)))
    return ReadSource(file, TEXT.split("\n"), attribution, None, read_claims(TEXT)).claims()


def test_what_stands_above_a_claim_is_part_of_it() -> None:
    _, claim = claims(HANDWRITTEN, HANDWRITTEN)
    assert claim.text == "In the server room > the key hangs at hook 9400."


def test_what_stands_above_from_outside_says_nothing_of_a_trusted_claim() -> None:
    outer, claim = claims(FOREIGN, OWNER)
    assert (claim.text, claim.provenance) == ("the key hangs at hook 9400.", OWNER)
    assert outer.provenance.origin is Origin.UNTRUSTED


def test_the_less_trusted_of_both_is_behind_it() -> None:
    assert claims(HANDWRITTEN, OWNER)[1].provenance.origin is Origin.AGENT
    assert claims(OWNER, FOREIGN)[1].provenance.origin is Origin.UNTRUSTED
