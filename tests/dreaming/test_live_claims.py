"""What was said in a conversation is promoted as long as it is kept, and as who said it."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

import pytest

from openclaw_memd.domain.claims import claim_key
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.promotion_score import Score, Signals
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, Source, Tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.live_claims import LiveClaims, why_unfit
from openclaw_memd.dreaming.sources import ReadSource, Sources
from openclaw_memd.dreaming.types import Candidate, Ranked
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.origins import Attribution

PATH = "sessions/main/s1"
TEXT = "The printer needs the old driver, version 4."
OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
AGENT = Provenance(Origin.AGENT, SessionKind.INTERACTIVE)


@dataclass(frozen=True, slots=True)
class KeptSessions(Sources):
    """Sessions as they are kept; ``read`` are paths that were looked for."""

    parts: dict[str, ReadSource] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)

    def find(self, path: str) -> ReadSource | None:
        self.found.append(path)
        return self.parts.get(path)


def kept(*lines: str, provenance: Provenance = OWNER) -> KeptSessions:
    file = ListedFile(PATH, Source.SESSIONS, Tier.SESSION, WORKSPACE, PATH, evergreen=False)
    part = ReadSource(file, lines, Attribution(((1, provenance),)), None)
    return KeptSessions(Corpus(Roots.__new__(Roots), FileRules.parse()), {PATH: part})


def said(text: str = TEXT, provenance: Provenance = OWNER, line: int = 1) -> Ranked:
    found = Candidate(
        key=claim_key(text, provenance.origin),
        text=text,
        path=PATH,
        start_line=line,
        end_line=line,
        is_session=True,
        provenance=provenance,
        signals=Signals(),
        noted_on=date(2026, 1, 11),
    )
    return Ranked(found, Score(0, 0, 0, 0, 0, 0, 0.8))


def look(sources: KeptSessions, *ranked: Ranked) -> list[Fact | str]:
    return list(LiveClaims(sources, Analyzer()).look(ranked).values())


def test_what_was_said_is_found_where_it_stands_now() -> None:
    (fact,) = look(kept("User: It rains all day long.", f"User: {TEXT}"), said())
    assert isinstance(fact, Fact)
    assert (fact.text, fact.source) == (TEXT, f"{PATH}#L2")
    assert fact.provenance == OWNER


def test_what_was_said_in_almost_the_same_words_will_do_and_no_other() -> None:
    (fact,) = look(kept("User: The printer needs an old driver, version 4!"), said())
    assert isinstance(fact, Fact)
    assert fact.text == "The printer needs an old driver, version 4!"
    assert look(kept("User: The printer needs the old driver, version 5."), said()) == ["source_gone"]


def test_a_message_that_is_gone_or_another_one_is_no_source() -> None:
    assert look(kept("User: It rains all day long."), said()) == ["source_gone"]
    assert look(KeptSessions(kept().corpus), said()) == ["source_gone"]


@pytest.mark.parametrize(
    "provenance",
    [
        Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE),
        Provenance(Origin.AGENT, SessionKind.CRON),
        Provenance(Origin.OWNER, SessionKind.UNKNOWN),
        Provenance(Origin.OWNER, SessionKind.SUBAGENT),
    ],
)
def test_who_is_behind_it_now_counts(provenance: Provenance) -> None:
    (now,) = look(kept(f"User: {TEXT}", provenance=provenance), said())
    assert now in ("origin", "source_gone"), "what may not be a memory is not even read"
    assert look(kept(f"User: {TEXT}"), said(provenance=provenance)) == ["origin"]


def test_the_less_trusted_of_both_is_behind_the_line() -> None:
    (fact,) = look(kept(f"User: {TEXT}", provenance=AGENT), said(provenance=OWNER))
    assert isinstance(fact, Fact)
    assert fact.provenance == AGENT


def test_what_the_owner_did_not_want_is_out_whoever_chose_it() -> None:
    ranked = said()
    unwanted = replace(ranked.candidate, rejected_at=datetime(2026, 1, 11, tzinfo=UTC))
    assert look(kept(f"User: {TEXT}"), replace(ranked, candidate=unwanted)) == ["rejected"]


def test_each_source_is_read_once() -> None:
    sources = kept(f"User: {TEXT}", "User: The scanner works without any driver.")
    found = look(sources, said(), said("The scanner works without any driver.", line=2))
    assert all(isinstance(one, Fact) for one in found)
    assert sources.found == [PATH]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT, None),
        (" \u200b ", "blank"),
        ("`npm run build`", "command"),
        ("ok, thanks!", "chat"),
        ("User: it is so", "transcript"),
        ("<!-- openclaw:dreaming:light:start -->", "marker"),
    ],
)
def test_what_is_no_lasting_memory(text: str, why: str | None) -> None:
    assert why_unfit(text) == why
